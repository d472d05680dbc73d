// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Looking at a box that is to be borrowed, and making it known here. Taking it
 * over is borrow_take.c's.
 */
#include "borrow.h"
#include "enroll.h"
#include "io.h"
#include "num.h"
#include "spawn.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ANSWER_MAX = 65536, MEMORY_MIN_KB = 700000 };

/*
 * KEY=VALUE lines. Plain sh, and nothing that every distribution with systemd
 * does not have; -C strings are not used because values are names and numbers.
 */
static const char script[] =
	"set -- $SSH_CONNECTION\n"
	"dev=$(ip -o -4 addr show | awk -v a=\"$3\" "
	"'{ split($4, p, \"/\"); if (p[1] == a) { print $2; exit } }')\n"
	"sys=/sys/class/net/$dev\n"
	"echo uid=$(id -u)\n"
	"echo arch=$(uname -m)\n"
	"echo host=$(uname -n)\n"
	"echo release=$(uname -r)\n"
	"echo lockdown=$(sed -n 's/.*\\[\\(.*\\)\\].*/\\1/p' "
	"/sys/kernel/security/lockdown 2>/dev/null)\n"
	"echo disabled=$(cat /proc/sys/kernel/kexec_load_disabled 2>/dev/null)\n"
	"[ -d /run/systemd/system ] && echo systemd=yes\n"
	"command -v kexec >/dev/null && echo kexec=yes\n"
	"[ -e /run/initramfs/shutdown ] && echo shutdown=yes\n"
	"echo memory=$(sed -n 's/^MemTotal: *\\([0-9]*\\).*/\\1/p' "
	"/proc/meminfo)\n"
	"echo peer=$1\n"
	"echo nic=$dev\n"
	"echo address=$(ip -o -4 addr show dev \"$dev\" | "
	"awk -v a=\"$3\" 'index($4, a \"/\") == 1 { print $4; exit }')\n"
	"echo gateway=$(ip -4 route show default dev \"$dev\" | "
	"awk '{ print $3; exit }')\n"
	"echo mac=$(cat \"$sys/address\" 2>/dev/null)\n"
	"[ -e \"$sys/device\" ] && echo device=yes\n"
	"echo driver=$(basename \"$(readlink -f \"$sys/device/driver\")\")\n"
	"echo end=yes\n";

/* ---- what it said --------------------------------------------------------------- */

/* The value of the last line KEY=..., NULL: none or empty. Copied. */
static char *value(const char *text, const char *key)
{
	size_t n = strlen(key);
	const char *found = NULL;

	for (const char *l = text; *l; l += strcspn(l, "\n"), l += *l == '\n')
		if (!strncmp(l, key, n) && l[n] == '=')
			found = l + n + 1;
	if (!found || *found == '\n' || !*found)
		return NULL;
	return strndup(found, strcspn(found, "\n"));
}

static bool is(const char *text, const char *key, const char *wanted)
{
	char *v = value(text, key);
	bool same = v && !strcmp(v, wanted);

	free(v);
	return same;
}

/* What stands in the way; NULL: nothing that shows. */
static const char *obstacle(const char *text, char *lockdown)
{
	if (!is(text, "arch", "x86_64"))
		return "it is no x86_64 machine";
	if (lockdown && strcmp(lockdown, "none") != 0)
		return "its kernel is locked down (Secure Boot): it takes no "
		       "kernel from us";
	if (is(text, "disabled", "1"))
		return "kexec is switched off there "
		       "(kernel.kexec_load_disabled=1), until a reboot";
	if (!is(text, "disabled", "0"))
		return "its kernel has no kexec";
	if (!is(text, "systemd", "yes"))
		return "it does not run systemd: nothing there can unmount its "
		       "disks before the jump";
	if (!is(text, "device", "yes"))
		return "ssh came over an interface that is no device of its "
		       "own (bridge, bond, VLAN): give the box a host file by "
		       "hand and enroll it";
	if (!is(text, "kexec", "yes") && is(text, "shutdown", "yes"))
		return "it has no kexec-tools, and its /run/initramfs/shutdown "
		       "is taken: install kexec-tools there";
	return NULL;
}

