// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Finds boxes past their deadlines and has them power-cycled, a limited
 * number of times.
 */
#include "tend.h"
#include "boxview.h"
#include "ipxe.h"
#include "powercmd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* In a boot it was asked for, or in a run; an idle box may be off. */
static bool overdue(const struct boxview *v)
{
	const struct lease_event *want;

	if (v->state != BOX_SILENT)
		return false;
	want = lease_last(&v->log, LEASE_WANT);
	return v->run || want > v->boot;
}

static void describe(const struct boxview *v, int64_t silent_s, char *text,
		     size_t size)
{
	const struct lease_event *want = lease_last(&v->log, LEASE_WANT);
	char kernel[LEASE_NAME];

	if (v->run)
		snprintf(text, size, "silent for %lld s in a run of %s",
			 (long long)silent_s, v->run->job);
	else {
		lease_kernel_name(want->kernel, kernel);
		snprintf(text, size, "silent for %lld s after a reboot to %s",
			 (long long)silent_s, kernel);
	}
}

/* The box's lock is held: it cannot be told to boot at the same time. */
static int point_home(const struct home *home, const struct conf_host *h,
		      struct err *e)
{
	if (!h->net.mac || !h->kernel)
		return 0;
	return ipxe_write_box(home, h, h->kernel, NULL, e);
}

static void cycle(const struct home *home, const struct boxview *v,
		  const char *what, struct tend *t)
{
	struct err e = ERR_INIT;
	char why[256];

	snprintf(why, sizeof(why), POWERCMD_TEND "%s", what);
	t->cycles++;
	if (powercmd_run(home, &v->host, POWER_CYCLE, why, &e)) {
		t->did = TEND_FAILED;
		snprintf(t->text, sizeof(t->text), "%.100s: %.150s", what,
			 e.msg);
		return;
	}
	t->did = TEND_CYCLED;
	snprintf(t->text, sizeof(t->text),
		 "%.120s: power-cycled, %d of at most %d in a row", what,
		 t->cycles, v->host.power.max_cycles);
}

/* What can be done about it, before anything is. */
static enum tend_did judge(const struct boxview *v, int64_t now_s,
			   const struct powercmd_log *l)
{
	if (!powercmd_can(&v->host, POWER_CYCLE))
		return TEND_NO_POWER;
	if (l->cycles && now_s - l->last_s < v->host.boot_deadline_s)
		return TEND_WAITS;
	return l->cycles >= v->host.power.max_cycles ? TEND_CAP : TEND_CYCLED;
}

/* Under the box's lock: all but the cycle itself, which may take long. */
static int look(const struct home *home, const struct boxview *v,
		int64_t now_s, char *what, size_t size, struct tend *t,
		struct err *e)
{
	struct powercmd_log l;

	if (!overdue(v))
		return 0;
	t->silent_s = now_s - v->since_s;
	describe(v, t->silent_s, what, size);
	if (powercmd_read(home, v->host.box, v->boot->time_s, &l, e))
		return -1;
	t->did = judge(v, now_s, &l);
	t->cycles = l.cycles;
	powercmd_log_free(&l);
	snprintf(t->text, sizeof(t->text), "%.120s: %s", what,
		 t->did == TEND_NO_POWER ?
			 "it has no power command, somebody has to switch it "
			 "off and on" :
		 t->did == TEND_CAP ?
			 "power-cycled as often as power.max_cycles allows" :
			 "power-cycled, it may still be booting");
	/* with or without a power command: the next boot leads home */
	return point_home(home, &v->host, e);
}

static int tend(const struct home *home, const char *box, int64_t now_s,
		int store, struct tend *t, struct err *e)
{
	struct lease_log lock;
	struct boxview v;
	char what[160] = "";
	int rc;

	/* what is seen holds while the box cannot say hello or be answered */
	if (lease_log_open(store, &lock, e))
		return -1;
	rc = boxview_load(home, box, now_s, &v, e);
	if (!rc)
		rc = look(home, &v, now_s, what, sizeof(what), t, e);
	else
		v = (struct boxview){ .log = { .fd = -1 } };
	lease_log_close(&lock);
	if (!rc && t->did == TEND_CYCLED)
		cycle(home, &v, what, t);
	boxview_free(&v);
	return rc;
}

int tend_box(const struct home *home, const char *box, int64_t now_s,
	     struct tend *t, struct err *e)
{
	char path[128];
	int store, rc;

	*t = (struct tend){ .did = TEND_FINE };
	snprintf(path, sizeof(path), "store/%.64s", box);
	store = openat(home->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (store < 0 && errno == ENOENT)
		return 0; /* it never said hello */
	if (store < 0)
		return err_sys(e, "%s", path);
	rc = tend(home, box, now_s, store, t, e);
	close(store);
	return rc ? err_prefix(e, "box %s", box) : 0;
}

bool tend_lost(const struct tend *t)
{
	return t->did == TEND_NO_POWER || t->did == TEND_CAP;
}
