/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_TAP_H
#define IRONRIG_TAP_H

/*
 * TAP for C tests: ok(), is_int(), is_str(), done_testing(). One file a
 * program, so the state may be static. Headers only.
 */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_n, tap_failed;

__attribute__((format(printf, 4, 5), unused)) static bool
tap_ok(bool good, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", good ? "" : "not ", ++tap_n);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	if (!good) {
		tap_failed++;
		printf("#   at %s:%d\n", file, line);
	}
	fflush(stdout);
	return good;
}

#define ok(cond, ...) tap_ok(!!(cond), __FILE__, __LINE__, __VA_ARGS__)

#define is_int(got, want, ...)                                              \
	do {                                                                \
		long long g_ = (long long)(got), w_ = (long long)(want);    \
		if (!tap_ok(g_ == w_, __FILE__, __LINE__, __VA_ARGS__))     \
			printf("#   got %lld, expected %lld\n", g_, w_);    \
	} while (0)

#define is_str(got, want, ...)                                              \
	do {                                                                \
		const char *g_ = (got), *w_ = (want);                       \
		bool same_ = g_ && w_ ? !strcmp(g_, w_) : g_ == w_;         \
		if (!tap_ok(same_, __FILE__, __LINE__, __VA_ARGS__))        \
			printf("#   got \"%s\"\n#   expected \"%s\"\n",     \
			       g_ ? g_ : "(null)", w_ ? w_ : "(null)");     \
	} while (0)

/* got within tol of want, absolutely */
#define is_near(got, want, tol, ...)                                        \
	do {                                                                \
		double g_ = (got), w_ = (want);                             \
		if (!tap_ok(fabs(g_ - w_) <= (tol), __FILE__, __LINE__,     \
			    __VA_ARGS__))                                   \
			printf("#   got %.12g, expected %.12g\n", g_, w_);  \
	} while (0)

__attribute__((unused)) static int done_testing(void)
{
	printf("1..%d\n", tap_n);
	return tap_failed ? 1 : 0;
}

#endif
