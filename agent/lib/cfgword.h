/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CFGWORD_H
#define IRONRIG_CFGWORD_H

#include <stddef.h>

/*
 * Single words of libconfig text (NUL-terminated), for cfgscan.c.
 */
enum cfg_word {
	WORD_BAD,
	WORD_NAME,
	WORD_BOOL,
	WORD_INT,
	WORD_INT64,
	WORD_FLOAT,
};

/*
 * Behind the string or comment that begins at p; NULL when the text ends
 * before it does. A comment to the line's end leaves the newline.
 */
const char *cfgword_string_end(const char *p);
const char *cfgword_comment_end(const char *p);
/* Length of the word at p, 0 when none begins there. */
size_t cfgword_length(const char *p);
/*
 * What libconfig 1.5 takes the n bytes for. On WORD_BAD *why completes
 * "\"WORD\" ...": it cuts numbers over 32 bits without a word, which is why
 * they are bad here.
 */
enum cfg_word cfgword_kind(const char *p, size_t n, const char **why);

#endif
