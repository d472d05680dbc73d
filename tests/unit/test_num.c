// SPDX-License-Identifier: GPL-3.0-or-later
#include "num.h"
#include "tap.h"

int main(void)
{
	static const char *const bad[] = { "",	 " 1", "1 ",  "+1", "0x1",
					   "1.0", "--1", "1e3", "-" };
	struct err e = ERR_INIT;
	unsigned int pct = 0;
	uint64_t u = 7;
	int64_t i = 7;
	bool percent = false;
	double d = 7;

	for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++)
		ok(num_i64(bad[k], -100, 100, &i, &e) == -1 && i == 7,
		   "not whole: \"%s\"", bad[k]);
	ok(!num_i64("-5", -5, 5, &i, &e) && i == -5, "negative");
	ok(num_i64("6", -5, 5, &i, &e) == -1, "above max");
	is_str(e.msg, "6 is not in -5..5", "says the range");
	ok(num_u64("99999999999999999999", UINT64_MAX, &u, &e) == -1, "2^64+");
	ok(!num_u64("18446744073709551615", UINT64_MAX, &u, &e), "2^64-1");
	ok(!num_double("1e3", &d, &e) && d == 1000, "exponent");
	ok(!num_double("-.5", &d, &e) && d == -.5, "fraction");
	ok(num_double("nan", &d, &e) && num_double("inf", &d, &e) &&
		   num_double("0x1p3", &d, &e) && num_double("1,5", &d, &e) &&
		   num_double("1e999", &d, &e),
	   "no nan, inf, hex, comma, overflow");
	ok(!num_size("64M", &u, &e) && u == 64 << 20, "64M");
	ok(num_size("64MB", &u, &e) && num_size("M", &u, &e) &&
		   num_size("99999999999T", &u, &e),
	   "bad sizes");
	ok(!num_duration("5m", &i, &e) && i == 300000, "5m");
	ok(!num_duration("250ms", &i, &e) && i == 250, "250ms");
	ok(!num_duration("3", &i, &e) && i == 3000, "seconds by default");
	ok(num_duration("3 s", &i, &e) == -1, "no blank inside");
	ok(!num_share("2.5%", &d, &percent, &e) && d == .025 && percent,
	   "a share in percent");
	ok(!num_share("-.5", &d, &percent, &e) && d == -.5 && !percent,
	   "a share without the sign");
	ok(num_share("%", &d, &percent, &e) && num_share("", &d, &percent, &e) &&
		   num_share("1%%", &d, &percent, &e) && d == -.5 && !percent,
	   "no share, and what was there stays");
	ok(num_percent("100%", &pct) && pct == 100, "100%%");
	ok(!num_percent("0%", &pct) && !num_percent("50", &pct) &&
		   !num_percent("%", &pct) && !num_percent("5000%", &pct),
	   "not a percentage");
	return done_testing();
}
