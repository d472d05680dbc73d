// SPDX-License-Identifier: GPL-3.0-or-later
#include "authkeys.h"
#include "tap.h"

#define B "# ironrig: begin /h\n"
#define E "# ironrig: end /h\n"

static void edit(const char *what, const char *text, const char *line,
		 const char *want)
{
	struct buf out = { 0 };
	struct err e = ERR_INIT;
	int rc = authkeys_edit(text, "/h", "b1", line, &out, &e);

	is_int(rc, want ? 0 : -1, "%s: status", what);
	if (want)
		is_str(buf_str(&out), want, "%s", what);
	else
		is_int(e.kind, ERR_FORMAT, "%s: refused", what);
	buf_free(&out);
}

int main(void)
{
	struct home h = { .fd = -1, .path = (char[]){ "/h" } };
	struct home bad = { .fd = -1, .path = (char[]){ "/it's" } };
	struct buf out = { 0 };
	struct err e = ERR_INIT;

	edit("an empty file gets a block", "", "k ironrig:b1\n",
	     B "k ironrig:b1\n" E);
	edit("a last line without newline", "mine", "k ironrig:b1\n",
	     "mine\n" B "k ironrig:b1\n" E);
	edit("a second box", "x\n" B "a ironrig:b2\n" E "y\n",
	     "k ironrig:b1\n",
	     "x\n" B "a ironrig:b2\nk ironrig:b1\n" E "y\n");
	edit("replaced", B "old ironrig:b1\na ironrig:b2\n" E,
	     "new ironrig:b1\n", B "a ironrig:b2\nnew ironrig:b1\n" E);
	edit("a longer name that ends alike", B "a ironrig:xb1\n" E, NULL,
	     B "a ironrig:xb1\n" E);
	edit("removed", B "old ironrig:b1\n" E "z\n", NULL, B E "z\n");
	edit("outside the block nothing is ours", "old ironrig:b1\n", NULL,
	     "old ironrig:b1\n");
	edit("another home's block", "# ironrig: begin /g\nk ironrig:b1\n"
				     "# ironrig: end /g\n",
	     NULL,
	     "# ironrig: begin /g\nk ironrig:b1\n# ironrig: end /g\n");
	edit("a home that moved",
	     "x ssh-ed25519 KEY me\n# ironrig: begin /g\n"
	     "c ssh-ed25519 KEY ironrig:b1\nc ssh-ed25519 KEY2 ironrig:b2\n"
	     "# ironrig: end /g\n",
	     "d ssh-ed25519 KEY ironrig:b1\n",
	     "x ssh-ed25519 KEY me\n# ironrig: begin /g\n"
	     "c ssh-ed25519 KEY2 ironrig:b2\n# ironrig: end /g\n"
	     B "d ssh-ed25519 KEY ironrig:b1\n" E);
	edit("a block that never ends", B "a ironrig:b1\n", NULL, NULL);
	edit("an end alone", E, NULL, NULL);
	edit("two blocks", B E B E, NULL, NULL);

	ok(!authkeys_line(&h, "b1", "ssh-ed25519 AAAA comment\n", &out, &e),
	   "a line");
	ok(strstr(buf_str(&out), "restrict,command=\"exec '/") &&
		   strstr(buf_str(&out),
			  "' --home '/h' receive --key AAAA b1\" ssh-ed25519 AAAA "
			  "ironrig:b1\n"),
	   "with its command");
	ok(authkeys_line(&h, "b1", "ssh-rsa AAAA\n", &out, &e) == -1,
	   "no other kind of key");
	ok(authkeys_line(&bad, "b1", "ssh-ed25519 AAAA\n", &out, &e) == -1 &&
		   e.kind == ERR_INPUT,
	   "a path with a quote is refused");
	buf_free(&out);
	return done_testing();
}
