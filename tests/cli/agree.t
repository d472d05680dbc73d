#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The stats of a run beside what mpstat, vmstat, perf stat and time say of the
# same load, from within the run. Tolerances: shares of CPU time 6 points,
# rates 15 %; of one process's times 5 % and 30 ms, of its memory 10 %. The
# tools start a little later than the window, so on a machine whose own load
# jumps there are five tries, and each figure has to agree in one of them.
. "$(dirname "$0")/../lib.sh"

for tool in mpstat vmstat perf; do
	command -v $tool >/dev/null || skip_all "no $tool"
done
[ -x /usr/bin/time ] || skip_all "no /usr/bin/time"
echo 'box = "b"; controller = "192.0.2.1:22";' >"$T/host.cfg"

once() { # job: its result's file in $RESULT, what it kept in $T/got
	"$BIN/ironrig-agent" --once --config "$T/host.cfg" --job "$1" \
		--out "$T/out" --quiet >"$T/file" 2>"$T/say" ||
		bail "the run: $(cat "$T/say")"
	RESULT=$(cat "$T/file")
	rm -rf "$T/got"
	mkdir "$T/got"
	lz4 -dc "$RESULT" | tar x -C "$T/got"
}

# agrees OURS THEIRS DIFFERENCE PERCENT
agrees() {
	awk -v a="$1" -v b="$2" -v d="$3" -v p="$4" 'BEGIN {
		if (a !~ /^[0-9.e+-]+$/ || b !~ /^[0-9.e+-]+$/)
			exit 1
		m = a > b ? a - b : b - a
		exit !(m <= d + p * b / 100)
	}'
}

declare -A GOOD SEEN

# compare WHAT OURS THEIRS DIFFERENCE PERCENT
compare() {
	SEEN[$1]+="ours ${2:-nothing}, theirs ${3:-nothing}; "
	agrees "${2:-nothing}" "${3:-nothing}" "$4" "$5" && GOOD[$1]=1
	return 0
}

verdict() { # what...
	local what

	for what; do
		[ "${GOOD[$what]:-}" ]
		tap_result $? "$what" || diag "${SEEN[$what]:-never seen}"
	done
}

all_good() { # what...
	local what

	for what; do
		[ "${GOOD[$what]:-}" ] || return 1
	done
}

our() { # extractor stat
	ironrig extract "$1" "$RESULT" 2>/dev/null | sed -n "s/^$2: //p"
}

# ---- the whole machine ---------------------------------------------------------

cat >"$T/machine.cfg" <<-'CFG'
	testcase = "load";
	# the load is steady, and ends with the slowest of the tools
	command = "ironrig-agent scale context_switch_pipe --tasks 2 "
		"--seconds 60 >/dev/null & load=$!; "
		"ironrig-agent scale page_fault_private --tasks 1 "
		"--seconds 60 >/dev/null & more=$!; "
		"perf stat -a -x, -o perf.txt "
		"-e context-switches,page-faults,cpu-migrations sleep 3 & p=$!; "
		"vmstat -n 3 2 >vmstat.txt & v=$!; "
		"mpstat 3 1 >mpstat.txt; wait $p $v; kill $load $more";
	iterations = 1;
	time_limit = "60s";
	keep = [ "*.txt" ];
	monitor = { interval = "1s"; add = [ "perf_counters" ]; };
CFG
mpstat_says() { # column
	awk -v name="$1" '/%usr/ { for (i = 1; i <= NF; i++) if ($i == name)
			column = NF - i }
		/^Average:.* all / { print $(NF - column) }' \
		"$T/got/iter/001/mpstat.txt"
}
perf_says() { # event: per second of the time that it ran
	awk -F, -v e="$1" '$3 == e { printf "%.3f\n", $1 / 3 }' \
		"$T/got/iter/001/perf.txt"
}
machine=("idle time, mpstat" "system time, mpstat" "user time, mpstat"
	"context switches, vmstat" "interrupts, vmstat"
	"context switches, perf stat" "page faults, perf stat")
for _ in 1 2 3 4 5; do
	once "$T/machine.cfg"
	for x in idle sys usr; do
		case $x in
		idle) what="idle time, mpstat" ;;
		sys) what="system time, mpstat" ;;
		usr) what="user time, mpstat" ;;
		esac
		compare "$what" "$(our mpstat "mpstat.cpu.all.$x%")" \
			"$(mpstat_says "%$x")" 6 0
	done
	vmstat=$T/got/iter/001/vmstat.txt
	compare "context switches, vmstat" "$(our vmstat vmstat.system.cs)" \
		"$(awk 'END { print $12 }' "$vmstat")" 0 15
	compare "interrupts, vmstat" "$(our vmstat vmstat.system.in)" \
		"$(awk 'END { print $11 }' "$vmstat")" 0 15
	for x in context-switches page-faults; do
		compare "${x/-/ }, perf stat" \
			"$(our perf-stat "perf-stat.ps.$x")" \
			"$(perf_says "$x")" 0 15
	done
	all_good "${machine[@]}" && break
done
verdict "${machine[@]}"

# ---- one process ----------------------------------------------------------------

cat >"$T/process.cfg" <<-'CFG'
	testcase = "dd";
	command = "/usr/bin/time -o time.txt -f '%e %U %S %M %R %w %c' "
		"dd if=/dev/zero of=/dev/null bs=8M count=4000 2>/dev/null";
	iterations = 1;
	time_limit = "120s";
	keep = [ "*.txt" ];
CFG
mkdir -p "$T/home"
new_home "$T/home"
mkdir "$IRONRIG_HOME/incoming/b"
process=(elapsed_time user_time system_time maximum_resident_set_size
	minor_page_faults)
for _ in 1 2 3 4 5; do
	once "$T/process.cfg"
	cp "$RESULT" "$IRONRIG_HOME/incoming/b/"
	ironrig collect -q || bail "collect"
	read -r e u s kb faults _ <"$T/got/iter/001/time.txt"
	ironrig show --stat 'time.*' @latest >"$T/time"
	for x in "elapsed_time $e 0.2 5" "user_time $u 0.03 5" \
		"system_time $s 0.03 5" \
		"maximum_resident_set_size $kb 0 10" \
		"minor_page_faults $faults 300 10"; do
		# shellcheck disable=SC2086 # NAME VALUE DIFFERENCE PERCENT
		set -- $x
		compare "$1" "$(awk -v s="time.$1" '$NF == s { print $1 }' \
			"$T/time")" "$2" "$3" "$4"
	done
	all_good "${process[@]}" && break
done
verdict "${process[@]}"
nok "a difference would be seen" agrees 50 60 6 0
nok "and a missing figure" agrees nothing 60 6 0
done_testing
