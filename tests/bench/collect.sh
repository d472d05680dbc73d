#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# How many results a second collect takes in: COUNT (1,000) copies of one run
# of 60 samples on this machine, each with a lease of its own; its peak memory
# for 100 and for all of them, which should be the same. Then what a query
# costs in that store.

set -eu
TOP=$(cd "$(dirname "$0")/../.." && pwd)
: "${IRONRIG_BUILD:=$TOP/build}" "${COUNT:=1000}"
T=$(mktemp -d "${TMPDIR:-/tmp}/ironrig-bench.XXXXXX")
trap 'rm -rf "$T"' EXIT
IR=$IRONRIG_BUILD/bin/ironrig
export IRONRIG_HOME=$T/home

mkdir -p "$T/r/monitor"
for f in stat meminfo vmstat interrupts softirqs; do
	for ((i = 1; i <= 60; i++)); do
		echo "@${i}000000000"
		cat "/proc/$f"
	done >"$T/r/monitor/$f"
done
echo 'testcase = "t"; command = "true";' >"$T/r/job.cfg"

# arrive FROM TO: results of those numbers in incoming
arrive() {
	local i lease

	mkdir -p "$IRONRIG_HOME/incoming/b"
	for ((i = $1; i < $2; i++)); do
		lease=$(printf %032x "$i")
		cat >"$T/r/result.cfg" <<-CFG
			box = "b"; group = "g"; job = "j"; testcase = "t";
			kernel = "k$((i % 20))"; lease = "$lease";
			outcome = "ok"; stable = true; start_s = ${i}L;
			boot_id = "01234567-89ab-cdef-0123-456789abcdef";
			iterations = ( { number = 1; start_ns = 1000000000L;
				end_ns = 60000000000L; } );
		CFG
		(cd "$T/r" && tar -cf - result.cfg job.cfg monitor) |
			lz4 -q -1 -c >"$IRONRIG_HOME/incoming/b/b.$lease.tar.lz4"
	done
}

collect() {
	command time -f '%e %M' "$IR" collect -q 2>&1
}

"$IR" init >/dev/null
arrive 0 100
read -r s kb < <(collect)
echo "100 results: $s s, $kb KB peak"
arrive 100 "$COUNT"
read -r s kb < <(collect)
n=$((COUNT - 100))
echo "$n results: $s s, $kb KB peak, $(awk "BEGIN { printf \"%.0f\", $n / $s }") a second, fsynced"
echo "index: $(du -k "$IRONRIG_HOME/index.db" | cut -f1) KB, $("$IR" show --all @latest | grep -c ' [a-z]') lines a result"
read -r s kb < <(command time -f '%e %M' "$IR" export --csv --kernel k7 \
	--stat 'vmstat.system.cs' 2>&1 >/dev/null)
echo "one stat of one kernel ($((COUNT / 20)) boots): $s s, $kb KB"
