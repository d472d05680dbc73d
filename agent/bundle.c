// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Which bundle brings which program. Looking for programs is the shell's work.
 */
#include "bundle.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *program, *bundle;
} bringers[] = {
	{ "ab", "apachebench" },
	{ "apache2", "apachebench" },
	{ "cyclictest", "rt-tests" },
	{ "hackbench", "rt-tests" },
	{ "fio", "fio" },
	{ "iperf3", "iperf3" },
	{ "netperf", "netperf" },
	{ "netserver", "netperf" },
	{ "perf", "perf" },
	{ "stress-ng", "stress-ng" },
	{ "sysbench", "sysbench" },
};

bool bundle_program(const char *command, char *word, size_t size)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./+-";
	size_t n;

	command += strspn(command, " \t\n");
	n = strspn(command, plain);
	/* an assignment, a quote, a subshell: the shell's to understand */
	if (!n || n >= size || !strchr(" \t\n;&|<>", command[n]))
		return false;
	memcpy(word, command, n);
	word[n] = '\0';
	return word[0] != '-';
}

void bundle_hint(const char *program, const struct strlist *listed, char *hint,
		 size_t size)
{
	const char *bundle = NULL;
	struct buf b = { 0 };

	for (size_t i = 0; i < sizeof(bringers) / sizeof(bringers[0]); i++)
		if (!strcmp(bringers[i].program, program))
			bundle = bringers[i].bundle;
	if (bundle)
		buf_printf(&b, "bundle \"%s\" brings it; ", bundle);
	buf_puts(&b, "the job lists ");
	for (size_t i = 0; i < listed->n; i++)
		buf_printf(&b, "%s\"%s\"", i ? ", " : "", listed->v[i]);
	if (!listed->n)
		buf_puts(&b, "no bundles");
	snprintf(hint, size, "%s", buf_str(&b));
	buf_free(&b);
}
