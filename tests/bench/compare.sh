#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# How long compare takes: 2 kernels x 5 boots x 500 stats (below 10 ms), 2 x 20
# x 5,000 (below 60 ms), and one pair in a store of 10,000 results (below
# 100 ms, memory flat). CPU time of the whole program, the least of several
# runs, as the machine is shared.

set -eu
TOP=$(cd "$(dirname "$0")/../.." && pwd)
: "${IRONRIG_BUILD:=$TOP/build}"
T=$(mktemp -d "${TMPDIR:-/tmp}/ironrig-bench.XXXXXX")
trap 'rm -rf "$T"' EXIT
failed=0

# Least CPU time (user and system) of ten runs, in ms, of a command.
cpu_ms() {
	local t best=999999

	for _ in 1 2 3 4 5 6 7 8 9 10; do
		t=$( (TIMEFORMAT='%U %S'; time "$@" >"$T/out" 2>&1) 2>&1 |
			awk '{ printf "%d", ($1 + $2) * 1000 }')
		[ "$t" -lt "$best" ] && best=$t
	done
	echo "$best"
}

# bench LIMIT_MS WHAT KERNELS BOOTS STATS [OTHERS]
bench() {
	local limit=$1 what=$2 home=$T/$1.$5 run text json kb

	shift 2
	"$IRONRIG_BUILD/bin/ironrig" --home "$home" init >/dev/null
	"$IRONRIG_BUILD/tests/bench/compare_data" "$home" "$@"
	run=("$IRONRIG_BUILD/bin/ironrig" --home "$home" compare k1 k2)
	text=$(cpu_ms "${run[@]}")
	json=$(cpu_ms "${run[@]}" --json)
	kb=$(command time -f %M "${run[@]}" 2>&1 >"$T/out" | tail -n 1) || :
	printf '%-38s %4d ms of %4d  (--json %4d ms)  %6s KB\n' "$what" \
		"$text" "$limit" "$json" "$kb"
	[ "$text" -le "$limit" ] && [ "$json" -le "$limit" ] || failed=1
}

printf 'ironrig --version, the cost of starting: %d ms\n' \
	"$(cpu_ms "$IRONRIG_BUILD/bin/ironrig" --version)"
bench 10 '2 kernels x 5 boots x 500 stats' 2 5 500
bench 60 '2 kernels x 20 boots x 5,000 stats' 2 20 5000
bench 100 'one pair, 10,000 results in the store' 2 5 50 10000
exit $failed
