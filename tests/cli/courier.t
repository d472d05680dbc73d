#!/bin/bash
# The courier: one connection for many calls, a child that dies, a connection
# that is lost, files that grow while they are sent, the kernel's messages.
# shellcheck disable=SC2317 # functions that ok calls
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/sshd.sh
. "$TOP/tests/sshd.sh"

sshd_setup
sshd_start

# drive [NAME FILE]: starts the driver; lines for it go to descriptor 5
drive() {
	rm -f "$T/in"
	mkfifo "$T/in"
	: >"$T/said"
	"$IRONRIG_BUILD/tests/courier" "127.0.0.1:$SSHD_PORT" "$(id -un)" \
		"$T/box" "$T/known_hosts" "$@" <"$T/in" >"$T/said" \
		2>"$T/err" &
	DRIVER=$!
	BG_PIDS+=("$DRIVER")
	exec 5>"$T/in"
}

tell() { echo "$*" >&5; }

# finish: no more lines; the driver's exit status in $left
finish() {
	exec 5>&-
	wait "$DRIVER" && left=0 || left=$?
}

answers() { wc -l <"$T/said"; }
has_answers() { [ "$(answers)" -ge "$1" ]; }

# ask WORDS...: one call, its answer
ask() {
	local n

	n=$(answers)
	tell call "$@"
	wait_for 20 has_answers $((n + 1))
	tail -n 1 "$T/said"
}

# The driver's child called courier; its feeder has another name.
courier_pid() {
	local pid pids

	COURIER=
	# one line without its newline: read's own status says nothing
	read -ra pids <"/proc/$DRIVER/task/$DRIVER/children"
	for pid in "${pids[@]}"; do
		[ "$(cat "/proc/$pid/comm")" != courier ] || COURIER=$pid
	done
	[ -n "$COURIER" ]
}

logins() { grep -c 'Accepted publickey' "$T/sshd.log"; }
logged() { grep -q "$1" "$CTL/log"; }

# ---- calls ----

drive
is "$(ask hello)" "answer hello box 1700000000 1.0" "a call is answered"
for _ in 1 2 3 4 5; do ask hello >/dev/null; done
is "$(logins)" 1 "six calls are one connection"
is "$(ask nonsense)" "error peer controller refuses: input: no such verb" \
	"a refusal is final"
is "$(ask hello)" "answer hello box 1700000000 1.0" "and harms nothing"
is "$(logins)" 1 "not even the connection"
head -c 3000000 /dev/urandom >"$CTL/data"
tell get "$T/got" get data
wait_for 20 has_answers 9
ok "get: the data is there" cmp "$CTL/data" "$T/got"

courier_pid
kill -KILL "$COURIER"
is "$(ask hello)" "answer hello box 1700000000 1.0" \
	"a courier that died is started again"
is "$(logins)" 2 "and connects again"
for pid in $(ps -o pid= --ppid "$SSHD_PID"); do
	pkill -KILL -P "$pid"
	kill -KILL "$pid" 2>/dev/null
done
is "$(ask hello)" "answer hello box 1700000000 1.0" \
	"so does one that has lost its connection"

# ---- the kernel's messages ----

tell kmsg '6,100,5123456,-;eth0: link up'
ok "what the kernel prints is sent without a call" wait_for 10 \
	logged '^\[    5.123456\] eth0: link up$'
tell kmsg '14,101,6000000,-;agent: phase tune'
tell kmsg '12,102,6000001,-;agent: phase run'
is "$(ask hello)" "answer hello box 1700000000 1.0" "a call meanwhile"
ok "what programs print waits for traffic, and goes then" wait_for 10 \
	logged 'agent: phase run'
is "$(grep -c 'agent: phase tune' "$CTL/log")" 1 "once"
sshd_stop
tell kmsg '4,104,8000000,-;WARNING: while nobody listens'
ok "the loss is said" wait_for 10 grep -q '^courier: ' "$T/err"
sshd_start
ok "what could not be sent is sent later" wait_for 20 \
	logged 'WARNING: while nobody listens'
courier_pid
tell kmsg '13,105,9000000,-;agent: the end'
finish
is "$left" 0 "the driver ends"
ok "last words are sent at the end" grep -q 'agent: the end' "$CTL/log"
ok "the courier ended with it" ended "$COURIER"

# ---- files that grow ----

part_has() { [ "$(stat -c %s "$CTL/part.r")" -ge "$1" ]; }
grow() { # grow PIECES: starts a put, that many pieces there
	rm -f "$CTL"/part.* "$CTL"/done.* "$CTL/hold" "$CTL/taken"
	echo $((4 << 20)) >"$CTL/size.r"
	drive r "$T/r"
	for ((i = 0; i < $1; i++)); do tell piece; done
	wait_for 20 part_has $((($1 - 1) << 20))
}
arrived() { [ "$left" = 0 ] && cmp "$T/r" "$CTL/done.r"; }

grow 3
ok "a part is there before the file is complete" part_has $((2 << 20))
tell piece
tell whole
finish
ok "a growing file arrives" arrived
is "$(cat "$T/said")" "stored $(sha256sum <"$T/r" | cut -c1-64)" \
	"its hash is told"

grow 3
courier_pid
kill -KILL "$COURIER"
tell piece
tell whole
finish
ok "a courier killed half-way: it arrives" arrived
ok "the death was said" grep -q '^courier: died' "$T/err"

grow 4
: >"$CTL/hold"
tell whole
wait_for 10 [ -e "$CTL/taken" ]
courier_pid
kill -KILL "$COURIER"
rm "$CTL/hold"
finish
ok "a courier killed behind the end of packing: it arrives" arrived

grow 2
tell spoilt
finish
is "$left" 1 "packing that failed is a failure"
ok "and is named" grep -q '^error format .*packing failed' "$T/said"
ok "nothing is stored" [ ! -e "$CTL/done.r" ]
done_testing
