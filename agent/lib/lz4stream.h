/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_LZ4STREAM_H
#define IRONRIG_LZ4STREAM_H

#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * LZ4 frames (lz4_Frame_format.md) as streams. The writer: 4 MiB linked
 * blocks, level 3, content checksum (what these settings cost and gain is
 * measured in tests/bench). The reader takes input in pieces of any size and
 * knows a whole frame from a cut one.
 */
typedef int lz4_sink(void *arg, const void *p, size_t n, struct err *e);

struct lz4_writer;
struct lz4_writer *lz4_writer_new(int level, lz4_sink *sink, void *arg,
				  struct err *e);
int lz4_writer_add(struct lz4_writer *w, const void *p, size_t n,
		   struct err *e) MUST_CHECK;
/* Ends the frame. Nothing may be added behind it. */
int lz4_writer_end(struct lz4_writer *w, struct err *e) MUST_CHECK;
void lz4_writer_free(struct lz4_writer *w);

struct lz4_reader;
struct lz4_reader *lz4_reader_new(struct err *e);
/*
 * Decodes from *in (*nin bytes; both advanced) into out (*nout: room, then
 * bytes made). ERR_FORMAT on a bad header, block or checksum, and on bytes
 * behind the end of the first frame: exactly one frame is a result. Skippable
 * and legacy frames and frames without content checksum are refused. Call it
 * until *nin and *nout come back as 0; a reader that failed once fails always.
 */
int lz4_reader_run(struct lz4_reader *r, const void **in, size_t *nin,
		   void *out, size_t *nout, struct err *e) MUST_CHECK;
bool lz4_reader_ended(const struct lz4_reader *r); /* checksum seen and right */
void lz4_reader_free(struct lz4_reader *r);

/* Whole buffers in the kernel's legacy format (`lz4 -l`), for initramfs. */
int lz4_legacy_compress(const void *p, size_t n, lz4_sink *sink, void *arg,
			struct err *e) MUST_CHECK;
/* The way back, of one such buffer; ERR_FORMAT. */
int lz4_legacy_decompress(const void *p, size_t n, lz4_sink *sink, void *arg,
			  struct err *e) MUST_CHECK;
#define LZ4_LEGACY_MAGIC 0x184c2102u /* its first four bytes, little-endian */

#endif
