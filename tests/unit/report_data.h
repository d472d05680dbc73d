/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_TEST_REPORT_DATA_H
#define IRONRIG_TEST_REPORT_DATA_H

#include "report/compare.h"
#include "report/evidence.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A comparison with its evidence, for the tests of what is told of it. */

#define BLOCKS 8

static double ops[2][BLOCKS], idle[2][BLOCKS], hot[2][BLOCKS], op_us[2][BLOCKS];

static void stat(struct compare_group *g, const char *name, const char *unit,
		 enum verdict_better better, double v[2][BLOCKS])
{
	struct err e = ERR_INIT;
	struct compare_stat *s = compare_add_stat(g, name, unit, &e);

	s->primary = !strcmp(name, "scale.ops");
	s->better = better;
	for (int j = 0; j < BLOCKS; j++) {
		s->base[j] = (struct sample_boot){ &v[0][j], 1, 0 };
		s->head[j] = (struct sample_boot){ &v[1][j], 1, 0 };
	}
}

static void fill(struct compare *c)
{
	struct err e = ERR_INIT;
	struct dist *d = dist_new(1);
	struct compare_group *g;

	*c = (struct compare){ .rule = COMPARE_RULE_DEFAULT };
	g = compare_add_group(c, &e);
	g->name = strdup("scale/thread-100%-lock1/lkp-knm");
	g->job = strdup("lock1");
	g->box = strdup("knm2");
	g->base.kernel = strdup("v6.1");
	g->head.kernel = strdup("v6.1-patch");
	g->base.runs = g->head.runs = BLOCKS + 1;
	g->base.observer_us = g->head.observer_us = 430;
	g->base.first_s = g->head.first_s = 1764524700;
	g->base.last_s = g->head.last_s = 1764534700;
	g->design = COMPARE_BLOCKS;
	g->n_base = g->n_head = BLOCKS;
	for (int j = 0; j < BLOCKS; j++) {
		double luck = 1 + .001 * (j % 3);

		ops[0][j] = 2e6 * luck;
		ops[1][j] = 1.65e6 * luck * (1 + .0003 * (j % 4));
		idle[0][j] = 20 + j % 3;
		idle[1][j] = 20 + j % 2;
		hot[0][j] = 7 + .1 * (j % 2);
		hot[1][j] = 14 + .1 * (j % 2);
		op_us[0][j] = 3 + .01 * (j % 2);
		op_us[1][j] = 4 + .01 * (j % 3);
	}
	stat(g, "scale.ops", "ops/s", VERDICT_HIGHER, ops);
	stat(g, "mpstat.cpu.all.idle%", "%", VERDICT_NEITHER, idle);
	stat(g, "efficiency.cpu_us_per_op", "us", VERDICT_LOWER, op_us);
	stat(g, "perf-profile.self.cycles._raw_spin_lock", "%", VERDICT_NEITHER,
	     hot);
	if (compare_evaluate(c, d, &e))
		printf("# %s\n", e.msg);
	dist_free(d);
}

static char base_map[] = "0000000000000000 D __per_cpu_start\n"
			 "0000000000000040 D runqueues\n"
			 "0000000000001000 D net_dm\n"
			 "0000000000002000 D __per_cpu_end\n"
			 "ffffffff81000000 T _stext\n"
			 "ffffffff81000040 T _raw_spin_lock\n"
			 "ffffffff81000080 t same\n"
			 "ffffffff810000c0 t twice\n"
			 "ffffffff810000d0 t twice\n"
			 "ffffffff81001000 T _etext\n";
static char head_map[] = "0000000000000000 D __per_cpu_start\n"
			 "0000000000000060 D runqueues\n"
			 "0000000000001040 D net_dm\n"
			 "0000000000003000 D __per_cpu_end\n"
			 "ffffffff81000000 T _stext\n"
			 "ffffffff81000050 T _raw_spin_lock\n"
			 "ffffffff810000c0 t same\n"
			 "ffffffff81000100 t twice\n"
			 "ffffffff81001400 T _etext\n";

static struct result_knob knob[] = {
	{ .name = (char *)"governor",
	  .cpus = (char *)"0-287",
	  .asked = (char *)"performance",
	  .got = (char *)"performance",
	  .held = true },
	{ .name = (char *)"turbo",
	  .cpus = (char *)"",
	  .asked = (char *)"0",
	  .got = (char *)"",
	  .sys = 2,
	  .held = false },
};
static struct result_proof proof[] = {
	{ .name = (char *)"steal",
	  .before = (char *)"0",
	  .after = (char *)"0",
	  .known = true,
	  .ok = true },
	{ .name = (char *)"thermal_throttle",
	  .before = (char *)"",
	  .after = (char *)"",
	  .known = false },
};
static struct conf_param param[] = {
	{ .name = (char *)"nr_task", .value = (char *)"100%" },
	{ .name = (char *)"mode", .value = (char *)"thread" },
};

static void side(struct evidence_side *s, const char *title)
{
	s->have = s->have_job = s->have_kernel = true;
	s->r.cpus_online = 288;
	s->r.memory_kb = 82 << 20;
	s->r.cpu_model = (char *)"Intel(R) Xeon Phi(TM) CPU 7295 @ 1.50GHz";
	s->r.build_id = (char *)"8f2c";
	s->r.knob = knob;
	s->r.nknob = 2;
	s->r.proof = proof;
	s->r.nproof = 2;
	s->job.param = param;
	s->job.nparam = 2;
	s->kernel.commit = (char *)"98ffbd6cd2b25fc6cbb0695e03b4fd43b5e116e6";
	s->kernel.title = (char *)title;
	s->kernel.config = true;
	s->kernel.compiler = (char *)"gcc 12.2.0";
	s->file = (char *)"knm2/knm2.0123.tar.lz4";
	buf_puts(&s->reproduce, "#!/bin/sh\necho go\n");
}

static void evidence(struct evidence *ev, const char *title)
{
	*ev = (struct evidence){ .base = { .have = false } };
	side(&ev->base, "net: before");
	side(&ev->head, title);
	buf_puts(&ev->base.map, base_map);
	buf_puts(&ev->head.map, head_map);
}

static void forget(struct evidence *ev)
{
	buf_free(&ev->base.reproduce);
	buf_free(&ev->head.reproduce);
	buf_free(&ev->base.map);
	buf_free(&ev->head.map);
}

static void has(const struct buf *b, const char *what, const char *answers)
{
	/* prose may break anywhere: compare without line breaks */
	char *flat = strdup(buf_str(b)), *to = flat;

	for (const char *p = buf_str(b); *p; p++) {
		bool blank = *p == ' ' || *p == '\n' || *p == '\t';

		if (blank && to > flat && to[-1] == ' ')
			continue;
		*to++ = blank ? ' ' : *p;
	}
	*to = '\0';
	if (!ok(strstr(flat, what) != NULL, "%s: \"%s\"", answers, what))
		printf("# %s\n", flat);
	free(flat);
}

#endif
