// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * LZ4 frames as streams, and the kernel's legacy format. The only file that
 * knows lz4's headers; what is inside the frame is the caller's business.
 */
#include "lz4stream.h"

#include <lz4frame.h>
#include <lz4hc.h>
#include <stdlib.h>
#include <string.h>

/*
 * Input is handed to LZ4F in pieces of this size: LZ4F_compressBound() of a
 * piece adds to the 4 MiB block that may be pending, so larger ones only cost
 * memory.
 */
#define PIECE ((size_t)256 << 10)

struct lz4_writer {
	LZ4F_cctx *ctx;
	LZ4F_preferences_t prefs;
	lz4_sink *sink;
	void *arg;
	char *out;
	size_t size;
};

static int lz4f_fail(struct err *e, const char *what, size_t code)
{
	return err_set(e, ERR_FORMAT, "lz4 %s: %s", what,
		       LZ4F_getErrorName(code));
}

static int flush(struct lz4_writer *w, const char *what, size_t n,
		 struct err *e)
{
	if (LZ4F_isError(n))
		return lz4f_fail(e, what, n);
	return n ? w->sink(w->arg, w->out, n, e) : 0;
}

struct lz4_writer *lz4_writer_new(int level, lz4_sink *sink, void *arg,
				  struct err *e)
{
	struct lz4_writer *w = calloc(1, sizeof(*w));

	if (!w) {
		err_set(e, ERR_LIMIT, "out of memory");
		return NULL;
	}
	w->prefs.frameInfo.blockSizeID = LZ4F_max4MB;
	w->prefs.frameInfo.blockMode = LZ4F_blockLinked;
	w->prefs.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
	w->prefs.compressionLevel = level;
	w->sink = sink;
	w->arg = arg;
	w->size = LZ4F_compressBound(PIECE, &w->prefs);
	w->out = malloc(w->size);
	if (!w->out || LZ4F_isError(LZ4F_createCompressionContext(
			       &w->ctx, LZ4F_VERSION))) {
		err_set(e, ERR_LIMIT, "out of memory");
		goto undo;
	}
	if (flush(w, "start",
		  LZ4F_compressBegin(w->ctx, w->out, w->size, &w->prefs), e))
		goto undo;
	return w;
undo:
	lz4_writer_free(w);
	return NULL;
}

int lz4_writer_add(struct lz4_writer *w, const void *p, size_t n, struct err *e)
{
	const char *at = p;

	while (n) {
		size_t piece = n < PIECE ? n : PIECE;

		if (flush(w, "compress",
			  LZ4F_compressUpdate(w->ctx, w->out, w->size, at,
					      piece, NULL),
			  e))
			return -1;
		at += piece;
		n -= piece;
	}
	return 0;
}

int lz4_writer_end(struct lz4_writer *w, struct err *e)
{
	return flush(w, "end", LZ4F_compressEnd(w->ctx, w->out, w->size, NULL),
		     e);
}

void lz4_writer_free(struct lz4_writer *w)
{
	if (!w)
		return;
	LZ4F_freeCompressionContext(w->ctx);
	free(w->out);
	free(w);
}

/* ---- reader ---- */

/*
 * Magic number and FLG byte: looked at before LZ4F sees them, because LZ4F
 * passes over skippable frames in silence and takes frames without checksum.
 */
#define HEAD 5

struct lz4_reader {
	LZ4F_dctx *ctx;
	unsigned char head[HEAD];
	size_t nhead;
	bool ended, failed;
};

struct lz4_reader *lz4_reader_new(struct err *e)
{
	struct lz4_reader *r = calloc(1, sizeof(*r));

	if (r && LZ4F_isError(LZ4F_createDecompressionContext(&r->ctx,
							      LZ4F_VERSION))) {
		free(r);
		r = NULL;
	}
	if (!r)
		err_set(e, ERR_LIMIT, "out of memory");
	return r;
}

static int check_head(struct lz4_reader *r, struct err *e)
{
	static const unsigned char magic[4] = { 0x04, 0x22, 0x4d, 0x18 };
	size_t n = HEAD, none = 0, rc;

	if (memcmp(r->head, magic, sizeof(magic)) != 0)
		return err_set(e, ERR_FORMAT, "not an LZ4 frame");
	if (!(r->head[4] & 0x04)) /* lz4_Frame_format.md, FLG, bit 2 */
		return err_set(e, ERR_FORMAT,
			       "LZ4 frame without content checksum");
	rc = LZ4F_decompress(r->ctx, NULL, &none, r->head, &n, NULL);
	if (LZ4F_isError(rc) || n != HEAD)
		return lz4f_fail(e, "header", rc);
	return 0;
}

/* Takes the frame's first bytes out of *in. */
static int take_head(struct lz4_reader *r, const void **in, size_t *nin,
		     struct err *e)
{
	size_t n = HEAD - r->nhead;

