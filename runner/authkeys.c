// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Lines of authorized_keys(5): writing them and finding ours again. Making
 * keys is cmd_enroll.c's.
 */
#include "authkeys.h"
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 4 << 20, PUBLIC_MAX = 4096, KEY_SIZE = 256 };
#define TAIL 20 /* of 68 characters: 120 bits */

static const char begin[] = "# ironrig: begin ";
static const char end[] = "# ironrig: end ";

/* ---- one line ------------------------------------------------------------ */

static int program(char *out, size_t size, struct err *e)
{
	ssize_t n = readlink("/proc/self/exe", out, size - 1);

	if (n < 0)
		return err_sys(e, "/proc/self/exe");
	out[n] = '\0';
	return 0;
}

/*
 * A shell reads the command inside single quotes, sshd the option inside
 * double ones: a path free of both needs no more quoting.
 */
static bool plain(const char *path)
{
	return !strpbrk(path, "'\"\\\n\r");
}

/* The key of a .pub file. */
static int take_key(const char *public, char key[KEY_SIZE], struct err *e)
{
	char kind[32];

	if (sscanf(public, "%31s %255s", kind, key) == 2 &&
	    !strcmp(kind, "ssh-ed25519") &&
	    strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			"0123456789+/=") == strlen(key))
		return 0;
	return err_set(e, ERR_FORMAT, "not an ssh-ed25519 public key");
}

static const char *tail_of(const char *key)
{
	size_t n = strlen(key);

	return n > TAIL ? key + n - TAIL : key;
}

int authkeys_current(const struct home *home, const char *box,
		     const char *tail, struct err *e)
{
	char path[128], key[KEY_SIZE];
	struct buf public = { 0 };
	int rc;

	snprintf(path, sizeof(path), "keys/boxes/%.64s.pub", box);
	rc = io_read_file(home->fd, path, &public, PUBLIC_MAX, e);
	if (!rc)
		rc = take_key(buf_str(&public), key, e);
	buf_free(&public);
	if (rc || !strcmp(tail_of(key), tail))
		return rc;
	return err_set(e, ERR_CONFLICT, "this key of box %s was replaced", box);
}

int authkeys_line(const struct home *home, const char *box, const char *public,
		  struct buf *out, struct err *e)
{
	char exe[4096], key[KEY_SIZE];

	if (program(exe, sizeof(exe), e))
		return -1;
	if (!plain(exe) || !plain(home->path))
		return err_set(e, ERR_INPUT,
			       "%.100s, %.100s: quotes and backslashes in "
			       "these paths cannot stand in authorized_keys",
			       exe, home->path);
	if (take_key(public, key, e))
		return -1;
	buf_printf(out,
		   "restrict,command=\"exec '%s' --home '%s' receive "
		   "--key %s %s\" ssh-ed25519 %s ironrig:%s\n",
		   exe, home->path, tail_of(key), box, key, box);
	return buf_ok(out, e);
}

/* ---- the block ----------------------------------------------------------- */

struct line {
	const char *p;
	size_t n; /* with its newline */
};

static struct line next_line(const char **at)
{
	struct line l = { *at, strcspn(*at, "\n") };

	l.n += l.p[l.n] == '\n';
	*at += l.n;
	return l;
}

/* The line is exactly mark followed by text. */
static bool is_mark(struct line l, const char *mark, const char *text)
{
	size_t m = strlen(mark), t = strlen(text), n = l.n;

	while (n && (l.p[n - 1] == '\n' || l.p[n - 1] == '\r'))
		n--;
	return n == m + t && !memcmp(l.p, mark, m) &&
	       !memcmp(l.p + m, text, t);
}

/* " ironrig:BOX" ends it. */
static bool is_box(struct line l, const char *box)
{
	static const char tag[] = " ironrig:";
	size_t t = sizeof(tag) - 1, b = strlen(box), n = l.n;

	while (n && (l.p[n - 1] == '\n' || l.p[n - 1] == '\r'))
		n--;
	return n >= t + b && !memcmp(l.p + n - b, box, b) &&
	       !memcmp(l.p + n - b - t, tag, t);
}

/* The key that the line is for; false: none of a kind that we write. */
static bool key_of(struct line l, struct line *key)
{
	static const char kind[] = " ssh-ed25519 ";
	size_t k = sizeof(kind) - 1;

	/* the last: a path in the command may hold the same words */
	for (size_t at = l.n < k ? 0 : l.n - k + 1; at-- > 0;) {
		size_t n = 0;

		if (memcmp(l.p + at, kind, k) != 0)
			continue;
		key->p = l.p + at + k;
		while (at + k + n < l.n && !strchr(" \r\n", key->p[n]))
			n++;
		key->n = n;
		return n > 0;
	}
	return false;
}

