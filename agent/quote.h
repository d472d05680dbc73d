/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_QUOTE_H
#define IRONRIG_QUOTE_H

#include "buf.h"

/* text as one word for a POSIX shell: 'it'\''s'. */
void quote_word(const char *text, struct buf *out);

#endif
