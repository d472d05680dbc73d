// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The last stage by bare system calls: end all processes, leave disks clean,
 * reboot(2). Loading the next kernel, restoring the tuning and the watchdog
 * are done by others before.
 */
#include "last.h"

#include <fcntl.h>
#include <linux/reboot.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS	 20
#define TERM_MS	 4000 /* a job's daemons that write their files */
#define KILL_MS	 2000 /* SIGKILL acts at once, except on a blocked call */
#define DISKS_MS 10000 /* a SATA command's time-out is 30 s; do not wait it */

static const char *const name[] = {
	[LAST_NONE] = "none",	      [LAST_REBOOT] = "reboot",
	[LAST_POWEROFF] = "poweroff", [LAST_HALT] = "halt",
	[LAST_KEXEC] = "kexec",
};

static char mounts[65536]; /* /proc/self/mounts, read at the very end */

const char *last_name(enum last_op op)
{
	return name[op];
}

enum last_op last_parse(const char *s)
{
	for (enum last_op op = LAST_REBOOT; op <= LAST_KEXEC; op++)
		if (!strcmp(s, name[op]))
			return op;
	return LAST_NONE;
}

static void tick(void)
{
	struct timespec t = { .tv_nsec = TICK_MS * 1000000L };

	nanosleep(&t, NULL);
}

/* Reaps until there is no child, for ms at most. */
static bool all_gone(int ms)
{
	for (; ms > 0; ms -= TICK_MS) {
		pid_t pid;

		do
			pid = waitpid(-1, NULL, WNOHANG);
		while (pid > 0);
		if (pid < 0)
			return true;
		tick();
	}
	return false;
}

void last_kill_all(void)
{
	if (kill(-1, SIGTERM) < 0) /* ESRCH: nobody left */
		return;
	kill(-1, SIGCONT); /* a stopped process dies of SIGTERM only then */
	if (all_gone(TERM_MS))
		return;
	kill(-1, SIGKILL);
	all_gone(KILL_MS);
}

/* "\040" and the like, as fs/proc_namespace.c writes blanks. In place. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' &&
		    s[2] <= '7' && s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 |
				       (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

/* One line "SOURCE TARGET TYPE …" of the mount table. */
static void leave(char *line)
{
	char *target = strchr(line, ' '), *end;

	if (strncmp(line, "/dev/", 5) != 0 || !target)
		return;
	*target++ = '\0';
	end = strchr(target, ' ');
	if (!end)
		return;
	*end = '\0';
	unescape(target);
	if (umount2(target, 0) < 0)
		mount(NULL, target, NULL, MS_REMOUNT | MS_RDONLY, NULL);
}

/* From the last line to the first: what was mounted later lies on top. */
static void leave_all(void)
{
	int fd = open("/proc/self/mounts", O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return;
	while (len < sizeof(mounts) - 1 &&
	       (n = read(fd, mounts + len, sizeof(mounts) - 1 - len)) > 0)
		len += (size_t)n;
	close(fd);
	mounts[len] = '\0';
	while (len) {
		char *nl;

		if (mounts[len - 1] == '\n')
			mounts[--len] = '\0';
		nl = memrchr(mounts, '\n', len);
		len = nl ? (size_t)(nl - mounts) + 1 : 0;
		leave(mounts + len);
	}
}

void last_quiet_disks(void)
{
	/* _Fork: no handlers of fork(), which may take malloc's locks */
	pid_t pid = _Fork();

	if (!pid) {
		sync();
		leave_all();
		_exit(0);
	}
	if (pid > 0)
		all_gone(DISKS_MS);
}

static void command(unsigned int cmd)
{
	/* the raw call: glibc's reboot() does the same, without the magics */
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, cmd,
		NULL);
}

void last_reboot(enum last_op op)
{
	if (op == LAST_KEXEC)
		command(LINUX_REBOOT_CMD_KEXEC);
	if (op == LAST_POWEROFF)
		command(LINUX_REBOOT_CMD_POWER_OFF);
	if (op == LAST_HALT || op == LAST_POWEROFF)
		command(LINUX_REBOOT_CMD_HALT);
	command(LINUX_REBOOT_CMD_RESTART);
}
