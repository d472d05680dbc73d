// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Proves that the image in memory is the one that was sent: manifests against
 * the command line, files against manifests, the kernel against its name.
 * What to do about a box that is not whole is the session's decision.
 */
#include "members.h"
#include "image.h"
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MANIFEST_MAX (8 << 20) /* 100000 files of 80 bytes a line */
#define HEX_LEN	     (SHA256_HEX - 1)

static int add(struct strlist *bad, struct err *e, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

static int add(struct strlist *bad, struct err *e, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	return strlist_add(bad, line, e);
}

static bool hex(const char *s, size_t n)
{
	return n == HEX_LEN && strspn(s, "0123456789abcdef") >= n;
}

int members_word(const char *word, char name[65], char id[SHA256_HEX],
		 struct err *e)
{
	const char *colon = strchr(word, ':');
	size_t len = colon ? (size_t)(colon - word) : 0;

	if (!len || len > 64 || strlen(colon + 1) != HEX_LEN ||
	    !hex(colon + 1, HEX_LEN) || memchr(word, '/', len))
		return err_set(e, ERR_FORMAT, "\"%.100s\" is not NAME:SHA256",
			       word);
	memcpy(name, word, len);
	name[len] = '\0';
	memcpy(id, colon + 1, SHA256_HEX);
	return 0;
}

/* The next word before a comma into out (128 bytes); NULL at the end. */
static const char *next(const char *spec, char out[160])
{
	size_t len = strcspn(spec, ",");

	if (!*spec)
		return NULL;
	snprintf(out, 160, "%.*s", (int)(len < 159 ? len : 159), spec);
	return spec + len + (spec[len] == ',');
}

int members_names(const char *spec, struct strlist *names, struct err *e)
{
	char word[160], name[65], id[SHA256_HEX];

	while ((spec = next(spec, word)))
		if (members_word(word, name, id, e) ||
		    strlist_add(names, name, e))
			return -1;
	return 0;
}

/* "SHA256  PATH": one file. */
static int check_file(int root, const char *member, char *line,
		      struct strlist *bad, struct err *e)
{
	char got[SHA256_HEX];
	char *path = line + HEX_LEN + 2;
	struct err why = ERR_INIT;
	struct stat st;

	if (strlen(line) < HEX_LEN + 3 || !hex(line, HEX_LEN) ||
	    strncmp(line + HEX_LEN, "  ", 2) != 0)
		return add(bad, e, "member %s: manifest: line \"%.100s\"",
			   member, line);
	path += strspn(path, "/");
	/* a link would be followed out of root, and is in no manifest */
	if (fstatat(root, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return add(bad, e, "member %s: %s: %s", member, path,
			   errno == ENOENT ? "missing"
					   : strerrordesc_np(errno));
	if (!S_ISREG(st.st_mode))
		return add(bad, e, "member %s: %s: not a file", member, path);
	if (sha256_file(root, path, got, &why))
		return add(bad, e, "member %s: %s", member, why.msg);
	if (memcmp(got, line, HEX_LEN) != 0)
		return add(bad, e, "member %s: %s: altered or cut (%lld bytes)",
			   member, path, (long long)st.st_size);
	return 0;
}

static int check_member(int root, const char *member, const char *want,
			struct strlist *bad, struct err *e)
{
	char path[160], got[SHA256_HEX];
	struct buf text = { 0 };
	struct err why = ERR_INIT;
	char *save = NULL;
	int rc = 0;

	snprintf(path, sizeof(path), IMAGE_MEMBERS_DIR "/%s", member);
	if (sha256_file(root, path, got, &why))
		return add(bad, e, "member %s: missing or cut: %s", member,
			   why.msg);
	if (strcmp(got, want) != 0)
		return add(bad, e,
			   "member %s: its manifest is not the one that the "
			   "command line names",
			   member);
	if (io_read_file(root, path, &text, MANIFEST_MAX, &why))
		return add(bad, e, "member %s: %s", member, why.msg);
	for (char *line = strtok_r(text.data, "\n", &save); line && !rc;
	     line = strtok_r(NULL, "\n", &save))
		rc = check_file(root, member, line, bad, e);
	buf_free(&text);
	return rc;
}

int members_check(int root, const struct cmdline *c, struct strlist *bad,
		  struct err *e)
{
	const char *spec = cmdline_get(c, IMAGE_ARG_MEMBERS);
	char word[160], name[65], want[SHA256_HEX];
	struct err why = ERR_INIT;

	if (!spec || !*spec)
		return add(bad, e,
			   "no " IMAGE_ARG_MEMBERS "= on the command line");
	while ((spec = next(spec, word))) {
		int rc;

		if (members_word(word, name, want, &why))
			rc = add(bad, e, IMAGE_ARG_MEMBERS "=: %s", why.msg);
		else
			rc = check_member(root, name, want, bad, e);
		if (rc)
			return -1;
	}
	return 0;
}

static int differ(struct strlist *bad, struct err *e, const char *what,
		  const char *want, const char *got)
{
	if (!strcmp(want, got) || !strcmp(want, "-"))
		return 0;
	return add(bad, e, "kernel: %s is %.128s, not %.128s", what, got, want);
}

int members_kernel(int root, const struct cmdline *c, const struct utsname *u,
		   struct strlist *bad, struct err *e)
{
	const char *word = cmdline_get(c, IMAGE_ARG_KERNEL);
	char name[65], id[SHA256_HEX], *line[3], *save = NULL;
	struct buf text = { 0 };
	struct err why = ERR_INIT;
	int n = 0, rc;

	if (!word)
		return add(bad, e,
			   "no " IMAGE_ARG_KERNEL "= on the command line");
	if (members_word(word, name, id, &why))
		return add(bad, e, IMAGE_ARG_KERNEL "=: %s", why.msg);
	if (io_read_file(root, IMAGE_KERNEL_FILE, &text, 4096, &why)) {
		rc = add(bad, e, "kernel: %s", why.msg);
		buf_free(&text);
		return rc;
	}
	for (char *l = strtok_r(text.data, "\n", &save); l && n < 3;
	     l = strtok_r(NULL, "\n", &save))
		line[n++] = l;
	if (n < 3)
		rc = add(bad, e, "kernel: " IMAGE_KERNEL_FILE " is cut");
	else
		rc = differ(bad, e, "identity", line[0], word) ||
		     differ(bad, e, "release", line[1], u->release) ||
		     differ(bad, e, "version", line[2], u->version);
	buf_free(&text);
	return rc ? -1 : 0;
}
