// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What a kernel package brings: its image, the ELF file in that, its .config,
 * its System.map, and what depmod says of its modules. The first byte chooses.
 */
#include "fuzz.h"
#include "bzimage.h"
#include "kconfig.h"
#include "moddep.h"
#include "report/layout.h"
#include "spawn.h"

#include <ctype.h>

/* In place of the decompressors: the packed part is the vmlinux itself. */
int spawn_filter(const char *const argv[], const void *in, size_t n,
		 struct buf *out, size_t max, struct err *e)
{
	(void)max;
	require(argv[0] && *argv[0] != '/');
	buf_add(out, in, n);
	return buf_ok(out, e);
}

static void image(const uint8_t *p, size_t n)
{
	struct bzimage b;
	char hex[129];

	if (!bzimage_read(p, n, &b, NULL)) {
		require(*b.release && *b.release != '.' &&
			!strchr(b.release, '/'));
		for (const char *s = b.release; *s; s++)
			require(isgraph((unsigned char)*s));
		for (const char *s = b.version; *s; s++)
			require(isprint((unsigned char)*s));
		require(strlen(b.build_id) % 2 == 0);
	}
	if (!bzimage_elf_build_id(p, n, hex, sizeof(hex), NULL))
		require(*hex &&
			strspn(hex, "0123456789abcdef") == strlen(hex));
}

static void config(const uint8_t *p, size_t n)
{
	char *text = fuzz_piece(&p, &n), value[16];
	struct strlist need = { 0 }, want = { 0 };

	kconfig_get(text, "MODULES", value, sizeof(value));
	require(strlen(value) < sizeof(value) && !strchr(value, '\n'));
	require(!kconfig_check(text, &need, &want, NULL));
	strlist_free(&need);
	strlist_free(&want);
	free(text);
}

static void maps(const uint8_t *p, size_t n)
{
	char *base = fuzz_piece(&p, &n), *head = fuzz_piece(&p, &n);
	struct strlist wanted = { 0 };
	struct layout l = { .n = 0 };

	require(!strlist_add(&wanted, "schedule", NULL));
	if (!layout_compare(base, head, &wanted, &l, NULL))
		require(l.text_moved <= l.text_symbols &&
			l.percpu_moved <= l.percpu_symbols);
	layout_free(&l);
	strlist_free(&wanted);
	free(base);
	free(head);
}

static void modules(const uint8_t *p, size_t n)
{
	char *said = fuzz_piece(&p, &n), *builtin = fuzz_piece(&p, &n);
	struct moddep d;

	if (!moddep_parse(said, builtin, &d, NULL)) {
		/* of each, with all it needs, in circles too */
		for (size_t i = 0; i < d.n; i++)
			(void)!moddep_choose(&d, d.v[i].name, NULL);
		(void)moddep_builtin(&d, "fuse");
		moddep_free(&d);
	}
	free(said);
	free(builtin);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const what[])(const uint8_t *, size_t) = {
		image, config, maps, modules,
	};

	if (size && size <= 65536)
		what[*data % 4](data + 1, size - 1);
	return 0;
}
