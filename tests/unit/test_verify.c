// SPDX-License-Identifier: GPL-3.0-or-later
/* What is a result and what is not: every way to be wrong, with its reason. */
#include "verify.h"
#include "lz4stream.h"
#include "tar.h"
#include "tap.h"

#include <string.h>

static const char cfg[] =
	"box = \"b\"; job = \"j\"; lease = "
	"\"0123456789abcdef0123456789abcdef\"; outcome = \"ok\";"
	"boot_id = \"01234567-89ab-cdef-0123-456789abcdef\";";

static struct err e;

static int to_buf(void *arg, const void *p, size_t n, struct err *err)
{
	buf_add(arg, p, n);
	return buf_ok(arg, err);
}

static struct buf pack(const struct buf *tar)
{
	struct buf out = { 0 };
	struct lz4_writer *w = lz4_writer_new(1, to_buf, &out, &e);

	if (!w || lz4_writer_add(w, buf_str(tar), tar->len, &e) ||
	    lz4_writer_end(w, &e))
		exit(1);
	lz4_writer_free(w);
	return out;
}

struct source {
	const char *p;
	size_t n, piece;
};

static ssize_t next_piece(void *arg, const void **p, struct err *err)
{
	struct source *s = arg;
	size_t n = s->n < s->piece ? s->n : s->piece;

	(void)err;
	*p = s->p;
	s->p += n;
	s->n -= n;
	return (ssize_t)n;
}

static struct verify_limits limits = VERIFY_LIMITS_DEFAULT;

static int verify(const char *p, size_t n, size_t piece)
{
	struct source s = { p, n, piece };
	struct result r;
	int rc;

	e = (struct err)ERR_INIT;
	rc = verify_stream(next_piece, &s, &limits, "x.tar.lz4", &r, &e);
	result_free(&r);
	return rc;
}

/* A tar that starts as a result does. */
static struct tar_writer start(struct buf *tar)
{
	struct tar_writer t = { .sink = to_buf, .arg = tar };

	if (tar_add(&t, "result.cfg", cfg, strlen(cfg), &e)) {
		printf("# %s\n", e.msg);
		exit(1);
	}
	return t;
}

/* Refused, and the reason holds this. */
static void refused(struct buf *tar, const char *why, enum err_kind kind)
{
	struct buf packed = pack(tar);
	bool bad = verify(packed.data, packed.len, 65536) == -1 &&
		   e.kind == kind && strstr(e.msg, why);

	ok(bad, "refused: %s", e.msg);
	buf_free(&packed);
	buf_free(tar);
}

static void taken(struct buf *tar)
{
	struct buf packed = pack(tar);

	ok(!verify(packed.data, packed.len, 65536), "taken: %s", e.msg);
	buf_free(&packed);
	buf_free(tar);
}

/* One raw header behind result.cfg: its kind, name, link. */
static void raw(struct buf *tar, char type, const char *name, const char *link)
{
	struct tar_writer t = start(tar);
	unsigned char *h;
	unsigned int sum = 0;
	size_t at = tar->len;

	if (tar_add(&t, "placeholder", "", 0, &e))
		exit(1);
	h = (unsigned char *)tar->data + at;
	memset(h, 0, 100);
	memcpy(h, name, strlen(name));
	h[156] = (unsigned char)type;
	memcpy(h + 157, link, strlen(link));
	memset(h + 148, ' ', 8);
	for (int i = 0; i < 512; i++)
		sum += h[i];
	snprintf((char *)h + 148, 8, "%06o", sum);
	if (tar_end(&t, &e))
		exit(1);
}

/* 120 bytes: three parts of it do not fit into a ustar header */
#define LONG                                                                   \
	"\303\244\303\244\303\244\303\244\303\244"                             \
	"a name of a hundred and twenty bytes or so, of which some are "       \
	"no ASCII, as a workload's file may be called!!!!"

static void test_members(void)
{
	static const struct {
		char type; /* of a ustar header */
		const char *name, *link, *why;
	} bad[] = {
		{ '2', "meta", "/etc/passwd", "\"meta\" is a symbolic link" },
		{ '1', "meta", "result.cfg", "\"meta\" is a hard link" },
		{ '3', "null", "", "\"null\" is a device" },
		{ '6', "fifo", "", "\"fifo\" is a device or special" },
		{ '0', "/etc/x", "", "absolute name \"/etc/x\"" },
		{ '0', "a/../../x", "", "name \"a/../../x\"" },
		{ '0', "./x", "", "name \"./x\"" },
		{ '0', "a//x", "", "name \"a//x\"" },
		{ '0', "a\033[2J", "", "control character" },
		{ '0', "result.cfg", "", "\"result.cfg\" occurs twice" },
		{ '0', "result.cfg/x", "", "lies below a file" },
	};
	struct buf tar = { 0 };
	struct tar_writer t;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		raw(&tar, bad[i].type, bad[i].name, bad[i].link);
		refused(&tar, bad[i].why, ERR_FORMAT);
	}

	t = start(&tar);
	ok(!tar_add(&t, LONG "/" LONG "/" LONG "/x", "", 0, &e) &&
		   !tar_end(&t, &e),
	   "a long name that is not ASCII");
	taken(&tar);

	t = (struct tar_writer){ .sink = to_buf, .arg = &tar };
	ok(!tar_add(&t, "other", "", 0, &e) && !tar_end(&t, &e), "a tar");
	refused(&tar, "result.cfg is not the first", ERR_FORMAT);
	t = (struct tar_writer){ .sink = to_buf, .arg = &tar };
	ok(!tar_add(&t, "result.cfg", "box = ;", 7, &e) && !tar_end(&t, &e),
	   "a tar");
	refused(&tar, "x.tar.lz4", ERR_FORMAT);
}

