// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * `ironrig check --lab': the account that boxes log in to: its shell, the
 * modes that sshd's StrictModes wants, and sshd's own settings.
 */
#include "labcheck.h"
#include "io.h"
#include "num.h"
#include "spawn.h"
#include "sshdconf.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	NOISE_MAX = 65536,
	SETTINGS_MAX = 1 << 20,
	STARTUPS = 30, /* a rack that boots at once; sshd's default is 10 */
	SHELL_MS = 30, /* of CPU; bash with no files of its own takes 3 to 5 */
};

static const char mark[] = "ironrig-shell-works";

/* CPU time of what was waited for so far. */
static long children_ms(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_CHILDREN, &u) < 0)
		return 0;
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000;
}

/* ---- the shell ----------------------------------------------------------- */

/*
 * As sshd runs a forced command: `SHELL -c COMMAND', in a clean environment;
 * bash reads .bashrc when it sees SSH_CLIENT and is not nested (SHLVL).
 */
static void run_shell(struct lab_report *r, const struct passwd *pw)
{
	static const char connection[] =
		"SSH_CONNECTION=192.0.2.1 1 192.0.2.2 22";
	char home[4200], user[300], shell[4200], command[128];
	struct buf out = { 0 };
	struct err e = ERR_INIT;
	long ms = children_ms();
	size_t noise;

	snprintf(home, sizeof(home), "HOME=%s", pw->pw_dir);
	snprintf(user, sizeof(user), "USER=%s", pw->pw_name);
	snprintf(shell, sizeof(shell), "SHELL=%s", pw->pw_shell);
	snprintf(command, sizeof(command), "exec printf %s", mark);
	if (spawn_capture((const char *[]){ "env", "-i", home, user, shell,
					    "PATH=/usr/local/bin:/usr/bin:/bin",
					    "SSH_CLIENT=192.0.2.1 1 22",
					    connection, pw->pw_shell, "-c",
					    command, NULL },
			  false, &out, NOISE_MAX, &e)) {
		lab_add(r, LAB_BAD, "give the account a usual shell (chsh)",
			"shell %s runs no command: %s", pw->pw_shell, e.msg);
		goto out;
	}
	noise = out.len >= strlen(mark) ? out.len - strlen(mark) : out.len;
	if (out.len < strlen(mark) || strcmp(out.data + noise, mark) != 0)
		lab_add(r, LAB_BAD, "give the account a usual shell (chsh)",
			"shell %s does not run what it is told", pw->pw_shell);
	else if (noise)
		lab_add(r, LAB_BAD,
			"print only in interactive shells: put `case $- in "
			"*i*) ;; *) return ;; esac' on top of .bashrc",
			"start-up files of %s print %zu bytes: \"%.*s\"",
			pw->pw_shell, noise,
			(int)strcspn(out.data, "\n") < 60 ?
				(int)strcspn(out.data, "\n") :
				60,
			out.data);
	else
		lab_add(r, LAB_GOOD, NULL, "shell %s runs commands and is "
					   "silent",
			pw->pw_shell);
	ms = children_ms() - ms;
	if (ms > SHELL_MS)
		lab_add(r, LAB_NOTE,
			"SetEnv SHLVL=2 for this account in sshd_config keeps "
			"bash from them, as `ironrig serve' does",
			"start-up files of %s cost %ld ms of CPU at each verb",
			pw->pw_shell, ms);
out:
	buf_free(&out);
}

/* What StrictModes looks at, from the file up to the account's folder. */
static void strict(struct lab_report *r, const struct passwd *pw)
{
	static const char *const below[] = { "", "/.ssh",
					     "/.ssh/authorized_keys" };
	char path[4200];

	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		struct stat st;

		snprintf(path, sizeof(path), "%s%s", pw->pw_dir, below[i]);
		if (stat(path, &st) < 0)
			continue;
		if ((st.st_mode & 022) ||
		    (st.st_uid && st.st_uid != pw->pw_uid))
			lab_add(r, LAB_BAD, "chmod go-w, and chown it to the "
					    "account",
				"%s: mode %04o, owner %ld: sshd will not "
				"believe the keys (StrictModes)",
				path, (unsigned int)st.st_mode & 07777,
				(long)st.st_uid);
	}
}

void lab_shell(struct lab_report *r)
{
	const struct passwd *pw = getpwuid(getuid());

	if (!pw) {
		lab_add(r, LAB_BAD, "make it one", "user %ld has no account",
			(long)getuid());
		return;
	}
	strict(r, pw);
	if (strstr(pw->pw_shell, "nologin") || strstr(pw->pw_shell, "/false"))
		lab_add(r, LAB_BAD, "chsh -s /bin/sh: the key's forced command "
				    "is all that it can do anyway",
			"shell %s lets no forced command run", pw->pw_shell);
	else
		run_shell(r, pw);
}

