// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The run protocol on the controller: opens what belongs to the box, checks
 * the words, calls the verb, and writes the answer. Short verbs stand here,
 * the others in receive_VERB.c.
 */
#include "receive.h"
#include "io.h"
#include "num.h"
#include "receive_point.h"
#include "secret.h"
#include "version.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- the box's folders --------------------------------------------------- */

static int own_folder(const struct home *home, const char *in, const char *box,
		      struct err *e)
{
	int parent = openat(home->fd, in,
			    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = -1, rc;

	if (parent < 0)
		return err_sys(e, "%s", in);
	rc = mkdirat(parent, box, 0700);
	/* what is fsynced in it is lost with it */
	if (rc ? errno == EEXIST : !fsync(parent))
		fd = openat(parent, box,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		err_sys(e, "%s/%s", in, box);
	close(parent);
	return fd;
}

static void close_box(struct receive *r)
{
	io_close(&r->put_lock);
	io_close(&r->quarantine);
	io_close(&r->store);
	io_close(&r->incoming);
	conf_host_free(&r->host);
}

static int open_box(struct receive *r, const char *box, struct err *e)
{
	char path[128];

	if (!conf_name_ok(box))
		return err_set(e, ERR_INPUT, "\"%.64s\" is no box's name", box);
	snprintf(path, sizeof(path), "conf/hosts/%s.cfg", box);
	if (faccessat(r->home->fd, path, F_OK, 0) < 0)
		return err_set(e, ERR_NOTFOUND, "box %s is not enrolled", box);
	if (conf_host_load(r->home->fd, path, &r->host, NULL, e))
		return -1;
	if (strcmp(r->host.box, box) != 0) {
		conf_host_free(&r->host);
		return err_set(e, ERR_INPUT, "%s is of another box", path);
	}
	r->incoming = own_folder(r->home, "incoming", box, e);
	r->store = r->incoming < 0 ? -1 : own_folder(r->home, "store", box, e);
	r->quarantine =
		r->store < 0 ? -1 : own_folder(r->home, "quarantine", box, e);
	if (r->quarantine >= 0)
		return 0;
	close_box(r);
	return -1;
}

/* What a takeover or a loop could use up; files are bounded by the quota. */
static void limit_process(void)
{
	static const struct {
		int what;
		rlim_t max;
	} limit[] = {
		{ RLIMIT_CORE, 0 },
		{ RLIMIT_NOFILE, 64 },
#ifndef __SANITIZE_ADDRESS__ /* whose shadow is terabytes of nothing */
		{ RLIMIT_DATA, 512U << 20 },
#endif
	};

	umask(077);
	secret_hold(); /* an overlay carries the box's key */
	for (size_t i = 0; i < sizeof(limit) / sizeof(limit[0]); i++) {
		struct rlimit l = { limit[i].max, limit[i].max };

		/* a lower hard limit that was set for us is as good */
		setrlimit((unsigned int)limit[i].what, &l);
	}
}

/* ---- short verbs --------------------------------------------------------- */

static int boot_id_word(const char *s, struct err *e)
{
	if (boot_id_ok(s))
		return 0;
	return err_set(e, ERR_INPUT, "\"%.64s\" is no boot id", s);
}

/*
 * A boot that has seen another come up after it is over, or has a twin: two
 * machines with one key, of which none may be given work under the other's
 * name.
 */
static int record_boot(struct receive *r, const struct lease_event *boot,
		       bool *is_new, struct err *e)
{
	const struct lease_event *last;
	struct lease_log l;
	int rc = 0;

	if (lease_log_open(r->store, &l, e))
		return -1;
	last = lease_last(&l, LEASE_BOOT);
	*is_new = !last || strcmp(last->boot_id, boot->boot_id) != 0;
	for (size_t i = 0; *is_new && !rc && i < l.n; i++)
		if (l.v[i].kind == LEASE_BOOT &&
		    !strcmp(l.v[i].boot_id, boot->boot_id))
			rc = err_set(e, ERR_PEER,
				     "boot %s is over: %s said hello after it",
				     boot->boot_id, last->boot_id);
	if (*is_new && !rc)
		rc = lease_log_add(&l, boot, e);
	lease_log_close(&l);
	return rc;
}

static int hello(struct receive *r, char *const *w, int n, struct buf *answer,
		 struct err *e)
{
	struct lease_event boot = { .kind = LEASE_BOOT };
	struct err ignored = ERR_INIT;
	struct timespec now;
	bool is_new;

	clock_gettime(CLOCK_REALTIME, &now);
	boot.time_s = now.tv_sec;
	if (boot_id_word(w[1], e))
		return -1;
	if (strlen(w[3]) >= sizeof(boot.kernel) ||
	    (n > 4 && strlen(w[4]) >= sizeof(boot.mode)))
		return err_set(e, ERR_INPUT, "hello: a word is too long");
	snprintf(boot.boot_id, sizeof(boot.boot_id), "%s", w[1]);
	snprintf(boot.kernel, sizeof(boot.kernel), "%s", w[3]);
	snprintf(boot.mode, sizeof(boot.mode), "%s", n > 4 ? w[4] : "-");
	if (record_boot(r, &boot, &is_new, e))
		return -1;
	receive_note(r, "hello", NULL, w[3]);
	/* if this kernel dies, the box comes home */
	if (is_new && r->host.kernel &&
	    receive_point(r, r->host.kernel, NULL, &ignored))
		receive_note(r, "problem", NULL, ignored.msg);
	clock_gettime(CLOCK_REALTIME, &now);
	buf_printf(answer, "hello %s %lld %s", r->host.box,
		   (long long)now.tv_sec * 1000000000 + now.tv_nsec,
		   IRONRIG_VERSION);
	return 0;
}

static int fail_lease(struct receive *r, const char *lease, struct err *e)
{
	const struct lease_event *run;
	struct lease_log l;
	int rc = 0;

	if (lease_log_open(r->store, &l, e))
		return -1;
	run = lease_last(&l, LEASE_RUN);
	if (!run || strcmp(run->lease, lease) != 0)
		rc = err_set(e, ERR_PEER, "lease %s is not open", lease);
	else if (!lease_end(&l, lease))
		rc = receive_end(&l, lease, "gone", false, e);
	lease_log_close(&l);
	return rc;
}

static int state(struct receive *r, char *const *w, int n, struct buf *answer,
		 struct err *e)
{
	const char *lease = n > 2 ? w[2] : "-", *text = n > 3 ? w[3] : "-";

	if (strcmp(lease, "-") != 0 && !lease_ok(lease))
		return err_set(e, ERR_INPUT, "\"%.64s\" is no lease", lease);
	if (strlen(w[1]) > 64)
		return err_set(e, ERR_INPUT, "state: the phase is too long");
	if (!strcmp(w[1], "failed") && *lease != '-' &&
	    fail_lease(r, lease, e))
		return -1;
	receive_note(r, w[1], lease, text);
	if (!strcmp(w[1], "kexec-failed") && receive_start_over(r, e))
		return -1;
	buf_puts(answer, "ok");
	return 0;
}

/* ---- the verbs ----------------------------------------------------------- */

static int next(struct receive *r, char *const *w, int n, struct buf *answer,
		struct err *e)
{
	if (boot_id_word(w[1], e))
		return -1;
	if (n > 2 && !lease_ok(w[2]))
		return err_set(e, ERR_INPUT, "\"%.64s\" is no lease", w[2]);
	return receive_next(r, w[1], n > 2 ? w[2] : NULL, answer, e);
}

static int get(struct receive *r, char *const *w, int n, struct buf *answer,
	       struct err *e)
{
	(void)n;
	(void)answer;
	return receive_get(r, w[1], e);
}

static int have(struct receive *r, char *const *w, int n, struct buf *answer,
		struct err *e)
{
	(void)n;
	return receive_have(r, w[1], answer, e);
}

static int put(struct receive *r, char *const *w, int n, struct buf *answer,
	       struct err *e)
{
	uint64_t offset;

	(void)n;
	if (num_u64(w[2], INT64_MAX, &offset, e))
		return err_prefix(e, "offset");
	return receive_put(r, w[1], offset, answer, e);
}

static int log_text(struct receive *r, char *const *w, int n,
		    struct buf *answer, struct err *e)
{
	(void)n;
	if (boot_id_word(w[1], e) || receive_log(r, w[1], e))
		return -1;
	buf_puts(answer, "ok");
	return 0;
}

static const struct {
	const char *name;
	int min, max; /* words, the verb's own among them */
	int (*run)(struct receive *r, char *const *w, int n,
		   struct buf *answer, struct err *e);
} verb[] = {
	{ "hello", 4, 5, hello }, { "next", 2, 3, next },
	{ "get", 2, 2, get },	  { "have", 2, 2, have },
	{ "put", 3, 3, put },	  { "state", 2, 4, state },
	{ "log", 2, 2, log_text },
};

static int call(struct receive *r, const struct proto_words *w,
		struct buf *answer, struct err *e)
{
	for (size_t i = 0; i < sizeof(verb) / sizeof(verb[0]); i++) {
		if (strcmp(w->v[0], verb[i].name) != 0)
			continue;
		if (w->n < verb[i].min || w->n > verb[i].max)
			return err_set(e, ERR_INPUT, "%s: %d words",
				       verb[i].name, w->n);
		return verb[i].run(r, w->v, w->n, answer, e);
	}
	return err_set(e, ERR_INPUT, "no verb \"%.32s\"", w->v[0]);
}

int receive_run(const struct home *home, const char *box,
		const struct proto_words *w, int patience_s,
		struct buf *answer, struct err *e)
{
	struct receive r = { .home = home,
			     .incoming = -1,
			     .store = -1,
			     .quarantine = -1,
			     .patience_s = patience_s,
			     .put_lock = -1 };
	int rc;

	limit_process();
	if (w->n < 1)
		return err_set(e, ERR_INPUT, "no verb");
	if (open_box(&r, box, e))
		return -1;
	rc = call(&r, w, answer, e);
	if (rc)
		receive_note(&r, "error", NULL, e->msg);
	close_box(&r);
	return rc;
}
