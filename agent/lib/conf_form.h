/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CONF_FORM_H
#define IRONRIG_CONF_FORM_H

#include <stdbool.h>

/*
 * What a text value must look like, for conf*.c only. .expected completes
 * "expected ..."; .choice is "a|b|c" and stands instead of .ok.
 */
struct conf_form {
	bool (*ok)(const char *s);
	const char *expected;
	const char *choice;
};

bool conf_form_ok(const struct conf_form *f, const char *s);
/* The place of s among "a|b|c", or -1. */
int conf_form_choice(const char *choice, const char *s);

extern const struct conf_form conf_form_name, conf_form_builds,
	conf_form_iterations, conf_form_line, conf_form_shell,
	conf_form_mac, conf_form_prefix, conf_form_ip, conf_form_hostport,
	conf_form_nic, conf_form_cpulist, conf_form_regex, conf_form_stat,
	conf_form_file, conf_form_glob, conf_form_env, conf_form_param,
	conf_form_digest, conf_form_hex, conf_form_url, conf_form_console,
	conf_form_path, conf_form_module, conf_form_user;
/* Any text; conf_store.c turns its control characters into blanks. */
extern const struct conf_form conf_form_clean;

#endif