static bool safe(const char *s, const char *more)
{
	for (; *s; s++)
		if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
		      (*s >= '0' && *s <= '9') || strchr(more, *s)))
			return false;
	return true;
}

/* A box may be named as it likes; here it is one word. */
static int name_it(struct borrow *b, char *host, struct err *e)
{
	host[strcspn(host, ".")] = '\0';
	snprintf(b->box, sizeof(b->box), "ssh-%.56s", host);
	for (char *p = b->box; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p + 32);
	if (!conf_name_ok(b->box))
		return err_set(e, ERR_UNSUPPORTED,
			       "its host name \"%.64s\" is none", host);
	return 0;
}

static int take_values(const char *text, struct borrow *b, struct err *e)
{
	char *memory = value(text, "memory"), *host = value(text, "host");
	int rc = 0;

	b->nic = value(text, "nic");
	b->mac = value(text, "mac");
	b->address = value(text, "address");
	b->gateway = value(text, "gateway");
	b->peer = value(text, "peer");
	b->driver = value(text, "driver");
	b->release = value(text, "release");
	b->kexec_tools = is(text, "kexec", "yes");
	if (!host || !memory || !b->nic || !b->mac || !b->address || !b->peer ||
	    !safe(b->mac, ":") || !safe(b->address, "./") ||
	    (b->gateway && !safe(b->gateway, ".")))
		rc = err_set(e, ERR_UNSUPPORTED,
			     "its network was not understood: IPv4, and `ip' "
			     "there, are needed");
	if (!rc)
		rc = num_i64(memory, 0, INT64_MAX, &b->memory_kb, e);
	if (!rc && b->memory_kb < MEMORY_MIN_KB)
		rc = err_set(e, ERR_UNSUPPORTED,
			     "it has %lld kB of memory, %d are needed",
			     (long long)b->memory_kb, MEMORY_MIN_KB);
	if (!rc)
		rc = name_it(b, host, e);
	free(memory);
	free(host);
	return rc;
}

int borrow_parse(const char *text, struct borrow *b, struct err *e)
{
	char *lockdown = value(text, "lockdown");
	const char *why = obstacle(text, lockdown);
	int rc = 0;

	if (!is(text, "end", "yes"))
		rc = err_set(e, ERR_PEER, "the box did not answer to the end");
	else if (!is(text, "uid", "0"))
		rc = err_set(e, ERR_INPUT, "ssh does not come in as root");
	else if (why)
		rc = err_set(e, ERR_UNSUPPORTED, "%s", why);
	if (!rc)
		rc = take_values(text, b, e);
	free(lockdown);
	return rc;
}

int borrow_probe(const char *target, struct borrow *b, struct err *e)
{
	const char *const argv[] = { "ssh", "-o", "BatchMode=yes", "-o",
				     "ConnectTimeout=20", target, script,
				     NULL };
	struct buf out = { 0 };
	int rc;

	*b = (struct borrow){ .target = strdup(target) };
	if (!b->target)
		return err_set(e, ERR_LIMIT, "out of memory");
	if (!safe(target, "@._:-[]%") || *target == '-')
		return err_set(e, ERR_INPUT, "--ssh %.80s: USER@HOST, or a "
					     "name in ~/.ssh/config",
			       target);
	rc = spawn_capture(argv, false, &out, ANSWER_MAX, e);
	/* the last test of the script may be the shell's status */
	if (rc && out.len && strstr(out.data, "end=yes"))
		rc = 0;
	if (!rc)
		rc = borrow_parse(buf_str(&out), b, e);
	buf_free(&out);
	return rc ? err_prefix(e, "%.80s", target) : 0;
}

