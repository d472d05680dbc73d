// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ironrig tend: looks after every box once, or again and again; for cron, a
 * user's timer, or a terminal.
 */
#include "boxview.h"
#include "cmd.h"
#include "num.h"
#include "tend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOOP_MAX_S = 86400, STEP_MS = 100 };

static int help(void)
{
	puts("usage: ironrig tend [--loop SECONDS] [BOX...]\n\n"
	     "Every box that is silent in a boot (boot_deadline of its host\n"
	     "file) or in a run (run_limit of the job and ship_deadline) for\n"
	     "longer than it may be: its iPXE script is pointed back at its\n"
	     "home kernel, and it is power-cycled, at most power.max_cycles\n"
	     "times in a row. store/BOX/power.log has the record; the run that\n"
	     "is lost by it is counted when the box says hello.\n\n"
	     "exit status: 0 every box is cared for; 1 one is beyond help, or\n"
	     "its power command failed");
	return EXIT_SUCCESS;
}

/* 1: some box is beyond help. */
static int pass(const struct home *h, const struct strlist *only,
		struct err *e)
{
	struct strlist all = { 0 };
	const struct strlist *boxes = only->n ? only : &all;
	int rc = only->n ? 0 : boxview_list(h, &all, e), worst = 0;

	for (size_t i = 0; !rc && i < boxes->n; i++) {
		struct tend t;

		/* one broken host file must not leave the others alone */
		if (tend_box(h, boxes->v[i], time(NULL), &t, e)) {
			fprintf(stderr, "ironrig tend: %s\n", e->msg);
			worst = 1;
			continue;
		}
		if (t.did != TEND_FINE)
			printf("%s: %s\n", boxes->v[i], t.text);
		worst |= tend_lost(&t) || t.did == TEND_FAILED;
	}
	fflush(stdout);
	strlist_free(&all);
	return rc ? -1 : worst;
}

static void rest(int64_t seconds)
{
	for (int64_t ms = seconds * 1000; ms > 0 && !cmd_stop; ms -= STEP_MS)
		usleep(STEP_MS * 1000);
}

static int run(const char *home, const struct strlist *boxes, int64_t loop_s)
{
	struct err e = ERR_INIT;
	struct home h;
	int rc;

	if (home_open(home, &h, &e))
		return cmd_fail("tend", &e);
	if (loop_s)
		cmd_stop_by_signals();
	do {
		rc = pass(&h, boxes, &e);
		if (loop_s && rc >= 0)
			rest(loop_s);
	} while (rc >= 0 && loop_s && !cmd_stop);
	home_close(&h);
	if (rc < 0)
		return cmd_fail("tend", &e);
	return rc && !loop_s ? CMD_FAILED : EXIT_SUCCESS;
}

int cmd_tend(const char *home, int argc, char **argv)
{
	struct strlist boxes = { 0 };
	struct err e = ERR_INIT;
	int64_t loop_s = 0;
	int rc = 0;

	for (int i = 1; !rc && i < argc; i++) {
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
			strlist_free(&boxes);
			return help();
		}
		if (!strcmp(argv[i], "--loop") && i + 1 < argc) {
			if (num_i64(argv[++i], 1, LOOP_MAX_S, &loop_s, &e))
				rc = cmd_usage("tend", "--loop: %s", e.msg);
		} else if (argv[i][0] == '-') {
			rc = cmd_usage("tend", "what is \"%s\"?", argv[i]);
		} else if (strlist_add(&boxes, argv[i], &e)) {
			rc = cmd_fail("tend", &e);
		}
	}
	if (!rc)
		rc = run(home, &boxes, loop_s);
	strlist_free(&boxes);
	return rc;
}
