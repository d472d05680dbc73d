// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ironrig enroll: makes a box known: host file, key pair, its line in
 * authorized_keys, overlay and iPXE script. --rotate replaces the key,
 * --remove takes the box's access away; neither touches results.
 */
#include "cmd.h"
#include "enroll.h"
#include "trykexec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int help(void)
{
	puts("usage: ironrig enroll BOX --mac AA:BB:CC:DD:EE:FF [OPTION...]\n"
	     "       ironrig enroll BOX --rotate | --remove | --try-kexec\n\n"
	     "Writes conf/hosts/BOX.cfg when there is none, makes the box's\n"
	     "ed25519 key pair, lets it run `ironrig receive BOX' here and\n"
	     "nothing else, and puts its overlay and iPXE script into the boot"
	     "\nfolder. Doing it again repairs what is missing.\n\n"
	     "  --mac MAC               of the card it boots from\n"
	     "  --controller HOST:PORT  where it reaches this controller's sshd"
	     "\n                          (conf/controller.cfg's address)\n"
	     "  --group NAME            of boxes of one model (BOX)\n"
	     "  --kernel NAME           its home kernel\n"
	     "  --authorized-keys FILE  write the line there too, such as\n"
	     "                          ~/.ssh/authorized_keys of the account\n"
	     "                          when its sshd is the machine's own\n"
	     "  --rotate                a new key; the old one is worth nothing"
	     "\n                          at once, and the box boots anew with "
	     "it\n"
	     "  --try-kexec             whether it comes back from a kexec: one "
	     "boot of its\n                          home kernel; if so, boot = "
	     "\"kexec\" is written into\n                          its host file\n"
	     "  --remove                forget the key; host file and results\n"
	     "                          stay");
	return EXIT_SUCCESS;
}

struct options {
	struct enroll r;
	bool rotate, remove, try_kexec;
};

static int parse(int argc, char **argv, struct options *o)
{
	const struct {
		const char *name;
		const char **to;
	} value[] = {
		{ "--mac", &o->r.mac },
		{ "--controller", &o->r.controller },
		{ "--group", &o->r.group },
		{ "--kernel", &o->r.kernel },
		{ "--authorized-keys", &o->r.authorized_keys },
	};
	const size_t n = sizeof(value) / sizeof(value[0]);

	for (int i = 1; i < argc; i++) {
		size_t k = 0;

		if (!strcmp(argv[i], "--rotate")) {
			o->rotate = true;
			continue;
		}
		if (!strcmp(argv[i], "--remove")) {
			o->remove = true;
			continue;
		}
		if (!strcmp(argv[i], "--try-kexec")) {
			o->try_kexec = true;
			continue;
		}
		while (k < n && strcmp(argv[i], value[k].name) != 0)
			k++;
		if (k < n && i + 1 < argc)
			*value[k].to = argv[++i];
		else if (k < n)
			return cmd_usage("enroll", "%s needs a value", argv[i]);
		else if (argv[i][0] == '-')
			return cmd_usage("enroll", "what is \"%s\"?", argv[i]);
		else if (o->r.box)
			return cmd_usage("enroll", "one box at a time");
		else
			o->r.box = argv[i];
	}
	if (!o->r.box)
		return cmd_usage("enroll", "which box?");
	if (!conf_name_ok(o->r.box))
		return cmd_usage("enroll", "\"%s\" is no name for a box",
				 o->r.box);
	if (o->rotate + o->remove + o->try_kexec > 1)
		return cmd_usage("enroll",
				 "--rotate, --remove or --try-kexec?");
	return 0;
}

static int add(const struct home *h, const struct options *o, struct err *e)
{
	struct strlist notes = { 0 };
	int rc = enroll_add(h, &o->r, o->rotate, &notes, e);

	for (size_t i = 0; i < notes.n; i++)
		printf("%s\n", notes.v[i]);
	strlist_free(&notes);
	return rc;
}

static int try_kexec(const struct home *h, const char *box)
{
	const struct trykexec t = {
		.home = h, .box = box, .stop = &cmd_stop, .say = cmd_say
	};
	struct err e = ERR_INIT;
	char text[256];
	bool works;

	cmd_stop_by_signals();
	if (trykexec_run(&t, &works, text, &e)) {
		err_prefix(&e, "box %s", box);
		return cmd_fail("enroll", &e);
	}
	if (works)
		printf("box %s comes back from kexec: boot = \"kexec\" is in "
		       "its host file now\n",
		       box);
	else
		printf("box %s: %s\n", box, text);
	return works ? EXIT_SUCCESS : CMD_FAILED;
}

int cmd_enroll(const char *home, int argc, char **argv)
{
	struct options o = { 0 };
	struct err e = ERR_INIT;
	struct home h;
	int rc;

	if (cmd_asks_help(argc, argv))
		return help();
	rc = parse(argc, argv, &o);
	if (rc)
		return rc;
	if (home_open(home, &h, &e))
		return cmd_fail("enroll", &e);
	if (o.try_kexec) {
		rc = try_kexec(&h, o.r.box);
		home_close(&h);
		return rc;
	}
	if (o.remove)
		rc = enroll_remove(&h, &o.r, &e);
	else
		rc = add(&h, &o, &e);
	if (rc) {
		err_prefix(&e, "box %s", o.r.box);
		rc = cmd_fail("enroll", &e);
	} else {
		printf("box %s %s\n", o.r.box,
		       o.remove ? "has no access any more" : "is enrolled");
	}
	home_close(&h);
	return rc;
}
