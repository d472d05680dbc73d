// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Reads a System.map from a file or out of a package with debugging symbols,
 * and keeps it with a kernel. What it says is runner/report/layout.c's.
 */
#include "kernelmap.h"

#include "conf.h"
#include "home.h"
#include "io.h"
#include "kernel.h"
#include "spawn.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	MAP_MAX = 64 << 20
};

/*
 * A -dbg package is 280 MB and unpacks to 3 GB: the stream goes by, one file
 * is taken, and tar ends it there (--occurrence), which dpkg-deb calls a
 * failure. Whether a map came out is looked at instead.
 */
static const char unpack[] =
	"dpkg-deb --fsys-tarfile \"$1\" 2>/dev/null | "
	"tar -xO --occurrence=1 \"./$2/System.map-$3\" 2>/dev/null || :";

static int from_deb(const char *deb, const char *release, struct buf *out,
		    struct err *e)
{
	static const char *const dir[] = { "usr/lib/debug/boot", "boot" };

	if (faccessat(AT_FDCWD, deb, R_OK, 0))
		return err_sys(e, "%s", deb);
	for (size_t i = 0; i < sizeof(dir) / sizeof(dir[0]); i++) {
		const char *const argv[] = { "sh", "-c",   unpack,  "sh",
					     deb,  dir[i], release, NULL };

		if (spawn_capture(argv, false, out, MAP_MAX, e))
			return -1;
		if (out->len)
			return 0;
	}
	return err_set(e, ERR_NOTFOUND,
		       "%s: has no System.map-%s (the "
		       "linux-image-%s-dbg package has)",
		       deb, release, release);
}

static bool is_deb(const char *path)
{
	size_t n = strlen(path);

	return n > 4 && !strcmp(path + n - 4, ".deb");
}

int kernelmap_read(const char *path, const char *own, const char *release,
		   struct buf *out, struct err *e)
{
	int rc;

	if (!path)
		return own ? io_read_file(AT_FDCWD, own, out, MAP_MAX, e) : 0;
	rc = is_deb(path) ? from_deb(path, release, out, e)
			  : io_read_file(AT_FDCWD, path, out, MAP_MAX, e);
	if (rc)
		return -1;
	/* every kernel has it, whatever its architecture and size */
	if (!strstr(buf_str(out), " _stext\n"))
		return err_set(e, ERR_FORMAT,
			       "%s: no System.map (no symbol _stext in it)",
			       path);
	return 0;
}

int kernelmap_keep(const struct home *home, const char *name,
		   const struct buf *map, struct err *e)
{
	struct conf_kernel k = { 0 };
	char path[KERNEL_PATH];
	int rc = kernel_load(home, name, &k, e);

	if (rc)
		return -1;
	snprintf(path, sizeof(path), "kernels/%.64s/System.map", name);
	rc = io_replace_file(home->fd, path, map->data, map->len, 0640, e);
	k.system_map = true;
	if (!rc)
		rc = kernel_rewrite(home, name, &k, e);
	conf_kernel_free(&k);
	return rc;
}
