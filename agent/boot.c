// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Turns the kernel's bare root into one that programs can run in: pseudo file
 * systems, console, limits, sized memory. Modules and network come later, in
 * the session.
 */
#include "boot.h"
#include "io.h"
#include "kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static const struct fs {
	const char *type, *target, *options;
	unsigned long flags;
	bool needed; /* worth a line when it cannot be had */
} fs[] = {
	{ "devtmpfs", "/dev", "mode=0755", MS_NOSUID, true },
	{ "proc", "/proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, true },
	{ "sysfs", "/sys", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, true },
	{ "tmpfs", "/run", "mode=0755", MS_NOSUID | MS_NODEV, true },
	{ "cgroup2", "/sys/fs/cgroup", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC,
	  true },
	{ "tmpfs", "/dev/shm", "mode=1777", MS_NOSUID | MS_NODEV, true },
	{ "devpts", "/dev/pts", "gid=5,mode=0620,ptmxmode=0666",
	  MS_NOSUID | MS_NOEXEC, true },
	{ "securityfs", "/sys/kernel/security", NULL, 0, false },
	{ "debugfs", "/sys/kernel/debug", "mode=0700", 0, false },
	{ "tracefs", "/sys/kernel/tracing", "mode=0700", 0, false },
	{ "pstore", "/sys/fs/pstore", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC,
	  false },
	{ "efivarfs", "/sys/firmware/efi/efivars", NULL,
	  MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, false },
};

/* For kernels without devtmpfs: what agent and jobs cannot do without. */
static const struct node {
	const char *path;
	mode_t mode;
	unsigned int major, minor; /* Documentation/admin-guide/devices.txt */
} node[] = {
	{ "/dev/console", 0600, 5, 1 }, { "/dev/null", 0666, 1, 3 },
	{ "/dev/zero", 0666, 1, 5 },	{ "/dev/full", 0666, 1, 7 },
	{ "/dev/random", 0666, 1, 8 },	{ "/dev/urandom", 0666, 1, 9 },
	{ "/dev/kmsg", 0644, 1, 11 },	{ "/dev/tty", 0666, 5, 0 },
	{ "/dev/ptmx", 0666, 5, 2 },	{ "/dev/watchdog", 0600, 10, 130 },
};

static const struct {
	const char *to, *from;
} link_[] = {
	{ "/proc/self/fd", "/dev/fd" },
	{ "/proc/self/fd/0", "/dev/stdin" },
	{ "/proc/self/fd/1", "/dev/stdout" },
	{ "/proc/self/fd/2", "/dev/stderr" },
};

static void dev_by_hand(void)
{
	/* without a tmpfs either, on the root itself */
	mount("tmpfs", "/dev", "tmpfs", MS_NOSUID, "mode=0755");
	for (size_t i = 0; i < sizeof(node) / sizeof(*node); i++)
		mknod(node[i].path, S_IFCHR | node[i].mode,
		      makedev(node[i].major, node[i].minor));
}

static bool mount_one(const struct fs *f)
{
	/* below sysfs the folders exist or the kernel lacks the feature */
	if (strncmp(f->target, "/sys/", 5) != 0)
		mkdir(f->target, 0755);
	if (!mount(f->type, f->target, f->type, f->flags, f->options))
		return true;
	return errno == EBUSY; /* mounted already, by CONFIG_DEVTMPFS_MOUNT */
}

/*
 * The kernel opens /dev/console for init when its root has that node. A
 * non-blocking descriptor of our own keeps a stuck serial line from stopping
 * PID 1 in the middle of a line.
 */
static void console(void)
{
	int fd = open("/dev/console",
		      O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	bool ours;

	for (int std = 0; std < 3; std++)
		if (fcntl(std, F_GETFD) < 0 && errno == EBADF &&
		    open(std ? "/dev/console" : "/dev/null",
			 O_RDWR | O_NOCTTY) < 0)
			open("/dev/null", O_RDWR);
	if (fd < 0)
		return;
	if (fd < 3)
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	ours = !fstat(2, &st) && S_ISCHR(st.st_mode) &&
	       st.st_rdev == makedev(5, 1);
	if (ours && fd >= 0)
		kmsg_console(fd);
	else if (fd >= 0)
		close(fd); /* something else was given as standard error */
}

void boot_mounts(void)
{
	int why[sizeof(fs) / sizeof(*fs)] = { 0 };
	int log;

	umask(022);
	for (size_t i = 0; i < sizeof(fs) / sizeof(*fs); i++) {
		if (mount_one(&fs[i]))
			continue;
		why[i] = errno;
		if (!i) /* before anything is mounted below /dev */
			dev_by_hand();
	}
	for (size_t i = 0; i < sizeof(link_) / sizeof(*link_); i++)
		if (symlink(link_[i].to, link_[i].from) < 0)
			continue; /* there already */
	console();
	mkdir("/run/ironrig", 0700);
	log = open(KMSG_LOG, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	kmsg_log(log);
	for (size_t i = 0; i < sizeof(fs) / sizeof(*fs); i++)
		if (why[i] && fs[i].needed)
			kmsg_say("%s cannot be mounted on %s: %s", fs[i].type,
				 fs[i].target, strerrordesc_np(why[i]));
}

void boot_programs(void)
{
	setenv("PATH",
	       "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	       1);
	setenv("HOME", "/root", 1);
	mkdir("/root", 0700);
	mkdir("/sbin", 0755);
	if (access("/bin/busybox", X_OK) < 0) {
		kmsg_say("/bin/busybox is missing: no modules, no DHCP");
		return;
	}
	/* the kernel's own requests run /sbin/modprobe */
	if (access("/sbin/modprobe", X_OK) < 0 &&
	    symlink("/bin/busybox", "/sbin/modprobe") < 0)
		kmsg_say("/sbin/modprobe: %s", strerrordesc_np(errno));
	if (access("/bin/sh", X_OK) < 0 &&
	    symlink("/bin/busybox", "/bin/sh") < 0)
		kmsg_say("/bin/sh: %s", strerrordesc_np(errno));
}

void boot_limits(void)
{
	/* fs.nr_open's default; per-CPU perf on 288 CPUs needs thousands */
	struct rlimit many = { .rlim_cur = 1048576, .rlim_max = 1048576 };
	struct err e;

	if (io_write_file(AT_FDCWD, "/proc/self/oom_score_adj", "-1000", &e))
		kmsg_say("%s", e.msg);
	if (setrlimit(RLIMIT_NOFILE, &many) < 0 &&
	    !getrlimit(RLIMIT_NOFILE, &many)) {
		many.rlim_cur = many.rlim_max;
		setrlimit(RLIMIT_NOFILE, &many);
	}
}

int boot_name(const char *box, struct err *e)
{
	struct ifreq rq = { .ifr_name = "lo" };
	int fd, rc = 0;

	if (sethostname(box, strlen(box)) < 0)
		return err_sys(e, "host name %s", box);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_sys(e, "socket");
	if (ioctl(fd, SIOCGIFFLAGS, &rq) < 0)
		rc = err_sys(e, "lo");
	rq.ifr_flags |= IFF_UP;
	if (!rc && ioctl(fd, SIOCSIFFLAGS, &rq) < 0)
		rc = err_sys(e, "lo up");
	close(fd);
	return rc;
}

/* A mount of its own, as far as a tmpfs on the root goes. */
static bool mounted(const char *path)
{
	struct stat a, b;

	return !stat(path, &a) && !stat("/", &b) && a.st_dev != b.st_dev;
}

static int sized(const char *path, mode_t mode, uint64_t bytes, bool keep,
		 struct err *e)
{
	unsigned long flags = MS_NOSUID | MS_NODEV;
	char options[64];

	snprintf(options, sizeof(options), "mode=%04o,size=%llu",
		 (unsigned int)mode, (unsigned long long)bytes);
	mkdir(path, mode);
	if (mounted(path)) {
		if (keep) /* shrinking below what is in it is refused */
			flags |= MS_REMOUNT;
		else if (umount2(path, MNT_DETACH) < 0)
			return err_sys(e, "unmount %s", path);
	}
	if (!mount("tmpfs", path, "tmpfs", flags, options))
		return 0;
	/* without CONFIG_TMPFS it takes no options, or does not exist */
	if (errno != EINVAL && errno != ENODEV)
		return err_sys(e, "tmpfs of %llu bytes on %s",
			       (unsigned long long)bytes, path);
	kmsg_say("%s has no limit: this kernel mounts no sized tmpfs", path);
	if (keep)
		return 0;
	if (io_remove_tree(AT_FDCWD, path, e))
		return -1;
	return mkdir(path, mode) < 0 ? err_sys(e, "%s", path) : 0;
}

int boot_memory(const struct conf_host *h, struct err *e)
{
	if (sized(BOOT_RESULTS, 0700, h->memory.results, true, e) ||
	    sized(BOOT_WORK, 0755, h->memory.work, false, e) ||
	    sized("/tmp", 01777, h->memory.tmp, false, e))
		return -1;
	return 0;
}

int boot_id(int root, char out[BOOT_ID_SZ], struct err *e)
{
	unsigned char byte;

	/*
	 * The file gives weak bits before the pool is ready, the same on two
	 * boots at worst; getrandom waits. Without RDRAND that takes 1 s.
	 */
	if (getrandom(&byte, 1, 0) != 1)
		return err_sys(e, "getrandom");
	return io_read_line(root, "proc/sys/kernel/random/boot_id", out,
			    BOOT_ID_SZ, e);
}
