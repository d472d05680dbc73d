// SPDX-License-Identifier: GPL-3.0-or-later
#include "klog.h"
#include "tap.h"

#include <sys/socket.h>
#include <unistd.h>

static int record_fd[2];
static struct klog k;

static void record(const char *text)
{
	if (send(record_fd[1], text, strlen(text), 0) < 0)
		perror("send");
}

static void test_records(void)
{
	record("6,1,5000007,-;eth0: link up\n SUBSYSTEM=net\n DEVICE=+n\n");
	record("14,2,6123456,-;agent: a program's line\n");
	klog_take(&k);
	is_str(buf_str(&k.text),
	       "[    5.000007] eth0: link up\n"
	       "[    6.123456] agent: a program's line\n",
	       "as dmesg shows them, keys left out");
	ok(k.kernel, "one of them is the kernel's");
	klog_sent(&k, strlen("[    5.000007] eth0: link up\n"));
	is_str(buf_str(&k.text), "[    6.123456] agent: a program's line\n",
	       "what is home is forgotten");
	klog_sent(&k, k.text.len);
	is_str(buf_str(&k.text), "", "all of it");
	ok(!k.kernel, "nothing of the kernel's is left");
	record("14,3,7000000,-;agent: another\n");
	klog_take(&k);
	ok(!k.kernel && k.text.len, "a program's line alone is not urgent");
	klog_sent(&k, k.text.len);
	record("no record\n");
	record(";\n");
	record("4,5,x,-;bad time\n");
	klog_take(&k);
	is_str(buf_str(&k.text), "", "what is no record is left out");
}

static void test_too_much(void)
{
	char text[1100] = "4,1,1000000,-;";
	size_t total = 0;

	memset(text + strlen(text), 'x', 1000);
	for (int i = 0; i < 3000; i++) {
		record(text);
		klog_take(&k);
		total += 1016;
	}
	ok(total > KLOG_MAX && k.text.len <= KLOG_MAX, "memory is bounded");
	is_str(strtok(k.text.data, "\n"),
	       "[ironrig: kernel messages left out]", "and the loss is said");
	is_str(strtok(NULL, " "), "[", "whole lines follow");
}

int main(void)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, record_fd))
		return 1;
	k.fd = record_fd[0];
	test_records();
	test_too_much();
	close(record_fd[1]);
	klog_take(&k);
	is_int(k.fd, -1, "an end is taken for one");
	buf_free(&k.text);
	return done_testing();
}
