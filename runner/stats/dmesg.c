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

/*
 * What starts a report, as the kernel's sources print it (kernel/panic.c,
 * lib/bug.c, mm, arch/x86 and arm64/kernel/traps.c and mm/fault.c, watchdog.c,
 * hung_task.c, kernel/locking/lockdep.c, kernel/rcu, arch/x86/kernel/cpu/mce).
 */
static const char *const kind[] = {
	"BUG: ",
	"WARNING: ",
	"Kernel panic - not syncing",
	"kernel BUG at",
	"Oops: ",
	"RIP: 0010:", /* where: 0033 is a program's */
	"pc : ", /* arm64's */
	"Internal error: ",
	"Unable to handle kernel ",
	"general protection fault",
	"double fault: ",
	"invalid opcode: ",
	"divide error: ",
	"stack segment: ",
	"UBSAN: ",
	"list_add corruption",
	"list_del corruption",
	"Watchdog detected hard LOCKUP",
	"INFO: task ",
	"INFO: rcu_",
	"INFO: possible ", /* lockdep before 4.12 said INFO */
	"INFO: suspicious RCU usage",
	"INFO: inconsistent lock state",
	"INFO: trying to register non-static key",
	"Out of memory: ",
	"unregister_netdevice: waiting for",
};

/* What stands behind whose report it is: "tar: page allocation failure: ". */
static const char *const inside[] = {
	"page allocation failure: ",
	"[Hardware Error]: Machine check events logged",
	"[Hardware Error]: CPU ", /* "CPU 1: Machine Check: 0 Bank 5: be..." */
	"[Hardware Error]: Hardware error from APEI",
	"[Hardware Error]: Corrected error",
	"[Hardware Error]: Uncorrected",
	"[Hardware Error]: Deferred error",
};

/* Who says it; the same report has come from different ones over time. */
static const char *const teller[] = { "NMI watchdog: ", "watchdog: ", "rcu: " };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct places {
	char name[PLACES][PLACE_LEN];
	unsigned int count[PLACES];
	unsigned int n;
};

const char *dmesg_message(const char *line)
{
	if (*line == '<')
		line += strcspn(line, ">") + (strchr(line, '>') != NULL);
	while (*line == '[' && line[1 + strspn(line + 1, " TC.,0123456789")] ==
				       ']') {
		line = strchr(line, ']') + 1;
		line += strspn(line, " ");
	}
	return line;
}

/* The report that a line starts, NULL if none. */
static const char *report(const char *line)
{
	const char *m = dmesg_message(line);

	for (size_t i = 0; i < COUNT(teller); i++)
		if (!strncmp(m, teller[i], strlen(teller[i])))
			m += strlen(teller[i]);
	for (size_t i = 0; i < COUNT(kind); i++)
		if (!strncmp(m, kind[i], strlen(kind[i])))
			return m;
	for (size_t i = 0; i < COUNT(inside); i++) {
		const char *at = strstr(m, inside[i]);

		if (at)
			return at;
	}
	return NULL;
}

/* An address without its 0x, as page fault reports have it: its length. */
static size_t bare_hex(const char *p)
{
	size_t n = strspn(p, "0123456789abcdef");

	return n >= 8 && !isalnum((unsigned char)p[n]) && p[n] != '_' ? n : 0;
}

/* The number at p, behind the character before; its length. */
static size_t number(const char *p, char before)
{
	if (isalpha((unsigned char)before))
		return 0;
	if (p[0] == '0' && p[1] == 'x')
		return 2 + strspn(p + 2, "0123456789abcdefABCDEF");
	if (isdigit((unsigned char)*p))
		return strspn(p, "0123456789abcdefABCDEF");
	return before == '_' ? bare_hex(p) : 0;
}

/*
 * Appends p to name: numbers become '#', other characters than those of names
 * and paths '_', one for several.
 */
static void append(char *name, const char *p)
{
	size_t n = strlen(name);

	while (*p && n < PLACE_LEN - 1) {
		size_t len = number(p, n ? name[n - 1] : '\0');
		char c = len ? '#' : '_';

		/* "foo.c:12 foo_bar": the function joins the '#' of the line */
		if (*p == ' ' && n > 4 && !memcmp(name + n - 4, ".c:#", 4)) {
			p++;
			continue;
		}
		if (!len && (isalnum((unsigned char)*p) ||
			     strchr("/.:_-+", *p)))
			c = *p;
		p += len ? len : 1;
		if (c != '_' || *(p - 1) == '_' || (n && name[n - 1] != '_'))
			name[n++] = c;
	}
	while (n && name[n - 1] == '_')
		n--;
	name[n] = '\0';
}

/*
 * "WARNING: CPU: 1 PID: 2 at kernel/foo.c:12 foo_bar+0x1/0x2" or, from 6.19 on,
 * "WARNING: kernel/foo.c:12 at foo_bar+0x1/0x2, CPU#1: insmod/2": "FILE:LINE
 * FUNCTION" for both, CPU, PID and offsets say nothing about the place.
 */
static bool warning(const char *r, char *text, size_t size)
{
	const char *at = strstr(r, " at ");
	size_t file;

	if (strncmp(r, "WARNING: ", 9) != 0 || !at)
		return false;
	if (!strncmp(r, "WARNING: CPU: ", 14)) {
		snprintf(text, size, "%s", at + 4);
		return true;
	}
	r += 9;
	file = strcspn(r, " ");
	if (r + file != at || !memchr(r, ':', file))
		return false;
	snprintf(text, size, "%.*s %s", (int)file, r, at + 4);
	return true;
}

static const struct {
	const char *said, *name;
} short_for[] = {
	{ "RIP: 0010:", "RIP:" },
	{ "pc : ", "pc:" },
	{ "[Hardware Error]: ", "MCE:" },
};

static void name_place(char *name, const char *r)
{
	char text[PLACE_LEN];
	char *cut;

	*name = '\0';
	if (warning(r, text, sizeof(text))) {
		memcpy(name, "WARNING:at_", 12);
	} else {
		for (size_t i = 0; i < COUNT(short_for); i++)
			if (!strncmp(r, short_for[i].said,
				     strlen(short_for[i].said))) {
				r += strlen(short_for[i].said);
				snprintf(name, PLACE_LEN, "%s",
					 short_for[i].name);
			}
		snprintf(text, sizeof(text), "%s", r);
	}
	cut = strstr(text, "+0x");
	if (cut)
		*cut = '\0';
	cut = strstr(text, " Bank "); /* its state follows, in bare hex */
	if (cut && !strcmp(name, "MCE:"))
		cut[strcspn(cut + 6, ":") + 6] = '\0';
	append(name, text);
}

bool dmesg_place(const char *line, char name[DMESG_PLACE])
{
	const char *r = report(line);

	if (r)
		name_place(name, r);
	return r != NULL;
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
