// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Finds, reads, copies and clears pstore records. Whose run they belong to is
 * in their text, because the agent notes each lease in the kernel's log.
 */
#include "crash.h"
#include "io.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PSTORE	   "sys/fs/pstore"
#define RECORD_MAX (4 << 20) /* ramoops: record_size, some 100 KiB at most */
#define RECORDS	   64
#define LEASE	   " lease " /* lease.c: "ironrig: box NAME: lease LEASE" */

/* In order of how well they tell why the box went down. */
static const char *const sign[] = {
	"Kernel panic",
	"BUG:",
	"kernel BUG at",
	"Oops:",
	"general protection fault",
	"Unable to handle kernel", /* arm64 */
	"watchdog: ",
	"INFO: task ",
	"rcu: INFO:",
	"Out of memory:",
	"WARNING:",
};

static bool hex32(const char *s)
{
	return strspn(s, "0123456789abcdef") == 32;
}

static void find_lease(const char *text, char lease[33])
{
	for (const char *at = text; (at = strstr(at, LEASE));) {
		at += strlen(LEASE);
		if (hex32(at)) {
			memcpy(lease, at, 32);
			lease[32] = '\0';
		}
	}
}

void crash_read(const char *text, char lease[33], char *what, size_t size)
{
	lease[0] = what[0] = '\0';
	find_lease(text, lease);
	for (size_t i = 0; i < sizeof(sign) / sizeof(*sign); i++) {
		const char *at = strstr(text, sign[i]);

		if (!at)
			continue;
		snprintf(what, size, "%.*s", (int)strcspn(at, "\n"), at);
		return;
	}
}

static int look_at(int dir, const char *name, struct crash *c, struct err *e)
{
	char lease[33], what[sizeof(c->what)];
	struct buf b = { 0 };
	int rc = io_read_file(dir, name, &b, RECORD_MAX, e);

	if (!rc)
		rc = strlist_add(&c->file, name, e);
	if (!rc) {
		crash_read(buf_str(&b), lease, what, sizeof(what));
		if (*lease)
			memcpy(c->lease, lease, sizeof(lease));
		if (*what &&
		    (!*c->what || !strncmp(what, sign[0], strlen(sign[0]))))
			memcpy(c->what, what, sizeof(what));
	}
	buf_free(&b);
	return rc;
}

int crash_look(int root, struct crash *c, struct err *e)
{
	int fd = openat(root, PSTORE, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct strlist name = { 0 };
	struct dirent *de;
	int rc = 0;

	memset(c, 0, sizeof(*c));
	if (!d)
		return 0; /* the kernel has none */
	while (!rc && name.n < RECORDS && (de = readdir(d)))
		if (de->d_name[0] != '.')
			rc = strlist_add(&name, de->d_name, e);
	strlist_sort(&name);
	for (size_t i = 0; !rc && i < name.n; i++)
		rc = look_at(fd, name.v[i], c, e);
	strlist_free(&name);
	closedir(d);
	return rc;
}

int crash_copy(int root, const struct crash *c, const char *to, struct err *e)
{
	char path[512];
	int rc = 0;

	if (c->file.n && io_mkdir_p(AT_FDCWD, to, 0755, e))
		return -1;
	for (size_t i = 0; !rc && i < c->file.n; i++) {
		struct buf b = { 0 };

		snprintf(path, sizeof(path), PSTORE "/%s", c->file.v[i]);
		rc = io_read_file(root, path, &b, RECORD_MAX, e);
		snprintf(path, sizeof(path), "%s/%s", to, c->file.v[i]);
		if (!rc)
			rc = io_replace_file(AT_FDCWD, path, buf_str(&b), b.len,
					     0644, e);
		buf_free(&b);
	}
	return rc;
}

void crash_forget(int root, struct crash *c)
{
	char path[512];

	for (size_t i = 0; i < c->file.n; i++) {
		snprintf(path, sizeof(path), PSTORE "/%s", c->file.v[i]);
		unlinkat(root, path, 0);
	}
	crash_free(c);
}

void crash_free(struct crash *c)
{
	strlist_free(&c->file);
	memset(c, 0, sizeof(*c));
}
