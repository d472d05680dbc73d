// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Lines on the console, in the agent's log and in the kernel's log. What is
 * worth a line is the callers' business.
 */
#include "kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OFFER_MS  100
#define LINE_MAX_ 512 /* LOG_LINE_MAX of kernel/printk is 1024 less prefix */

static struct {
	int console, log;
	char box[65];
} out = { .console = 2, .log = -1 };

void kmsg_console(int fd)
{
	out.console = fd;
}

void kmsg_log(int fd)
{
	out.log = fd;
}

void kmsg_box(const char *name)
{
	snprintf(out.box, sizeof(out.box), "%s", name);
}

/* "PREFIXironrig: [box NAME: ]text\n"; the length. */
static size_t line(char *to, const char *prefix, const char *fmt, va_list ap)
{
	size_t at;

	snprintf(to, LINE_MAX_, "%sironrig: %s%s%s", prefix,
		 *out.box ? "box " : "", out.box, *out.box ? ": " : "");
	at = strlen(to);
	vsnprintf(to + at, LINE_MAX_ - 1 - at, fmt, ap);
	at = strlen(to);
	for (size_t i = 0; i < at; i++)
		if ((unsigned char)to[i] < ' ' || to[i] == 127)
			to[i] = ' ';
	to[at++] = '\n';
	to[at] = '\0';
	return at;
}

/*
 * A console is opened non-blocking, but a pipe in its place may not be. A tty
 * takes nothing while 256 characters wait in it, which is 22 ms of a serial
 * line: waiting that long keeps a burst whole, waiting for ever would let a
 * stuck line stop PID 1.
 */
static void offer(int fd, const char *text, size_t n)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	if (poll(&p, 1, OFFER_MS) == 1 && write(fd, text, n) < 0)
		return;
}

void kmsg_say(const char *fmt, ...)
{
	char text[LINE_MAX_];
	struct stat st;
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	n = line(text, "", fmt, ap);
	va_end(ap);
	offer(out.console, text, n);
	if (out.log >= 0 && !fstat(out.log, &st) && st.st_size < KMSG_LOG_MAX)
		offer(out.log, text, n);
}

void kmsg_note(const char *fmt, ...)
{
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	char text[LINE_MAX_];
	va_list ap;
	size_t n;

	if (fd < 0)
		return;
	va_start(ap, fmt);
	n = line(text, "<5>", fmt, ap); /* KERN_NOTICE */
	va_end(ap);
	/* poll(2) there tells of reading only; writing never waits */
	if (write(fd, text, n) < 0)
		kmsg_say("/dev/kmsg: %s", strerrordesc_np(errno));
	close(fd);
}
