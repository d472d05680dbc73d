/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_HTMLOUT_H
#define IRONRIG_HTMLOUT_H

#include "buf.h"

/*
 * Text in HTML and SVG. Names, parameters, logs and scripts come from machines
 * under test: all text goes through htmlout_text(), as content and between the
 * quotes of an attribute.
 */

/* & < > " ' as entities; control characters and wrong UTF-8 as U+FFFD. */
void htmlout_text(struct buf *b, const char *text);
/*
 * Paragraphs with an empty line between them, as body_text() makes them: <p>,
 * and <pre> where lines begin with a blank or tab.
 */
void htmlout_paragraphs(struct buf *b, const char *text);

#endif
