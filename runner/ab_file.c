// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The files of an experiment. What stands in them is decided elsewhere.
 */
#include "ab.h"
#include "collect.h"
#include "io.h"
#include "near.h"
#include "plan_load.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static const char folder[] = "conf/experiments";

static void path_of(const char *name, const char *suffix, char out[160])
{
	snprintf(out, 160, "%s/%.64s%s", folder, name, suffix);
}

static int no_such(const struct home *h, const char *name, struct err *e)
{
	struct buf near = { 0 };
	struct strlist have;

	if (collect_names(h, folder, ".cfg", &have, e))
		return -1;
	for (size_t i = 0; i < have.n; i++)
		have.v[i][strlen(have.v[i]) - 4] = '\0';
	near_names(&have, name, &near);
	err_set(e, ERR_NOTFOUND, "no experiment \"%.64s\"%s", name,
		buf_str(&near));
	buf_free(&near);
	strlist_free(&have);
	return -1;
}

int ab_load(const struct home *h, const char *name, struct conf_experiment *x,
	    struct err *e)
{
	char path[160];

	path_of(name, ".cfg", path);
	if (!conf_name_ok(name) || faccessat(h->fd, path, F_OK, 0) < 0)
		return no_such(h, name, e);
	if (conf_experiment_load(h->fd, path, x, NULL, e))
		return -1;
	if (!strcmp(x->kind, "ab"))
		return 0;
	conf_experiment_free(x);
	return err_set(e, ERR_INPUT, "experiment %s is no A/B experiment",
		       name);
}

int ab_save(const struct home *h, const struct conf_experiment *x,
	    struct err *e)
{
	struct buf b = { 0 };
	char path[160];
	int rc = conf_experiment_write(x, &b, e);

	path_of(x->name, ".cfg", path);
	if (!rc)
		rc = io_replace_file(h->fd, path, b.data, b.len, 0644, e);
	buf_free(&b);
	return rc;
}

int ab_lock(const struct home *h, int *fd, struct err *e)
{
	*fd = openat(h->fd, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd >= 0 && !flock(*fd, LOCK_EX))
		return 0;
	err_sys(e, "%s", folder);
	io_close(fd);
	return -1;
}

bool ab_decided(const struct home *h, const char *name)
{
	char path[160];

	path_of(name, PLAN_LOAD_DECIDED, path);
	return !faccessat(h->fd, path, F_OK, 0);
}

int ab_decide(const struct home *h, const char *name, const char *why,
	      struct err *e)
{
	struct buf b = { 0 };
	char path[160];
	int rc;

	path_of(name, PLAN_LOAD_DECIDED, path);
	buf_printf(&b, "%s\n", why);
	rc = buf_ok(&b, e);
	if (!rc)
		rc = io_replace_file(h->fd, path, b.data, b.len, 0644, e);
	buf_free(&b);
	return rc;
}

int ab_note_look(const struct home *h, const char *name, size_t blocks,
		 size_t settled, size_t of, struct err *e)
{
	char path[160], line[96];
	int n, fd, rc;

	path_of(name, ".looks", path);
	n = snprintf(line, sizeof(line), "%zu %zu %zu %lld\n", blocks, settled,
		     of, (long long)time(NULL));
	fd = openat(h->fd, path,
		    O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
		    0644);
	if (fd < 0)
		return err_sys(e, "%s", path);
	rc = io_write_all(fd, line, (size_t)n, e);
	close(fd);
	return rc;
}
