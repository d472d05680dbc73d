// SPDX-License-Identifier: GPL-3.0-or-later
#include "modload.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <unistd.h>

static int root;

static const char *joined(const struct strlist *l)
{
	static char text[512];

	text[0] = '\0';
	for (size_t i = 0; i < l->n; i++) {
		strcat(text, i ? " " : "");
		strcat(text, l->v[i]);
	}
	return text;
}

/* As depmod writes them; the odd ones: '-' in softdeps, a cycle, post:. */
static void tables(void)
{
	put("lib/modules/6.1.0/modules.alias",
	    "# Aliases extracted from modules themselves.\n"
	    "alias pci:v000010ECd00008168sv*sd*bc*sc*i* r8169\n"
	    "alias pci:v00001AF4d*sv*sd*bc*sc*i* virtio_pci\n"
	    "alias virtio:d00000001v* virtio_net\n"
	    "alias mdio:0000000000011100110010010001???? realtek\n"
	    "alias usb:v0bdap[8-9]* r8152\n"
	    "alias nonsense\n");
	put("lib/modules/6.1.0/modules.softdep",
	    "# Soft dependencies extracted from modules themselves.\n"
	    "softdep r8169 pre: realtek\n"
	    "softdep virtio_pci pre: virtio-ring post: late_one\n"
	    "softdep a pre: b\n"
	    "softdep b pre: a\n");
}

static void resolve(void)
{
	struct strlist names = { 0 };
	struct err e = ERR_INIT;
	struct modules *m;

	ok(!modules_open(root, "6.1.0", &m, &e), "tables read");
	ok(!modules_resolve(m,
			    "pci:v000010ECd00008168sv00001043sd000085C8bc02sc"
			    "00i00",
			    &names, &e),
	   "alias of a NIC");
	is_str(joined(&names), "realtek r8169", "softdep comes before it");
	ok(!modules_resolve(m, "pci:v00001AF4d00001041sv0sd0bc02sc00i00",
			    &names, &e),
	   "another");
	is_str(joined(&names), "realtek r8169 virtio_ring virtio_pci",
	       "dashes are underscores, post: is left");
	ok(!modules_resolve(m, "acpi:PNP0C0C:", &names, &e) && names.n == 4,
	   "nothing for it");
	ok(!modules_resolve(m, "usb:v0BDAp", &names, &e) && names.n == 4,
	   "case counts");
	ok(!modules_resolve(m, "usb:v0bdap8152", &names, &e) && names.n == 5,
	   "brackets");
	ok(!modules_name(m, "a", &names, &e) && names.n == 7,
	   "a cycle of softdeps ends");
	strlist_free(&names);
	modules_free(m);
	ok(!modules_open(root, "5.0", &m, &e), "no modules at all");
	ok(!modules_resolve(m, "virtio:d00000001v1", &names, &e) && !names.n,
	   "match nothing");
	modules_free(m);
}

static void aliases(void)
{
	struct strlist l = { 0 }, seen = { 0 };
	struct err e = ERR_INIT;

	ok(modules_aliases(root, &seen, &l, &e) && e.kind == ERR_SYS, "no sysfs");
	put("sys/bus/pci/devices/0000:00:03.0/modalias", "pci:v1\n");
	put("sys/bus/pci/devices/0000:00:04.0/modalias", "pci:v1\n");
	put("sys/bus/pci/devices/0000:00:05.0/class", "0x060100\n");
	put("sys/bus/virtio/devices/virtio0/modalias", "virtio:d1\n");
	put("sys/bus/empty/drivers_probe", "");
	put("sys/devices/virtual/dmi/id/modalias", "dmi:bvn\n");
	ok(!modules_aliases(root, &seen, &l, &e), "read");
	strlist_sort(&l);
	is_str(joined(&l), "dmi:bvn pci:v1 virtio:d1", "each once");
	strlist_free(&l);
	put("sys/bus/pci/devices/0000:00:03.0/modalias", "pci:v9\n");
	put("sys/bus/virtio/devices/virtio1/modalias", "virtio:d2\n");
	put("sys/bus/usb/devices/virtio0/modalias", "usb:v1\n");
	ok(!modules_aliases(root, &seen, &l, &e), "again");
	strlist_sort(&l);
	is_str(joined(&l), "dmi:bvn usb:v1 virtio:d2", "what is new only");
	strlist_free(&l);
	strlist_free(&seen);
}

static void firmware(void)
{
	char out[64];

	ok(modload_firmware("<3>[ 1.2] bnx2 0000:01:00.0: firmware: failed to "
			    "load bnx2/bnx2-mips-09.fw (-2)",
			    out, sizeof(out)),
	   "Debian's words");
	is_str(out, "bnx2/bnx2-mips-09.fw", "its file");
	ok(modload_firmware("r8169 0000:02:00.0: Direct firmware load for "
			    "rtl_nic/rtl8168g-2.fw failed with error -2",
			    out, sizeof(out)),
	   "the kernel's words");
	is_str(out, "rtl_nic/rtl8168g-2.fw", "its file");
	ok(!modload_firmware("firmware: failed to load ", out, sizeof(out)),
	   "no name");
	ok(!modload_firmware("r8169: firmware: direct-loading firmware x", out,
			     sizeof(out)),
	   "a good one");
}

int main(void)
{
	root = scratch_open();
	tables();
	resolve();
	aliases();
	firmware();
	return scratch_end();
}