static void test_ends(void)
{
	struct buf tar = { 0 };
	struct tar_writer t = start(&tar);

	refused(&tar, "no two zero blocks", ERR_FORMAT);
	t = start(&tar);
	buf_add(&tar, (char[512]){ 0 }, 512);
	refused(&tar, "no two zero blocks", ERR_FORMAT);
	t = start(&tar);
	ok(!tar_end(&t, &e) && !tar_add(&t, "hidden", "x", 1, &e) &&
		   !tar_end(&t, &e),
	   "a tar behind a tar");
	refused(&tar, "data behind the tar's end", ERR_FORMAT);
	t = start(&tar);
	ok(!tar_end(&t, &e), "a tar");
	for (int i = 0; i < 40; i++)
		buf_add(&tar, (char[512]){ 0 }, 512);
	refused(&tar, "bytes behind the tar's end", ERR_FORMAT);
	t = start(&tar);
	ok(!tar_file(&t, "cut", 5000, &e) && !tar_data(&t, "x", 1, &e),
	   "a member that is cut");
	refused(&tar, "", ERR_FORMAT);
	buf_puts(&tar, "this is no tar at all");
	refused(&tar, "not a tar", ERR_FORMAT);
}

static void test_limits(void)
{
	struct buf tar = { 0 };
	struct tar_writer t = start(&tar);
	char name[32], *zeros = calloc(1, 1 << 20);
	bool good = zeros != NULL;

	for (int i = 0; i <= 100000 && good; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		good = !tar_add(&t, name, "", 0, &e);
	}
	ok(good && !tar_end(&t, &e), "a hundred thousand members");
	refused(&tar, "more than 100000 members", ERR_LIMIT);
	t = start(&tar);
	good = !tar_file(&t, "zeros", 128 << 20, &e);
	for (int i = 0; i < 128 && good; i++)
		good = !tar_data(&t, zeros, 1 << 20, &e);
	ok(good && !tar_file_end(&t, &e) && !tar_end(&t, &e),
	   "128 MiB of zeros");
	taken(&tar);
	free(zeros);
	t = start(&tar);
	ok(!tar_add(&t, "big", (char[70000]){ 0 }, 70000, &e) &&
		   !tar_end(&t, &e),
	   "70,000 bytes");
	limits.unpacked_max = 65536;
	refused(&tar, "more than 65536 bytes", ERR_LIMIT);
	limits = (struct verify_limits)VERIFY_LIMITS_DEFAULT;
	raw(&tar, '0', "huge", "");
	/* the size field of the second header: 8 GiB + 1 in base 256 */
	memcpy(tar.data + tar.len - 1536 + 124, "\200\0\0\0\0\0\0\2\0\0\0\1",
	       12);
	{
		unsigned char *h = (unsigned char *)tar.data + tar.len - 1536;
		unsigned int sum = 0;

		memset(h + 148, ' ', 8);
		for (int i = 0; i < 512; i++)
			sum += h[i];
		snprintf((char *)h + 148, 8, "%06o", sum);
	}
	refused(&tar, "\"huge\" is larger than", ERR_LIMIT);
}

/* Whether it still unpacks to these bytes: a match may have moved in zeros. */
static bool same(const struct buf *packed, const struct buf *tar)
{
	struct lz4_reader *r = lz4_reader_new(&e);
	static char out[65536];
	const void *in = packed->data;
	size_t nin = packed->len, nout = sizeof(out);
	bool is = r && !lz4_reader_run(r, &in, &nin, out, &nout, &e) &&
		  lz4_reader_ended(r) && nout == tar->len &&
		  !memcmp(out, tar->data, nout);

	lz4_reader_free(r);
	return is;
}

/* Every cut and a flipped bit at every place of a small result. */
static void test_stream(void)
{
	struct buf tar = { 0 };
	struct tar_writer t = start(&tar);
	unsigned int cut = 0, flipped = 0;
	struct buf packed;

	ok(!tar_add(&t, "agent.log", "hello\n", 6, &e) && !tar_end(&t, &e),
	   "a result");
	packed = pack(&tar);
	ok(!verify(packed.data, packed.len, 1), "is one, byte by byte %s",
	   e.msg);
	ok(!verify(packed.data, packed.len, 65536), "is one, at once");
	for (size_t n = 0; n < packed.len; n++)
		cut += verify(packed.data, n, 7) == -1 && e.kind == ERR_PEER;
	is_int(cut, packed.len, "cut anywhere it is not, and says so");
	for (size_t n = 0; n < packed.len; n++) {
		packed.data[n] ^= 0x10;
		flipped += verify(packed.data, packed.len, 4096) == -1 ||
			   same(&packed, &tar);
		packed.data[n] ^= 0x10;
	}
	is_int(flipped, packed.len,
	       "nor with a bit turned over that changes it");
	buf_puts(&packed, "x");
	ok(verify(packed.data, packed.len, 4096) == -1 && e.kind == ERR_FORMAT,
	   "nor with a byte behind it: %s", e.msg);
	buf_free(&packed);
	buf_free(&tar);
}

int main(void)
{
	test_members();
	test_ends();
	test_limits();
	test_stream();
	return done_testing();
}
