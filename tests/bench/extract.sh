#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# How long it takes to verify, extract and index a run of 300 samples of every
# monitor (this machine's own files): extraction below 50 ms of CPU. Beside it
# the same run with two samples a monitor, whose difference is what samples
# cost. Then the files of 288 CPUs, made up: cost a sample and peak memory.

set -eu
TOP=$(cd "$(dirname "$0")/../.." && pwd)
: "${IRONRIG_BUILD:=$TOP/build}"
T=$(mktemp -d "${TMPDIR:-/tmp}/ironrig-bench.XXXXXX")
trap 'rm -rf "$T"' EXIT
IR=$IRONRIG_BUILD/bin/ironrig
LEASE=0123456789abcdef0123456789abcdef

# samples COUNT NAME FILE...: COUNT times, a second apart, from 1 s on
samples() {
	local n=$1 name=$2 i

	shift 2
	cat "$@" >"$T/one" 2>/dev/null || :
	[ -s "$T/one" ] || return 0
	for ((i = 1; i <= n; i++)); do
		echo "@${i}000000000"
		cat "$T/one"
	done >"$T/r/monitor/$name"
}

# result SECONDS: result.cfg of one iteration that long, from 1 s on
result() {
	cat >"$T/r/result.cfg" <<-CFG
		box = "b"; group = "g"; job = "j"; testcase = "t";
		kernel = "k"; lease = "$LEASE"; outcome = "ok"; stable = true;
		boot_id = "01234567-89ab-cdef-0123-456789abcdef";
		iterations = ( { number = 1; start_ns = 1000000000L;
			end_ns = ${1}000000000L; } );
	CFG
	echo 'testcase = "t"; command = "true";' >"$T/r/job.cfg"
}

all_monitors() { # COUNT
	samples "$1" stat /proc/stat
	samples "$1" meminfo /proc/meminfo
	samples "$1" vmstat /proc/vmstat
	samples "$1" interrupts /proc/interrupts
	samples "$1" softirqs /proc/softirqs
	samples "$1" buddyinfo /proc/buddyinfo
	samples "$1" diskstats /proc/diskstats
	samples "$1" net_dev /proc/net/dev
	samples "$1" loadavg /proc/loadavg
	samples "$1" pressure_cpu /proc/pressure/cpu
	samples "$1" pressure_io /proc/pressure/io
	samples "$1" pressure_memory /proc/pressure/memory
	samples "$1" schedstat /proc/schedstat
	samples 2 slabinfo /proc/slabinfo
	samples 2 zoneinfo /proc/zoneinfo
}

# files of 288 CPUs; interrupts, 1.75 MB, at start and end only
wide() { # COUNT
	awk 'BEGIN {
		for (c = 0; c < 288; c++)
			printf "cpu%d 1000 20 3000 40000 50 60 70 0 0 0\n", c
		print "intr 123456789 0 0 0\nctxt 99\nprocs_running 3"
	}' >"$T/stat"
	awk 'BEGIN {
		for (c = 0; c < 288; c++) printf "       CPU%d", c
		print ""
		for (i = 0; i < 540; i++) {
			printf "%4d:", i
			for (c = 0; c < 288; c++) printf " %10d", c * i
			print "  PCI-MSI 1-edge dev"
		}
	}' >"$T/interrupts"
	samples "$1" stat "$T/stat"
	samples 2 interrupts "$T/interrupts"
}

# Least CPU time of five collects, in ms; the last one's peak memory in $KB
cpu_ms() {
	local i t best=999999

	(cd "$T/r" && tar -cf - result.cfg job.cfg monitor) | lz4 -q -3 -c >"$T/p"
	for i in 1 2 3 4 5; do
		rm -rf "${T:?}/home"
		"$IR" --home "$T/home" init >/dev/null
		mkdir -p "$T/home/incoming/b"
		cp "$T/p" "$T/home/incoming/b/b.$LEASE.tar.lz4"
		t=$(command time -f '%U %S %M' "$IR" --home "$T/home" \
			collect -q 2>&1)
		KB=${t##* }
		t=$(awk '{ printf "%d", ($1 + $2) * 1000 }' <<<"$t")
		[ "$t" -lt "$best" ] && best=$t
	done
	MS=$best
}

run() { # WHAT MAKER COUNT
	rm -rf "$T/r"
	mkdir -p "$T/r/monitor"
	result "$3"
	"$2" "$3"
	cpu_ms
	printf '%-34s %4d samples %8d KB raw %5d ms CPU %7d KB peak\n' "$1" \
		"$3" "$(du -sk "$T/r" | cut -f1)" "$MS" "$KB"
}

run "every monitor, this machine" all_monitors 2
few=$MS
run "every monitor, this machine" all_monitors 300
many=$MS
echo "300 samples cost $((many - few)) ms more than 2; wanted: below 50 in all"
run "288 CPUs" wide 60
run "288 CPUs" wide 600
[ "$many" -lt 50 ]
