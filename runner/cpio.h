/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CPIO_H
#define IRONRIG_CPIO_H

#include "buf.h"
#include "sha256.h"

#include <sys/types.h>

/*
 * One member of an initramfs image (agent/lib/image.h): a newc cpio
 * (Documentation/driver-api/early-userspace/buffer-format.rst), bit for bit
 * the same for the same content: sorted, owner 0:0, one time for all,
 * numbered inodes. Everything is kept in memory until it is packed; the
 * largest, every module of a distribution's kernel, is about 300 MB.
 *
 * Paths have no leading slash. Folders above a path come by themselves (0755).
 * The same path twice is ERR_CONFLICT, at cpio_pack().
 */
struct cpio;

struct cpio *cpio_new(const char *member, struct err *e);
void cpio_free(struct cpio *c);

int cpio_dir(struct cpio *c, const char *path, mode_t mode, struct err *e)
	MUST_CHECK;
int cpio_file(struct cpio *c, const char *path, mode_t mode, const void *p,
	      size_t n, struct err *e) MUST_CHECK;
/* Takes the content over from b, which is empty afterwards. */
int cpio_take(struct cpio *c, const char *path, mode_t mode, struct buf *b,
	      struct err *e) MUST_CHECK;
int cpio_link(struct cpio *c, const char *path, const char *target,
	      struct err *e) MUST_CHECK;
/* A character device. */
int cpio_node(struct cpio *c, const char *path, mode_t mode,
	      unsigned int dev_major, unsigned int dev_minor, struct err *e)
	MUST_CHECK;
/* A file of this machine. */
int cpio_copy(struct cpio *c, const char *path, mode_t mode, int dirfd,
	      const char *from, struct err *e) MUST_CHECK;
enum cpio_compress { CPIO_PLAIN, CPIO_LZ4, CPIO_GZIP };

/* "none", "lz4", "gzip"; -1 with ERR_INPUT. */
int cpio_compress_parse(const char *s, enum cpio_compress *how,
			struct err *e) MUST_CHECK;

struct cpio_made {
	char manifest_sha256[SHA256_HEX]; /* as in ironrig.members= */
	size_t unpacked;		  /* bytes of the files */
	size_t packed;			  /* bytes appended to out */
	size_t files;
};

/*
 * Appends the member with its manifest to out, padded so that any member may
 * follow. Consumes the content: c can only be freed afterwards.
 */
int cpio_pack(struct cpio *c, enum cpio_compress how, struct buf *out,
	      struct cpio_made *made, struct err *e) MUST_CHECK;

#endif
