// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Which bundle brings which program. Looking for programs is the shell's work.
 */
#include "bundle.h"
#include "image.h"
#include "io.h"

#include <stdio.h>
#include <string.h>

/* for --once on a machine that booted otherwise */
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

bool bundle_not_found(const char *said, char *word, size_t size)
{
	const char *end = strstr(said, ": not found");
	const char *at = end;

	while (at && at > said && at[-1] != ' ' && at[-1] != ':')
		at--;
	if (!at || at == end || (size_t)(end - at) >= size)
		return false;
	memcpy(word, at, (size_t)(end - at));
	word[end - at] = '\0';
	return true;
}

/* The second word of the line "PROGRAM BUNDLE"; "": there is none. */
static void listed_in_image(int root, const char *program, char *bundle,
			    size_t size)
{
	size_t len = strlen(program);
	struct buf b = { 0 };
	char *save, *line;

	*bundle = '\0';
	if (!io_read_file(root, IMAGE_PROGRAMS_FILE, &b, 65536, NULL))
		for (line = strtok_r(b.data, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			if (!strncmp(line, program, len) && line[len] == ' ')
				snprintf(bundle, size, "%s", line + len + 1);
	buf_free(&b);
}

void bundle_hint(int root, const char *program, const struct strlist *listed,
		 char *hint, size_t size)
{
	const char *slash = strrchr(program, '/');
	char bundle[128];
	struct buf b = { 0 };

	if (slash)
		program = slash + 1;
	listed_in_image(root, program, bundle, sizeof(bundle));
	for (size_t i = 0; i < sizeof(bringers) / sizeof(bringers[0]); i++)
		if (!*bundle && !strcmp(bringers[i].program, program))
			snprintf(bundle, sizeof(bundle), "%s",
				 bringers[i].bundle);
	if (*bundle)
		buf_printf(&b, "bundle \"%s\" brings it; ", bundle);
	buf_puts(&b, "the job lists ");
	for (size_t i = 0; i < listed->n; i++)
		buf_printf(&b, "%s\"%s\"", i ? ", " : "", listed->v[i]);
	if (!listed->n)
		buf_puts(&b, "no bundles");
	snprintf(hint, size, "%s", buf_str(&b));
	buf_free(&b);
}
