// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * result.cfg from anywhere. What is accepted must be written to text that is
 * accepted again and written the same.
 */
#include "fuzz.h"
#include "result.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf one = { 0 }, two = { 0 };
	struct result r, again;
	struct err e = ERR_INIT;
	char *text;

	if (size > 65536)
		return 0;
	text = strndup((const char *)data, size);
	require(text);
	if (result_parse(text, "fuzz", &r, &e)) {
		require(e.kind && *e.msg && !r.box && !r.iter);
		/* libconfig found what the scan before it should have */
		require(strncmp(e.msg + strcspn(e.msg, " "), " syntax error",
				13) != 0);
	} else {
		require(r.box && lease_ok(r.lease));
		require(!result_write(&r, &one, &e));
		require(!result_parse(one.data, "again", &again, &e));
		require(!result_write(&again, &two, &e));
		require(!strcmp(one.data, two.data));
		result_free(&again);
	}
	result_free(&r);
	buf_free(&one);
	buf_free(&two);
	free(text);
	return 0;
}
