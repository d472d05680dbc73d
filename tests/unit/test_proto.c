// SPDX-License-Identifier: GPL-3.0-or-later
#include "proto.h"
#include "tap.h"

static struct proto_words w;
static struct err e;
static size_t used, noise;

static int answer(const char *s)
{
	used = noise = 0;
	return proto_answer(s, strlen(s), &w, &used, &noise, &e);
}

static void test_split(void)
{
	char line[PROTO_LINE + 2];

	ok(!proto_split("put vbox1.00ff.tar.lz4 0", &w, &e) && w.n == 3,
	   "three words");
	is_str(w.v[1], "vbox1.00ff.tar.lz4", "the second");
	ok(!proto_split("state tune", &w, &e) && w.n == 2, "used again");
	ok(!proto_split("get job/lock1_100%.cfg+a:b-c", &w, &e),
	   "every character that belongs");
	ok(proto_split("", &w, &e) == -1 && w.n == 0, "empty line");
	ok(proto_split(" hello", &w, &e) == -1, "leading blank");
	ok(proto_split("hello ", &w, &e) == -1, "trailing blank");
	ok(proto_split("a  b", &w, &e) == -1, "two blanks");
	ok(proto_split("a\tb", &w, &e) == -1 && e.kind == ERR_FORMAT, "a tab");
	is_str(e.msg, "character 0x09 does not belong", "is named");
	ok(proto_split("get $(reboot)", &w, &e) == -1, "shell text");
	ok(proto_split("get a\xc3\xa9", &w, &e) == -1, "not ASCII");
	ok(!proto_split("1 2 3 4 5 6 7 8 9 10 11 12", &w, &e) && w.n == 12,
	   "twelve words");
	ok(proto_split("1 2 3 4 5 6 7 8 9 10 11 12 13", &w, &e) == -1,
	   "thirteen");
	memset(line, 'a', sizeof(line));
	line[PROTO_LINE - 1] = '\0';
	ok(!proto_split(line, &w, &e), "the longest line");
	line[PROTO_LINE - 1] = 'a';
	line[PROTO_LINE] = '\0';
	ok(proto_split(line, &w, &e) == -1, "one more");
}

static void test_answer(void)
{
	is_int(answer("ironrig1 ok 12 ab\nrest"), 1, "an answer");
	ok(w.n == 3 && used == 18 && noise == 0, "its words and length");
	is_int(answer("ironrig1 ok 12 ab"), 0, "not whole yet");
	is_int(answer(""), 0, "nothing yet");
	is_int(answer("Welcome!\nironrig1 none\n"), 1, "behind noise");
	ok(w.n == 1 && noise == 9 && used == 23, "which is counted");
	is_int(answer("say ironrig1 none\n"), 0,
	       "the tag counts only at the start of a line");
	is_int(answer("ironrig1 idle 10\r\n"), 1, "a terminal's line end");
	is_str(w.v[1], "10", "is no part of the word");
	ok(answer("ironrig1 ok  12\n") == -1 && e.kind == ERR_FORMAT &&
		   w.n == 0,
	   "malformed");
	ok(answer("ironrig1 \n") == -1 && w.n == 0, "without a word");
}

static void test_refusal(void)
{
	ok(answer("ironrig1 error conflict another SHA is stored\n") == -1 &&
		   e.kind == ERR_CONFLICT,
	   "the peer's kind");
	is_str(e.msg, "another SHA is stored", "and text");
	ok(w.n == 1 && !strcmp(w.v[0], "error"), "told from a broken answer");
	ok(answer("ironrig1 error novel thing\n") == -1 && e.kind == ERR_PEER,
	   "a kind that we do not know");
	ok(answer("ironrig1 error limit\n") == -1 && e.kind == ERR_LIMIT,
	   "without text");
	is_str(e.msg, "refused without a reason", "says so");
	answer("ironrig1 error peer \033[31mred\n");
	is_str(e.msg, "?[31mred", "control characters do not pass");
}

static void test_long(void)
{
	struct buf b = { 0 };

	buf_puts(&b, "ironrig1 ");
	for (int i = 0; i < PROTO_LINE; i++)
		buf_puts(&b, "a");
	ok(answer(b.data) == -1 && e.kind == ERR_FORMAT,
	   "an answer without end");
	buf_reset(&b);
	for (int i = 0; i < 70000; i++)
		buf_puts(&b, "n");
	is_int(answer(b.data), -1, "noise without end");
	buf_reset(&b);
	for (int i = 0; i < 7000; i++)
		buf_puts(&b, "noise and\n");
	is_int(answer(b.data), -1, "noise in lines without end");
	buf_free(&b);
}

int main(void)
{
	test_split();
	test_answer();
	test_refusal();
	test_long();
	return done_testing();
}
