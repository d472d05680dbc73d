// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What single values must look like: names, addresses, CPU lists, regular
 * expressions. Which key has which form stands in conf_schema.c.
 */
#include "conf_form.h"
#include "plain.h"
#include "conf.h"
#include "cpulist.h"

#include <arpa/inet.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define LOWER  "abcdefghijklmnopqrstuvwxyz"
#define UPPER  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"
#define ALNUM  LOWER UPPER DIGITS

/* 1..max bytes of chars, the first of them of first */
static bool made_of(const char *s, size_t max, const char *first,
		    const char *chars)
{
	size_t len = strlen(s);

	return len && len <= max && strchr(first, *s) &&
	       strspn(s, chars) == len;
}

bool conf_name_ok(const char *s)
{
	return made_of(s, 64, ALNUM, ALNUM "._+-");
}

static bool shell_ok(const char *s)
{
	return s[strspn(s, " \t\r\n")] != '\0';
}

static bool mac_ok(const char *s)
{
	for (int i = 0; i < 17; i++) {
		bool good = i % 3 == 2 ? s[i] == ':'
				       : s[i] && strchr(DIGITS "abcdefABCDEF",
							s[i]);

		if (!good)
			return false;
	}
	/* the lowest bit of the first byte marks group addresses */
	return !s[17] && strchr("02468aceACE", s[1]);
}

static bool ip_ok(const char *s)
{
	unsigned char addr[16];

	return inet_pton(AF_INET, s, addr) == 1 ||
	       inet_pton(AF_INET6, s, addr) == 1;
}

static bool prefix_ok(const char *s)
{
	const char *slash = strchr(s, '/');
	char addr[64];
	uint64_t bits;

	if (!slash || slash - s >= (int)sizeof(addr))
		return false;
	memcpy(addr, s, (size_t)(slash - s));
	addr[slash - s] = '\0';
	return ip_ok(addr) && strlen(slash + 1) <= 3 &&
	       !num_u64(slash + 1, strchr(addr, ':') ? 128 : 32, &bits, NULL);
}

static bool port_ok(const char *s)
{
	uint64_t port;

	return !num_u64(s, 65535, &port, NULL) && port;
}

static bool hostport_ok(const char *s)
{
	const char *colon = strrchr(s, ':');
	char host[256];
	size_t n = colon ? (size_t)(colon - s) : 0;

	if (!n || n >= sizeof(host) || !port_ok(colon + 1))
		return false;
	memcpy(host, s, n);
	host[n] = '\0';
	if (*host == '[' && host[n - 1] == ']') {
		host[n - 1] = '\0';
		return strchr(host, ':') && ip_ok(host + 1);
	}
	return made_of(host, 253, ALNUM, ALNUM ".-");
}

/* net/core/dev.c: dev_valid_name() */
static bool nic_ok(const char *s)
{
	return made_of(s, 15, ALNUM "_", ALNUM "_.-@");
}

static bool cpulist_ok(const char *s)
{
	struct cpulist c;

	return *s && !strchr(s, '\n') && !cpulist_parse(s, &c, NULL);
}

/*
 * glibc's regcomp copies what a repetition repeats, so "((a+)+)+" and "a++++"
 * double with every sign, and a back reference can take exponential time. One
 * group, single repetitions of at most 255, no back references: then an
 * expression of 256 bytes is harmless, wherever the job file comes from.
 */
static bool regex_tame(const char *s)
{
	bool repeated = false, bracket = false;
	unsigned int groups = 0;

	if (strlen(s) > 256)
		return false;
	for (const char *p = s; *p; p++) {
		bool repeats = !bracket && strchr("*+?{", *p);

		if (repeats && repeated)
			return false;
		repeated = repeats;
		if (bracket) {
			bracket = *p != ']';
		} else if (*p == '\\') {
			if (!*++p || strchr("123456789", *p))
				return false;
		} else if (*p == '[') {
			bracket = true;
			p += p[1] == '^';
			p += p[1] == ']';
		} else if (*p == '(') {
			groups++;
		} else if (*p == '{') {
			if (strtol(p + 1, NULL, 10) > 255)
				return false;
			p += strcspn(p, ",}");
			if (*p == ',' && strtol(p + 1, NULL, 10) > 255)
				return false;
			p += strcspn(p, "}");
			if (!*p)
				return false;
		}
	}
	return groups == 1;
}

static bool regex_ok(const char *s)
{
	regex_t re;
	bool one;

	if (!regex_tame(s) || regcomp(&re, s, REG_EXTENDED | REG_NEWLINE))
		return false;
	one = re.re_nsub == 1;
	regfree(&re);
	return one;
}

