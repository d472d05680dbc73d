// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * CPU sets in the kernel's list format. 288 CPUs do not fit a 64-bit mask, so
 * there is no mask form at all.
 */
#include "cpulist.h"
#include "io.h"

#include <stdlib.h>
#include <string.h>

#define WORD (8 * sizeof(unsigned long))

void cpulist_set(struct cpulist *c, unsigned int cpu, bool on)
{
	if (cpu >= CPULIST_MAX)
		return;
	if (on)
		c->bits[cpu / WORD] |= 1UL << cpu % WORD;
	else
		c->bits[cpu / WORD] &= ~(1UL << cpu % WORD);
}

bool cpulist_has(const struct cpulist *c, unsigned int cpu)
{
	return cpu < CPULIST_MAX && c->bits[cpu / WORD] >> cpu % WORD & 1;
}

unsigned int cpulist_count(const struct cpulist *c)
{
	unsigned int n = 0;

	for (size_t i = 0; i < CPULIST_MAX / WORD; i++)
		n += (unsigned int)__builtin_popcountl(c->bits[i]);
	return n;
}

int cpulist_next(const struct cpulist *c, unsigned int from)
{
	for (unsigned int cpu = from; cpu < CPULIST_MAX; cpu++)
		if (cpulist_has(c, cpu))
			return (int)cpu;
	return -1;
}

bool cpulist_equal(const struct cpulist *a, const struct cpulist *b)
{
	return !memcmp(a->bits, b->bits, sizeof(a->bits));
}

/* One number at *s, advanced. -1 when there is none or it is too large. */
static long one(const char **s)
{
	char *end;
	long v;

	if (**s < '0' || **s > '9')
		return -1;
	v = strtol(*s, &end, 10);
	*s = end;
	return v < CPULIST_MAX ? v : -1;
}

int cpulist_parse(const char *s, struct cpulist *out, struct err *e)
{
	struct cpulist c = { 0 };
	const char *at = s;

	while (*at && *at != '\n') {
		long a = one(&at), b = a;

		if (a >= 0 && *at == '-') {
			at++;
			b = one(&at);
		}
		if (a < 0 || b < a)
			goto bad;
		for (long cpu = a; cpu <= b; cpu++)
			cpulist_set(&c, (unsigned int)cpu, true);
		if (*at == ',' && at[1] && at[1] != '\n')
			at++;
		else if (*at && *at != '\n')
			goto bad;
	}
	if (*at == '\n' && at[1])
		goto bad;
	*out = c;
	return 0;
bad:
	return err_set(e, ERR_INPUT,
		       "\"%.64s\" is not a CPU list (such as 0-3,8)", s);
}

void cpulist_format(const struct cpulist *c, struct buf *out)
{
	const char *comma = "";
	int a = cpulist_next(c, 0);

	while (a >= 0) {
		int b = a;

		while (cpulist_has(c, (unsigned int)b + 1))
			b++;
		if (a == b)
			buf_printf(out, "%s%d", comma, a);
		else
			buf_printf(out, "%s%d-%d", comma, a, b);
		comma = ",";
		a = cpulist_next(c, (unsigned int)b + 1);
	}
}

int cpulist_online(int root, struct cpulist *out, struct err *e)
{
	struct buf b = { 0 };
	int rc = io_read_file(root, "sys/devices/system/cpu/online", &b, 65536,
			      e);

	if (!rc)
		rc = cpulist_parse(buf_str(&b), out, e);
	buf_free(&b);
	return rc;
}

unsigned int cpulist_percent(unsigned int n, unsigned int percent)
{
	unsigned long v = ((unsigned long)n * percent + 50) / 100;

	return v ? (unsigned int)v : 1;
}
