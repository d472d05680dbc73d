#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# How the programs start: standard streams that are closed or full (an output
# nobody got is a failure, and no file of ours takes the place of a stream), and
# the agent as PID 1 of a container.
. "$(dirname "$0")/../lib.sh"

export IRONRIG_HOME=$T/home
cd "$T" || bail "no $T"
printf '1\n2\n3\n' >values
ironrig init >init.out || bail 'init'

for words in -h --version 'compare -h' status fsck 'compare --values values values'; do
	# shellcheck disable=SC2086
	OUT=$(ironrig $words 2>&1 >/dev/full)
	is $? 1 "full: ironrig $words"
	like "$OUT" 'No space left' 'and says why'
	# shellcheck disable=SC2086
	exits 1 "closed: ironrig $words" sh -c "exec $BIN/ironrig $words >&-"
done
exits 1 'full: ironrig-agent -h' sh -c "exec $BIN/ironrig-agent -h >/dev/full"
exits 1 'closed: ironrig-agent --version' sh -c "exec $BIN/ironrig-agent --version >&-"

# where descriptors go while files are written
if command -v strace >/dev/null; then
	strace -f -qq -e trace=openat,open -o trace sh -c "exec $BIN/ironrig enroll \
		b1 --mac 02:00:00:00:00:01 --controller 127.0.0.1:2222 \
		<&- 2>&-" >enroll.out
	# libraries, and what sanitizers read of /proc, are closed before main()
	is "$(grep -Ev '"/dev/null"|"/proc/|\.so[.0-9]*"|ld\.so\.cache' trace |
		grep -E ' = [02]$')" '' 'closed streams: no file takes their place'
	ok 'and the box is known' test -s "$IRONRIG_HOME/conf/hosts/b1.cfg"
else
	skip 'no strace' 2
fi

# PID 1 of a container, not of a box: what was asked for, and no reboot
pid1() {
	unshare --user --map-root-user --pid --fork "$BIN/ironrig-agent" "$@"
}
if unshare --user --map-root-user --pid --fork true 2>/dev/null; then
	is "$(pid1 --version 2>&1)" "$("$BIN/ironrig-agent" --version)" 'PID 1: --version'
	exits 2 'PID 1: --once with wrong words is a usage error' pid1 --once --x
else
	skip 'no user namespaces' 2
fi

done_testing
