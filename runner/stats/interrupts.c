// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * /proc/interrupts and /proc/softirqs: what was added inside the window,
 * summed over CPUs. Rows of the architecture are "CAL:Function_call_interrupts"
 * as in lkp-tests, those of devices "24:IO-APIC.5-edge.ACPI:Ged".
 *
 * The file has a column for each online CPU. When CPUs come or go inside the
 * window, sums over different columns are not comparable: then the window has
 * no values.
 */
#include "extractors.h"

#include <string.h>

enum { NAME_LEN = 200 };

/* The header's words: how many, and a digest of which. */
static int header(struct series *s, struct sample *t, unsigned int *cpus,
		  struct err *e)
{
	const char *p;
	size_t n;

	*cpus = 0;
	if (!sample_line(t))
		return err_set(e, ERR_FORMAT, "an empty sample");
	while ((n = sample_word(t, &p))) {
		if (n < 4 || memcmp(p, "CPU", 3) != 0)
			return sample_bad(t, e, "not a header of CPUs");
		for (size_t i = 0; i < n; i++)
			s->shape = s->shape * 31 + (unsigned char)p[i];
		++*cpus;
	}
	return *cpus ? 0 : sample_bad(t, e, "not a header of CPUs");
}

/* "LABEL:" and the rest of the line as one word, into out; its length. */
static size_t row_name(struct sample *t, const char *label, size_t n,
		       char *out)
{
	bool device = label[0] >= '0' && label[0] <= '9';
	const char *p;
	size_t len = n < NAME_LEN / 2 ? n : NAME_LEN / 2, word;

	memcpy(out, label, len);
	for (unsigned int i = 0; (word = sample_word(t, &p)); i++) {
		if (len + word + 2 > NAME_LEN)
			break;
		out[len] = !i ? ':' : device ? '.' : '_';
		memcpy(out + len + 1, p, word);
		len += 1 + word;
	}
	return len;
}

static int parse(struct series *s, struct sample *t, struct err *e)
{
	unsigned int cpus;

	if (header(s, t, &cpus, e))
		return -1;
	while (sample_line(t)) {
		char name[NAME_LEN];
		const char *label;
		size_t n = sample_word(t, &label);
		double sum = 0, v;
		unsigned int i = 0;

		if (!n)
			continue;
		if (n < 2 || label[n - 1] != ':')
			return sample_bad(t, e, "not a row of interrupts");
		for (; i < cpus && sample_maybe_u64(t, &v); i++)
			sum += v;
		if (!i) /* ERR and MIS have one number, not one a CPU */
			return sample_bad(t, e, "a row without numbers");
		n = row_name(t, label, n - 1, name);
		if (series_add(s, name, n, 0, sum, e))
			return -1;
	}
	return 0;
}

static int put(const struct series *s, struct stat_out *o, const char *prefix,
	       struct err *e)
{
	if (s->reshaped)
		return 0;
	for (size_t i = 0; i < s->n; i++) {
		double d;

		if (series_delta(s, &s->v[i], &d) &&
		    stat_put(o, "count", STAT_NONE, d, e, "%s.%s", prefix,
			     series_key(s, &s->v[i])))
			return -1;
	}
	return 0;
}

static int finish_interrupts(const struct series *s, struct stat_out *o,
			     struct err *e)
{
	return put(s, o, "interrupts", e);
}

static int finish_softirqs(const struct series *s, struct stat_out *o,
			   struct err *e)
{
	return put(s, o, "softirqs", e);
}

const struct monitor interrupts_monitor = { .parse = parse,
					    .finish = finish_interrupts };
const struct monitor softirqs_monitor = { .parse = parse,
					  .finish = finish_softirqs };
