// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ironrig init: makes a controller's home and puts the shipped example jobs
 * into it. What exists is left alone.
 */
#include "cmd.h"
#include "home.h"
#include "io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOB_MAX 65536 /* bytes; a job is a page of text */

static int help(void)
{
	puts("usage: ironrig [--home DIR] init\n\n"
	     "Makes the controller's home (default ~/ironrig): folders with\n"
	     "their modes, conf/controller.cfg, the ed25519 host key that\n"
	     "boxes will pin, and the example jobs. What is there already\n"
	     "stays as it is.");
	return EXIT_SUCCESS;
}

static int copy_job(int from, int to, const char *name, struct err *e)
{
	struct buf b = { 0 };
	char *path;
	int rc;

	if (asprintf(&path, "conf/jobs/%s", name) < 0)
		return err_set(e, ERR_LIMIT, "out of memory");
	rc = !faccessat(to, path, F_OK, 0);
	if (!rc)
		rc = io_read_file(from, name, &b, JOB_MAX, e);
	if (!rc)
		rc = io_replace_file(to, path, b.data, b.len, 0644, e);
	buf_free(&b);
	free(path);
	return rc < 0 ? -1 : 0;
}

/* A program without shipped jobs (moved alone) still makes a home. */
static int copy_jobs(const struct home *h, struct err *e)
{
	char *dir;
	DIR *d;
	int rc = 0;

	if (home_shared("conf/jobs", &dir, e))
		return e->kind == ERR_NOTFOUND ? 0 : -1;
	d = opendir(dir);
	if (!d) {
		err_sys(e, "%s", dir);
		free(dir);
		return -1;
	}
	free(dir);
	for (const struct dirent *de; !rc && (de = readdir(d));) {
		size_t len = strlen(de->d_name);

		if (len > 4 && !strcmp(de->d_name + len - 4, ".cfg"))
			rc = copy_job(dirfd(d), h->fd, de->d_name, e);
	}
	closedir(d);
	return rc;
}

int cmd_init(const char *home, int argc, char **argv)
{
	struct err e = ERR_INIT;
	struct home h;
	int rc;

	if (argc == 2 &&
	    (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")))
		return help();
	if (argc != 1)
		return cmd_usage("init", "takes no arguments");
	if (home_init(home, &e) || home_open(home, &h, &e))
		return cmd_fail("init", &e);
	rc = copy_jobs(&h, &e);
	if (rc)
		rc = cmd_fail("init", &e);
	else
		printf("%s is ready\nnext: ironrig enroll BOX --mac "
		       "AA:BB:CC:DD:EE:FF --controller HOST:PORT\n",
		       h.path);
	home_close(&h);
	return rc;
}
