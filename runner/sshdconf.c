// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What a private sshd is told. Starting it is cmd_serve.c's.
 */
#include "sshdconf.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * StrictModes looks at every folder up to /, and refuses a home under /tmp,
 * although what is 0700 and ours there is as safe; serve checks the home's
 * own folders instead. ClientAlive ends what a box that was switched off left
 * behind, within a minute. MaxStartups counts connections that are not
 * authenticated yet: a rack that boots at once is no attack. SHLVL keeps bash
 * from reading the account's .bashrc, as a remote shell does, at each verb.
 */
static const char fixed[] =
	"AuthorizedKeysFile \"%s/keys/authorized_keys\"\n"
	"HostKey \"%s/keys/controller_host_ed25519\"\n"
	"PidFile none\n"
	"StrictModes no\n"
	"AuthenticationMethods publickey\n"
	"PubkeyAuthentication yes\n"
	"PasswordAuthentication no\n"
	"KbdInteractiveAuthentication no\n"
	"UsePAM no\n"
	"PermitRootLogin forced-commands-only\n"
	"PermitUserEnvironment no\n"
	"PermitUserRC no\n"
	"SetEnv SHLVL=2\n"
	"PermitTTY no\n"
	"DisableForwarding yes\n"
	"ClientAliveInterval 15\n"
	"ClientAliveCountMax 4\n"
	"TCPKeepAlive yes\n"
	"MaxStartups 200:30:400\n"
	"MaxSessions 16\n"
	"LoginGraceTime 30\n"
	"UseDNS no\n"
	"PrintMotd no\n"
	"PrintLastLog no\n"
	"LogLevel INFO\n";

int sshdconf_text(const struct home *home, const char *address, int port,
		  struct buf *out, struct err *e)
{
	const struct passwd *pw = getpwuid(getuid());

	if (!pw)
		return err_set(e, ERR_NOTFOUND, "user %ld has no account",
			       (long)getuid());
	/* sshd_config has no way to write these in a path */
	if (strpbrk(home->path, "\"\n%"))
		return err_set(e, ERR_INPUT, "home %.128s: a path that sshd "
					     "cannot be told",
			       home->path);
	buf_printf(out, "Port %d\nListenAddress %s\nAllowUsers %s\n", port,
		   address, pw->pw_name);
	buf_printf(out, fixed, home->path, home->path);
	return buf_ok(out, e);
}

int sshdconf_program(char **path, struct err *e)
{
	static const char usual[] = "/usr/sbin:/usr/local/sbin:/sbin";
	const char *given = getenv("PATH");
	char *list, *rest;

	/* sshd starts itself again and insists on an absolute path */
	if (asprintf(&list, "%s:%s", given ? given : "", usual) < 0)
		return err_set(e, ERR_LIMIT, "out of memory");
	rest = list;
	for (char *dir; (dir = strsep(&rest, ":"));) {
		if (*dir != '/')
			continue;
		if (asprintf(path, "%s/sshd", dir) < 0) {
			free(list);
			return err_set(e, ERR_LIMIT, "out of memory");
		}
		if (!access(*path, X_OK)) {
			free(list);
			return 0;
		}
		free(*path);
	}
	free(list);
	*path = NULL;
	return err_set(e, ERR_NOTFOUND,
		       "sshd is not installed (package openssh-server)");
}