	if (n > *nin)
		n = *nin;
	if (!n)
		return 0;
	memcpy(r->head + r->nhead, *in, n);
	r->nhead += n;
	*in = (const char *)*in + n;
	*nin -= n;
	return r->nhead == HEAD ? check_head(r, e) : 0;
}

static int decode(struct lz4_reader *r, const void **in, size_t *nin, void *out,
		  size_t *nout, struct err *e)
{
	size_t took = *nin, rc;

	rc = LZ4F_decompress(r->ctx, out, nout, *in, &took, NULL);
	if (LZ4F_isError(rc)) {
		*nout = 0;
		return lz4f_fail(e, "frame", rc);
	}
	*in = (const char *)*in + took;
	*nin -= took;
	r->ended = !rc;
	return 0;
}

int lz4_reader_run(struct lz4_reader *r, const void **in, size_t *nin,
		   void *out, size_t *nout, struct err *e)
{
	size_t room = *nout;

	*nout = 0;
	if (r->failed)
		return err_set(e, ERR_FORMAT, "lz4 frame: failed before");
	r->failed = true; /* until proven right */
	if (!r->ended && r->nhead < HEAD && take_head(r, in, nin, e))
		return -1;
	if (!r->ended && r->nhead == HEAD) {
		if (decode(r, in, nin, out, &room, e))
			return -1;
		*nout = room;
	}
	if (r->ended && *nin)
		return err_set(e, ERR_FORMAT,
			       "data behind the end of the LZ4 frame");
	r->failed = false;
	return 0;
}

bool lz4_reader_ended(const struct lz4_reader *r)
{
	return r->ended;
}

void lz4_reader_free(struct lz4_reader *r)
{
	if (!r)
		return;
	LZ4F_freeDecompressionContext(r->ctx);
	free(r);
}

/* ---- the kernel's legacy format ---- */

/* lib/decompress_unlz4.c: LZ4_DEFAULT_UNCOMPRESSED_CHUNK_SIZE */
#define LEGACY_BLOCK ((size_t)8 << 20)

static int put_u32(uint32_t v, lz4_sink *sink, void *arg, struct err *e)
{
	unsigned char b[4] = { (unsigned char)v, (unsigned char)(v >> 8),
			       (unsigned char)(v >> 16),
			       (unsigned char)(v >> 24) };

	return sink(arg, b, sizeof(b), e);
}

int lz4_legacy_compress(const void *p, size_t n, lz4_sink *sink, void *arg,
			struct err *e)
{
	size_t cap = (size_t)LZ4_compressBound((int)LEGACY_BLOCK);
	char *out = malloc(cap);
	const char *at = p;
	int rc;

	if (!out)
		return err_set(e, ERR_LIMIT, "out of memory");
	rc = put_u32(LZ4_LEGACY_MAGIC, sink, arg, e);
	while (!rc && n) {
		size_t piece = n < LEGACY_BLOCK ? n : LEGACY_BLOCK;
		int got = LZ4_compress_HC(at, out, (int)piece, (int)cap,
					  LZ4HC_CLEVEL_DEFAULT);

		if (got <= 0) {
			rc = err_set(e, ERR_LIMIT, "lz4: block failed");
			break;
		}
		rc = put_u32((uint32_t)got, sink, arg, e);
		if (!rc)
			rc = sink(arg, out, (size_t)got, e);
		at += piece;
		n -= piece;
	}
	free(out);
	return rc;
}

static uint32_t get_u32(const unsigned char *b)
{
	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
	       (uint32_t)b[3] << 24;
}

int lz4_legacy_decompress(const void *p, size_t n, lz4_sink *sink, void *arg,
			  struct err *e)
{
	const unsigned char *at = p;
	char *out;
	int rc = 0;

	if (n < 4 || get_u32(at) != LZ4_LEGACY_MAGIC)
		return err_set(e, ERR_FORMAT, "lz4: not the legacy format");
	out = malloc(LEGACY_BLOCK);
	if (!out)
		return err_set(e, ERR_LIMIT, "out of memory");
	at += 4;
	n -= 4;
	/* a size of 0 is the padding before the next member of an image */
	while (!rc && n >= 4 && get_u32(at)) {
		uint32_t size = get_u32(at);
		int got = -1;

		if (size <= n - 4 && size <= INT32_MAX)
			got = LZ4_decompress_safe((const char *)at + 4, out,
						  (int)size,
						  (int)LEGACY_BLOCK);
		if (got < 0) {
			rc = err_set(e, ERR_FORMAT, "lz4: damaged block");
			break;
		}
		rc = sink(arg, out, (size_t)got, e);
		at += 4 + size;
		n -= 4 + size;
	}
	free(out);
	return rc;
}
