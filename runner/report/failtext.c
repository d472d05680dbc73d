// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Finds what a kernel said when it failed, in results and logs. The texts come
 * from machines under test: nothing in them is trusted.
 */
#include "failtext.h"
#include "../archive.h"
#include "../confine.h"
#include "../stats/dmesg.h"
#include "io.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX   (4u << 20) /* bytes of a log that are looked at */
#define LINE_MAX   150
#define KERNEL_LOG "dmesg."

static size_t line_length(const char *line)
{
	return strcspn(line, "\n");
}

static void put_line(const char *line, size_t n, struct buf *out)
{
	const char *from = line;

	/* the level says nothing to a reader */
	if (*from == '<' && memchr(from, '>', n < 5 ? n : 5))
		from = strchr(from, '>') + 1;
	n -= (size_t)(from - line);
	n = n < LINE_MAX ? n : LINE_MAX;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)from[i];
		char plain = c == '\t' || (c >= ' ' && c < 0x7f) ? (char)c
								 : '?';

		if (c != '\r')
			buf_add(out, &plain, 1);
	}
	buf_add(out, "\n", 1);
}

/* Whether this line starts the report that is meant. */
static bool starts(const char *line, size_t n, const char *what)
{
	char copy[512], place[DMESG_PLACE];

	n = n < sizeof(copy) - 1 ? n : sizeof(copy) - 1;
	memcpy(copy, line, n);
	copy[n] = '\0';
	if (!dmesg_place(copy, place))
		return false;
	if (strncmp(what, KERNEL_LOG, strlen(KERNEL_LOG)) != 0)
		return strncmp(place, "WARNING", 7) != 0 &&
		       strncmp(place, "RIP:", 4) != 0;
	return !strcmp(place, what + strlen(KERNEL_LOG));
}

static bool ends(const char *line, size_t n)
{
	const char *at = memmem(line, n, "---[ end ", 9);

	return at != NULL;
}

bool failtext_cut(const char *log, const char *what, struct buf *out)
{
	size_t lines = 0;

	for (const char *at = log; *at;) {
		size_t n = line_length(at);

		if (!lines && !starts(at, n, what)) {
			at += n + (at[n] == '\n');
			continue;
		}
		put_line(at, n, out);
		if (++lines == FAILTEXT_LINES || ends(at, n))
			break;
		at += n + (at[n] == '\n');
	}
	return lines > 0;
}

/*
 * Records of pstore outlive a boot: those that name a lease, and not this
 * run's, are of another crash. A result's name is BOX.LEASE.tar.lz4.
 */
static bool of_another(const char *text, const char *file)
{
	const char *end = file ? strstr(file, ".tar.lz4") : NULL;
	char lease[33] = "";

	if (!end || end - file < 32 || !strstr(text, " lease "))
		return false;
	memcpy(lease, end - 32, 32);
	return !strstr(text, lease);
}

struct search {
	const struct compare_failure *f;
	const char *file, *member;
};

/* In a confined process (confine.h): the text, or nothing. */
static int search(int fd, const char *name, const void *arg, struct buf *out,
		  struct err *e)
{
	static const struct verify_limits limits = VERIFY_LIMITS_DEFAULT;
	const struct search *s = arg;
	struct verify_file v = { .fd = fd };
	struct archive_reader *a;
	struct archive_member m;

	(void)name;
	if (archive_open(verify_file_source, &v, &limits, &a, e))
		return -1;
	while (!out->len && archive_next(a, &m, e) > 0) {
		struct buf text = { 0 };

		if (m.dir || strncmp(m.name, s->member, strlen(s->member)))
			continue;
		if (archive_slurp(a, &text, TEXT_MAX, e) ||
		    (s->file == s->f->after &&
		     of_another(buf_str(&text), s->f->file)) ||
		    !failtext_cut(buf_str(&text), s->f->what, out))
			buf_reset(out);
		buf_free(&text);
	}
	archive_close(a);
	return 0;
}

/* The process may say anything: it is made plain here. */
static void take_lines(const char *text, struct buf *out)
{
	for (size_t i = 0, n; *text && i < FAILTEXT_LINES; i++) {
		n = line_length(text);
		put_line(text, n, out);
		text += n + (text[n] == '\n');
	}
}

/* The members that may hold it, "meta/dmesg" or those below "meta/crash/". */
static bool from_result(const struct home *h, const struct compare_failure *f,
			const char *file, const char *member,
			struct failtext *out)
{
	const struct search s = { f, file, member };
	struct buf path = { 0 }, text = { 0 };
	struct err e = ERR_INIT;
	bool found = false;
	int fd;

	buf_printf(&path, "store/%s", file);
	fd = openat(h->fd, buf_str(&path),
		    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0) {
		found = !confine_run(search, &s, fd, false, file, &text, &e) &&
			text.len;
		close(fd);
	}
	if (found) {
		take_lines(buf_str(&text), &out->text);
		buf_printf(&path, " (%s)", member);
		out->where = strdup(buf_str(&path));
	}
	buf_free(&text);
	buf_free(&path);
	return found;
}

static bool from_log(const struct home *h, const char *log, const char *what,
		     struct failtext *out)
{
	struct buf path = { 0 }, text = { 0 };
	struct err e = ERR_INIT;
	bool found;

	buf_printf(&path, "store/%s", log);
	found = !io_read_file(h->fd, buf_str(&path), &text, TEXT_MAX, &e) &&
		failtext_cut(buf_str(&text), what, &out->text);
	if (found)
		out->where = strdup(buf_str(&path));
	buf_free(&path);
	buf_free(&text);
	return found;
}

int failtext_find(const struct home *h, const struct compare_failure *f,
		  struct failtext *out, struct err *e)
{
	bool found = false;

	*out = (struct failtext){ .where = NULL };
	/* what a box could still tell of itself; else what was left behind */
	if (f->file && *f->file)
		found = from_result(h, f, f->file, "meta/dmesg", out);
	if (!found && f->crash && f->after && *f->after)
		found = from_result(h, f, f->after, "meta/crash/", out);
	if (!found && f->log && *f->log)
		found = from_log(h, f->log, f->what, out);
	if (found && !out->where)
		return err_set(e, ERR_LIMIT, "out of memory");
	return buf_ok(&out->text, e);
}

void failtext_free(struct failtext *t)
{
	free(t->where);
	buf_free(&t->text);
	t->where = NULL;
}
