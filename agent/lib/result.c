// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * result.cfg: one table for writing and reading it, with the machinery of the
 * configuration files. Comes from machines that run test kernels, so every
 * value is checked and control characters reach no terminal; whether the
 * result fits its plan is the controller's business.
 */
#include "result.h"
#include "conf_report.h"
#include "conf_store.h"
#include "conf_write.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define OUTCOMES "ok|failed|timeout|refused|crashed|lost|aborted"

static bool in_set(const char *s, size_t max, const char *set)
{
	size_t len = strlen(s);

	return len && len <= max && strspn(s, set) == len;
}

bool lease_ok(const char *s)
{
	return strlen(s) == LEASE_LEN &&
	       in_set(s, LEASE_LEN, "0123456789abcdef");
}

bool boot_id_ok(const char *s)
{
	if (strlen(s) != 36)
		return false;
	for (int i = 0; i < 36; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? s[i] != '-' : !strchr("0123456789abcdef", s[i]))
			return false;
	}
	return true;
}

/* As conf_params_path() makes it. */
static bool params_ok(const char *s)
{
	return *s != '.' && in_set(s, CONF_PATH_MAX,
				   "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789%._=+:,-");
}

static const struct conf_form form_lease = { lease_ok, "32 hex digits", NULL },
			      form_boot = { boot_id_ok, "a boot_id", NULL },
			      form_params = { params_ok, "a params path",
					      NULL },
			      form_mode = { .choice =
						    "firmware|kexec|running" },
			      form_outcome = { .choice = OUTCOMES };

#define FIELD(field) .offset = offsetof(struct ROW, field)
#define NAME(field)                                                            \
	{                                                                      \
#field, CONF_TEXT, FIELD(field), .form = &conf_form_name       \
	}
#define TEXT(field)                                                            \
	{                                                                      \
#field, CONF_TEXT, FIELD(field), .form = &conf_form_clean      \
	}
#define FORM(field, form_)                                                     \
	{                                                                      \
#field, CONF_TEXT, FIELD(field), .form = &(form_)              \
	}
#define BOOL(field)                                                            \
	{                                                                      \
#field, CONF_BOOL, FIELD(field)                                \
	}
#define INT(field, min_, max_)                                                 \
	{                                                                      \
#field, CONF_INT, FIELD(field), .min = (min_), .max = (max_)   \
	}
/* -1 where the machine does not tell */
#define LONG(field)                                                            \
	{                                                                      \
#field, CONF_I64, FIELD(field), .min = -1, .max = INT64_MAX    \
	}
#define COUNT_MAX 1000000

#define ROW result_iter
static const struct conf_key iter_key[] = {
	INT(number, 0, COUNT_MAX),
	BOOL(warmup),
	BOOL(profile),
	INT(exit_code, -1, 255),
	INT(signal, 0, 64),
	BOOL(timed_out),
	BOOL(output_cut),
	LONG(start_ns),
	LONG(end_ns),
	LONG(utime_us),
	LONG(stime_us),
	LONG(maxrss_kb),
	LONG(minflt),
	LONG(majflt),
	LONG(inblock),
	LONG(oublock),
	LONG(nvcsw),
	LONG(nivcsw),
	LONG(cgroup_cpu_us),
	{ .path = NULL },
};
#undef ROW

#define ROW result_knob
static const struct conf_key knob_key[] = {
	TEXT(name),	  TEXT(cpus),
	TEXT(asked),	  TEXT(before),
	TEXT(got),	  { "errno", CONF_INT, FIELD(sys), .max = 4095 },
	BOOL(required),	  BOOL(held),
	{ .path = NULL },
};
#undef ROW

#define ROW result_proof
static const struct conf_key proof_key[] = {
	TEXT(name),  TEXT(before), TEXT(after),
	BOOL(known), BOOL(ok),	   { .path = NULL },
};
#undef ROW

#define ROW result
#define GROUPS(name_, field, n, table, element)                                \
	{                                                                      \
		name_, CONF_GROUPS, FIELD(field),                              \
			.sub = (table), .size = sizeof(struct element),        \
			.count = offsetof(struct result, n)                    \
	}
