// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Which characters are safe to show. UTF-8 as RFC 3629 has it, decoded by
 * hand as everything here runs in the C locale.
 */
#include "plain.h"

#include <stdint.h>

/* The code point at s and its length; 0 when the bytes are no UTF-8. */
static size_t decode(const unsigned char *s, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = *s < 0x80		      ? 1
		   : *s >= 0xc2 && *s <= 0xdf ? 2
		   : *s >= 0xe0 && *s <= 0xef ? 3
		   : *s >= 0xf0 && *s <= 0xf4 ? 4
					      : 0;

	if (n < 2) {
		*code = *s;
		return n;
	}
	*code = *s & (0x7fU >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if (*code < least[n] || *code > 0x10ffff ||
	    (*code >= 0xd800 && *code <= 0xdfff))
		return 0;
	return n;
}

static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x200e ||
	       c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

size_t plain_char(const char *s)
{
	uint32_t code;
	size_t n = decode((const unsigned char *)s, &code);

	return n && !is_control(code) ? n : 0;
}

bool plain_is(const char *s)
{
	for (size_t n; *s; s += n) {
		n = plain_char(s);
		if (!n)
			return false;
	}
	return true;
}

void plain_make(char *s, char with)
{
	while (*s) {
		size_t n = plain_char(s);

		if (!n)
			*s = with;
		s += n ? n : 1;
	}
}
