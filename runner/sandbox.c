// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Landlock and seccomp around what parses a box's files. What the limits
 * of a healthy stream are is verify.c's; this is for the day on which a parser
 * turns out to be wrong.
 */
#include "sandbox.h"
#include "io.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/mman.h>
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
		     size_t n, bool writes, struct err *e)
{
	const uint64_t reads =
		LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
	const uint64_t changing =
		LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
		LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REFER |
		ACCESS_FS_TRUNCATE;

	for (size_t i = 0; i < n; i++) {
		struct landlock_path_beneath_attr rule = {
			.allowed_access =
				(writes ? reads | changing : reads) & handled,
			.parent_fd = folder[i],
		};

		if (syscall(SYS_landlock_add_rule, ruleset,
			    LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0)
			return err_sys(e, "landlock rule");
	}
	return 0;
}

static int files(const int *folder, size_t n, bool writes, bool *in_force,
		 struct err *e)
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
	rc = add_rules(fd, r.fs, folder, n, writes, e);
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
	SCMP_SYS(ftruncate), SCMP_SYS(fcntl), SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2), SCMP_SYS(memfd_create), SCMP_SYS(recvmsg),
	/* memory and threads */
	SCMP_SYS(brk), SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mremap),
	SCMP_SYS(mprotect), SCMP_SYS(madvise), SCMP_SYS(futex),
	SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(sched_yield),
	SCMP_SYS(sched_getaffinity), SCMP_SYS(gettid), SCMP_SYS(getpid),
	SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
	SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(restart_syscall),
	/* time, chance */
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep),
	SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(time),
	SCMP_SYS(getrandom),
};

/* What changes a folder, and makes it last. */
static const int changes[] = {
	SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(unlinkat),
	SCMP_SYS(flock), SCMP_SYS(fchmod), SCMP_SYS(fsync),
	SCMP_SYS(sync_file_range),
};

static int add(scmp_filter_ctx ctx, const int *call, size_t n)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, call[i], 0);
		/* a call that this architecture does not have */
		if (rc == -EDOM || rc == -EINVAL)
			rc = 0;
	}
	return rc;
}

static int fill(scmp_filter_ctx ctx, bool writes)
{
	int rc = add(ctx, allowed, sizeof(allowed) / sizeof(allowed[0]));

	if (!rc && writes)
		rc = add(ctx, changes, sizeof(changes) / sizeof(changes[0]));
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

/* Programs for reading and for writing, made when first asked for: 1 ms. */
static struct sock_fprog program[2];

/* libseccomp 2.5 exports to a descriptor only. */
static int export(scmp_filter_ctx ctx, struct sock_fprog *to, struct err *e)
{
	int fd = memfd_create("filter", MFD_CLOEXEC);
	struct buf b = { 0 };
	int rc = 0;

	if (fd < 0)
		return err_sys(e, "memfd_create");
	if (seccomp_export_bpf(ctx, fd) || lseek(fd, 0, SEEK_SET) < 0)
		rc = err_set(e, ERR_LIMIT, "seccomp: no program");
	if (!rc)
		rc = io_slurp(fd, &b, BPF_MAXINSNS * sizeof(*to->filter), e);
	close(fd);
	if (rc) {
		buf_free(&b);
		return -1;
	}
	*to = (struct sock_fprog){
		.len = (unsigned short)(b.len / sizeof(*to->filter)),
		.filter = (struct sock_filter *)(void *)b.data,
	};
	return 0;
}

int sandbox_prepare(bool writes, struct err *e)
{
	scmp_filter_ctx ctx;
	int rc;

	if (program[writes].len || prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0)
		return 0; /* or CONFIG_SECCOMP is off */
	/* EPERM and no kill: a newer C library's extra call is survived */
	ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	if (!ctx)
		return err_set(e, ERR_LIMIT, "seccomp: out of memory");
	/* a search tree: a list would be walked for every read and write */
	rc = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (!rc)
		rc = fill(ctx, writes);
	if (rc) {
		errno = -rc;
		err_sys(e, "seccomp");
	} else {
		rc = export(ctx, &program[writes], e);
	}
	seccomp_release(ctx);
	return rc ? -1 : 0;
}

static int calls(bool writes, bool *in_force, struct err *e)
{
	if (sandbox_prepare(writes, e))
		return -1;
	if (!program[writes].len)
		return 0;
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program[writes]) < 0)
		return err_sys(e, "seccomp");
	*in_force = true;
	return 0;
}

int sandbox_enter(const int *folder, size_t n, bool writes,
		  struct sandbox *got, struct err *e)
{
	*got = (struct sandbox){ 0 };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(e, "no_new_privs");
	if (files(folder, n, writes, &got->landlock, e))
		return -1;
	return calls(writes, &got->seccomp, e);
}
