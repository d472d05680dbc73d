// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Landlock and seccomp around the parsing side of `receive'. What the limits
 * of a healthy stream are is verify.c's; this is for the day on which a parser
 * turns out to be wrong.
 */
#include "sandbox.h"

#include <errno.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From later kernels' linux/landlock.h than Debian 12's. */
#define ACCESS_FS_TRUNCATE (1ULL << 14) /* ABI 3, Linux 6.2 */
#define ACCESS_FS_IOCTL	   (1ULL << 15) /* ABI 5, Linux 6.10 */
#define ACCESS_NET_BOTH	   3ULL		/* ABI 4, Linux 6.7: bind, connect */
#define ABI1_ACCESS	   ((1ULL << 13) - 1)

struct ruleset {
	uint64_t fs, net; /* net is read from ABI 4 on */
};

/* ---- files --------------------------------------------------------------- */

static int add_rules(int ruleset, uint64_t handled, const int *folder,
		     size_t n, struct err *e)
{
	const uint64_t allowed =
		LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
		LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
		LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REFER |
		ACCESS_FS_TRUNCATE;

	for (size_t i = 0; i < n; i++) {
		struct landlock_path_beneath_attr rule = {
			.allowed_access = allowed & handled,
			.parent_fd = folder[i],
		};

		if (syscall(SYS_landlock_add_rule, ruleset,
			    LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0)
			return err_sys(e, "landlock rule");
	}
	return 0;
}

static int files(const int *folder, size_t n, bool *in_force, struct err *e)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
			   LANDLOCK_CREATE_RULESET_VERSION);
	struct ruleset r = { .fs = ABI1_ACCESS | LANDLOCK_ACCESS_FS_REFER };
	int fd, rc;

	/* ABI 1 allows no rename from incoming to quarantine at all */
	if (abi < 2)
		return 0;
	if (abi >= 3)
		r.fs |= ACCESS_FS_TRUNCATE;
	if (abi >= 4)
		r.net = ACCESS_NET_BOTH;
	if (abi >= 5)
		r.fs |= ACCESS_FS_IOCTL;
	fd = (int)syscall(SYS_landlock_create_ruleset, &r,
			  abi >= 4 ? sizeof(r) : sizeof(r.fs), 0);
	if (fd < 0)
		return err_sys(e, "landlock");
	rc = add_rules(fd, r.fs, folder, n, e);
	if (!rc && syscall(SYS_landlock_restrict_self, fd, 0) < 0)
		rc = err_sys(e, "landlock");
	close(fd);
	*in_force = !rc;
	return rc;
}

/* ---- system calls -------------------------------------------------------- */

static const int allowed[] = {
	/* streams and files */
	SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(pread64),
	SCMP_SYS(pwrite64), SCMP_SYS(lseek), SCMP_SYS(poll), SCMP_SYS(ppoll),
	SCMP_SYS(openat), SCMP_SYS(close), SCMP_SYS(fstat), SCMP_SYS(fstatfs),
	SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(getdents64),
	SCMP_SYS(ftruncate), SCMP_SYS(fsync), SCMP_SYS(sync_file_range),
	SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(unlinkat),
	SCMP_SYS(fcntl), SCMP_SYS(flock), SCMP_SYS(fchmod),
	SCMP_SYS(faccessat), SCMP_SYS(faccessat2),
	/* memory and threads */
	SCMP_SYS(brk), SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mremap),
	SCMP_SYS(mprotect), SCMP_SYS(madvise), SCMP_SYS(futex),
	SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(sched_yield),
	SCMP_SYS(sched_getaffinity), SCMP_SYS(gettid), SCMP_SYS(getpid),
	SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(tgkill),
	SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(restart_syscall),
	/* time, chance */
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep),
	SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(time),
	SCMP_SYS(getrandom),
};

static int fill(scmp_filter_ctx ctx)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(allowed) / sizeof(allowed[0]);
	     i++) {
		rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, allowed[i], 0);
		/* a call that this architecture does not have */
		if (rc == -EDOM || rc == -EINVAL)
			rc = 0;
	}
	/*
	 * A thread is a clone with CLONE_THREAD. clone3 keeps its flags in
	 * memory, where a filter cannot look: ENOSYS makes glibc use clone.
	 */
	if (!rc)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
				      SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD,
					      CLONE_THREAD));
	if (!rc)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS),
				      SCMP_SYS(clone3), 0);
	return rc;
}

static int calls(bool *in_force, struct err *e)
{
	scmp_filter_ctx ctx;
	int rc;

	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0)
		return 0; /* CONFIG_SECCOMP is off */
	/* EPERM and no kill: a newer C library's extra call is survived */
	ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	if (!ctx)
		return err_set(e, ERR_LIMIT, "seccomp: out of memory");
	/* a search tree: a list would be walked for every read and write */
	rc = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (!rc)
		rc = fill(ctx);
	if (!rc)
		rc = seccomp_load(ctx);
	seccomp_release(ctx);
	if (rc) {
		errno = -rc;
		return err_sys(e, "seccomp");
	}
	*in_force = true;
	return 0;
}

int sandbox_enter(const int *folder, size_t n, struct sandbox *got,
		  struct err *e)
{
	*got = (struct sandbox){ 0 };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(e, "no_new_privs");
	if (files(folder, n, &got->landlock, e))
		return -1;
	return calls(&got->seccomp, e);
}
