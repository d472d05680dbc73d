// SPDX-License-Identifier: GPL-3.0-or-later
#include "scratch.h"
#include "tap.h"

#include "cpio.h"
#include "cpiotree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What cpio_pack() wrote, read back: the names in order, one a line. */
static size_t field(const char *header, int i)
{
	char hex[9] = { 0 };

	memcpy(hex, header + 6 + 8 * i, 8);
	return strtoul(hex, NULL, 16);
}

static size_t align4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

/* Bytes up to the end of the trailer; names into list, one file's content. */
static size_t walk(const struct buf *b, struct buf *list, const char *want,
		   struct buf *content)
{
	size_t at = 0;

	while (at + 110 <= b->len && !memcmp(b->data + at, "070701", 6)) {
		const char *h = b->data + at, *name = h + 110;
		size_t size = field(h, 6), namesize = field(h, 11);
		size_t data = align4(at + 110 + namesize);

		buf_printf(list, "%s %o\n", name, (unsigned)field(h, 1));
		if (!strcmp(name, want))
			buf_add(content, b->data + data, size);
		at = align4(data + size);
		if (!strcmp(name, "TRAILER!!!"))
			return at;
	}
	return 0;
}

static struct cpio *sample(bool reversed)
{
	struct err e = ERR_INIT;
	struct cpio *c = cpio_new("demo", &e);
	int rc = 0;

	for (int i = 0; i < 4 && !rc; i++) {
		switch (reversed ? 3 - i : i) {
		case 0:
			rc = cpio_file(c, "a/b/c", 0755, "hello", 5, &e);
			break;
		case 1:
			rc = cpio_file(c, "a/b-d", 0644, "", 0, &e);
			break;
		case 2:
			rc = cpio_link(c, "init", "a/b/c", &e);
			break;
		default:
			rc = cpio_node(c, "dev/null", 0666, 1, 3, &e);
		}
	}
	return rc ? NULL : c;
}

static void pack(bool reversed, enum cpio_compress how, struct buf *out,
		 struct cpio_made *made)
{
	struct err e = ERR_INIT;
	struct cpio *c = sample(reversed);

	ok(c && !cpio_pack(c, how, out, made, &e), "packed %s", e.msg);
	cpio_free(c);
}

static void content(void)
{
	static const char expected[] =
		"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b"
		"9824  a/b/c\n";
	struct buf out = { 0 }, list = { 0 }, manifest = { 0 };
	struct cpio_made made;
	size_t end;

	pack(false, CPIO_PLAIN, &out, &made);
	end = walk(&out, &list, "etc/ironrig/members/demo", &manifest);
	is_str(buf_str(&list),
	       "a 40755\na/b 40755\na/b-d 100644\na/b/c 100755\n"
	       "dev 40755\ndev/null 20666\netc 40755\netc/ironrig 40755\n"
	       "etc/ironrig/members 40755\ninit 120777\n"
	       "etc/ironrig/members/demo 100644\nTRAILER!!! 0\n",
	       "sorted, folders by themselves, the manifest last");
	ok(strstr(buf_str(&manifest), expected),
	   "the manifest has the file's hash");
	ok(!strstr(buf_str(&manifest), "init"), "but no link");
	is_int(made.files, 2, "two files");
	is_int(made.unpacked, 5, "five bytes");
	is_int(out.len % 512, 0, "padded to 512");
	ok(end && out.len - end >= 4, "with at least four zeros");
	is_int(made.packed, out.len, "its size is told");
	buf_free(&out);
	buf_free(&list);
	buf_free(&manifest);
}

static void reproducible(void)
{
	static const enum cpio_compress how[] = { CPIO_PLAIN, CPIO_LZ4,
						  CPIO_GZIP };

	for (size_t i = 0; i < 3; i++) {
		struct buf a = { 0 }, b = { 0 };
		struct cpio_made ma, mb;

		pack(false, how[i], &a, &ma);
		pack(true, how[i], &b, &mb);
		ok(a.len == b.len && !memcmp(a.data, b.data, a.len),
		   "the order of adding does not show (%zu)", i);
		is_str(ma.manifest_sha256, mb.manifest_sha256,
		       "nor in the manifest");
		is_int(a.len % 512, 0, "padded");
		is_int(a.data[a.len - 4] | a.data[a.len - 3] |
			       a.data[a.len - 2] | a.data[a.len - 1],
		       0, "four zeros at the end");
		buf_free(&a);
		buf_free(&b);
	}
}

