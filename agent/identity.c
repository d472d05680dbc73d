// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The identity of a run: names from the plan, facts from the machine.
 */
#include "identity.h"
#include "cpulist.h"
#include "io.h"
#include "version.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#define NOTES_MAX 65536
#define INFO_MAX  (16 << 20)

static int set(char **field, const char *value, struct err *e)
{
	if (!value)
		return 0;
	*field = strdup(value);
	return *field ? 0 : err_set(e, ERR_LIMIT, "out of memory");
}

static size_t padded(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

int identity_build_id(int root, struct buf *hex, struct err *e)
{
	struct buf b = { 0 };
	size_t at = 0;
	int rc = io_read_file(root, "sys/kernel/notes", &b, NOTES_MAX, e);

	if (rc)
		goto out;
	rc = -1;
	while (b.len - at >= sizeof(Elf64_Nhdr)) {
		const unsigned char *desc;
		Elf64_Nhdr n;
		size_t name, end;

		memcpy(&n, b.data + at, sizeof(n));
		name = at + sizeof(n);
		if (n.n_namesz > b.len || n.n_descsz > b.len)
			break;
		end = name + padded(n.n_namesz) + padded(n.n_descsz);
		if (name + padded(n.n_namesz) + n.n_descsz > b.len)
			break;
		desc = (unsigned char *)b.data + name + padded(n.n_namesz);
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
		    !memcmp(b.data + name, "GNU", 4)) {
			for (size_t i = 0; i < n.n_descsz; i++)
				buf_printf(hex, "%02x", desc[i]);
			rc = buf_ok(hex, e);
			goto out;
		}
		at = end < b.len ? end : b.len;
	}
	err_set(e, ERR_NOTFOUND, "sys/kernel/notes: no build-id");
out:
	buf_free(&b);
	return rc;
}

/* What stands behind "KEY\t: " or "KEY:   " in a file of /proc. */
static bool value_of(int root, const char *path, const char *key, char *out,
		     size_t size)
{
	struct buf b = { 0 };
	const char *at;
	bool found = false;

	if (!io_read_file(root, path, &b, INFO_MAX, NULL) &&
	    (at = strstr(buf_str(&b), key))) {
		at += strlen(key);
		at += strspn(at, " \t:");
		snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
		found = true;
	}
	buf_free(&b);
	return found;
}

static int machine(int root, struct result *r, struct err *e)
{
	struct cpulist online;
	struct utsname u;
	struct buf id = { 0 };
	char text[256];
	int rc = 0;

	if (uname(&u) < 0)
		return err_sys(e, "uname");
	if (set(&r->release, u.release, e))
		return -1;
	if (cpulist_online(root, &online, e))
		return -1;
	r->cpus_online = cpulist_count(&online);
	if (value_of(root, "proc/meminfo", "MemTotal", text, sizeof(text)))
		r->memory_kb = strtoull(text, NULL, 10);
	if (value_of(root, "proc/cpuinfo", "model name", text, sizeof(text)))
		rc = set(&r->cpu_model, text, e);
	if (!rc && !identity_build_id(root, &id, NULL))
		rc = set(&r->build_id, buf_str(&id), e);
	buf_free(&id);
	return rc;
}

static int boot_id(int root, const char *given, struct result *r, struct err *e)
{
	char line[64];

	if (given)
		return set(&r->boot_id, given, e);
	if (io_read_line(root, "proc/sys/kernel/random/boot_id", line,
			 sizeof(line), NULL))
		return 0; /* a fixture has none */
	return set(&r->boot_id, line, e);
}

int identity_fill(const struct job_request *rq, const char *governor,
		  struct result *r, struct err *e)
{
	struct buf path = { 0 };
	char id[SHA256_HEX];
	int rc;

	r->block = rq->block;
	r->position = rq->position;
	r->attempt = rq->attempt;
	r->start_s = time(NULL);
	if (conf_job_id(rq->job, id, e) || set(&r->job_id, id, e) ||
	    set(&r->box, rq->host->box, e) ||
	    set(&r->group, rq->host->group, e) ||
	    set(&r->job, rq->job->name, e) ||
	    set(&r->testcase, rq->job->testcase, e) ||
	    set(&r->lease, rq->lease, e) ||
	    set(&r->experiment, rq->experiment, e) ||
	    set(&r->kernel_id, rq->kernel_id, e) ||
	    set(&r->boot_mode, rq->boot_mode, e) ||
	    set(&r->prev_kernel, rq->prev_kernel, e) ||
	    set(&r->agent, IRONRIG_VERSION, e) || machine(rq->root, r, e) ||
	    boot_id(rq->root, rq->boot_id, r, e) ||
	    set(&r->kernel, rq->kernel ? rq->kernel : r->release, e))
		return -1;
	rc = conf_params_path(rq->job, governor, &path, e);
	if (!rc)
		rc = set(&r->params_path, buf_str(&path), e);
	buf_free(&path);
	return rc;
}
