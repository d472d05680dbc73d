// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * jobid FILE: the id of a job, as the agent writes it into a result; for boxes
 * on paper.
 */
#include "lib/conf.h"
#include "lib/sha256.h"

#include <fcntl.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct conf_job j = { 0 };
	struct err e = ERR_INIT;
	char id[SHA256_HEX];

	if (argc != 2)
		return 2;
	if (conf_job_load(AT_FDCWD, argv[1], &j, NULL, &e) ||
	    conf_job_id(&j, id, &e)) {
		fprintf(stderr, "jobid: %s\n", e.msg);
		return 1;
	}
	puts(id);
	conf_job_free(&j);
	return 0;
}
