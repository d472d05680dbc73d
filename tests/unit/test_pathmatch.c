// SPDX-License-Identifier: GPL-3.0-or-later
#include "pathmatch.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static struct err err;
static int at;

static const char *paths(const char *pattern, size_t max)
{
	static struct buf b;
	struct strlist l = { 0 };
	int rc = pathmatch(at, pattern, max, &l, &err);

	buf_reset(&b);
	for (size_t i = 0; i < l.n; i++)
		buf_printf(&b, "%s%s", i ? " " : "", l.v[i]);
	if (rc)
		buf_puts(&b, " !");
	strlist_free(&l);
	return buf_str(&b);
}

int main(void)
{
	static const char *const file[] = { "cpu0/f",  "cpu2/f",    "cpu10/f",
					    "cpu10/g", "cpufreq/f", ".dot" };

	at = scratch_open();
	for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++)
		put(file[i], "x");
	is_str(paths("cpu[0-9]*/f", 9), "cpu0/f cpu2/f cpu10/f",
	       "per component, in natural order");
	is_str(paths("/cpu10/*", 9), "cpu10/f cpu10/g", "a leading slash");
	is_str(paths("cpu2/f", 9), "cpu2/f", "without wildcards");
	is_str(paths("cpu2/none", 9), "", "what is not there");
	is_str(paths("none/*", 9), "", "a folder that is not there");
	is_str(paths("*", 9), "cpu0 cpu2 cpu10 cpufreq", "no dot files");
	is_str(paths(".d*", 9), ".dot", "unless asked");
	is_str(paths("cpu*/f", 2), "cpu0/f cpu2/f !", "a limit is an error");
	is_str(paths("", 9), "", "nothing");
	return scratch_end();
}