static void compress_does_not_show(void)
{
	struct buf a = { 0 }, b = { 0 };
	struct cpio_made ma, mb;

	pack(false, CPIO_LZ4, &a, &ma);
	pack(false, CPIO_GZIP, &b, &mb);
	is_str(ma.manifest_sha256, mb.manifest_sha256,
	       "the manifest is the same however it is packed");
	ok(!memcmp(a.data, "\x02\x21\x4c\x18", 4), "lz4 legacy format");
	ok(!memcmp(b.data, "\x1f\x8b", 2), "gzip");
	is_int(b.data[4] | b.data[5] | b.data[6] | b.data[7], 0,
	       "gzip without a time");
	buf_free(&a);
	buf_free(&b);
}

/* Where the second member starts, the first one's length may not matter. */
static void appended(void)
{
	struct buf out = { 0 }, list = { 0 }, none = { 0 };
	struct cpio_made made;
	struct buf tail;
	size_t first;

	pack(false, CPIO_PLAIN, &out, &made);
	first = out.len;
	pack(true, CPIO_PLAIN, &out, &made);
	tail = (struct buf){ .data = out.data + first,
			     .len = out.len - first };
	ok(walk(&tail, &list, "", &none), "a second member is whole");
	is_int(made.packed, first, "and as long as the first");
	buf_free(&out);
	buf_free(&list);
	buf_free(&none);
}

static void mistakes(void)
{
	struct err e = ERR_INIT;
	struct buf out = { 0 };
	struct cpio_made made;
	enum cpio_compress how;
	struct cpio *c = cpio_new("x", &e);

	ok(!cpio_file(c, "a", 0644, "1", 1, &e) &&
		   !cpio_file(c, "a", 0644, "2", 1, &e),
	   "a path twice");
	ok(cpio_pack(c, CPIO_PLAIN, &out, &made, &e) &&
		   e.kind == ERR_CONFLICT,
	   "is refused: %s", e.msg);
	cpio_free(c);
	cpio_free(NULL);
	ok(!cpio_compress_parse("gzip", &how, &e) && how == CPIO_GZIP,
	   "gzip by name");
	ok(cpio_compress_parse("bzip2", &how, &e) && e.kind == ERR_INPUT,
	   "bzip2: %s", e.msg);
	buf_free(&out);
}

static void tree(void)
{
	struct buf out = { 0 }, list = { 0 }, got = { 0 };
	struct err e = ERR_INIT;
	struct cpio_made made;
	struct cpio *c = cpio_new("t", &e);
	int fd = scratch_open();

	put("sub/prog", "x");
	ok(!fchmodat(fd, "sub/prog", 04711, 0) && !fchmodat(fd, "sub", 0700, 0),
	   "modes that an image must not have");
	ok(!symlinkat("sub/prog", fd, "link"), "a link");
	ok(!mkfifoat(fd, "fifo", 0600), "a fifo");
	ok(!cpiotree_add(c, "opt", fd, &e), "added %s", e.msg);
	ok(!cpio_pack(c, CPIO_PLAIN, &out, &made, &e), "packed %s", e.msg);
	walk(&out, &list, "opt/sub/prog", &got);
	is_str(buf_str(&list),
	       "etc 40755\netc/ironrig 40755\netc/ironrig/members 40755\n"
	       "opt 40755\nopt/link 120777\nopt/sub 40755\n"
	       "opt/sub/prog 100755\netc/ironrig/members/t 100644\n"
	       "TRAILER!!! 0\n",
	       "modes cut, the fifo left out");
	is_str(buf_str(&got), "x", "content");
	cpio_free(c);
	buf_free(&out);
	buf_free(&list);
	buf_free(&got);
}

int main(void)
{
	setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
	content();
	reproducible();
	compress_does_not_show();
	appended();
	mistakes();
	tree();
	return scratch_end();
}
