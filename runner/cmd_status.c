// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ironrig status: what every box is doing, since when, and how far its
 * experiments are.
 */
#include "ab.h"
#include "boxview.h"
#include "cmd.h"
#include "powercmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int help(void)
{
	puts("usage: ironrig status [BOX...]\n\n"
	     "A line a box: what it is doing (running, booting, idle, silent,\n"
	     "refused, never seen), when it was last heard of, its job and\n"
	     "kernel; below it what of its words was refused since, and a "
	     "line\n"
	     "for each experiment that is not finished: how far it is, and "
	     "how\n"
	     "long it will take by what its boots and runs took before (at\n"
	     "most: by their limits).\n"
	     "silent: nothing came for longer than it may take; see its\n"
	     "console and `ironrig tail BOX'.\n"
	     "refused: it speaks, but never said a hello that counts.");
	return EXIT_SUCCESS;
}

static void print_left(const struct home *h, const struct conf_experiment *x,
		       const struct plan_progress *p)
{
	struct buf text = { 0 };
	struct ab_cost cost;
	struct err ignored; /* what does not load stands among the problems */

	if (p->end != PLAN_ACTIVE || ab_cost(h, x, &cost, &ignored))
		return;
	ab_left_text(x, &cost, p, &text);
	printf(", %s", buf_str(&text));
	ab_cost_free(&cost);
	buf_free(&text);
}

static void print_experiment(const struct home *h, const struct boxview *v,
			     size_t i)
{
	const struct conf_experiment *x = v->plan.v[i].x;
	struct plan_progress p;
	bool ab = !strcmp(x->kind, "ab");

	plan_progress(&v->plan.in, &v->plan.v[i], &p);
	if (p.end != PLAN_ACTIVE && p.end != PLAN_BLOCKED)
		return;
	if (ab)
		printf("    %s: block %d: %d of %s%d kept", x->name, p.block,
		       p.done, x->until_decided ? "at most " : "", p.wanted);
	else
		printf("    %s: run %d of %d", x->name, p.done, p.wanted);
	if (p.failed)
		printf(", %d %s", p.failed, ab ? "dropped" : "given up");
	if (p.end == PLAN_BLOCKED)
		printf(": %s", boxview_end_name(p.end));
	print_left(h, x, &p);
	if (x->iterations_why)
		printf("; %s", x->iterations_why);
	putchar('\n');
	if (ab && x->boot == BOOT_FIRMWARE &&
	    !powercmd_can(&v->host, POWER_CYCLE))
		puts("        no power command: a kernel that dies early is "
		     "loaded again and again,\n        until `ironrig tend' "
		     "has pointed the box home and somebody cycles it");
}

static void print_box(const struct home *h, const struct boxview *v,
		      int64_t now_s)
{
	char age[24] = "-", kernel[LEASE_NAME] = "-";

	if (v->since_s)
		boxview_age(now_s - v->since_s, age);
	if (v->boot)
		lease_kernel_name(v->boot->kernel, kernel);
	printf("%-20s %-10s %6s  %-12.12s %-16s", v->host.box,
	       boxview_state_name(v->state), age, *v->phase ? v->phase : "-",
	       kernel);
	if (v->run)
		printf(" %s %s block %d lease %.8s", v->run->job,
		       v->run->experiment, v->run->block, v->run->lease);
	putchar('\n');
	if (v->complaints) {
		boxview_age(now_s - v->complaint_s, age);
		printf("    %u refused or failed, the last %s ago: %s\n",
		       v->complaints, age, v->complaint);
	}
	for (size_t i = 0; i < v->plan.n; i++)
		print_experiment(h, v, i);
	for (size_t i = 0; i < v->plan.problems.n; i++)
		printf("    problem: %s\n", v->plan.problems.v[i]);
}

int cmd_status(const char *home, int argc, char **argv)
{
	struct strlist boxes = { 0 };
	struct err e = ERR_INIT;
	int64_t now_s = time(NULL);
	bool wrong = false;
	struct home h;
	int rc = 0;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
			return help();
		if (argv[i][0] == '-')
			return cmd_usage("status", "what is \"%s\"?", argv[i]);
	}
	if (home_open(home, &h, &e))
		return cmd_fail("status", &e);
	for (int i = 1; !rc && i < argc; i++)
		rc = strlist_add(&boxes, argv[i], &e);
	if (!rc && argc == 1)
		rc = boxview_list(&h, &boxes, &e);
	if (!rc && boxes.n)
		printf("%-20s %-10s %6s  %-12s %-16s %s\n", "BOX", "STATE",
		       "SEEN", "PHASE", "KERNEL", "RUN");
	else if (!rc)
		puts("no boxes: ironrig enroll BOX --mac AA:BB:CC:DD:EE:FF");
	for (size_t i = 0; !rc && i < boxes.n; i++) {
		struct boxview v;

		if (boxview_load(&h, boxes.v[i], now_s, &v, &e)) {
			/* a broken file of one hides no other */
			wrong = true;
			fflush(stdout);
			cmd_fail("status", &e);
			continue;
		}
		print_box(&h, &v, now_s);
		boxview_free(&v);
	}
	strlist_free(&boxes);
	home_close(&h);
	if (rc)
		return cmd_fail("status", &e);
	return wrong ? CMD_FAILED : EXIT_SUCCESS;
}
