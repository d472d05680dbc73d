// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Which modules do the devices ask for, in which order: modalias files, alias
 * and softdep tables. Loading and its aftermath stand in modload.c.
 */
#include "modules.h"
#include "io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TABLE_MAX   (16 << 20) /* Debian's whole modules.alias: 1.3 MB */
#define ALIAS_MAX   1024 /* input devices' run to some hundred bytes */
#define SOFTDEP_MAX 16 /* deep; real chains have 2 */

struct pair {
	char *key; /* pattern, or module */
	char *value; /* module, or the rest of the softdep line */
};

struct table {
	struct buf text;
	struct pair *v;
	size_t n;
};

struct modules {
	struct table alias, softdep;
};

/* modprobe takes '-' and '_' for the same, except within brackets */
static void underscores(char *s)
{
	bool inside = false;

	for (; *s; s++) {
		if (*s == '[')
			inside = true;
		else if (*s == ']')
			inside = false;
		else if (*s == '-' && !inside)
			*s = '_';
	}
}

/* Lines "WORD KEY VALUE". A missing file is an empty table. */
static int table_read(int root, const char *release, const char *file,
		      const char *word, struct table *t, struct err *e)
{
	char path[256], *save = NULL;
	size_t len = strlen(word), lines = 0;

	snprintf(path, sizeof(path), "lib/modules/%.128s/%s", release, file);
	if (io_read_file(root, path, &t->text, TABLE_MAX, e))
		return e->kind == ERR_SYS && e->sys == ENOENT ? 0 : -1;
	if (buf_ok(&t->text, e))
		return -1;
	for (size_t i = 0; i < t->text.len; i++)
		lines += t->text.data[i] == '\n';
	t->v = calloc(lines + 1, sizeof(*t->v));
	if (!t->v)
		return err_set(e, ERR_LIMIT, "out of memory");
	for (char *line = strtok_r(t->text.data, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *key = line + len + 1, *value;

		if (strncmp(line, word, len) != 0 || line[len] != ' ')
			continue;
		value = strchr(key, ' ');
		if (!value)
			continue;
		*value++ = '\0';
		underscores(key);
		t->v[t->n++] = (struct pair){ key, value };
	}
	return 0;
}

int modules_open(int root, const char *release, struct modules **m,
		 struct err *e)
{
	*m = calloc(1, sizeof(**m));
	if (!*m)
		return err_set(e, ERR_LIMIT, "out of memory");
	if (!table_read(root, release, "modules.alias", "alias", &(*m)->alias,
			e) &&
	    !table_read(root, release, "modules.softdep", "softdep",
			&(*m)->softdep, e))
		return 0;
	modules_free(*m);
	*m = NULL;
	return -1;
}

void modules_free(struct modules *m)
{
	if (!m)
		return;
	buf_free(&m->alias.text);
	buf_free(&m->softdep.text);
	free(m->alias.v);
	free(m->softdep.v);
	free(m);
}

/* A module whose softdeps are being looked at, and what asked for it. */
struct asking {
	const char *name;
	const struct asking *by;
	int depth;
};

static bool asked(const struct asking *a, const char *name)
{
	for (; a; a = a->by)
		if (!strcmp(a->name, name))
			return true;
	return false;
}

static int name_add(const struct modules *m, const char *module,
		    struct strlist *names, const struct asking *by,
		    struct err *e)
{
	char name[128];
	struct asking me = { name, by, by ? by->depth + 1 : 0 };

	snprintf(name, sizeof(name), "%s", module);
	underscores(name);
	/* in a circle the first one asked for is loaded last */
	if (strlist_has(names, name) || asked(by, name))
		return 0;
	for (size_t i = 0; me.depth < SOFTDEP_MAX && i < m->softdep.n; i++) {
		char text[1024], *save = NULL;
		bool pre = false;

		if (strcmp(m->softdep.v[i].key, name) != 0)
			continue;
		snprintf(text, sizeof(text), "%s", m->softdep.v[i].value);
		for (char *w = strtok_r(text, " \t", &save); w;
		     w = strtok_r(NULL, " \t", &save)) {
			if (w[strlen(w) - 1] == ':')
				pre = !strcmp(w, "pre:");
			else if (pre && name_add(m, w, names, &me, e))
				return -1;
		}
	}
	return strlist_add(names, name, e);
}

int modules_name(const struct modules *m, const char *module,
		 struct strlist *names, struct err *e)
{
	return name_add(m, module, names, NULL, e);
}

int modules_resolve(const struct modules *m, const char *alias,
		    struct strlist *names, struct err *e)
{
	char want[ALIAS_MAX];
	size_t bus;

	snprintf(want, sizeof(want), "%s", alias);
	underscores(want);
	bus = strcspn(want, ":") + 1; /* "pci:": most patterns fall here */
	for (size_t i = 0; i < m->alias.n; i++) {
		const struct pair *p = &m->alias.v[i];

		if (!strncmp(p->key, want, bus) && !fnmatch(p->key, want, 0) &&
		    name_add(m, p->value, names, NULL, e))
			return -1;
	}
	return 0;
}

static int alias_add(int dirfd, const char *path, struct strlist *out,
		     struct err *e)
{
	char text[ALIAS_MAX];

	/* a device that left meanwhile, or an alias of absurd length */
	if (io_read_line(dirfd, path, text, sizeof(text), NULL) || !*text ||
	    strlist_has(out, text))
		return 0;
	return strlist_add(out, text, e);
}

static DIR *dir_open(int dirfd, const char *path)
{
	int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d && fd >= 0)
		close(fd);
	return d;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool was_seen(const struct strlist *seen, const char *device)
{
	return seen->n && bsearch(&device, seen->v, seen->n,
				  sizeof(*seen->v), by_name);
}

/* All devices of one bus, sys/bus/NAME/devices; *new: those not in *seen. */
static int one_bus(int buses, const char *bus, const struct strlist *seen,
		   struct strlist *new, struct strlist *out, struct err *e)
{
	char path[768], device[512];
	struct dirent *de;
	int rc = 0;
	DIR *d;

	snprintf(path, sizeof(path), "%s/devices", bus);
	d = dir_open(buses, path);
	while (!rc && d && (de = readdir(d))) {
		if (de->d_name[0] == '.')
			continue;
		snprintf(device, sizeof(device), "%.200s/%s", bus, de->d_name);
		if (was_seen(seen, device))
			continue;
		rc = strlist_add(new, device, e);
		snprintf(path, sizeof(path), "%s/modalias", de->d_name);
		if (!rc)
			rc = alias_add(dirfd(d), path, out, e);
	}
	if (d)
		closedir(d);
	return rc;
}

/*
 * Every device with a modalias hangs on a bus, so the flat folders of sys/bus
 * tell all that a walk through sys/devices does, in a tenth of the system
 * calls on a large box. The DMI table is a class device of its own.
 */
int modules_aliases(int root, struct strlist *seen, struct strlist *out,
		    struct err *e)
{
	DIR *buses = dir_open(root, "sys/bus");
	struct strlist new = { 0 };
	struct dirent *de;
	int rc = 0;

	if (!buses)
		return err_sys(e, "sys/bus");
	while (!rc && (de = readdir(buses)))
		if (de->d_name[0] != '.')
			rc = one_bus(dirfd(buses), de->d_name, seen, &new, out,
				     e);
	closedir(buses);
	for (size_t i = 0; !rc && i < new.n; i++)
		rc = strlist_add(seen, new.v[i], e);
	strlist_free(&new);
	strlist_sort(seen);
	return rc ? rc
		  : alias_add(root, "sys/devices/virtual/dmi/id/modalias", out,
			      e);
}
