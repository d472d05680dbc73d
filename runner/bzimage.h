/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_BZIMAGE_H
#define IRONRIG_BZIMAGE_H

#include "err.h"

#include <stddef.h>

/*
 * Who a kernel image says it is, without booting it. x86 boot protocol 2.08
 * or later (Documentation/arch/x86/boot.rst), which is kernel 2.6.26.
 */
struct bzimage {
	char release[65];  /* uname -r */
	char version[65];  /* uname -v; utsname's fields have 65 bytes */
	char build_id[129]; /* hex, as /sys/kernel/notes has it; "" unknown */
};

/*
 * Reads n bytes of a bzImage. ERR_FORMAT when it is none. The build-id stands
 * in the compressed part: it is unpacked with gzip, xz, zstd or lz4 (about
 * 1 s for 60 MB); "" when that tool is missing or the part holds no note.
 */
int bzimage_read(const void *p, size_t n, struct bzimage *b, struct err *e)
	MUST_CHECK;
/*
 * The GNU build-id of an ELF64 file (a vmlinux) in memory; -1 with
 * ERR_NOTFOUND when it has none.
 */
int bzimage_elf_build_id(const void *p, size_t n, char *hex, size_t size,
			 struct err *e) MUST_CHECK;

#endif
