// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Bundles on the box. The image normally carries those that the plan needs; a
 * job that was queued after the boot has its own fetched here.
 */
#include "bring.h"
#include "ask.h"
#include "image.h"
#include "io.h"
#include "lz4stream.h"
#include "members.h"
#include "tool.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PACKED	  BOX_RUN_DIR "/bundle"
#define UNPACKED  BOX_RUN_DIR "/bundle.cpio"
#define GET_MS	  600000
#define UNPACK_MS 120000

static int to_fd(void *arg, const void *p, size_t n, struct err *e)
{
	return io_write_all(*(int *)arg, p, n, e);
}

/* The kernel's LZ4 form undone; a plain cpio stays as it is. */
static int unpack_lz4(int from, int to, struct err *e)
{
	struct stat st;
	void *p;
	int rc;

	if (fstat(from, &st) < 0)
		return err_sys(e, PACKED);
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, from, 0);
	if (p == MAP_FAILED)
		return err_sys(e, PACKED);
	rc = lz4_legacy_decompress(p, (size_t)st.st_size, to_fd, &to, e);
	munmap(p, (size_t)st.st_size);
	return rc;
}

static int unpack_gzip(int from, int to, struct err *e)
{
	static const char *const zcat[] = { "/bin/sh", "-c",
					    "exec /bin/busybox zcat >" UNPACKED,
					    NULL };
	struct buf out = { 0 };
	int rc;

	(void)to; /* zcat opens it again: tool_run() gives no descriptors on */
	rc = tool_run(zcat, from, UNPACK_MS, &out, e);
	buf_free(&out);
	return rc;
}

/* What the file is by its first bytes: a name, and how to unpack it. */
static int to_cpio(const char **cpio, struct err *e)
{
	unsigned char magic[6];
	int from = open(PACKED, O_RDONLY | O_CLOEXEC);
	int to = open(UNPACKED, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int rc = 0;

	*cpio = UNPACKED;
	if (from < 0 || to < 0)
		rc = err_sys(e, PACKED);
	else if (pread(from, magic, sizeof(magic), 0) != sizeof(magic))
		rc = err_set(e, ERR_FORMAT, "shorter than any archive");
	else if (!memcmp(magic, "070701", 6))
		*cpio = PACKED;
	else if (magic[0] == 0x1f && magic[1] == 0x8b)
		rc = unpack_gzip(from, to, e);
	else
		rc = unpack_lz4(from, to, e);
	io_close(&from);
	io_close(&to);
	return rc;
}

static int extract(struct box *b, const char *cpio, struct err *e)
{
	static const char *const argv[] = { TOOL_BUSYBOX, "cpio", "-idmu",
					    NULL };
	int from = open(cpio, O_RDONLY | O_CLOEXEC);
	struct buf out = { 0 };
	int rc;

	if (from < 0)
		return err_sys(e, "%s", cpio);
	rc = fchdir(b->root) < 0 ? err_sys(e, "/")
				 : tool_run(argv, from, UNPACK_MS, &out, e);
	buf_free(&out);
	close(from);
	return rc;
}

/* Against its own manifest: memory may have run out in the middle. */
static int check(struct box *b, const char *name, struct err *e)
{
	char path[128], sha[SHA256_HEX], text[256];
	struct cmdline c = { 0 };
	struct strlist bad = { 0 };
	int rc;

	snprintf(path, sizeof(path), IMAGE_MEMBERS_DIR "/bundle-%s", name);
	if (sha256_file(b->root, path, sha, e))
		return -1;
	snprintf(text, sizeof(text), IMAGE_ARG_MEMBERS "=bundle-%s:%s", name,
		 sha);
	rc = cmdline_parse(text, &c, e);
	if (!rc)
		rc = members_check(b->root, &c, &bad, e);
	if (!rc && bad.n)
		rc = err_set(e, ERR_FORMAT, "%s", bad.v[0]);
	cmdline_free(&c);
	strlist_free(&bad);
	return rc;
}

static int fetch(struct box *b, const char *name, struct err *e)
{
	const char *cpio;
	char file[128];
	int rc;

	/* each takes as long as it may, whatever the ship deadline is */
	phase_set(b->up, "fetch", GET_MS + 2 * UNPACK_MS);

	snprintf(file, sizeof(file), "bundle/%s.cpio", name);
	rc = ask_get(b, file, PACKED, ask_member(), GET_MS, e);
	if (!rc)
		rc = to_cpio(&cpio, e);
	if (!rc)
		rc = extract(b, cpio, e);
	if (!rc)
		rc = check(b, name, e);
	unlink(PACKED);
	unlink(UNPACKED);
	return rc;
}

int bring_bundle(struct box *b, const char *name, struct err *e)
{
	char path[128];

	if (!conf_name_ok(name))
		return err_set(e, ERR_INPUT, "bundle \"%.64s\"", name);
	snprintf(path, sizeof(path), IMAGE_MEMBERS_DIR "/bundle-%s", name);
	if (!faccessat(b->root, path, F_OK, 0))
		return 0; /* checked at boot, or when it was fetched */
	kmsg_say("bundle %s is not in the image: fetching it", name);
	if (fetch(b, name, e))
		return err_prefix(e, "bundle %s", name);
	return 0;
}
