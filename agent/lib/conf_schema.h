/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CONF_SCHEMA_H
#define IRONRIG_CONF_SCHEMA_H

#include "conf_form.h"
#include "conf_load.h"

/*
 * The schema of every file that people write, for conf*.c only: conf_load.c
 * loads by it, conf_write.c writes by it, conf_keys.c makes conf/KEYS.md of it.
 */
enum conf_type {
	CONF_END, /* behind the last row of a table */
	CONF_TEXT, /* char *, of .form */
	CONF_TEXTS, /* struct strlist of .form; one text is a list of one */
	CONF_INT, /* int, min..max */
	CONF_KNOB, /* int, min..max, false and true; CONF_KEEP when absent */
	CONF_I64, /* int64_t, min..max */
	CONF_U64, /* uint64_t; above int64 as text */
	CONF_FRACTION, /* double, 0 < x < 1 */
	CONF_BOOL, /* bool */
	CONF_CHOICE, /* enum, the place in .form->choice */
	CONF_SIZE, /* uint64_t bytes, min..max */
	CONF_SECONDS, /* int, min..max seconds */
	CONF_MS, /* int64_t, min..max milliseconds */
	CONF_SUB, /* a struct in the struct, with a table of its own */
	CONF_GROUPS, /* heap array of structs: .sub, .size, .count */
	CONF_PARAMS, /* heap array of struct conf_param: free names */
};

struct conf_key {
	const char *path; /* "net.mac": a struct in the struct is a group */
	enum conf_type type;
	bool required;
	bool derived; /* absent means computed, so an empty list is written */
	size_t offset;
	const char *doc;
	const char *def; /* as in a file, without quotes; NULL: not given */
	const struct conf_form *form;
	int64_t min, max;
	const struct conf_key *sub;
	size_t size, count; /* of an element; offset of their number */
};

struct conf_schema {
	const char *name; /* "host" */
	const char *where; /* "conf/hosts/BOX.cfg" */
	const char *folder; /* whose files are of this kind, for ties */
	const struct conf_key *key;
	size_t size; /* of the struct */
	const char *name_key; /* "box": by default the file's name, or NULL */
	conf_load_rules *rules; /* what a key alone does not show, or NULL */
	bool open;		/* unknown keys are passed over */
};

extern const struct conf_schema conf_schema[]; /* by enum conf_kind */
extern const struct conf_key conf_schema_tune[]; /* of struct conf_tune */
#define CONF_KINDS (CONF_CONTROLLER + 1)

#endif
