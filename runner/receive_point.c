// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Where a box's next boot leads to.
 */
#include "receive_point.h"
#include "bundle.h"
#include "ipxe.h"

int receive_point(const struct receive *r, const char *kernel,
		  const struct strlist *bundles, struct err *e)
{
	if (!r->host.net.mac)
		return 0;
	return ipxe_write_box(r->home, &r->host, kernel, bundles, e);
}

int receive_cmdline(const struct receive *r, const char *kernel,
		    struct buf *out, struct err *e)
{
	struct strlist bundles = { 0 };
	int rc = bundle_of_box(r->home, r->host.box, &bundles, e);

	if (!rc)
		rc = ipxe_cmdline(r->home, &r->host, kernel, &bundles,
				  BOOT_KEXEC, out, e);
	strlist_free(&bundles);
	return rc;
}
