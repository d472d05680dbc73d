// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Configuration files of all kinds; the first byte chooses one. A host or job
 * that is accepted must be written to text that is accepted again and written
 * the same.
 */
#include "conf.h"
#include "fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int memory_file = -1;
static char path[32];

static void put(const void *p, size_t n)
{
	if (memory_file < 0) {
		memory_file = memfd_create("fuzz", 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", memory_file);
	}
	require(memory_file >= 0 && !ftruncate(memory_file, 0));
	require(pwrite(memory_file, p, n, 0) == (ssize_t)n);
}

static void host(void)
{
	struct buf one = { 0 }, two = { 0 };
	struct conf_report r = { 0 };
	struct conf_host h;
	struct err e;

	if (conf_host_load(AT_FDCWD, path, &h, &r, &e)) {
		require(r.n && !h.box &&
			strncmp(r.v[0].msg, "syntax error", 12));
	} else {
		require(!r.n && !conf_host_write(&h, &one, &e));
		conf_host_free(&h);
		put(one.data, one.len);
		require(!conf_host_load(AT_FDCWD, path, &h, NULL, &e));
		require(!conf_host_write(&h, &two, &e));
		require(!strcmp(one.data, two.data));
	}
	conf_host_free(&h);
	conf_report_free(&r);
	buf_free(&one);
	buf_free(&two);
}

static void job(void)
{
	struct buf one = { 0 }, two = { 0 }, params = { 0 };
	struct conf_report r = { 0 };
	struct conf_job j;
	struct err e;

	if (conf_job_load(AT_FDCWD, path, &j, &r, &e)) {
		require(r.n && !j.command &&
			strncmp(r.v[0].msg, "syntax error", 12));
	} else {
		require(!r.n && !conf_job_write(&j, &one, &e));
		require(!conf_params_path(&j, j.tune.governor, &params, &e));
		require(params.len && params.len <= CONF_PATH_MAX);
		conf_job_free(&j);
		put(one.data, one.len);
		require(!conf_job_load(AT_FDCWD, path, &j, NULL, &e));
		require(!conf_job_write(&j, &two, &e));
		require(!strcmp(one.data, two.data));
	}
	conf_job_free(&j);
	conf_report_free(&r);
	buf_free(&one);
	buf_free(&two);
	buf_free(&params);
}

static void others(void)
{
	struct conf_experiment x;
	struct conf_controller c;
	struct conf_kernel k;
	enum conf_kind kind;

	(void)!conf_experiment_load(AT_FDCWD, path, &x, NULL, NULL);
	conf_experiment_free(&x);
	(void)!conf_kernel_load(AT_FDCWD, path, &k, NULL, NULL);
	conf_kernel_free(&k);
	(void)!conf_controller_load(AT_FDCWD, path, &c, NULL, NULL);
	conf_controller_free(&c);
	(void)!conf_guess_kind(AT_FDCWD, path, &kind, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size || size > 65536)
		return 0;
	put(data + 1, size - 1);
	if (*data % 3 == 0)
		host();
	else if (*data % 3 == 1)
		job();
	else
		others();
	return 0;
}
