// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What may be shown on a terminal and what may not.
 */
#include "err.h"
#include "plain.h"
#include "tap.h"

#include <string.h>

static void made(const char *from, const char *to, const char *what)
{
	char text[64];

	strcpy(text, from);
	plain_make(text, '?');
	is_str(text, to, "%s", what);
	ok(plain_is(text), "and then it is plain: %s", what);
	ok(plain_is(from) == !strcmp(from, to), "known before: %s", what);
}

int main(void)
{
	struct err e = ERR_INIT;

	made("", "", "nothing");
	made("abc ~", "abc ~", "ASCII");
	made("\u00b5s \u2212\u03b4 \U0001f600", "\u00b5s \u2212\u03b4 \U0001f600",
	     "other characters");
	made("\033[31m\a\n\t\177", "?[31m????", "C0 and DEL");
	made("\302\233" "31m", "??31m", "C1: CSI in two bytes");
	made("\233" "31m", "?31m", "CSI in one byte");
	made("\xe2\x80\xae" "gpj.exe", "???gpj.exe", "right-to-left override");
	made("\xe2\x81\xa6x\xe2\x80\xa8", "???x???", "isolates, line ends");
	made("\xc0\x9b \xe0\x82\x9b", "?? ???", "overlong forms");
	made("\xed\xa0\x80 \xf4\x90\x80\x80", "??? ????", "not Unicode");
	made("a\xe2\x88", "a??", "cut in the middle");

	err_set(&e, ERR_FORMAT, "line\n\033[2J\302\233m \u00b5 \xff");
	is_str(e.msg, "line ?[2J??m \u00b5 ?", "errors quote anything");
	return done_testing();
}
