// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Parameters of a job: as the box runs them, and as they name the
 * configuration in the store and in reports.
 */
#include "conf.h"
#include "cpulist.h"
#include "sha256.h"

#include <string.h>

int conf_param_resolve(const struct conf_param *p, unsigned int online,
		       struct buf *out, struct err *e)
{
	unsigned int percent;

	if (num_percent(p->value, &percent))
		buf_printf(out, "%u", cpulist_percent(online, percent));
	else
		buf_puts(out, p->value);
	return buf_ok(out, e);
}

static const char *value_of(const struct conf_job *j, const char *name)
{
	for (size_t i = 0; i < j->nparam; i++)
		if (!strcmp(j->param[i].name, name))
			return j->param[i].value;
	return "";
}

/* True when a character had to be replaced. A leading dot hides, or climbs. */
static bool clean(char *s)
{
	bool altered = *s == '.';

	if (altered)
		*s = '_';
	for (; *s; s++) {
		if (strchr("abcdefghijklmnopqrstuvwxyz"
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			   "0123456789%._=+:,-",
			   *s))
			continue;
		*s = '_';
		altered = true;
	}
	return altered;
}

/* Two long or odd texts that look the same after cutting stay apart. */
static int add_hash(const struct buf *whole, struct buf *out, struct err *e)
{
	char hex[SHA256_HEX];
	struct sha256 *s = sha256_new();

	if (!s)
		return err_set(e, ERR_LIMIT, "out of memory");
	sha256_add(s, buf_str(whole), whole->len);
	sha256_hex(s, hex);
	sha256_free(s);
	buf_printf(out, "-%.12s", hex);
	return 0;
}

int conf_params_path(const struct conf_job *j, const char *governor,
		     struct buf *out, struct err *e)
{
	const size_t room = CONF_PATH_MAX - 13; /* "-" and 12 digits */
	struct buf whole = { 0 }, path = { 0 };
	int rc;

	for (size_t i = 0; i < j->path.n; i++)
		buf_printf(&whole, "%s%s", i ? "-" : "",
			   value_of(j, j->path.v[i]));
	if (governor)
		buf_printf(&whole, "%s%s", whole.len ? "-" : "", governor);
	if (!whole.len)
		buf_puts(&whole, "defaults"); /* as lkp-tests calls it */
	buf_puts(&path, buf_str(&whole));
	rc = buf_ok(&whole, e) || buf_ok(&path, e) ? -1 : 0;
	if (!rc && (clean(path.data) || path.len > CONF_PATH_MAX)) {
		buf_add(out, path.data, path.len < room ? path.len : room);
		rc = add_hash(&whole, out, e);
	} else if (!rc) {
		buf_add(out, path.data, path.len);
	}
	buf_free(&whole);
	buf_free(&path);
	return rc ? rc : buf_ok(out, e);
}
