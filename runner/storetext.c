// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A result's own words, for those who show them. Its numbers are store.c's.
 */
#include "storetext.h"
#include "archive.h"
#include "confine.h"

#include <string.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 20, MEMBERS_MAX = 16 };

struct want {
	const struct storetext *v;
	size_t n;
};

static int take(struct archive_reader *a, const char *member,
		const struct want *w, struct buf *out, struct err *e)
{
	struct buf text = { 0 };
	struct err large = ERR_INIT;
	size_t i = 0;

	while (i < w->n && strcmp(w->v[i].member, member) != 0)
		i++;
	if (i == w->n)
		return 0;
	if (archive_slurp(a, &text, TEXT_MAX, &large)) {
		buf_reset(&text);
		if (large.kind != ERR_LIMIT) {
			*e = large;
			return -1;
		}
	}
	confine_put_u64(out, i);
	confine_put_u64(out, text.len);
	confine_put(out, buf_str(&text), text.len);
	buf_free(&text);
	return 0;
}

/* In there; the process ends afterwards. */
static int read_texts(int fd, const char *name, const void *arg,
		      struct buf *out, struct err *e)
{
	const struct verify_limits limits = VERIFY_LIMITS_DEFAULT;
	struct verify_file f = { .fd = fd };
	struct archive_reader *a;
	struct archive_member m;
	struct result r;
	struct buf text = { 0 };
	int rc = verify_fd(fd, &limits, name, &r, NULL, e);

	if (!rc)
		rc = result_write(&r, &text, e);
	if (rc)
		return -1;
	confine_put_str(out, buf_str(&text));
	buf_free(&text);
	result_free(&r);
	if (!((const struct want *)arg)->n)
		return 0;
	if (lseek(fd, 0, SEEK_SET) < 0 ||
	    archive_open(verify_file_source, &f, &limits, &a, e))
		return err_set(e, ERR_FORMAT, "%s: changed meanwhile", name);
	while (!rc && (rc = archive_next(a, &m, e)) > 0)
		rc = m.dir ? 0 : take(a, m.name, arg, out, e);
	archive_close(a);
	return rc;
}

/* Out here. */
static int give(struct confine_in *in, struct storetext *v, size_t n,
		struct err *e)
{
	const void *p = NULL;
	uint64_t i, len;

	while (in->left) {
		if (confine_get_u64(in, n - 1, &i, e) ||
		    confine_get_u64(in, TEXT_MAX, &len, e) ||
		    confine_get(in, &p, len, e))
			return -1;
		if (v[i].there)
			return err_set(e, ERR_FORMAT, "%s came twice",
				       v[i].member);
		v[i].there = true;
		buf_add(&v[i].text, p, len);
		if (buf_ok(&v[i].text, e))
			return -1;
	}
	return 0;
}

int storetext_read(int fd, const char *name, struct storetext *v, size_t n,
		   struct result *r, struct err *e)
{
	const struct want w = { v, n };
	struct confine_in in;
	struct buf out = { 0 };
	const char *text = NULL;
	int rc;

	memset(r, 0, sizeof(*r));
	if (n > MEMBERS_MAX)
		return err_set(e, ERR_LIMIT, "more than %d members",
			       MEMBERS_MAX);
	rc = confine_run(read_texts, &w, fd, false, name, &out, e);
	in = (struct confine_in){ buf_str(&out), out.len };
	if (!rc)
		rc = confine_get_str(&in, &text, e);
	if (!rc && !text)
		rc = err_set(e, ERR_FORMAT, "%s says nothing", name);
	if (!rc)
		rc = result_parse(text, name, r, e);
	if (!rc)
		rc = give(&in, v, n, e);
	buf_free(&out);
	return rc;
}