/* ---- sshd ---------------------------------------------------------------- */

/* The value of "key value" in `sshd -T' output, into out; false: not there. */
static bool setting(const char *text, const char *key, char *out, size_t size)
{
	size_t n = strlen(key);

	for (const char *p = text; *p; p += strcspn(p, "\n"),
			p += *p == '\n') {
		if (strncmp(p, key, n) != 0 || p[n] != ' ')
			continue;
		snprintf(out, size, "%.*s", (int)strcspn(p + n + 1, "\n"),
			 p + n + 1);
		return true;
	}
	return false;
}

/* *any: several lines "allowusers NAME" of which one must fit. */
static bool lists(const char *text, const char *key, const char *name,
		  bool *any)
{
	size_t n = strlen(key);

	*any = false;
	for (const char *p = text; *p; p += strcspn(p, "\n"),
			p += *p == '\n') {
		if (strncmp(p, key, n) != 0 || p[n] != ' ')
			continue;
		*any = true;
		if (!strncmp(p + n + 1, name, strlen(name)) &&
		    p[n + 1 + strlen(name)] == '\n')
			return true;
	}
	return false;
}

static void number(struct lab_report *r, const char *text, const char *key,
		   int64_t least, const char *todo)
{
	char value[64];
	struct err e;
	int64_t n;

	if (!setting(text, key, value, sizeof(value)))
		return;
	value[strcspn(value, ":")] = '\0';
	if (!num_i64(value, 0, INT64_MAX, &n, &e) && n < least)
		lab_add(r, LAB_NOTE, todo, "sshd: %s is %s", key, value);
}

static void settings(struct lab_report *r, const char *text,
		     const struct passwd *pw)
{
	static const struct {
		const char *key, *good, *todo;
	} must[] = {
		{ "pubkeyauthentication", "yes", "PubkeyAuthentication yes" },
		{ "permituserenvironment", "no", "PermitUserEnvironment no" },
		{ "forcecommand", "none", "no ForceCommand for this account" },
	};
	char value[256];
	bool any;

	for (size_t i = 0; i < sizeof(must) / sizeof(must[0]); i++)
		if (setting(text, must[i].key, value, sizeof(value)) &&
		    strcmp(value, must[i].good) != 0)
			lab_add(r, LAB_BAD, must[i].todo, "sshd: %s is %s",
				must[i].key, value);
	if (!lists(text, "allowusers", pw->pw_name, &any) && any)
		lab_add(r, LAB_BAD, "add it to AllowUsers",
			"sshd: AllowUsers does not name %s", pw->pw_name);
	if (lists(text, "denyusers", pw->pw_name, &any))
		lab_add(r, LAB_BAD, "take it out of DenyUsers",
			"sshd: DenyUsers names %s", pw->pw_name);
	if (!pw->pw_uid && setting(text, "permitrootlogin", value,
				   sizeof(value)) &&
	    !strcmp(value, "no"))
		lab_add(r, LAB_BAD, "use an account of its own",
			"sshd: root may not log in");
	number(r, text, "clientaliveinterval", 1,
	       "ClientAliveInterval 15: else boxes that were switched off "
	       "leave receivers behind");
	number(r, text, "maxstartups", STARTUPS,
	       "MaxStartups 200:30:400 when many boxes boot at once");
	number(r, text, "maxsessions", 4, "MaxSessions 10");
}

void lab_sshd(struct lab_report *r)
{
	const struct passwd *pw = getpwuid(getuid());
	struct buf out = { 0 };
	struct err e = ERR_INIT;
	char *sshd, who[300];

	if (!pw)
		return;
	if (sshdconf_program(&sshd, &e)) {
		lab_add(r, LAB_BAD, "install openssh-server", "%s", e.msg);
		return;
	}
	snprintf(who, sizeof(who), "user=%s,host=box,addr=192.0.2.1",
		 pw->pw_name);
	if (spawn_capture((const char *[]){ sshd, "-T", "-C", who, NULL },
			  true, &out, SETTINGS_MAX, &e) ||
	    !strstr(buf_str(&out), "pubkeyauthentication "))
		lab_add(r, LAB_NOTE,
			"run `ironrig check --lab' once as root to see them",
			"sshd's settings cannot be read: %.*s",
			(int)strcspn(buf_str(&out), "\n"), buf_str(&out));
	else
		settings(r, out.data, pw);
	buf_free(&out);
	free(sshd);
}
