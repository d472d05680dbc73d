// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * /dev/kmsg records to text. One read(2) gives one record:
 * "PRIORITY,SEQUENCE,MICROSECONDS,FLAGS[,...];TEXT", then lines of KEY=value
 * that start with a blank and are of no use here.
 */
#include "klog.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* CONSOLE_EXT_LOG_MAX of kernel/printk is 8192. */
#define RECORD_MAX 8192

/* A number and the comma behind it; false when there are not both. */
static bool field(const char **p, unsigned long long *v)
{
	char *end;

	if (**p < '0' || **p > '9')
		return false;
	*v = strtoull(*p, &end, 10);
	*p = end + 1;
	return *end == ',';
}

static void add_line(struct klog *k, const char *line)
{
	const char *text = strchr(line, ';');
	unsigned long long prio, seq, us;

	if (!text || !field(&line, &prio) || !field(&line, &seq) ||
	    !field(&line, &us))
		return;
	/* The facility is above three bits of level; the kernel's own is 0. */
	if (prio >> 3 == 0)
		k->kernel = true;
	buf_printf(&k->text, "[%5llu.%06llu] %s\n", us / 1000000,
		   us % 1000000, text + 1);
}

/* Drops whole lines from the front until half of the room is free. */
static void make_room(struct klog *k)
{
	static const char mark[] = "[ironrig: kernel messages left out]\n";
	size_t drop = k->text.len - KLOG_MAX / 2;
	char *nl = memchr(k->text.data + drop, '\n', k->text.len - drop);
	struct buf b = { 0 };

	buf_add(&b, mark, sizeof(mark) - 1);
	if (nl)
		buf_add(&b, nl + 1,
			k->text.len - (size_t)(nl + 1 - k->text.data));
	buf_free(&k->text);
	k->text = b;
}

void klog_take(struct klog *k)
{
	struct pollfd p = { .fd = k->fd, .events = POLLIN };
	char got[RECORD_MAX + 1];

	while (k->fd >= 0 && poll(&p, 1, 0) > 0) {
		ssize_t n = read(k->fd, got, RECORD_MAX);
		char *line, *rest;

		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0 && errno == EPIPE) {
			/* We were too slow: the ring has overtaken us. */
			buf_puts(&k->text,
				 "[ironrig: kernel messages overwritten]\n");
			continue;
		}
		if (n <= 0) {
			k->fd = -1;
			return;
		}
		got[n] = '\0';
		for (line = strtok_r(got, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest))
			add_line(k, line);
		if (k->text.len > KLOG_MAX)
			make_room(k);
	}
}

void klog_sent(struct klog *k, size_t n)
{
	memmove(k->text.data, k->text.data + n, k->text.len - n + 1);
	k->text.len -= n;
	k->kernel = k->kernel && k->text.len;
}
