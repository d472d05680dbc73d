// SPDX-License-Identifier: GPL-3.0-or-later
#include "io.h"
#include "lz4stream.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <unistd.h>

static struct err e;

static int to_buf(void *arg, const void *p, size_t n, struct err *er)
{
	buf_add(arg, p, n);
	return buf_ok(arg, er);
}

static int no_room(void *arg, const void *p, size_t n, struct err *er)
{
	(void)arg;
	(void)p;
	return err_set(er, ERR_LIMIT, "no room for %zu", n);
}

/* Text that compresses, with noise that does not, the same every time. */
static void sample(struct buf *b, size_t n)
{
	uint32_t x = 1;

	while (b->len < n) {
		x = x * 1664525 + 1013904223;
		buf_printf(b, "cpu%u %u 0 intr\n", x >> 28, x);
	}
}

static void pack(const struct buf *text, struct buf *out)
{
	struct lz4_writer *w = lz4_writer_new(3, to_buf, out, &e);

	ok(w && !lz4_writer_add(w, buf_str(text), text->len, &e) &&
		   !lz4_writer_end(w, &e),
	   "packed %zu bytes", text->len);
	lz4_writer_free(w);
}

/* Feeds step bytes at a time, room bytes of output; -1 or lz4_reader_ended. */
static int unpack(const void *p, size_t n, size_t step, size_t room,
		  struct buf *out)
{
	struct lz4_reader *r = lz4_reader_new(&e);
	const char *at = p;
	char *piece = malloc(room);
	int rc = 0;

	while (!rc && n) {
		size_t nin = n < step ? n : step, had = nin, nout;
		const void *in = at;

		do {
			nout = room;
			rc = lz4_reader_run(r, &in, &nin, piece, &nout, &e);
			if (!rc && nout)
				buf_add(out, piece, nout);
		} while (!rc && (nin || nout));
		at += had;
		n -= had;
	}
	rc = rc ? -1 : lz4_reader_ended(r);
	lz4_reader_free(r);
	free(piece);
	return rc;
}

static bool same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len &&
	       (!a->len || !memcmp(a->data, b->data, a->len));
}

static void test_round_trip(void)
{
	static const size_t size[] = { 0, 1, 70000, 9 << 20 };

	for (size_t i = 0; i < 4; i++) {
		struct buf text = { 0 }, frame = { 0 }, back = { 0 };

		sample(&text, size[i]);
		pack(&text, &frame);
		is_int(unpack(frame.data, frame.len, frame.len, 65536, &back),
		       1, "unpacked whole");
		ok(same(&text, &back), "and the same");
		buf_reset(&back);
		is_int(unpack(frame.data, frame.len, i < 3 ? 1 : 4093,
			      i < 3 ? 7 : 4096, &back),
		       1, "in small pieces");
		ok(same(&text, &back), "and the same");
		buf_free(&text);
		buf_free(&frame);
		buf_free(&back);
	}
}

static void test_broken(void)
{
	struct buf text = { 0 }, frame = { 0 }, out = { 0 };
	size_t accepted = 0, ended = 0;

	sample(&text, 3000);
	pack(&text, &frame);
	for (size_t n = 0; n < frame.len; n++)
		ended += unpack(frame.data, n, 64, 4096, &out) != 0;
	is_int(ended, 0, "a frame cut anywhere has not ended");
	for (size_t i = 0; i < frame.len; i++) {
		frame.data[i] ^= 0x10;
		accepted += unpack(frame.data, frame.len, 64, 4096, &out) == 1;
		frame.data[i] ^= 0x10;
	}
	is_int(accepted, 0, "a flipped bit anywhere is noticed");
	buf_add(&frame, "\0", 1);
	ok(unpack(frame.data, frame.len, 4096, 4096, &out) == -1 &&
		   e.kind == ERR_FORMAT,
	   "one byte behind the frame");
	is_int(unpack(frame.data, frame.len, 1, 4096, &out), -1,
	       "and when it comes alone");
	frame.len--;
	pack(&text, &frame); /* appends */
	is_int(unpack(frame.data, frame.len, 4096, 4096, &out), -1,
	       "a second frame");
	buf_free(&text);
	buf_free(&frame);
	buf_free(&out);
}

