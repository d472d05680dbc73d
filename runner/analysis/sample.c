// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Boot means and the rule that drops boots: blind to the metric, by the count
 * of completed iterations only. Outcome and stability are the caller's to
 * judge; it hands a failed or unstable boot in as one without iterations.
 */
#include "sample.h"

#include <math.h>
#include <string.h>

bool sample_usable(double x)
{
	double size = fabs(x);

	return x == 0 || (size >= SAMPLE_LEAST && size <= SAMPLE_MOST);
}

int sample_check(const struct sample_boot *b, size_t n, const char *side,
		 struct err *e)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < b[i].n; k++)
			if (!sample_usable(b[i].v[k]))
				return err_set(e, ERR_INPUT,
					       "%s: boot %zu, iteration %zu is "
					       "not a number of a size from "
					       "1e-150 to 1e150",
					       side, i + 1, k + 1);
	return 0;
}

bool sample_percent_unit(const char *unit)
{
	size_t len = unit ? strlen(unit) : 0;

	return (len && unit[len - 1] == '%') ||
	       (len >= 7 && !strcmp(unit + len - 7, "percent"));
}

bool sample_not_positive(const struct sample_boot *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < b[i].n; k++)
			if (b[i].v[k] <= 0)
				return true;
	return false;
}

size_t sample_planned(const struct sample_boot *b, size_t n)
{
	size_t most = 0;

	for (size_t i = 0; i < n; i++)
		if (b[i].n > most)
			most = b[i].n;
	return most;
}

double sample_mean(const struct sample_boot *b, size_t m, bool linear)
{
	double first = linear ? b->v[0] : log(b->v[0]), sum = 0;

	for (size_t k = 1; k < m; k++)
		sum += (linear ? b->v[k] : log(b->v[k])) - first;
	return first + sum / (double)m;
}

static bool enough(const struct sample_boot *b, size_t planned)
{
	return b->n && 2 * b->n >= (b->planned ? b->planned : planned);
}

void sample_paired(const struct sample_boot *base,
		   const struct sample_boot *head, size_t n, size_t planned,
		   bool linear, struct sample_kept *out)
{
	size_t kept = 0;

	for (size_t j = 0; j < n; j++) {
		size_t m = base[j].n < head[j].n ? base[j].n : head[j].n;

		if (!enough(&base[j], planned) || !enough(&head[j], planned))
			continue;
		out->base[kept] = sample_mean(&base[j], m, linear);
		out->head[kept] = sample_mean(&head[j], m, linear);
		if (out->block)
			out->block[kept] = j;
		kept++;
	}
	out->n_base = out->n_head = kept;
	out->dropped = n - kept;
}

static size_t keep(const struct sample_boot *b, size_t n, size_t planned,
		   bool linear, double *y, size_t *at)
{
	size_t kept = 0;

	for (size_t j = 0; j < n; j++) {
		if (!enough(&b[j], planned))
			continue;
		if (at)
			at[kept] = j;
		y[kept++] = sample_mean(&b[j], b[j].n, linear);
	}
	return kept;
}

void sample_unpaired(const struct sample_boot *base, size_t n_base,
		     const struct sample_boot *head, size_t n_head,
		     size_t planned, bool linear, struct sample_kept *out)
{
	out->n_base =
		keep(base, n_base, planned, linear, out->base, out->block);
	out->n_head =
		keep(head, n_head, planned, linear, out->head, out->head_block);
	out->dropped = n_base - out->n_base + n_head - out->n_head;
}

struct sample_moments sample_moments(const double *y, const double *minus,
				     size_t n)
{
	struct sample_moments m = { .n = n, .mean = NAN, .sd = NAN };
	double first, sum = 0, rest = 0, square = 0;

	if (!n)
		return m;
	first = minus ? y[0] - minus[0] : y[0];
	for (size_t i = 1; i < n; i++)
		sum += (minus ? y[i] - minus[i] : y[i]) - first;
	m.mean = first + sum / (double)n;
	if (n < 2)
		return m;
	for (size_t i = 0; i < n; i++) {
		double d = (minus ? y[i] - minus[i] : y[i]) - m.mean;

		rest += d;
		square += d * d;
	}
	/* what rounding of the mean left over; matters at 1e12 and sd 1e-3 */
	square -= rest * rest / (double)n;
	m.sd = square > 0 ? sqrt(square / (double)(n - 1)) : 0;
	return m;
}
