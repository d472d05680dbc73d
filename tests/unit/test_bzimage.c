// SPDX-License-Identifier: GPL-3.0-or-later
#include "tap.h"

#include "bzimage.h"

#include <elf.h>
#include <stdint.h>

/* The smallest vmlinux with a build-id: an ELF header and one note. */
struct vmlinux {
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	Elf64_Nhdr other, nh;
	char name[4];
	unsigned char id[20];
};

static struct vmlinux vmlinux(void)
{
	struct vmlinux v = { .name = "GNU" };

	memcpy(v.eh.e_ident, ELFMAG, SELFMAG);
	v.eh.e_ident[EI_CLASS] = ELFCLASS64;
	v.eh.e_phoff = offsetof(struct vmlinux, ph);
	v.eh.e_phnum = 1;
	v.ph.p_type = PT_NOTE;
	v.ph.p_offset = offsetof(struct vmlinux, other);
	v.ph.p_filesz = sizeof(v) - v.ph.p_offset;
	v.nh.n_namesz = 4;
	v.nh.n_descsz = sizeof(v.id);
	v.nh.n_type = NT_GNU_BUILD_ID;
	for (size_t i = 0; i < sizeof(v.id); i++)
		v.id[i] = (unsigned char)(0xa0 + i);
	return v;
}

static const char id_hex[] = "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3";

static void notes(void)
{
	struct vmlinux v = vmlinux();
	struct err e = ERR_INIT;
	char hex[129], small[40];

	ok(!bzimage_elf_build_id(&v, sizeof(v), hex, sizeof(hex), &e),
	   "a note %s", e.msg);
	is_str(hex, id_hex, "the build-id");
	ok(bzimage_elf_build_id(&v, sizeof(v), small, sizeof(small), &e),
	   "no room for it");
	ok(bzimage_elf_build_id(&v, sizeof(v) - 1, hex, sizeof(hex), &e),
	   "a cut file");
	v.nh.n_namesz = UINT32_MAX;
	ok(bzimage_elf_build_id(&v, sizeof(v), hex, sizeof(hex), &e),
	   "a note that lies about its size");
	v = vmlinux();
	v.eh.e_phoff = UINT64_MAX - 8;
	ok(bzimage_elf_build_id(&v, sizeof(v), hex, sizeof(hex), &e) &&
		   e.kind == ERR_NOTFOUND,
	   "a header that points outside: %s", e.msg);
	ok(bzimage_elf_build_id("x", 1, hex, sizeof(hex), &e) &&
		   e.kind == ERR_FORMAT,
	   "not ELF: %s", e.msg);
}

/* A bzImage around payload, as Documentation/arch/x86/boot.rst lays it out. */
static size_t bzimage(unsigned char *p, size_t size, const char *version,
		      const void *payload, uint32_t length)
{
	const uint32_t offset = 16;

	memset(p, 0, size);
	p[0x1f1] = 1; /* one sector behind the boot sector */
	memcpy(p + 0x202, "HdrS", 4);
	p[0x206] = 0x0f;
	p[0x207] = 0x02;
	p[0x20e] = 0x80; /* text at 0x280 */
	strcpy((char *)p + 0x280, version);
	memcpy(p + 0x248, &offset, 4);
	memcpy(p + 0x24c, &length, 4);
	memcpy(p + 1024 + offset, payload, length);
	return 1024 + offset + length;
}

/* gzip with a stored block: no compressor is needed to make one. */
static uint32_t stored(unsigned char *p, const void *data, uint16_t n)
{
	static const unsigned char head[] = { 0x1f, 0x8b, 8, 0, 0, 0,
					      0,    0,	  0, 3, 1 };
	uint16_t inverse = (uint16_t)~n;
	uint32_t at = sizeof(head);

	memcpy(p, head, sizeof(head));
	memcpy(p + at, &n, 2);
	memcpy(p + at + 2, &inverse, 2);
	memcpy(p + at + 4, data, n);
	/* no checksum: the tool complains when everything is out */
	return at + 4 + n;
}

static void images(void)
{
	static const char version[] = "6.1.0-test (me@here) #1 SMP Debian";
	unsigned char p[4096], gz[1024];
	struct vmlinux v = vmlinux();
	struct err e = ERR_INIT;
	struct bzimage z;
	size_t n;

	n = bzimage(p, sizeof(p), version, gz, stored(gz, &v, sizeof(v)));
	ok(!bzimage_read(p, n, &z, &e), "an image %s", e.msg);
	is_str(z.release, "6.1.0-test", "release");
	is_str(z.version, "#1 SMP Debian", "version");
	is_str(z.build_id, id_hex, "build-id through gzip, checksum or not");
	n = bzimage(p, sizeof(p), version, "????????????????", 16);
	ok(!bzimage_read(p, n, &z, &e), "a payload of an unknown kind");
	is_str(z.build_id, "", "has no build-id");
	n = bzimage(p, sizeof(p), version, "", 0);
	p[0x24f] = 0xff; /* the payload's length */
	ok(!bzimage_read(p, n, &z, &e), "a payload beyond the end is no harm");
	p[0x20f] = 0xff; /* the version's place */
	ok(bzimage_read(p, n, &z, &e), "a version beyond it: %s", e.msg);
	n = bzimage(p, sizeof(p), "", "", 0);
	ok(bzimage_read(p, n, &z, &e), "no version: %s", e.msg);
	n = bzimage(p, sizeof(p), version, "", 0);
	p[0x206] = 7;
	ok(bzimage_read(p, n, &z, &e), "an old protocol: %s", e.msg);
	ok(bzimage_read(p, 100, &z, &e) && e.kind == ERR_FORMAT, "short: %s",
	   e.msg);
	ok(bzimage_read(&v, sizeof(v), &z, &e), "an ELF file: %s", e.msg);
}

int main(void)
{
	notes();
	images();
	return done_testing();
}