void borrow_free(struct borrow *b)
{
	free(b->target);
	free(b->nic);
	free(b->mac);
	free(b->address);
	free(b->gateway);
	free(b->peer);
	free(b->driver);
	free(b->release);
	*b = (struct borrow){ .target = NULL };
}

/* ---- making it known ------------------------------------------------------------------ */

static const char mark[] = "# A borrowed box: written by `ironrig ab --ssh', "
			   "anew each time.\n";

/* A file of somebody else's is not overwritten. */
static int check_mine(const struct home *h, const char *path, struct err *e)
{
	struct buf b = { 0 };
	int rc;

	if (faccessat(h->fd, path, F_OK, 0) < 0)
		return 0;
	rc = io_read_file(h->fd, path, &b, 1 << 20, e);
	if (!rc && strncmp(buf_str(&b), mark, sizeof(mark) - 1) != 0)
		rc = err_set(e, ERR_CONFLICT,
			     "%s exists and was written by somebody: ab --box "
			     "is for boxes that are enrolled",
			     path);
	buf_free(&b);
	return rc;
}

/* For sh within a libconfig string: paths may hold anything but these. */
static int quote_path(const char *path, struct buf *out, struct err *e)
{
	if (strpbrk(path, "'\"\\\n"))
		return err_set(e, ERR_UNSUPPORTED,
			       "%.100s: a path with quotes cannot stand in a "
			       "power command",
			       path);
	buf_printf(out, "'%s'", path);
	return 0;
}

static int host_text(const struct home *h, const struct borrow *b,
		     const char *controller, struct buf *out, struct err *e)
{
	const struct passwd *pw = getpwuid(getuid());
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return err_sys(e, "/proc/self/exe");
	self[n] = '\0';
	buf_puts(out, mark);
	buf_printf(out, "group = \"%s\";\ncontroller = \"%s\";\nuser = \"%s\";\n",
		   b->box, controller, pw ? pw->pw_name : "ironrig");
	buf_printf(out, "net = { mac = \"%s\"; address = \"%s\";", b->mac,
		   b->address);
	if (b->gateway)
		buf_printf(out, " gateway = \"%s\";", b->gateway);
	buf_puts(out, " };\nboot = \"kexec\";\nborrowed = true;\n"
		      "panic = \"5s\";\nboot_deadline = \"300s\";\n");
	/* back in its own system after a failure, it is taken over again */
	buf_puts(out, "power = { cycle = \"exec ");
	if (quote_path(self, out, e))
		return -1;
	buf_puts(out, " --home ");
	if (quote_path(h->path, out, e))
		return -1;
	buf_printf(out, " ab --take %s\"; };\n", b->target);
	return buf_ok(out, e);
}

int borrow_enroll(const struct home *h, const struct borrow *b,
		  const char *controller, struct err *e)
{
	struct enroll ask = { .box = b->box };
	struct conf_controller c = { .address = NULL };
	struct strlist notes = { 0 };
	struct buf text = { 0 };
	char path[128];
	int rc;

	snprintf(path, sizeof(path), "conf/hosts/%s.cfg", b->box);
	rc = check_mine(h, path, e);
	if (!rc && !controller) {
		rc = conf_controller_load(h->fd, "conf/controller.cfg", &c,
					  NULL, e);
		controller = c.address;
	}
	if (!rc && !controller)
		rc = err_set(e, ERR_INPUT,
			     "where does the box reach this controller's sshd? "
			     "It sees us as %.60s: --controller %.60s:PORT",
			     b->peer, b->peer);
	if (!rc)
		rc = host_text(h, b, controller, &text, e);
	if (!rc)
		rc = io_replace_file(h->fd, path, text.data, text.len, 0600, e);
	if (!rc)
		rc = enroll_add(h, &ask, false, &notes, e);
	strlist_free(&notes);
	buf_free(&text);
	conf_controller_free(&c);
	return rc ? err_prefix(e, "box %s", b->box) : 0;
}
