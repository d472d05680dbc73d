/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_HTML_H
#define IRONRIG_HTML_H

#include "mail.h"

/*
 * The report as one HTML page: the parts and the words of mail_text(), tables
 * as tables, and for each primary stat its boots and its interval as figures.
 * Nothing is loaded from anywhere and no script is in it (its policy forbids
 * both); light and dark; below HTML_MAX bytes, like the mail.
 */
#define HTML_MAX 1000000

void html_page(const struct show *s, const struct compare *c,
	       struct evidence *ev, const struct mail_ask *ask, struct buf *b);

#endif
