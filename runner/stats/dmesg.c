// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Warnings and faults in the kernel's log, named as lkp-tests does:
 * "dmesg.WARNING:at_kernel/foo.c:#foo_bar". Numbers become '#', so that a
 * line moved by a patch keeps its name. One stat a place, its value is how
 * often it was said. A log without any gives no stat and is no error.
 */
#include "dmesg.h"
#include "extractors.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 256, PLACE_LEN = DMESG_PLACE };

/* What starts a report; the longest first where one starts another. */
static const char *const kind[] = {
	"BUG: KASAN:",
	"BUG: KCSAN:",
	"BUG: KMSAN:",
	"BUG: KFENCE:",
	"BUG: unable to handle",
	"BUG: kernel NULL pointer dereference",
	"BUG: soft lockup",
	"BUG: workqueue lockup",
	"BUG: sleeping function called from invalid context",
	"BUG: scheduling while atomic",
	"BUG: Bad page",
	"BUG: ",
	"WARNING: possible circular locking dependency detected",
	"WARNING: possible recursive locking detected",
	"WARNING: possible irq lock inversion dependency detected",
	"WARNING: inconsistent lock state",
	"WARNING: suspicious RCU usage",
	"WARNING: CPU: ",
	"WARNING: ",
	"Kernel panic - not syncing",
	"kernel BUG at",
	"Oops: ",
	"general protection fault",
	"UBSAN: ",
	"INFO: task ",
	"INFO: rcu_",
	"rcu: INFO: ",
	"watchdog: BUG: ",
	"Out of memory: ",
	"page allocation failure",
	"unregister_netdevice: waiting for",
	"Call trace missing",
};

struct places {
	char name[PLACES][PLACE_LEN];
	unsigned int count[PLACES];
	unsigned int n;
};

const char *dmesg_message(const char *line)
{
	if (*line == '<')
		line += strcspn(line, ">") + (strchr(line, '>') != NULL);
	while (*line == '[' && strchr(line, ']')) {
		line = strchr(line, ']') + 1;
		line += strspn(line, " ");
	}
	return line;
}

/*
 * Appends p to name: runs of digits and hex words become '#', other
 * characters than those of names and paths '_'.
 */
static void append(char *name, const char *p)
{
	size_t n = strlen(name);

	while (*p && n < PLACE_LEN - 1) {
		bool hex = p[0] == '0' && p[1] == 'x';

		/* "foo.c:12 foo_bar": the function joins the '#' of the line */
		if (*p == ' ' && n > 4 && !memcmp(name + n - 4, ".c:#", 4)) {
			p++;
			continue;
		}
		if (hex || (isdigit((unsigned char)*p) &&
			    (!n || !isalpha((unsigned char)name[n - 1])))) {
			p += hex ? 2 : 0;
			while (isxdigit((unsigned char)*p))
				p++;
			name[n++] = '#';
			continue;
		}
		name[n++] = isalnum((unsigned char)*p) ||
			    strchr("/.:_-+", *p) ? *p : '_';
		p++;
	}
	while (n && name[n - 1] == '_')
		n--;
	name[n] = '\0';
}

/*
 * "WARNING: CPU: 1 PID: 2 at kernel/foo.c:12 foo_bar+0x1/0x2": CPU, PID and
 * offsets say nothing about the place.
 */
static void name_place(char *name, const char *report)
{
	const char *at = strstr(report, " at ");
	char text[PLACE_LEN];
	char *cut;

	*name = '\0';
	if (!strncmp(report, "WARNING: CPU: ", 14) && at) {
		memcpy(name, "WARNING:at_", 12);
		report = at + 4;
	}
	snprintf(text, sizeof(text), "%s", report);
	cut = strstr(text, "+0x");
	if (cut)
		*cut = '\0';
	append(name, text);
}

bool dmesg_place(const char *line, char name[DMESG_PLACE])
{
	const char *m = dmesg_message(line);

	for (size_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++)
		if (!strncmp(m, kind[i], strlen(kind[i]))) {
			name_place(name, m);
			return true;
		}
	return false;
}

static void count(struct places *p, const char *name)
{
	unsigned int i;

	for (i = 0; i < p->n; i++)
		if (!strcmp(p->name[i], name))
			break;
	if (i == PLACES)
		return; /* a kernel that falls apart says enough before that */
	if (i == p->n) {
		snprintf(p->name[i], PLACE_LEN, "%s", name);
		p->n++;
	}
	p->count[i]++;
}

int dmesg_text(struct text *t, struct stat_out *o, struct err *e)
{
	struct places *p = calloc(1, sizeof(*p));
	int rc = 0;

	if (!p)
		return err_set(e, ERR_LIMIT, "out of memory");
	while (text_next(t)) {
		char name[PLACE_LEN];

		if (dmesg_place(t->line, name))
			count(p, name);
	}
	o->run = 0;
	for (unsigned int i = 0; !rc && i < p->n; i++)
		rc = stat_put(o, "times", STAT_LOWER, p->count[i], e,
			      "dmesg.%s", p->name[i]);
	free(p);
	return rc;
}
