/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_BOXVIEW_H
#define IRONRIG_BOXVIEW_H

#include "home.h"
#include "plan_load.h"

/*
 * What the controller knows of a box at this moment, for people: read without
 * a lock, so that looking never holds a box up.
 */
enum boxview_state {
	BOX_NEVER,   /* nothing ever came from it */
	BOX_REFUSED, /* something came, but never a hello that counts */
	BOX_BOOTING, /* told to boot, and not back yet */
	BOX_RUNNING,
	BOX_IDLE,    /* it asked, and there was nothing to do */
	BOX_SILENT,  /* nothing came for longer than it may take */
};

struct boxview {
	struct conf_host host;
	struct lease_log log;
	struct plan_load plan; /* .in is complete but for boot_id */
	enum boxview_state state;
	int64_t since_s; /* UNIX time of the last thing that came, 0: never */
	char phase[65];	 /* of the last state line that is no complaint, "" */
	/* what was wrong since then: how often, and the last of it */
	unsigned int complaints;
	int64_t complaint_s;
	char complaint[256];
	const struct lease_event *run; /* the open one, NULL */
	const struct lease_event *boot; /* the last hello, NULL */
};

/* now_s is UNIX time. ERR_NOTFOUND: no host file of that name. */
int boxview_load(const struct home *home, const char *box, int64_t now_s,
		 struct boxview *v, struct err *e) MUST_CHECK;
void boxview_free(struct boxview *v);
const char *boxview_state_name(enum boxview_state s);
const char *boxview_end_name(enum plan_end end);
/* Every box that has a host file, sorted. */
int boxview_list(const struct home *home, struct strlist *boxes,
		 struct err *e) MUST_CHECK;
/* "3s", "12m", "5h", "4d": how long ago. */
void boxview_age(int64_t seconds, char out[24]);

#endif
