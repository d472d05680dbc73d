// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Reads a kernel image's setup header and, through the decompressor it names,
 * the build-id note of the vmlinux inside. The image comes from a person: no
 * offset in it is trusted.
 */
#include "bzimage.h"

#include "spawn.h"

#include <elf.h>
#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Documentation/arch/x86/boot.rst, "The Real-Mode Kernel Header" */
enum {
	AT_SETUP_SECTS = 0x1f1,
	AT_MAGIC = 0x202, /* "HdrS" */
	AT_PROTOCOL = 0x206,
	AT_KERNEL_VERSION = 0x20e, /* less 0x200 */
	AT_PAYLOAD_OFFSET = 0x248, /* from the protected-mode part */
	AT_PAYLOAD_LENGTH = 0x24c,
	HEADER_END = 0x250,
	PROTOCOL_PAYLOAD = 0x208, /* 2.08 brought the payload fields */
	SECTOR = 512,
	VMLINUX_MAX = 512 << 20,
};

static uint16_t le16(const unsigned char *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

static uint32_t le32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

/* ---- the note --------------------------------------------------------------- */

static size_t align4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

/* One PT_NOTE segment; true when it held the build-id. */
static bool take_note(const unsigned char *p, size_t n, char *hex, size_t size)
{
	while (n >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr h;
		size_t name, desc;

		memcpy(&h, p, sizeof(h));
		name = align4(h.n_namesz);
		desc = align4(h.n_descsz);
		p += sizeof(h);
		n -= sizeof(h);
		if (name > n || desc > n - name)
			return false;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 &&
		    !memcmp(p, ELF_NOTE_GNU, 4) &&
		    2 * (size_t)h.n_descsz < size) {
			for (size_t i = 0; i < h.n_descsz; i++)
				snprintf(hex + 2 * i, 3, "%02x",
					 p[name + i]);
			return h.n_descsz > 0;
		}
		p += name + desc;
		n -= name + desc;
	}
	return false;
}

int bzimage_elf_build_id(const void *data, size_t n, char *hex, size_t size,
			 struct err *e)
{
	const unsigned char *p = data;
	Elf64_Ehdr eh;

	if (n < sizeof(eh) || memcmp(p, ELFMAG, SELFMAG) != 0 ||
	    p[EI_CLASS] != ELFCLASS64)
		return err_set(e, ERR_FORMAT, "not a 64-bit ELF file");
	memcpy(&eh, p, sizeof(eh));
	for (size_t i = 0; i < eh.e_phnum; i++) {
		Elf64_Phdr ph;

		if (eh.e_phoff > n || (i + 1) * sizeof(ph) > n - eh.e_phoff)
			break;
		memcpy(&ph, p + eh.e_phoff + i * sizeof(ph), sizeof(ph));
		if (ph.p_type != PT_NOTE || ph.p_offset > n ||
		    ph.p_filesz > n - ph.p_offset)
			continue;
		if (take_note(p + ph.p_offset, ph.p_filesz, hex, size))
			return 0;
	}
	return err_set(e, ERR_NOTFOUND, "no build-id note");
}

/* ---- the compressed part ---------------------------------------------------- */

static const char *decompressor(const unsigned char *p, size_t n)
{
	static const struct {
		const char *magic;
		size_t n;
		const char *tool;
	} known[] = {
		/* the first bytes, as in the kernel's lib/decompress.c */
		{ "\x1f\x8b", 2, "gzip" },
		{ "\xfd" "7zXZ", 5, "xz" },
		{ "\x28\xb5\x2f\xfd", 4, "zstd" },
		{ "\x02\x21\x4c\x18", 4, "lz4" },
		{ "BZh", 3, "bzip2" },
		{ "\x5d\0\0", 3, "lzma" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (n > known[i].n && !memcmp(p, known[i].magic, known[i].n))
			return known[i].tool;
	return NULL;
}

/*
 * The build appends the unpacked size, 4 bytes, behind most formats: tools
 * complain about it after they have written everything, so their verdict does
 * not count; whether the result is an ELF file with a note does.
 */
static void find_build_id(const unsigned char *p, size_t n, struct bzimage *b)
{
	const char *tool = decompressor(p, n);
	const char *const argv[] = { tool, "-dc", NULL };
	struct buf vmlinux = { 0 };
	struct err ignored = ERR_INIT;
	int rc;

	b->build_id[0] = '\0';
	if (!tool)
		return;
	rc = spawn_filter(argv, p, n, &vmlinux, VMLINUX_MAX, &ignored);
	if (rc && !vmlinux.len)
		return;
	if (bzimage_elf_build_id(vmlinux.data, vmlinux.len, b->build_id,
				 sizeof(b->build_id), &ignored))
		b->build_id[0] = '\0';
	buf_free(&vmlinux);
}

/* It becomes the name of a folder: lib/modules/RELEASE. */
static bool release_ok(const char *s, size_t n)
{
	if (!n || n >= sizeof(((struct bzimage *)0)->release) || *s == '.')
		return false;
	for (size_t i = 0; i < n; i++)
		if (s[i] <= ' ' || s[i] > '~' || s[i] == '/')
			return false;
	return true;
}

/* "6.1.0-57-amd64 (who@where) #1 SMP Debian 6.1.192-3 (2026-11-26)" */
static int split_version(const char *s, struct bzimage *b, struct err *e)
{
	size_t n = strcspn(s, " ");
	const char *hash = strchr(s, '#');

	if (!release_ok(s, n))
		return err_set(e, ERR_FORMAT, "no kernel release in it");
	for (const char *c = s; *c; c++)
		if (*c < ' ' || *c > '~')
			return err_set(e, ERR_FORMAT,
				       "a control character in its version");
	memcpy(b->release, s, n);
	b->release[n] = '\0';
	snprintf(b->version, sizeof(b->version), "%s", hash ? hash : "");
	return 0;
}

int bzimage_read(const void *data, size_t n, struct bzimage *b, struct err *e)
{
	const unsigned char *p = data;
	size_t at, start, length;
	char text[512];

	*b = (struct bzimage){ .release = "" };
	if (n < HEADER_END || memcmp(p + AT_MAGIC, "HdrS", 4) != 0)
		return err_set(e, ERR_FORMAT, "not an x86 kernel image "
					      "(bzImage)");
	if (le16(p + AT_PROTOCOL) < PROTOCOL_PAYLOAD)
		return err_set(e, ERR_FORMAT, "boot protocol %#x is older "
					      "than 2.08",
			       le16(p + AT_PROTOCOL));
	at = (size_t)le16(p + AT_KERNEL_VERSION) + 0x200;
	if (at == 0x200 || at >= n)
		return err_set(e, ERR_FORMAT, "no kernel version in it");
	snprintf(text, sizeof(text), "%.*s",
		 (int)(n - at < sizeof(text) ? n - at : sizeof(text) - 1),
		 (const char *)p + at);
	if (split_version(text, b, e))
		return -1;
	start = ((size_t)(p[AT_SETUP_SECTS] ? p[AT_SETUP_SECTS] : 4) + 1) *
			SECTOR +
		le32(p + AT_PAYLOAD_OFFSET);
	length = le32(p + AT_PAYLOAD_LENGTH);
	if (start < n && length <= n - start)
		find_build_id(p + start, length, b);
	return 0;
}
