// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The job's tuning laid over the host's, knob by knob along the schema's
 * table, so that a new knob needs no line here.
 */
#include "conf.h"
#include "conf_schema.h"

#include <stdlib.h>
#include <string.h>

static int merge_list(const struct strlist *host, const struct strlist *job,
		      struct strlist *to, struct err *e)
{
	for (size_t i = 0; i < host->n; i++)
		if (strlist_add(to, host->v[i], e))
			return -1;
	for (size_t i = 0; i < job->n; i++)
		if (!strlist_has(to, job->v[i]) &&
		    strlist_add(to, job->v[i], e))
			return -1;
	return 0;
}

static int merge_knob(const struct conf_key *k, const char *host,
		      const char *job, char *to, struct err *e)
{
	const char *text;

	if (k->type == CONF_TEXTS)
		return merge_list((const void *)host, (const void *)job,
				  (void *)to, e);
	if (k->type == CONF_KNOB) {
		int v = *(const int *)(const void *)job;

		*(int *)(void *)to =
			v == CONF_KEEP ? *(const int *)(const void *)host : v;
		return 0;
	}
	text = *(char *const *)(const void *)job;
	if (!text)
		text = *(char *const *)(const void *)host;
	if (!text)
		return 0;
	*(char **)(void *)to = strdup(text);
	return *(char **)(void *)to ? 0
				    : err_set(e, ERR_LIMIT, "out of memory");
}

int conf_tune_merge(const struct conf_tune *host, const struct conf_tune *job,
		    struct conf_tune *out, struct err *e)
{
	*out = (struct conf_tune){ 0 };
	for (const struct conf_key *k = conf_schema_tune; k->path; k++)
		if (merge_knob(k, (const char *)host + k->offset,
			       (const char *)job + k->offset,
			       (char *)out + k->offset, e)) {
			conf_tune_free(out);
			return -1;
		}
	return 0;
}