/* "mpstat.cpu.all.idle%", "interrupts.CAL:Function_call_interrupts" */
static bool stat_ok(const char *s)
{
	size_t len = strlen(s);

	return len && len <= 128 && !strchr(s, ' ') && plain_is(s);
}

/* Relative, and every part a name: nothing leaves the folder. */
static bool file_ok(const char *s)
{
	if (!plain_is(s) || strlen(s) > 255)
		return false;
	for (;;) {
		size_t n = strcspn(s, "/");

		if (!n || (n == 1 && *s == '.') ||
		    (n == 2 && s[0] == '.' && s[1] == '.'))
			return false;
		if (!s[n])
			return true;
		s += n + 1;
	}
}

static bool path_ok(const char *s)
{
	return *s == '/' && plain_is(s) && strlen(s) < 4096;
}

static bool env_ok(const char *s)
{
	size_t n = strspn(s, ALNUM "_");

	return n && s[n] == '=' && !strchr(DIGITS, *s);
}

static bool param_ok(const char *s)
{
	return made_of(s, 64, LOWER, LOWER DIGITS "_");
}

static bool digest_ok(const char *s)
{
	return made_of(s, 64, DIGITS "abcdef", DIGITS "abcdef") &&
	       strlen(s) == 64;
}

static bool hex_ok(const char *s)
{
	return made_of(s, 128, DIGITS "abcdef", DIGITS "abcdef");
}

static bool url_ok(const char *s)
{
	return (!strncmp(s, "http://", 7) || !strncmp(s, "https://", 8)) &&
	       plain_is(s) && !strchr(s, ' ');
}

static bool console_ok(const char *s)
{
	return made_of(s, 64, ALNUM, ALNUM ",");
}

static bool module_ok(const char *s)
{
	return made_of(s, 64, ALNUM "_", ALNUM "_-");
}

static bool user_ok(const char *s)
{
	return made_of(s, 32, LOWER "_", LOWER DIGITS "_-");
}

const struct conf_form
	conf_form_name = { conf_name_ok,
			   "a name of up to 64 letters, digits and . _ + -, "
			   "beginning with a letter or digit",
			   NULL },
	conf_form_line = { plain_is, "one line of text", NULL },
	conf_form_shell = { shell_ok, "a shell command", NULL },
	conf_form_mac = { mac_ok,
			  "the MAC address of one card, such as "
			  "52:54:00:00:00:01",
			  NULL },
	conf_form_prefix = { prefix_ok,
			     "an address with prefix length, such as "
			     "192.0.2.7/24",
			     NULL },
	conf_form_ip = { ip_ok, "an address such as 192.0.2.1", NULL },
	conf_form_hostport = { hostport_ok,
			       "host:port, such as ctl.example:22 or "
			       "[2001:db8::1]:22",
			       NULL },
	conf_form_nic = { nic_ok, "an interface name such as eth0", NULL },
	conf_form_cpulist = { cpulist_ok, "a CPU list such as 0-3,8", NULL },
	conf_form_regex = { regex_ok,
			    "a POSIX extended regular expression of at most "
			    "256 bytes with exactly one (group)",
			    NULL },
	conf_form_stat = { stat_ok,
			   "the name of a stat, such as scale.per_thread_ops",
			   NULL },
	conf_form_file = { file_ok, "a relative file name without ..", NULL },
	conf_form_glob = { file_ok, "a relative pattern without ..", NULL },
	conf_form_env = { env_ok, "NAME=value", NULL },
	conf_form_param = { param_ok, "a name of small letters, digits and _",
			    NULL },
	conf_form_digest = { digest_ok, "64 hex digits", NULL },
	conf_form_hex = { hex_ok, "hex digits", NULL },
	conf_form_url = { url_ok, "an address that begins with http://", NULL },
	conf_form_console = { console_ok, "a serial line such as ttyS0,115200",
			      NULL },
	conf_form_path = { path_ok, "an absolute file name", NULL },
	conf_form_module = { module_ok, "the name of a kernel module", NULL },
	conf_form_user = { user_ok, "the name of an account", NULL };

static bool any_ok(const char *s)
{
	(void)s;
	return true;
}

const struct conf_form conf_form_clean = { any_ok, "text", NULL };

int conf_form_choice(const char *choice, const char *s)
{
	size_t len = strlen(s);

	for (int i = 0; *choice; i++) {
		size_t n = strcspn(choice, "|");

		if (n == len && !memcmp(choice, s, n))
			return i;
		choice += n + (choice[n] == '|');
	}
	return -1;
}

bool conf_form_ok(const struct conf_form *f, const char *s)
{
	return f->choice ? conf_form_choice(f->choice, s) >= 0 : f->ok(s);
}
