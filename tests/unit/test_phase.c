// SPDX-License-Identifier: GPL-3.0-or-later
#include "phase.h"
#include "tap.h"

#include <sys/socket.h>
#include <unistd.h>

static void good_ones(void)
{
	struct err e = ERR_INIT;
	struct phase_msg m;

	ok(!phase_parse("phase run 2500", &m, &e) && m.verb == PHASE_SET,
	   "phase");
	is_str(m.text, "run", "its name");
	is_int(m.number, 2500, "its time");
	ok(!phase_parse("phase try 1\n", &m, &e), "as a shell's echo writes");
	ok(!phase_parse("last kexec", &m, &e) && m.op == LAST_KEXEC, "last");
	ok(!phase_parse("fallback halt", &m, &e) && m.op == LAST_HALT,
	   "fallback");
	ok(!phase_parse("good", &m, &e) && m.verb == PHASE_GOOD, "good");
}

static void bad_ones(void)
{
	static const char *const bad[] = {
		"",
		"phase",
		"phase a",
		"phase a b",
		"phase a -1",
		"phase a 1 2",
		"last",
		"last none",
		"last sleep",
		"good day",
		"fallback off",
		"Phase a 1",
		"phase a 99999999999999999999",
	};
	struct err e = ERR_INIT;
	struct phase_msg m;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(phase_parse(bad[i], &m, &e) && e.kind == ERR_FORMAT,
		   "refused: \"%s\"", bad[i]);
}

static void over_a_socket(void)
{
	struct err e = ERR_INIT;
	struct phase_msg m;
	char text[PHASE_TEXT];
	ssize_t n;
	int fd[2];

	ok(!phase_pair(fd, &e), "pair");
	phase_set(fd[1], "modules", 7);
	phase_box(fd[1], "vbox1");
	n = recv(fd[0], text, sizeof(text) - 1, MSG_DONTWAIT);
	text[n > 0 ? n : 0] = '\0';
	is_str(text, "phase modules 7", "a message is a packet");
	n = recv(fd[0], text, sizeof(text) - 1, MSG_DONTWAIT);
	text[n > 0 ? n : 0] = '\0';
	ok(!phase_parse(text, &m, &e), "the next one, too");
	is_str(m.text, "vbox1", "with its text");
	phase_answer(fd[0], NULL);
	ok(!phase_watchdog(fd[1], "/dev/watchdog0", 60, &e), "answer ok");
	phase_answer(fd[0], "watchdog: no such device");
	ok(phase_watchdog(fd[1], "/dev/watchdog0", 60, &e), "answer error");
	is_str(e.msg, "watchdog: no such device", "with its reason");
	close(fd[0]);
	ok(phase_watchdog(fd[1], "/dev/watchdog0", 60, &e) &&
		   e.kind == ERR_PEER,
	   "the other side is gone: no signal, no wait");
	close(fd[1]);
}

int main(void)
{
	good_ones();
	bad_ones();
	over_a_socket();
	return done_testing();
}
