/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_KERNEL_H
#define IRONRIG_KERNEL_H

#include "buf.h"
#include "conf.h"
#include "sha256.h"

struct home;

/*
 * The registry of kernels, kernels/NAME/ in the home:
 *
 *   kernel.cfg    identity and origin (struct conf_kernel)
 *   vmlinuz       the image
 *   modules.cpio  members "modules" and "kernel" (image.h), the first
 *                 compressed
 *   config, System.map   when they were given
 *
 * Adding the same kernel again changes nothing; the same name with another
 * id is ERR_CONFLICT: results carry the name, so a name never changes its
 * meaning.
 */

/*
 * SHA-256 of "image SHA\nmodules SHA\nappend TEXT\n". The modules' SHA is that
 * of their manifest: what is in them, whatever compressed it.
 */
int kernel_id(const char *image_sha256, const char *modules_sha256,
	      const char *append, char out[SHA256_HEX], struct err *e)
	MUST_CHECK;

/* ERR_NOTFOUND when there is none of that name. */
int kernel_load(const struct home *home, const char *name,
		struct conf_kernel *k, struct err *e) MUST_CHECK;
/*
 * Replaces the kernel.cfg of name at once, for what is learned of a kernel
 * later; its identity stays.
 */
int kernel_rewrite(const struct home *home, const char *name,
		   const struct conf_kernel *k, struct err *e) MUST_CHECK;
/* "NAME:ID", as `next` answers and ironrig.kernel= carries it. */
int kernel_word(const struct home *home, const char *name, struct buf *out,
		struct err *e) MUST_CHECK;
/* Every registered name, sorted. */
int kernel_list(const struct home *home, struct strlist *names,
		struct err *e) MUST_CHECK;
/*
 * Appends name and, sorted, what is registered as another build of it; gone:
 * also what was, as a report wants it. ERR_NOTFOUND as kernel_load(), but for
 * gone.
 */
int kernel_builds(const struct home *home, const char *name, bool gone,
		  struct strlist *out, struct err *e) MUST_CHECK;
/*
 * Appends the member "kernel" (image.h) to out; sha256 is its manifest's, for
 * ironrig.members. kernel_member_sha() makes only that.
 */
int kernel_member(const struct conf_kernel *k, struct buf *out,
		  char sha256[SHA256_HEX], struct err *e) MUST_CHECK;
int kernel_member_sha(const struct conf_kernel *k, char out[SHA256_HEX],
		      struct err *e) MUST_CHECK;
/*
 * Takes a kernel out. Its kernel.cfg stays as kernels/.gone-NAME.cfg, so that
 * the name cannot come back with another meaning while results carry it.
 */
#define KERNEL_PATH 128
#define KERNEL_GONE ".gone-"
int kernel_remove(const struct home *home, const char *name, struct err *e)
	MUST_CHECK;
void kernel_gone_path(const char *name, char out[KERNEL_PATH]);

#endif
