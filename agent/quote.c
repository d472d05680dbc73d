// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Quoting for the shell (POSIX.1-2017, XCU 2.2.2: nothing is special within
 * single quotes but their end).
 */
#include "quote.h"

void quote_word(const char *text, struct buf *out)
{
	buf_puts(out, "'");
	for (; *text; text++) {
		if (*text == '\'')
			buf_puts(out, "'\\''");
		else
			buf_add(out, text, 1);
	}
	buf_puts(out, "'");
}