static const struct conf_key result_key[] = {
	{ "box", CONF_TEXT, FIELD(box), .form = &conf_form_name,
	  .required = true },
	NAME(group),
	{ "job", CONF_TEXT, FIELD(job), .form = &conf_form_name,
	  .required = true },
	FORM(job_id, conf_form_digest),
	NAME(testcase),
	FORM(params_path, form_params),
	NAME(kernel),
	FORM(kernel_id, conf_form_digest),
	FORM(build_id, conf_form_hex),
	TEXT(release),
	FORM(boot_id, form_boot),
	{ "lease", CONF_TEXT, FIELD(lease), .form = &form_lease,
	  .required = true },
	NAME(experiment),
	INT(block, 0, COUNT_MAX),
	INT(position, 0, COUNT_MAX),
	INT(attempt, 0, COUNT_MAX),
	FORM(boot_mode, form_mode),
	TEXT(prev_kernel),
	TEXT(agent),
	LONG(start_s),
	LONG(end_s),
	INT(cpus_online, 0, 8192),
	{ "memory_kb", CONF_U64, FIELD(memory_kb) },
	TEXT(cpu_model),
	{ "outcome", CONF_CHOICE, FIELD(outcome), .form = &form_outcome,
	  .required = true },
	TEXT(reason),
	BOOL(stable),
	LONG(agent_cpu_us),
	GROUPS("iterations", iter, niter, iter_key, result_iter),
	GROUPS("knobs", knob, nknob, knob_key, result_knob),
	GROUPS("proofs", proof, nproof, proof_key, result_proof),
	{ .path = NULL },
};
#undef ROW

/* Open: a controller reads results of later agents. */
static const struct conf_schema schema = {
	.name = "result",
	.key = result_key,
	.size = sizeof(struct result),
	.open = true,
};

static const struct cfg_limits limits = {
	.bytes = 1 << 20,
	.depth = 6,
	.group = 256,
	.list = 10000,
};

const char *outcome_name(enum outcome o)
{
	static const char *const name[] = {
		[OUTCOME_OK] = "ok",	       [OUTCOME_FAILED] = "failed",
		[OUTCOME_TIMEOUT] = "timeout", [OUTCOME_REFUSED] = "refused",
		[OUTCOME_CRASHED] = "crashed", [OUTCOME_LOST] = "lost",
		[OUTCOME_ABORTED] = "aborted",
	};

	return (unsigned int)o < sizeof(name) / sizeof(name[0]) ? name[o]
								: "unknown";
}

int outcome_parse(const char *s, enum outcome *o)
{
	int i = conf_form_choice(OUTCOMES, s);

	if (i < 0)
		return -1;
	*o = (enum outcome)i;
	return 0;
}

int result_write(const struct result *r, struct buf *out, struct err *e)
{
	conf_write_table(result_key, r, out);
	return buf_ok(out, e);
}

static int fail(const char *name, const struct conf_problem *p, struct err *e)
{
	struct buf b = { 0 };

	conf_report_format(name, p, &b);
	err_set(e, ERR_FORMAT, "%s", buf_str(&b));
	buf_free(&b);
	return -1;
}

int result_parse(const char *text, const char *name, struct result *r,
		 struct err *e)
{
	struct conf_report report = { 0 };
	struct conf_problem bad;
	struct cfg_node root;
	struct conf_load l = { .report = &report, .root = &root };
	int rc = 0;

	*r = (struct result){ 0 };
	if (cfgtree_parse(text, strlen(text), &limits, &root, &bad))
		return fail(name, &bad, e);
	conf_load_struct(&schema, r, &l);
	cfgtree_free(&root);
	if (l.failed)
		rc = err_set(e, ERR_LIMIT, "%s: out of memory", name);
	else if (report.n)
		rc = fail(name, &report.v[0], e);
	if (rc)
		result_free(r);
	conf_report_free(&report);
	return rc;
}

void result_free(struct result *r)
{
	conf_store_free(result_key, r);
	*r = (struct result){ 0 };
}

int result_file_name(const char *box, const char *lease, struct buf *out,
		     struct err *e)
{
	if (!conf_name_ok(box) || !lease_ok(lease))
		return err_set(e, ERR_INPUT,
			       "no result's name: box \"%.64s\", lease "
			       "\"%.40s\"",
			       box, lease);
	buf_printf(out, "%s.%s.tar.lz4", box, lease);
	return buf_ok(out, e);
}

int lease_new(char out[LEASE_LEN + 1], struct err *e)
{
	unsigned char bytes[LEASE_LEN / 2];

	/* up to 256 bytes come whole or not at all (getrandom(2)) */
	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return err_sys(e, "getrandom");
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}
