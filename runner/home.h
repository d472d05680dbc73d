/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_HOME_H
#define IRONRIG_HOME_H

#include "err.h"

/*
 * A controller's home: one folder that holds everything of it.
 *
 *   conf/{hosts,jobs,experiments}/NAME.cfg, conf/controller.cfg
 *   keys/controller_host_ed25519[.pub]   what boxes pin
 *   keys/boxes/BOX[.pub], keys/authorized_keys
 *   kernels/NAME/  bundles/              the registry
 *   boot/                                the TFTP and HTTP root
 *   incoming/BOX/  store/BOX/  quarantine/BOX/
 *   index.db                             rebuilt by fsck
 */
struct home {
	int fd;	    /* the folder, for openat(2) */
	char *path; /* absolute */
};

/*
 * opt is what --home or IRONRIG_HOME gave; NULL means ~/ironrig.
 * ERR_NOTFOUND when it is no home (it has no conf/): the message says how to
 * make one; ERR_CONFLICT when it is another's and the caller is root.
 * home_close() takes a zeroed struct too.
 */
int home_open(const char *opt, struct home *h, struct err *e) MUST_CHECK;
void home_close(struct home *h);

/*
 * Makes the folders that are missing, conf/controller.cfg and the host key;
 * what exists stays as it is, so a second call mends and changes nothing.
 */
int home_init(const char *opt, struct err *e) MUST_CHECK;

/*
 * The folder of files that come with the program ("conf/jobs"): beside the
 * installed program (PREFIX/share/ironrig), else in the source tree that it
 * was built in. ERR_NOTFOUND when there is none. The caller frees *path.
 */
int home_shared(const char *what, char **path, struct err *e) MUST_CHECK;

#endif
