// SPDX-License-Identifier: GPL-3.0-or-later
#include "tap.h"

#include "kconfig.h"

static const char text[] = "CONFIG_BLK_DEV_INITRD=y\n"
			   "# CONFIG_DEVTMPFS is not set\n"
			   "CONFIG_PACKET=m\n"
			   "CONFIG_TMPFS=m\n"
			   "CONFIG_CC_VERSION_TEXT=\"gcc 12\"\r\n"
			   "CONFIG_PSI=y";

static void get(const char *symbol, const char *expected)
{
	char out[32];

	kconfig_get(text, symbol, out, sizeof(out));
	is_str(out, expected, "%s", symbol);
}

static bool names(const struct strlist *l, const char *symbol)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strncmp(l->v[i], symbol, strlen(symbol)))
			return true;
	return false;
}

int main(void)
{
	struct strlist need = { 0 }, want = { 0 };
	struct err e = ERR_INIT;

	get("BLK_DEV_INITRD", "y");
	get("DEVTMPFS", "n");
	get("PACKET", "m");
	get("DEV", "n");
	get("CC_VERSION_TEXT", "\"gcc 12\"");
	get("PSI", "y");
	ok(!kconfig_check(text, &need, &want, &e), "checked");
	ok(names(&need, "CONFIG_DEVTMPFS=y"), "devtmpfs is missing");
	ok(names(&need, "CONFIG_TMPFS=y"), "a module does not do for tmpfs");
	ok(!names(&need, "CONFIG_PACKET=y"), "but for packet sockets");
	ok(!names(&need, "CONFIG_BLK_DEV_INITRD"), "initrd is there");
	ok(names(&want, "CONFIG_KEXEC_FILE=y"), "kexec would be good");
	ok(!names(&want, "CONFIG_PSI"), "pressure is there");
	strlist_free(&need);
	strlist_free(&want);
	return done_testing();
}
