// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Where a box's next boot leads to.
 */
#include "receive_point.h"
#include "ipxe.h"

int receive_point(const struct receive *r, const char *kernel,
		  const struct strlist *bundles, struct err *e)
{
	if (!r->host.net.mac)
		return 0;
	return ipxe_write_box(r->home, &r->host, kernel, bundles, e);
}
