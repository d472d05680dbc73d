// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A result from anywhere, walked to its end as receive and collect do. The
 * first byte says whether the rest is the packed stream or the tar in it; a tar
 * is packed right here, so that changes get past the frame's checksum.
 */
#include "fuzz.h"
#include "archive.h"

#include <lz4frame.h>

struct piece {
	const char *p;
	size_t left, step;
};

static ssize_t source(void *arg, const void **p, struct err *e)
{
	struct piece *x = arg;
	size_t n = x->left < x->step ? x->left : x->step;

	(void)e;
	*p = x->p;
	x->p += n;
	x->left -= n;
	return (ssize_t)n;
}

/* Names must stay where they are put, each must come once. */
static int walk(struct archive_reader *a, struct strlist *names)
{
	struct archive_member m;
	struct err e = ERR_INIT;
	struct buf b = { 0 };
	int rc;

	while ((rc = archive_next(a, &m, &e)) > 0) {
		require(*m.name && *m.name != '/' && !strstr(m.name, "//") &&
			strncmp(m.name, "../", 3) != 0 &&
			!strstr(m.name, "/../") && strcmp(m.name, "..") != 0);
		require(!strpbrk(m.name, "\n\r\033"));
		require(!strlist_has(names, m.name) &&
			!strlist_add(names, m.name, NULL));
		buf_reset(&b);
		if (!m.dir && archive_slurp(a, &b, 1 << 20, &e))
			break;
		require(m.dir || b.len == m.size);
	}
	require(rc >= 0 || (e.kind && *e.msg));
	buf_free(&b);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct verify_limits limits = {
		.unpacked_max = 4 << 20, .entry_max = 1 << 20,
		.entries_max = 64
	};
	struct buf packed = { 0 };
	struct strlist names = { 0 };
	struct archive_reader *a;
	const LZ4F_preferences_t frame = {
		.frameInfo = { .contentChecksumFlag = 1 }
	};
	size_t most;
	struct result r;
	struct err e = ERR_INIT;
	struct piece in;
	int whole = 1;

	if (!size || size > 65536)
		return 0;
	if (*data & 1) {
		most = LZ4F_compressFrameBound(size, &frame);
		require(buf_room(&packed, most));
		packed.len = LZ4F_compressFrame(packed.data, most, data + 1,
						size - 1, &frame);
		require(!LZ4F_isError(packed.len));
	} else {
		buf_add(&packed, data + 1, size - 1);
	}
	in = (struct piece){ buf_str(&packed), packed.len, 1 + (*data >> 1) };
	if (!archive_open(source, &in, &limits, &a, &e)) {
		whole = walk(a, &names);
		archive_close(a);
	}
	in = (struct piece){ buf_str(&packed), packed.len, 1 << 20 };
	if (!verify_stream(source, &in, &limits, "fuzz", &r, &e)) {
		/* what is a result can be walked, and names its members once */
		require(!whole && r.box && strlist_has(&names, "result.cfg"));
		result_free(&r);
	}
	strlist_free(&names);
	buf_free(&packed);
	return 0;
}