/* The way back, with the image's padding behind it; cut and damaged ones. */
static void test_legacy(void)
{
	struct buf text = { 0 }, legacy = { 0 }, out = { 0 };

	sample(&text, 9 << 20);
	ok(!lz4_legacy_compress(text.data, text.len, to_buf, &legacy, &e),
	   "legacy made");
	ok(!lz4_legacy_decompress(legacy.data, legacy.len, to_buf, &out, &e) &&
		   same(&text, &out),
	   "and undone");
	buf_add(&legacy, "\0\0\0\0\0\0\0\0", 8);
	buf_reset(&out);
	ok(!lz4_legacy_decompress(legacy.data, legacy.len, to_buf, &out, &e) &&
		   same(&text, &out),
	   "padding ends it");
	ok(lz4_legacy_decompress(legacy.data, legacy.len / 2, to_buf, &out,
				 &e) == -1 &&
		   e.kind == ERR_FORMAT,
	   "cut");
	memset(legacy.data + 8, 0xff, 64);
	ok(lz4_legacy_decompress(legacy.data, legacy.len, to_buf, &out, &e) ==
			   -1 &&
		   e.kind == ERR_FORMAT,
	   "damaged");
	ok(lz4_legacy_decompress("\x04\x22\x4d\x18", 4, to_buf, &out, &e) ==
		   -1,
	   "a frame is not legacy");
	buf_free(&text);
	buf_free(&legacy);
	buf_free(&out);
}

static void test_foreign(void)
{
	static const char skippable[] = "\x50\x2a\x4d\x18\x01\0\0\0x";
	struct buf text = { 0 }, legacy = { 0 }, out = { 0 };

	is_int(unpack(skippable, sizeof(skippable) - 1, 1, 64, &out), -1,
	       "a skippable frame");
	sample(&text, 3000);
	ok(!lz4_legacy_compress(text.data, text.len, to_buf, &legacy, &e),
	   "legacy made");
	is_int(unpack(legacy.data, legacy.len, 64, 4096, &out), -1,
	       "and refused by the reader");
	is_int(unpack("plain text", 10, 1, 64, &out), -1, "plain text");
	buf_free(&text);
	buf_free(&legacy);
	buf_free(&out);
}

static void test_sink_fails(void)
{
	struct buf text = { 0 };
	struct lz4_writer *w = lz4_writer_new(3, no_room, NULL, &e);

	ok(!w && e.kind == ERR_LIMIT, "the sink's error comes through");
	sample(&text, 100);
	ok(lz4_legacy_compress(text.data, 100, no_room, NULL, &e) == -1 &&
		   e.kind == ERR_LIMIT,
	   "legacy too");
	lz4_writer_free(NULL);
	lz4_reader_free(NULL);
	buf_free(&text);
}

/* The lz4 program reads what we write, and we read what it writes. */
static void test_program(void)
{
	struct buf text = { 0 }, packed = { 0 }, back = { 0 };
	int fd = scratch_open();

	sample(&text, 9 << 20);
	pack(&text, &packed);
	put_bytes("t", text.data, text.len);
	put_bytes("f", packed.data, packed.len);
	ok(scratch_sh("lz4 -qdc f | cmp - t"), "lz4 -d reads a frame");
	buf_reset(&packed);
	ok(!lz4_legacy_compress(text.data, text.len, to_buf, &packed, &e) &&
		   !io_replace_file(fd, "l", packed.data, packed.len, 0644, &e),
	   "legacy, two blocks");
	ok(scratch_sh("lz4 -qdc l | cmp - t"), "lz4 -d reads it");
	buf_reset(&packed);
	ok(scratch_sh("lz4 -qc t >g && lz4 -qc --no-frame-crc t >n") &&
		   !io_read_file(fd, "g", &packed, 1 << 30, &e),
	   "lz4's own frame");
	is_int(unpack(packed.data, packed.len, 65536, 65536, &back), 1, "read");
	ok(same(&text, &back), "and the same");
	buf_reset(&packed);
	ok(!io_read_file(fd, "n", &packed, 1 << 30, &e) &&
		   unpack(packed.data, packed.len, 65536, 65536, &back) == -1,
	   "without content checksum: refused");
	buf_free(&text);
	buf_free(&packed);
	buf_free(&back);
}

int main(void)
{
	test_round_trip();
	test_broken();
	test_foreign();
	test_legacy();
	test_sink_fails();
	test_program();
	return scratch_end();
}
