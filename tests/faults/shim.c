// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Preloaded into the controller's programs: counts the calls that read or
 * change files or answer somebody, names them, and makes one of them go wrong. What
 * is done is told by the file $FAULTS_DIR/plan:
 *
 *	WHO K ACTION
 *
 * WHO is the verb of a `receive', or $FAULTS_WHO of another program; the
 * first such process takes the file away, so that a fault strikes once. K
 * counts from 1. ACTION:
 *
 *	trace	nothing goes wrong, every call is a line in $FAULTS_DIR/trace
 *	before	SIGKILL instead of the call
 *	after	SIGKILL once it was done
 *	torn	half of a write, then SIGKILL
 *	short	half of a write or of a read
 *	eio, enospc	the call fails so, and has done nothing
 *	late	an fsync or rename that was done fails with EIO
 *	wait	a second passes before the call
 *	power	SIGKILL instead of the call, and what was not on disk is gone:
 *		bytes after the last fsync of their file, renames after the last
 *		of their folder. Of this process alone: what others left unsynced
 *		is thought to have got there meanwhile
 *	gone	the same, but the program ends as if nothing had been: whoever
 *		asked was answered
 *	zeros	as power, but unsynced bytes are zeros, as file systems leave
 *		them whose sizes get to disk before their data
 *
 * Apart from plans: with $FAULTS_UNREADABLE set, read() fails with EIO for every
 * file whose path holds that text, as on a bad sector.
 *
 * What struck is appended to $FAULTS_DIR/fired. Everything is opened before
 * main(): receive's sandbox would not let it be opened later.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { OURS = 48 }; /* descriptors from here on; receive may have 64 */

static struct {
	bool armed;
	char who[32], action[16];
	long at;
	int out; /* trace or fired */
} plan = { .out = -1 };

static atomic_long calls;

/* Of the program and of what it forks, which may be handed the file. */
static struct shared {
	struct stat bad_file;
} alone, *shared = &alone;

/* What it forks is confined, and counts no steps: their order would be chance. */
static void disarm(void)
{
	plan.armed = false;
}

#define REAL(name)                                                           \
	({                                                                   \
		static __typeof__(&name) real;                               \
		if (!real)                                                   \
			real = (__typeof__(&name))dlsym(RTLD_NEXT, #name);   \
		real;                                                        \
	})

static bool is(const char *action)
{
	return !strcmp(plan.action, action);
}

static __attribute__((constructor(101))) void share(void)
{
	void *page = mmap(NULL, sizeof(alone), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (page != MAP_FAILED)
		shared = page;
	pthread_atfork(NULL, NULL, disarm);
}

static __attribute__((constructor)) void take_plan(void)
{
	const char *dir = getenv("FAULTS_DIR");
	const char *verb = getenv("SSH_ORIGINAL_COMMAND");
	char who[32] = "", path[512], taken[512], line[128];
	ssize_t n;
	int fd;

	/* a child that it starts is another program */
	unsetenv("LD_PRELOAD");
	if (verb)
		sscanf(verb, "%31s", who);
	else if (getenv("FAULTS_WHO"))
		snprintf(who, sizeof(who), "%s", getenv("FAULTS_WHO"));
	if (!dir || !*who)
		return;
	snprintf(path, sizeof(path), "%s/plan", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = read(fd, line, sizeof(line) - 1);
	close(fd);
	line[n > 0 ? n : 0] = '\0';
	if (sscanf(line, "%31s %ld %15s", plan.who, &plan.at, plan.action) != 3 ||
	    strcmp(plan.who, who) != 0)
		return;
	snprintf(taken, sizeof(taken), "%s/taken", dir);
	if (REAL(rename)(path, taken) < 0)
		return; /* another process was faster */
	snprintf(path, sizeof(path), "%s/%s", dir,
		 is("trace") ? "trace" : "fired");
	fd = REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	plan.out = fcntl(fd, F_DUPFD_CLOEXEC, OURS);
	close(fd);
	plan.armed = plan.out >= 0;
}

static void say(long k, const char *call, const char *what)
{
	char line[512];
	int n = snprintf(line, sizeof(line), "%s %ld %s %s %s\n", plan.who, k,
			 plan.action, call, what);

	if (REAL(write)(plan.out, line, (size_t)n) < 0)
		errno = 0;
}

/* ---- what is not on disk yet ---------------------------------------------------- */

enum { DIRTY_MAX = 8, RENAMES_MAX = 8 };

static struct dirty { /* a file with bytes after its last fsync */
	int fd; /* a duplicate of the program's, which may be closed */
	dev_t dev;
	ino_t ino;
	off_t synced;
} dirty[DIRTY_MAX];
static size_t ndirty;

static struct undo { /* a rename in a folder that was not synced since */
	int from_dir, to_dir;
	char from[256], to[256];
} undo[RENAMES_MAX];
static size_t nundo;

static struct dirty *find_dirty(int fd, struct stat *st)
{
	if (fstat(fd, st) < 0)
		return NULL;
	for (size_t i = 0; i < ndirty; i++)
		if (dirty[i].dev == st->st_dev && dirty[i].ino == st->st_ino)
			return &dirty[i];
	return NULL;
}

static void writes(int fd)
{
	struct stat st;

	if (!plan.armed || find_dirty(fd, &st) || ndirty == DIRTY_MAX ||
	    !S_ISREG(st.st_mode))
		return;
	dirty[ndirty] = (struct dirty){ fcntl(fd, F_DUPFD_CLOEXEC, OURS),
					st.st_dev, st.st_ino, st.st_size };
	ndirty += dirty[ndirty].fd >= 0;
}

/* An fsync: of a file, or of a folder, which is taken for every folder. */
static void synced(int fd)
{
	struct stat st;
	struct dirty *d = find_dirty(fd, &st);

	if (d) {
		close(d->fd);
		*d = dirty[--ndirty];
	} else if (S_ISDIR(st.st_mode)) {
		nundo = 0;
	}
}

/* The program may close it before the end. */
static int keep(int dir)
{
	return dir == AT_FDCWD ? dir : fcntl(dir, F_DUPFD_CLOEXEC, OURS);
}

static void renames(int a, const char *from, int b, const char *to)
{
	struct stat st;

	/* which of two files under one name is left is nobody's business */
	if (plan.armed && nundo < RENAMES_MAX &&
	    fstatat(b, to, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		struct undo *u = &undo[nundo++];

		u->from_dir = keep(a);
		u->to_dir = keep(b);
		snprintf(u->from, sizeof(u->from), "%s", from);
		snprintf(u->to, sizeof(u->to), "%s", to);
	}
}

static void lose_unsynced(void)
{
	static const char zeros[4096];

	for (size_t i = 0; i < ndirty; i++) {
		struct stat st;
		off_t at = dirty[i].synced;

		if (fstat(dirty[i].fd, &st) < 0 ||
		    ftruncate(dirty[i].fd, at) < 0 || !is("zeros"))
			continue;
		for (; at < st.st_size; at += (off_t)sizeof(zeros)) {
			off_t n = st.st_size - at;

			if (n > (off_t)sizeof(zeros))
				n = (off_t)sizeof(zeros);
			if (pwrite(dirty[i].fd, zeros, (size_t)n, at) < 0)
				break;
		}
	}
	while (nundo--)
		renameat(undo[nundo].to_dir, undo[nundo].to,
			 undo[nundo].from_dir, undo[nundo].from);
}

/* ---- striking ------------------------------------------------------------------- */

static void die(void)
{
	if (is("power") || is("zeros")) {
		plan.armed = false;
		lose_unsynced();
	}
	/* a sandbox may forbid the first, which then returns or kills as well */
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGKILL);
	_exit(128 + SIGKILL);
}

static __attribute__((destructor)) void at_the_end(void)
{
	bool hit = plan.armed && is("gone") && calls >= plan.at;

	plan.armed = false;
	if (hit)
		lose_unsynced();
}

/* 0: go on as usual; 1: it is up to the caller (after, torn, short, late);
 * -1: the call has failed, errno is set. */
static int step(const char *call, const char *what)
{
	long k;

	if (!plan.armed)
		return 0;
	k = atomic_fetch_add(&calls, 1) + 1;
	if (is("trace"))
		say(k, call, what);
	if (is("trace") || k != plan.at)
		return 0;
	say(k, call, what);
	if (is("before") || is("power") || is("zeros"))
		die();
	if (is("wait"))
		nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
	if (is("wait") || is("gone"))
		return 0;
	if (is("eio"))
		errno = EIO;
	else if (is("enospc"))
		errno = ENOSPC;
	else
		return 1;
	return -1;
}

/* What of a strike comes after the call. */
static int struck(int hit, int rc)
{
	int saved = errno;

	if (hit && (is("after") || is("torn")))
		die();
	errno = saved;
	if (hit && is("late") && !rc) {
		errno = EIO;
		return -1;
	}
	return rc;
}

static size_t cut(int hit, size_t n)
{
	return hit && n > 1 && (is("torn") || is("short")) ? n / 2 : n;
}

static const char *fd_name(int fd)
{
	static _Thread_local char name[24];

	snprintf(name, sizeof(name), "fd%d", fd);
	return name;
}

/* ---- calls -------------------------------------------------------------------- */

ssize_t write(int fd, const void *p, size_t n)
{
	int hit = step("write", fd_name(fd));
	ssize_t rc;

	if (hit < 0)
		return -1;
	writes(fd);
	rc = REAL(write)(fd, p, cut(hit, n));
	struck(hit, 1);
	return rc;
}

#define PWRITE(name, type)                                                   \
	ssize_t name(int fd, const void *p, size_t n, type at)               \
	{                                                                    \
		int hit = step("pwrite", fd_name(fd));                       \
		ssize_t rc;                                                  \
                                                                             \
		if (hit < 0)                                                 \
			return -1;                                           \
		writes(fd);                                                  \
		rc = REAL(name)(fd, p, cut(hit, n), at);                     \
		struck(hit, 1);                                              \
		return rc;                                                   \
	}
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

static bool is_file(int fd)
{
	struct stat st;

	return plan.armed && !fstat(fd, &st) && S_ISREG(st.st_mode);
}

/*
 * A bad sector: the file last opened by a path that $FAULTS_UNREADABLE is in
 * cannot be read. By number, because a sandbox may hide its name.
 */
static void opened(int fd, const char *path)
{
	const char *bad = getenv("FAULTS_UNREADABLE");

	if (fd >= 0 && bad && strstr(path, bad))
		fstat(fd, &shared->bad_file);
}

static bool unreadable(int fd)
{
	struct stat st;

	return shared->bad_file.st_ino && !fstat(fd, &st) &&
	       st.st_ino == shared->bad_file.st_ino &&
	       st.st_dev == shared->bad_file.st_dev;
}

ssize_t read(int fd, void *p, size_t n)
{
	int hit = is_file(fd) ? step("read", fd_name(fd)) : 0;

	if (!hit && unreadable(fd)) {
		errno = EIO;
		return -1;
	}
	return hit < 0 ? -1 : REAL(read)(fd, p, cut(hit, n));
}

#define PREAD(name, type)                                                    \
	ssize_t name(int fd, void *p, size_t n, type at)                     \
	{                                                                    \
		int hit = is_file(fd) ? step("pread", fd_name(fd)) : 0;      \
                                                                             \
		if (!hit && unreadable(fd)) {                                \
			errno = EIO;                                         \
			return -1;                                           \
		}                                                            \
		return hit < 0 ? -1 : REAL(name)(fd, p, cut(hit, n), at);    \
	}
PREAD(pread, off_t)
PREAD(pread64, off64_t)

/*
 * name(PARAMETERS) is name(ARGUMENTS), with WHAT to tell it by; BOOK is done
 * before it when it is going to happen.
 */
#define CALL(name, what, book, parameters, arguments)                        \
	int name parameters                                                  \
	{                                                                    \
		int hit = step(#name, what);                                 \
                                                                             \
		if (hit < 0)                                                 \
			return -1;                                           \
		book;                                                        \
		return struck(hit, REAL(name) arguments);                    \
	}
CALL(fsync, fd_name(fd), synced(fd), (int fd), (fd))
CALL(fdatasync, fd_name(fd), synced(fd), (int fd), (fd))
CALL(ftruncate, fd_name(fd), (void)fd, (int fd, off_t n), (fd, n))
CALL(ftruncate64, fd_name(fd), (void)fd, (int fd, off64_t n), (fd, n))
CALL(rename, to, renames(AT_FDCWD, from, AT_FDCWD, to),
     (const char *from, const char *to), (from, to))
CALL(renameat, to, renames(a, from, b, to),
     (int a, const char *from, int b, const char *to), (a, from, b, to))
CALL(renameat2, to, renames(a, from, b, to),
     (int a, const char *from, int b, const char *to, unsigned int flags),
     (a, from, b, to, flags))
CALL(unlink, path, (void)path, (const char *path), (path))
CALL(unlinkat, path, (void)path, (int dir, const char *path, int flags),
     (dir, path, flags))
CALL(mkdir, path, (void)path, (const char *path, mode_t mode), (path, mode))
CALL(mkdirat, path, (void)path, (int dir, const char *path, mode_t mode),
     (dir, path, mode))

/* Only what makes files: reading leaves no step behind. */
#define OPEN(name, parameters, arguments)                                    \
	int name parameters                                                  \
	{                                                                    \
		mode_t mode = 0;                                             \
		int hit = 0, fd;                                             \
		va_list ap;                                                  \
                                                                             \
		if (flags & O_CREAT) {                                       \
			va_start(ap, flags);                                 \
			mode = va_arg(ap, mode_t);                           \
			va_end(ap);                                          \
			hit = step("open", path);                            \
		}                                                            \
		if (hit < 0)                                                 \
			return -1;                                           \
		fd = REAL(name) arguments;                                   \
		opened(fd, path);                                            \
		struck(hit, 1);                                              \
		return fd;                                                   \
	}
OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int dir, const char *path, int flags, ...),
     (dir, path, flags, mode))
OPEN(openat64, (int dir, const char *path, int flags, ...),
     (dir, path, flags, mode))
