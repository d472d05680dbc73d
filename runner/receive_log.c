// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The verb "log": console text of one boot, kept up to a cap, because a box
 * that panics in a loop or means ill would send for ever. The stream may stay
 * open for the whole boot and be silent; the next boot's stream ends it.
 */
#include "receive.h"
#include "io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	BOOT_MAX = 4 << 20, /* bytes a boot: some 40,000 lines */
	FILES_MAX = 64,	    /* boots kept: 256 MiB at worst */
};

static const char cut_note[] = "\n[ironrig: log cut here]\n";

static int newest_last(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_log(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 4 && !strcmp(d->d_name + n - 4, ".log");
}

/* Removes the log that was written to longest ago while there are too many. */
static void make_room(int dir)
{
	struct dirent **v;
	int n = scandirat(dir, ".", &v, is_log, newest_last), kept = n;

	while (kept >= FILES_MAX) {
		int oldest = -1;
		time_t when = 0;

		for (int i = 0; i < n; i++) {
			struct stat st;

			if (!*v[i]->d_name || fstatat(dir, v[i]->d_name, &st,
						      AT_SYMLINK_NOFOLLOW))
				continue;
			if (oldest < 0 || st.st_mtime < when) {
				oldest = i;
				when = st.st_mtime;
			}
		}
		if (oldest < 0)
			break;
		unlinkat(dir, v[oldest]->d_name, 0);
		*v[oldest]->d_name = '\0';
		kept--;
	}
	for (int i = 0; i < n; i++)
		free(v[i]);
	if (n >= 0)
		free(v);
}

static int copy(int fd, struct err *e)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char piece[16384];
	ssize_t n;

	/* what is too much is still read, so that the box is not held up */
	while ((n = read(0, piece, sizeof(piece)))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "read");
		if (size >= BOOT_MAX)
			continue;
		if (size + n > BOOT_MAX)
			n = BOOT_MAX - size;
		if (io_write_all(fd, piece, (size_t)n, e))
			return -1;
		size += n;
		if (size >= BOOT_MAX &&
		    io_write_all(fd, cut_note, sizeof(cut_note) - 1, e))
			return -1;
	}
	return 0;
}

int receive_log(struct receive *r, const char *boot_id, struct err *e)
{
	char name[64];
	int dir, fd = -1, lock = -1, rc = -1;

	if (mkdirat(r->store, "logs", 0700) < 0 && errno != EEXIST)
		return err_sys(e, "logs");
	dir = openat(r->store, "logs",
		     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return err_sys(e, "logs");
	if (receive_take_lock(dir, ".lock", &lock, e))
		goto out;
	make_room(dir);
	snprintf(name, sizeof(name), "%s.log", boot_id);
	fd = io_open_own(dir, name, O_WRONLY | O_APPEND | O_CREAT, 0600, e);
	if (fd < 0)
		goto out;
	rc = copy(fd, e);
out:
	io_close(&fd);
	io_close(&lock);
	close(dir);
	return rc;
}
