// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ironrig power: a box's power commands by hand, and what was done so far.
 */
#include "boxview.h"
#include "cmd.h"
#include "powercmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int help(void)
{
	puts("usage: ironrig power BOX cycle|off|on|status\n\n"
	     "Runs the box's power.cycle, power.off or power.on, as its host\n"
	     "file gives them, and notes it in store/BOX/power.log. A box\n"
	     "without power.cycle is switched off, then on.\n\n"
	     "  status  what it can do, what it does, and the record");
	return EXIT_SUCCESS;
}

static int status(const struct home *h, const struct boxview *v,
		  struct err *e)
{
	struct powercmd_log l;
	char age[24] = "-";
	bool any = false;

	if (v->since_s)
		boxview_age(time(NULL) - v->since_s, age);
	printf("%s is %s, last heard of: %s\ncommands:", v->host.box,
	       boxview_state_name(v->state), age);
	for (enum powercmd c = POWER_CYCLE; c <= POWER_ON; c++)
		if (powercmd_can(&v->host, c)) {
			printf(" %s", powercmd_name(c));
			any = true;
		}
	puts(any ? "" : " none in its host file");
	if (powercmd_read(h, v->host.box, 0, &l, e))
		return -1;
	for (size_t i = 0; i < l.line.n; i++) {
		char *rest, when[32];
		time_t at = (time_t)strtoll(l.line.v[i], &rest, 10);
		struct tm tm;

		gmtime_r(&at, &tm);
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
		printf("%s%s\n", when, rest);
	}
	powercmd_log_free(&l);
	return 0;
}

static int run(const char *home, const char *box, int what)
{
	struct err e = ERR_INIT;
	struct boxview v;
	struct home h;
	int rc;

	if (home_open(home, &h, &e))
		return cmd_fail("power", &e);
	rc = boxview_load(&h, box, time(NULL), &v, &e);
	if (!rc) {
		if (what < 0)
			rc = status(&h, &v, &e);
		else
			rc = powercmd_run(&h, &v.host, (enum powercmd)what,
					  "by hand", &e);
		if (rc)
			err_prefix(&e, "box %s", box);
		boxview_free(&v);
	}
	home_close(&h);
	if (rc)
		return cmd_fail("power", &e);
	if (what >= 0)
		printf("%s: %s done\n", box, powercmd_name((enum powercmd)what));
	return EXIT_SUCCESS;
}

int cmd_power(const char *home, int argc, char **argv)
{
	int what = -2;

	if (cmd_asks_help(argc, argv))
		return help();
	if (argc != 3)
		return cmd_usage("power", "a box and what to do with it");
	if (!strcmp(argv[2], "status"))
		what = -1;
	for (int c = POWER_CYCLE; c <= POWER_ON; c++)
		if (!strcmp(argv[2], powercmd_name((enum powercmd)c)))
			what = c;
	if (what == -2)
		return cmd_usage("power", "\"%s\": cycle, off, on or status",
				 argv[2]);
	return run(home, argv[1], what);
}
