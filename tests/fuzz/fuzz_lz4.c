// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The LZ4 reader on hostile frames, in pieces whose sizes the input chooses,
 * the same bytes as the kernel's legacy format, and the writer's frames through
 * the reader. The first byte chooses.
 */
#include "buf.h"
#include "fuzz.h"
#include "lz4stream.h"

#include <string.h>

#define OUT_MAX (1 << 20) /* enough of a bomb */

static int to_buf(void *arg, const void *p, size_t n, struct err *e)
{
	buf_add(arg, p, n);
	return buf_ok(arg, e);
}

/* 1: one whole frame; 0: not ended; -1: refused. */
static int decode(const char *p, size_t n, size_t step, struct buf *out)
{
	struct lz4_reader *r = lz4_reader_new(NULL);
	int rc = 0;

	require(r);
	while (!rc && n && out->len < OUT_MAX) {
		size_t nin = n < step ? n : step, had = nin, nout;
		const void *in = p;
		char piece[4096];

		do {
			nout = sizeof(piece);
			rc = lz4_reader_run(r, &in, &nin, piece, &nout, NULL);
			require(nout <= sizeof(piece) && nin <= had);
			if (!rc)
				buf_add(out, piece, nout);
		} while (!rc && (nin || nout) && out->len < OUT_MAX);
		p += had;
		n -= had;
	}
	rc = rc ? -1 : lz4_reader_ended(r);
	lz4_reader_free(r);
	return rc;
}

static void round_trip(const uint8_t *data, size_t size, size_t step)
{
	struct buf frame = { 0 }, back = { 0 };
	struct lz4_writer *w = lz4_writer_new(3, to_buf, &frame, NULL);

	require(w && !lz4_writer_add(w, data, size, NULL) &&
		!lz4_writer_end(w, NULL));
	lz4_writer_free(w);
	require(decode(frame.data, frame.len, step, &back) == 1);
	require(back.len == size && (!size || !memcmp(back.data, data, size)));
	buf_free(&frame);
	buf_free(&back);
}

/* Whole blocks come out, however wrong the rest is. */
static void legacy(const uint8_t *data, size_t size)
{
	struct buf out = { 0 }, again = { 0 };

	if (!lz4_legacy_decompress(data, size, to_buf, &out, NULL)) {
		struct buf packed = { 0 };

		require(!lz4_legacy_compress(buf_str(&out), out.len, to_buf,
					     &packed, NULL));
		require(!lz4_legacy_decompress(packed.data, packed.len, to_buf,
					       &again, NULL));
		require(out.len == again.len &&
			!memcmp(buf_str(&out), buf_str(&again), out.len));
		buf_free(&packed);
	}
	buf_free(&out);
	buf_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf one = { 0 }, two = { 0 };
	size_t step;
	int rc;

	if (!size || size > 65536)
		return 0;
	step = 1 + (*data >> 1);
	if (*data & 1) {
		round_trip(data + 1, size - 1, step);
		return 0;
	}
	legacy(data + 1, size - 1);
	rc = decode((const char *)data + 1, size - 1, size, &one);
	if (one.len < OUT_MAX)
		require(decode((const char *)data + 1, size - 1, step, &two) ==
			rc);
	if (rc == 1)
		require(one.len == two.len &&
			(!one.len || !memcmp(one.data, two.data, one.len)));
	buf_free(&one);
	buf_free(&two);
	return 0;
}
