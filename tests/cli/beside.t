#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpstat(1) and vmstat(8) beside our samples of the same seconds: idle within
# 5 points, context switches within 10 %. The three do not look at the same
# instant, so on a machine whose load jumps there are three tries.
. "$(dirname "$0")/../lib.sh"

command -v mpstat vmstat >/dev/null || skip_all "no mpstat and vmstat"

stamp() {
	echo "@$(date +%s%N)"
	cat /proc/stat
}

# One try: sets OUR_IDLE THEIR_IDLE OUR_CS THEIR_CS
try() {
	stamp >"$T/stat"
	bg "$T/vmstat" vmstat -n 2 2
	LC_ALL=C mpstat 2 1 >"$T/mpstat"
	stamp >>"$T/stat"
	wait "$BG_PID"
	THEIR_IDLE=$(awk '/^Average:.*all/ { print $NF }' "$T/mpstat")
	THEIR_CS=$(awk 'END { print $12 }' "$T/vmstat")
	OUR_IDLE=$(ironrig extract mpstat "$T/stat" |
		sed -n 's/^mpstat.cpu.all.idle%: //p')
	OUR_CS=$(ironrig extract vmstat "$T/stat" |
		sed -n 's/^vmstat.system.cs: //p')
}

agrees() { # OURS THEIRS POINTS PERCENT
	awk "BEGIN { d = $1 - $2; d = d < 0 ? -d : d
		exit !(d <= $3 + $4 * $2 / 100) }"
}

idle=1 cs=1
for _ in 1 2 3; do
	try
	diag "idle: $OUR_IDLE, mpstat $THEIR_IDLE; cs: $OUR_CS, vmstat $THEIR_CS"
	agrees "$OUR_IDLE" "$THEIR_IDLE" 5 0 && idle=0
	agrees "$OUR_CS" "$THEIR_CS" 200 10 && cs=0
	[ $idle$cs = 00 ] && break
done
tap_result $idle "idle agrees with mpstat's within 5 points"
tap_result $cs "context switches agree with vmstat's within 10 %"
nok "a difference would be seen" agrees 50 60 5 0
done_testing
