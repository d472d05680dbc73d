/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_BOOTDIR_H
#define IRONRIG_BOOTDIR_H

#include "buf.h"
#include "sha256.h"

#include <sys/types.h>

struct home;

/*
 * The folder that the TFTP or HTTP server shows to boxes (conf/controller.cfg
 * boot; by default HOME/boot):
 *
 *   boot.ipxe, mac-….ipxe           ipxe.h
 *   base.cpio                       image.h
 *   boxes/BOX.cpio                  overlay.h
 *   kernels/NAME/vmlinuz, modules.cpio
 *   bundles/NAME.cpio
 *
 * Folders are 0750 and files 0640, of boot_group when one is given, so that
 * the server reads and nobody else does: the overlays hold the boxes' keys.
 * Beside each member MEMBER.cpio stands MEMBER.sha with the SHA-256 of its
 * manifest.
 */
struct bootdir {
	int fd;
	char *path;
	char *url;   /* of the folder, with "/" at the end; "" is relative */
	gid_t group; /* (gid_t)-1: leave */
};

int bootdir_open(const struct home *home, struct bootdir *b, struct err *e)
	MUST_CHECK;
void bootdir_close(struct bootdir *b); /* takes a zeroed one with fd -1 */

/* Replaces a file, with its folders; readers see the old or the new one. */
int bootdir_put(const struct bootdir *b, const char *path, const void *p,
		size_t n, struct err *e) MUST_CHECK;
/* Shows a file of the home there too: a hard link, else a copy. */
int bootdir_show(const struct bootdir *b, const struct home *home,
		 const char *from, const char *path, struct err *e) MUST_CHECK;

/* A member under dirfd with its .sha; path ends in ".cpio". */
int bootdir_sha_write(int dirfd, const char *path,
		      const char sha256[SHA256_HEX], struct err *e) MUST_CHECK;
/* ERR_NOTFOUND when the member was never built. */
int bootdir_sha_read(int dirfd, const char *path, char sha256[SHA256_HEX],
		     struct err *e) MUST_CHECK;

#endif
