// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The controller's programs, broken on purpose: preloaded before shim.c, it
 * takes something away that they do right. The fault machine has to notice
 * each (control.t); what never fails proves nothing. How they are broken is
 * in $FAULTS_DIR/broken, read by each process as it starts:
 *
 *	WHO HOW
 *
 * WHO as in shim.c. HOW:
 *
 *	nosync	fsync says it has done it
 *	early	a result gets its name after the answer (at the end, when there
 *		is none)
 *	flip	a result that gets its name has a wrong byte
 *	litter	it stays under its old name as well
 *	twice	it is stored under another lease's name as well
 *	double	a lease is written down twice
 *	label	a lease is written down for another block
 *	stall	the answer comes after four seconds
 *	forget	what is put into the index is lost
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { OURS = 48, STALL_S = 4, LEASE = 32 };

static char how[16];

/* A result's new name that is still to come; descriptors of our own. */
static struct {
	bool waits;
	int from_dir, to_dir;
	unsigned int flags;
	char from[512], to[512];
} late;

#define REAL(name)                                                           \
	({                                                                   \
		static __typeof__(&name) real;                               \
		if (!real)                                                   \
			real = (__typeof__(&name))dlsym(RTLD_NEXT, #name);   \
		real;                                                        \
	})

static bool is(const char *what)
{
	return !strcmp(how, what);
}

static __attribute__((constructor)) void read_how(void)
{
	const char *dir = getenv("FAULTS_DIR");
	const char *verb = getenv("SSH_ORIGINAL_COMMAND");
	const char *name = getenv("FAULTS_WHO");
	char path[512], who[32], me[32] = "", what[16];
	FILE *f;

	if (verb)
		sscanf(verb, "%31s", me);
	else
		snprintf(me, sizeof(me), "%s", name ? name : "");
	snprintf(path, sizeof(path), "%s/broken", dir ? dir : "");
	f = dir ? fopen(path, "re") : NULL;
	if (!f)
		return;
	if (fscanf(f, "%31s %15s", who, what) == 2 && !strcmp(who, me))
		memcpy(how, what, sizeof(how));
	fclose(f);
}

/* ---- what is written ---------------------------------------------------------- */

int fsync(int fd)
{
	return is("nosync") ? 0 : REAL(fsync)(fd);
}

int fdatasync(int fd)
{
	return is("nosync") ? 0 : REAL(fdatasync)(fd);
}

static void rename_late(void)
{
	if (!late.waits)
		return;
	late.waits = false;
	if (REAL(renameat2)(late.from_dir, late.from, late.to_dir, late.to,
			    late.flags) < 0)
		perror("rename");
}

static __attribute__((destructor)) void at_the_end(void)
{
	rename_late();
}

/* "run LEASE EXPERIMENT BLOCK ...": to a block next to it, as long. */
static void other_block(char *line)
{
	char *at = line + strlen("run ") + LEASE + 1;

	at += strcspn(at, " ") + 1;
	at += strspn(at, "0123456789") - 1;
	*at = *at == '9' ? '8' : (char)(*at + 1);
}

static ssize_t write_lease(int fd, const void *p, size_t n)
{
	char line[1024];

	if (n >= sizeof(line))
		return -1;
	memcpy(line, p, n);
	line[n] = '\0';
	if (is("label"))
		other_block(line);
	else if (REAL(write)(fd, line, n) < 0)
		return -1;
	return REAL(write)(fd, line, n);
}

ssize_t write(int fd, const void *p, size_t n)
{
	ssize_t rc;

	if ((is("double") || is("label")) && n > LEASE &&
	    !memcmp(p, "run ", 4))
		return write_lease(fd, p, n);
	if (is("stall") && fd == STDOUT_FILENO)
		nanosleep(&(struct timespec){ .tv_sec = STALL_S }, NULL);
	rc = REAL(write)(fd, p, n);
	if (fd == STDOUT_FILENO)
		rename_late();
	return rc;
}

/* SQLite's log of what is new starts at 0; a commit is made by its frames. */
ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
	char link[64], path[512];
	ssize_t len;

	if (!is("forget"))
		return REAL(pwrite64)(fd, p, n, at);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	path[len > 0 ? len : 0] = '\0';
	return strstr(path, "index.db") ? (ssize_t)n :
					  REAL(pwrite64)(fd, p, n, at);
}

/* ---- what gets a name --------------------------------------------------------- */

/* Reads and writes by descriptors: `receive' may not do more. */
static void copy(int dir, const char *from, const char *to)
{
	char buf[65536];
	int in = openat(dir, from, O_RDONLY | O_CLOEXEC);
	int out = openat(dir, to, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ssize_t n;

	while (in >= 0 && out >= 0 && (n = read(in, buf, sizeof(buf))) > 0)
		if (REAL(write)(out, buf, (size_t)n) != n)
			break;
	close(in);
	close(out);
}

static void flip(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDWR | O_CLOEXEC);
	char c;

	if (pread(fd, &c, 1, 100) == 1) {
		c = (char)~c;
		if (pwrite(fd, &c, 1, 100) != 1)
			perror(name);
	}
	close(fd);
}

/* ".../b1.LEASE.tar.lz4" with another first digit */
static void copy_twice(int dir, const char *name)
{
	char other[512];
	char *at;

	snprintf(other, sizeof(other), "%s", name);
	at = strrchr(other, '/');
	at = strchr(at ? at : other, '.');
	at[1] = at[1] == '0' ? '1' : '0';
	copy(dir, name, other);
}

int renameat2(int a, const char *from, int b, const char *to,
	      unsigned int flags)
{
	int rc;

	if (!*how || !strstr(to, ".tar.lz4"))
		return REAL(renameat2)(a, from, b, to, flags);
	if (is("early")) {
		late.from_dir = fcntl(a, F_DUPFD_CLOEXEC, OURS);
		late.to_dir = fcntl(b, F_DUPFD_CLOEXEC, OURS);
		late.flags = flags;
		snprintf(late.from, sizeof(late.from), "%s", from);
		snprintf(late.to, sizeof(late.to), "%s", to);
		late.waits = true;
		return 0;
	}
	rc = REAL(renameat2)(a, from, b, to, flags);
	if (!rc && is("litter"))
		copy(b, to, from);
	else if (!rc && is("twice"))
		copy_twice(b, to);
	else if (!rc && is("flip"))
		flip(b, to);
	return rc;
}
