// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Reads a result's own account of the machine and the run, and the registry's
 * of the kernel. How it is told is mail.c's.
 */
#include "evidence.h"
#include "../kernel.h"
#include "../storetext.h"
#include "io.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAP_MAX	 (64u << 20) /* bytes; an allyesconfig's is 20 MB */
#define TEXT_MAX (1u << 20)

/* job.cfg from memory: the loader takes files. */
static void take_job(const struct buf *text, struct evidence_side *s)
{
	int fd = text->len ? memfd_create("job.cfg", MFD_CLOEXEC) : -1;
	char path[32];
	struct err e = ERR_INIT;

	if (fd < 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	s->have_job = !io_write_all(fd, buf_str(text), text->len, &e) &&
		      !conf_job_load(AT_FDCWD, path, &s->job, NULL, &e);
	close(fd);
}

static void take_result(int fd, struct evidence_side *s)
{
	struct storetext v[] = { { .member = "job.cfg" },
				 { .member = "reproduce.sh" },
				 { .member = "meta/version" },
				 { .member = "meta/config.gz" } };
	struct err e = ERR_INIT;

	s->have = !storetext_read(fd, s->file, v, sizeof(v) / sizeof(v[0]),
				  &s->r, &e);
	if (s->have)
		take_job(&v[0].text, s);
	s->reproduce = v[1].text;
	s->version = v[2].text;
	s->config = v[3].there;
	buf_free(&v[0].text);
	buf_free(&v[3].text);
}

static void take_kernel(const struct home *h, const char *name,
			struct evidence_side *s)
{
	char path[128];
	struct err e = ERR_INIT;

	s->have_kernel = !kernel_load(h, name, &s->kernel, &e);
	if (!s->have_kernel)
		return;
	snprintf(path, sizeof(path), "kernels/%.64s/System.map", name);
	if (s->kernel.system_map &&
	    io_read_file(h->fd, path, &s->map, MAP_MAX, &e))
		buf_reset(&s->map);
	snprintf(path, sizeof(path), "kernels/%.64s/config", name);
	if (s->kernel.config &&
	    io_read_file(h->fd, path, &s->config_text, MAP_MAX, &e))
		buf_reset(&s->config_text);
}

static int load_failures(const struct home *h, const struct compare_group *g,
			 struct evidence *ev, struct err *e)
{
	size_t n = 0;

	for (size_t i = 0; i < g->nfailure && n < EVIDENCE_FAILURES; i++)
		if (compare_failure_on_head(&g->failure[i]) &&
		    failtext_find(h, &g->failure[i], &ev->failure[n++], e))
			return -1;
	return 0;
}

static int load_side(const struct home *h, const struct compare_side *from,
		     struct evidence_side *s, struct err *e)
{
	struct buf path = { 0 };
	int fd = -1;

	take_kernel(h, from->kernel, s);
	if (!from->file)
		return 0;
	s->file = strdup(from->file);
	if (!s->file)
		return err_set(e, ERR_LIMIT, "out of memory");
	buf_printf(&path, "store/%s", from->file);
	if (!path.failed)
		fd = openat(h->fd, buf_str(&path),
			    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0) {
		take_result(fd, s);
		close(fd);
	}
	buf_free(&path);
	return 0;
}

int evidence_load(const struct home *h, const struct compare_group *g,
		  struct evidence *ev, struct err *e)
{
	*ev = (struct evidence){ .base = { .have = false } };
	if (!load_side(h, &g->base, &ev->base, e) &&
	    !load_side(h, &g->head, &ev->head, e) &&
	    !load_failures(h, g, ev, e))
		return 0;
	evidence_free(ev);
	return -1;
}

static void free_side(struct evidence_side *s)
{
	result_free(&s->r);
	conf_job_free(&s->job);
	conf_kernel_free(&s->kernel);
	buf_free(&s->reproduce);
	buf_free(&s->version);
	buf_free(&s->map);
	buf_free(&s->config_text);
	free(s->file);
}

void evidence_free(struct evidence *ev)
{
	free_side(&ev->base);
	free_side(&ev->head);
	for (size_t i = 0; i < EVIDENCE_FAILURES; i++)
		failtext_free(&ev->failure[i]);
	*ev = (struct evidence){ .base = { .have = false } };
}
