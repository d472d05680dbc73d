// SPDX-License-Identifier: GPL-3.0-or-later
#include "buf.h"
#include "tap.h"

int main(void)
{
	struct buf b = { 0 };
	struct strlist l = { 0 };
	struct err e = ERR_INIT;

	is_str(buf_str(&b), "", "an unused buffer reads as empty");
	for (int i = 0; i < 1000; i++)
		buf_printf(&b, "%d,", i);
	is_int(b.len, 10 * 2 + 90 * 3 + 900 * 4, "appends add up");
	is_int(strlen(b.data), b.len, "always terminated");
	buf_reset(&b);
	for (int n = 0; n < 600; n++) {
		size_t had = b.len;

		buf_printf(&b, "%*d", n, 7);
		if (b.len != had + (n ? (size_t)n : 1) ||
		    b.data[b.len - 1] != '7' || strlen(b.data) != b.len)
			ok(0, "a text of %d at %zu of %zu", n, had, b.cap);
	}
	is_int(b.len, 1 + 599 * 600 / 2, "texts of any length, at any end");
	buf_reset(&b);
	buf_puts(&b, "x");
	is_str(buf_str(&b), "x", "reset keeps nothing");
	ok(!buf_room(&b, (size_t)-1) && buf_ok(&b, &e) == -1,
	   "an impossible size fails and is remembered");
	is_int(e.kind, ERR_LIMIT, "as a limit");
	buf_free(&b);

	for (int i = 9; i >= 0; i--) {
		char s[2] = { (char)('0' + i), 0 };

		if (strlist_add(&l, s, &e))
			return 1;
	}
	strlist_sort(&l);
	is_str(l.v[0], "0", "sorted");
	ok(strlist_has(&l, "7") && !strlist_has(&l, "a"), "membership");
	strlist_free(&l);
	strlist_free(&l);
	is_int(l.n, 0, "free twice is harmless");
	return done_testing();
}
