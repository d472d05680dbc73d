// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Loads modules through busybox modprobe in batches, and tells which firmware
 * their devices did not find. Which modules: modules.c.
 */
#include "image.h"
#include "io.h"
#include "kmsg.h"
#include "modload.h"
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>

#define BATCH	     32 /* names a modprobe: it reads its tables each time */
#define MODPROBE_MS  60000 /* NICs that load firmware take seconds */
#define LOG_READ_ALL 3 /* SYSLOG_ACTION_READ_ALL, syslog(2) */
#define LOG_MAX	     (1 << 20)

/* names[from..], up to BATCH of them, with one modprobe. */
static int batch(const struct strlist *names, size_t from, struct err *e)
{
	const char *argv[BATCH + 5] = { TOOL_BUSYBOX, "modprobe", "-a", "-q" };
	struct buf out = { 0 };
	size_t n = 4;
	int rc;

	for (size_t i = from; i < names->n && i < from + BATCH; i++)
		argv[n++] = names->v[i];
	rc = tool_run(argv, -1, MODPROBE_MS, &out, e);
	if (rc && e->kind == ERR_UNSUPPORTED) {
		/* a module refused; the others of the batch were tried */
		kmsg_say("%s", e->msg);
		rc = 0;
	}
	buf_free(&out);
	return rc;
}

int modload_run(int root, const struct modules *m, const struct strlist *extra,
		struct strlist *done, struct err *e)
{
	struct strlist seen = { 0 };
	int rc = 0;

	for (int pass = 0; !rc && pass < MODLOAD_PASSES; pass++) {
		struct strlist alias = { 0 };
		size_t had = done->n;

		rc = modules_aliases(root, &seen, &alias, e);

		for (size_t i = 0; !rc && i < extra->n; i++)
			rc = modules_name(m, extra->v[i], done, e);
		for (size_t i = 0; !rc && i < alias.n; i++)
			rc = modules_resolve(m, alias.v[i], done, e);
		strlist_free(&alias);
		for (size_t i = had; !rc && i < done->n; i += BATCH)
			rc = batch(done, i, e);
		if (done->n == had)
			break;
	}
	strlist_free(&seen);
	return rc;
}

bool modload_firmware(const char *line, char *out, size_t size)
{
	/* drivers/base/firmware_loader/main.c; the second is Debian's patch */
	static const char *const before[] = {
		"Direct firmware load for ",
		"firmware: failed to load ",
	};

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
		const char *at = strstr(line, before[i]);
		size_t len;

		if (!at)
			continue;
		at += strlen(before[i]);
		len = strcspn(at, " \n");
		if (!len || len >= size)
			continue;
		memcpy(out, at, len);
		out[len] = '\0';
		return true;
	}
	return false;
}

/* The module that names this file, from the list in the image: "MODULE FILE".
 */
static void module_of(const struct buf *list, const char *file, char *out,
		      size_t size)
{
	size_t len = strlen(file);

	for (const char *at = buf_str(list); (at = strstr(at, file));
	     at += len) {
		const char *start = at;

		if (at[len] != '\n' || at - list->data < 2 || at[-1] != ' ')
			continue;
		while (start > list->data && start[-1] != '\n')
			start--;
		snprintf(out, size, "%.*s", (int)(at - 1 - start), start);
		return;
	}
	snprintf(out, size, "a module");
}

void modload_say_firmware(int root)
{
	char *log = malloc(LOG_MAX), *save = NULL;
	char file[256], module[64];
	struct strlist said = { 0 };
	struct buf list = { 0 };
	int n = log ? klogctl(LOG_READ_ALL, log, LOG_MAX - 1) : -1;

	if (n <= 0)
		goto out;
	log[n] = '\0';
	if (io_read_file(root, IMAGE_FIRMWARE_MISSING, &list, LOG_MAX, NULL))
		buf_reset(&list); /* then no module is named */
	for (char *line = strtok_r(log, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!modload_firmware(line, file, sizeof(file)) ||
		    strlist_has(&said, file) || strlist_add(&said, file, NULL))
			continue;
		module_of(&list, file, module, sizeof(module));
		kmsg_say("firmware %s, which %s asks for, is not in the image",
			 file, module);
	}
	strlist_free(&said);
out:
	buf_free(&list);
	free(log);
}