static bool same_key(struct line l, const char *line)
{
	struct line a, b, whole = { line, line ? strlen(line) : 0 };

	return line && key_of(l, &a) && key_of(whole, &b) && a.n == b.n &&
	       !memcmp(a.p, b.p, a.n);
}

/* A mark of any home. */
static bool any_mark(struct line l, const char *mark)
{
	size_t m = strlen(mark);

	return l.n > m && !memcmp(l.p, mark, m);
}

static void add_block(struct buf *out, const char *home, const char *line)
{
	if (out->len && out->data[out->len - 1] != '\n')
		buf_puts(out, "\n");
	buf_printf(out, "%s%s\n%s%s%s\n", begin, home, line, end, home);
}

int authkeys_edit(const char *text, const char *home, const char *box,
		  const char *line, struct buf *out, struct err *e)
{
	bool inside = false, seen = false, other = false;

	while (*text) {
		struct line l = next_line(&text);

		if (is_mark(l, begin, home)) {
			if (inside || seen)
				return err_set(e, ERR_FORMAT,
					       "a second block of this home");
			inside = seen = true;
		} else if (is_mark(l, end, home)) {
			if (!inside)
				return err_set(e, ERR_FORMAT,
					       "the end of a block that never "
					       "begins");
			inside = false;
			if (line)
				buf_puts(out, line);
		} else if (inside && is_box(l, box)) {
			continue;
		} else if (!inside && any_mark(l, begin)) {
			other = true;
		} else if (any_mark(l, end)) {
			other = false;
		} else if (other && same_key(l, line)) {
			continue; /* sshd would take this one: it is first */
		}
		buf_add(out, l.p, l.n);
	}
	if (inside)
		return err_set(e, ERR_FORMAT, "a block that never ends");
	if (!seen && line)
		add_block(out, home, line);
	return buf_ok(out, e);
}

/* ---- files --------------------------------------------------------------- */

static int read_if_there(const char *file, struct buf *b, struct err *e)
{
	if (!io_read_file(AT_FDCWD, file, b, FILE_MAX, e))
		return 0;
	return e->kind == ERR_SYS && e->sys == ENOENT ? 0 : -1;
}

/* Through a link, as admins who keep their dot files elsewhere have it. */
static char *resolve(const char *file)
{
	char *real = realpath(file, NULL);

	return real ? real : strdup(file);
}

/* A fresh account has no ~/.ssh; sshd's StrictModes wants it closed. */
static int make_folder(char *file, struct err *e)
{
	char *slash = strrchr(file, '/');
	int rc = 0;

	if (!slash || slash == file)
		return 0;
	*slash = '\0';
	if (mkdir(file, 0700) < 0 && errno != EEXIST)
		rc = err_sys(e, "%s", file);
	*slash = '/';
	return rc;
}

int authkeys_edit_file(const char *file, const char *home, const char *box,
		       const char *line, struct err *e)
{
	struct buf old = { 0 }, new = { 0 };
	char *real = resolve(file);
	int rc;

	if (!real)
		return err_set(e, ERR_LIMIT, "out of memory");
	rc = read_if_there(real, &old, e);
	if (!rc && strlen(buf_str(&old)) != old.len)
		rc = err_set(e, ERR_FORMAT, "%s: holds a zero byte", file);
	if (!rc && authkeys_edit(buf_str(&old), home, box, line, &new, e))
		rc = err_prefix(e, "%s", file);
	if (!rc && (new.len != old.len ||
		    memcmp(buf_str(&new), buf_str(&old), new.len) != 0)) {
		rc = make_folder(real, e);
		if (!rc)
			rc = io_replace_file(AT_FDCWD, real, buf_str(&new),
					     new.len, 0600, e);
	}
	buf_free(&old);
	buf_free(&new);
	free(real);
	return rc;
}

bool authkeys_has_block(const char *file, const char *home)
{
	struct buf b = { 0 };
	struct err ignored;
	bool has = false;

	if (!read_if_there(file, &b, &ignored))
		for (const char *at = buf_str(&b); *at && !has;)
			has = is_mark(next_line(&at), begin, home);
	buf_free(&b);
	return has;
}
