// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * unix_socket: each task sends 100 bytes to itself through a pair of connected
 * UNIX stream sockets.
 *
 * Measures allocation and freeing of an skb, the two socket queues and their
 * locks, the copies. Sender and receiver are one task, so nobody sleeps. Does
 * not measure wake-ups (context_switch_pipe does), descriptor passing or the
 * network stack. One operation is one message: one send and one receive.
 */
#include "scale.h"

#include <sys/socket.h>

static int prepare(struct scale_task *t, struct err *e)
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, t->fd) ?
		       err_sys(e, "socketpair") : 0;
}

static int loop(struct scale_task *t, struct err *e)
{
	char message[100] = { 0 };

	while (!scale_stop(t)) {
		if (send(t->fd[0], message, sizeof(message), 0) !=
		    sizeof(message))
			return err_sys(e, "send");
		if (recv(t->fd[1], message, sizeof(message), 0) !=
		    sizeof(message))
			return err_sys(e, "recv");
		scale_count(t, 1);
	}
	return 0;
}

const struct scale_workload unix_socket_workload = {
	.name = "unix_socket",
	.what = "100 bytes through the task's own UNIX stream sockets",
	.calls = 2,
	.prepare = prepare,
	.loop = loop,
};
