// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The controller's folder: finding it, making it, finding what came with the
 * program. What stands in the folders is the business of those who write it.
 */
#include "home.h"
#include "io.h"
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The home itself may be passed through by others, so that a TFTP server
 * reaches boot/; what is private is private by its own folder.
 */
static const struct {
	const char *path;
	mode_t mode;
} layout[] = {
	{ ".", 0711 },		      { "conf", 0755 },
	{ "conf/hosts", 0755 },	      { "conf/jobs", 0755 },
	{ "conf/experiments", 0755 }, { "keys", 0700 },
	{ "keys/boxes", 0700 },	      { "kernels", 0750 },
	{ "bundles", 0750 },	      { "boot", 0750 },
	{ "incoming", 0700 },	      { "store", 0700 },
	{ "quarantine", 0700 },
};

static const char host_key[] = "keys/controller_host_ed25519";

/* The absolute path of the home, which need not exist. */
static char *home_path(const char *opt, struct err *e)
{
	const struct passwd *pw;
	const char *base = getenv("HOME");
	char *path = NULL, *cwd;
	int n;

	if (opt && *opt == '/') {
		n = asprintf(&path, "%s", opt);
	} else if (opt && *opt) {
		cwd = getcwd(NULL, 0);
		n = cwd ? asprintf(&path, "%s/%s", cwd, opt) : -1;
		free(cwd);
	} else {
		if (!base || *base != '/') {
			pw = getpwuid(getuid());
			base = pw ? pw->pw_dir : "/";
		}
		n = asprintf(&path, "%s/ironrig", base);
	}
	if (n < 0) {
		err_set(e, ERR_LIMIT, "out of memory");
		return NULL;
	}
	while (n > 1 && path[n - 1] == '/')
		path[--n] = '\0';
	return path;
}

/*
 * What root writes into another's home, the account cannot read: its sshd
 * would turn every box away at the first `sudo ironrig enroll', and a lease
 * file of root's ends a box for good.
 */
static int check_owner(int fd, const char *path, struct err *e)
{
	const struct passwd *pw;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(e, "home %s", path);
	if (geteuid() || !st.st_uid)
		return 0;
	pw = getpwuid(st.st_uid);
	if (!pw)
		return err_set(e, ERR_CONFLICT,
			       "home %s belongs to user %ld, and root must not "
			       "write there: run this as that user", path,
			       (long)st.st_uid);
	return err_set(e, ERR_CONFLICT,
		       "home %s belongs to %s, and root must not write there: "
		       "`su - %s', then again", path, pw->pw_name,
		       pw->pw_name);
}

int home_open(const char *opt, struct home *h, struct err *e)
{
	*h = (struct home){ .fd = -1, .path = home_path(opt, e) };
	if (!h->path)
		return -1;
	h->fd = open(h->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (h->fd < 0 && errno != ENOENT) {
		err_sys(e, "home %s", h->path);
		home_close(h);
		return -1;
	}
	if (h->fd < 0 || faccessat(h->fd, "conf", F_OK, 0) < 0) {
		err_set(e, ERR_NOTFOUND,
			"%s is no controller's home: make it with "
			"`ironrig --home %s init'",
			h->path, h->path);
		home_close(h);
		return -1;
	}
	if (check_owner(h->fd, h->path, e)) {
		home_close(h);
		return -1;
	}
	return 0;
}

void home_close(struct home *h)
{
	if (h->path)
		io_close(&h->fd);
	free(h->path);
	*h = (struct home){ .fd = -1 };
}

static int make_folders(int fd, struct err *e)
{
	for (size_t i = 0; i < sizeof(layout) / sizeof(layout[0]); i++) {
		if (mkdirat(fd, layout[i].path, layout[i].mode) < 0) {
			if (errno == EEXIST)
				continue;
			return err_sys(e, "mkdir %s", layout[i].path);
		}
		/* whatever the umask is */
		if (fchmodat(fd, layout[i].path, layout[i].mode, 0) < 0)
			return err_sys(e, "chmod %s", layout[i].path);
	}
	return 0;
}

static int write_controller_cfg(int fd, struct err *e)
{
	const struct passwd *pw = getpwuid(getuid());
	struct buf b = { 0 };
	int rc;

	if (!faccessat(fd, "conf/controller.cfg", F_OK, 0))
		return 0;
	buf_puts(&b, "# This controller; every key stands in ironrig.conf(5)."
		     "\n\n# where boxes reach its sshd:\n"
		     "# address = \"192.0.2.1:22\";\n");
	buf_printf(&b, "user = \"%s\";\n", pw ? pw->pw_name : "ironrig");
	rc = buf_ok(&b, e);
	if (!rc)
		rc = io_replace_file(fd, "conf/controller.cfg", b.data, b.len,
				     0644, e);
	buf_free(&b);
	return rc;
}

static int make_host_key(int fd, const char *path, struct err *e)
{
	char *file, comment[] = "ironrig controller";
	int rc;

	if (!faccessat(fd, host_key, F_OK, 0))
		return 0;
	if (asprintf(&file, "%s/%s", path, host_key) < 0)
		return err_set(e, ERR_LIMIT, "out of memory");
	rc = spawn_run((const char *[]){ "ssh-keygen", "-q", "-t", "ed25519",
					 "-N", "", "-C", comment, "-f", file,
					 NULL },
		       e);
	free(file);
	return rc ? err_prefix(e, "host key") : 0;
}

int home_init(const char *opt, struct err *e)
{
	char *path = home_path(opt, e);
	int fd, rc;

	if (!path)
		return -1;
	if (mkdir(path, 0711) < 0 && errno != EEXIST) {
		err_sys(e, "mkdir %s", path);
		free(path);
		return -1;
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		err_sys(e, "home %s", path);
		free(path);
		return -1;
	}
	rc = check_owner(fd, path, e);
	if (!rc) {
		rc = make_folders(fd, e);
		if (!rc)
			rc = write_controller_cfg(fd, e);
		if (!rc)
			rc = make_host_key(fd, path, e);
		if (rc)
			err_prefix(e, "home %s", path);
	}
	close(fd);
	free(path);
	return rc;
}

int home_shared(const char *what, char **path, struct err *e)
{
	/* installed: PREFIX/bin; built: build/bin and build/san/bin */
	static const char *const up[] = { "../share/ironrig", "../..",
					  "../../.." };
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n < 0)
		return err_sys(e, "/proc/self/exe");
	exe[n] = '\0';
	*strrchr(exe, '/') = '\0';
	for (size_t i = 0; i < sizeof(up) / sizeof(up[0]); i++) {
		if (asprintf(path, "%s/%s/%s", exe, up[i], what) < 0)
			return err_set(e, ERR_LIMIT, "out of memory");
		if (!access(*path, R_OK))
			return 0;
		free(*path);
	}
	*path = NULL;
	return err_set(e, ERR_NOTFOUND, "no %s beside %s", what, exe);
}
