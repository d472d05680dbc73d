/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_AUTHKEYS_H
#define IRONRIG_AUTHKEYS_H

#include "buf.h"
#include "home.h"

/*
 * The block that ironrig keeps in an authorized_keys file, one line a box,
 * between two marks that name the home; the rest of the file is its owner's
 * and stays byte for byte.
 *
 *   restrict,command="exec '…/ironrig' --home '…' receive --key TAIL BOX"
 *	ssh-ed25519 …
 *
 * TAIL is the end of the key, so that a connection that a replaced key opened
 * while it was good is good for nothing more.
 */

/*
 * The line of a box: public is "ssh-ed25519 BASE64 [comment]" as in a .pub
 * file. ERR_INPUT when the program's or home's path has a quote, backslash or
 * newline, which the file's format cannot carry safely.
 */
int authkeys_line(const struct home *home, const char *box, const char *public,
		  struct buf *out, struct err *e) MUST_CHECK;
/*
 * Whether that is still the end of the box's key, keys/boxes/BOX.pub.
 * ERR_CONFLICT: it was replaced.
 */
int authkeys_current(const struct home *home, const char *box,
		     const char *tail, struct err *e) MUST_CHECK;
/*
 * Text with that box's line replaced, added, or taken out (line NULL). The same
 * key in another home's block goes too: a home that was moved or copied leaves
 * it there, and sshd takes the first line of a key.
 * ERR_FORMAT when a mark stands alone.
 */
int authkeys_edit(const char *text, const char *home, const char *box,
		  const char *line, struct buf *out, struct err *e) MUST_CHECK;
/*
 * The same on a file, 0600 and replaced whole; one that is missing is made,
 * and its folder (0700), but none above that.
 */
int authkeys_edit_file(const char *file, const char *home, const char *box,
		       const char *line, struct err *e) MUST_CHECK;
/* Whether the file has a block of that home. */
bool authkeys_has_block(const char *file, const char *home);

#endif
