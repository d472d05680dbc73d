/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_PLAIN_H
#define IRONRIG_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Text that a terminal only shows: valid UTF-8 without control characters. A
 * box's results and a tool's output say what they like, and it ends up on
 * people's terminals and in mails. No plain text are C0 and DEL; C1 too, as
 * U+009B begins a control sequence like ESC [; marks that turn the direction
 * of writing or break lines (U+200E/F, U+2028-202E, U+2066-2069); U+FEFF;
 * and bytes that are no UTF-8, as an 8-bit terminal takes 0x9b for U+009B.
 */

/* Bytes of the character at s; 0 when it is none that is plain, or the end. */
size_t plain_char(const char *s);
bool plain_is(const char *s); /* all of it */
/* Each byte that is not plain becomes with, in place. */
void plain_make(char *s, char with);

#endif
