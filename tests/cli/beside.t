#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The stats of a run beside what mpstat(1), vmstat(8), perf-stat(1) and time(1)
# say of the same load, from within the run. The job notes when it starts the
# tools, and our samples of those seconds are looked at, so that both see the
# same four seconds but for the tools' own start. Tolerances: shares of CPU time 5
# points, rates 10 %; of one process times 5 % and 30 ms, memory 10 %. A
# machine whose own load jumps makes a tool that starts late see another one:
# up to five tries, and each figure has to agree in one of them.
. "$(dirname "$0")/../lib.sh"

for tool in mpstat vmstat perf perl; do
	command -v $tool >/dev/null || skip_all "no $tool"
done
[ -x /usr/bin/time ] || skip_all "no /usr/bin/time"
echo 'box = "b"; controller = "192.0.2.1:22";' >"$T/host.cfg"

once() { # job: its result in $RESULT, unpacked in $T/got
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

# ---- the whole machine ---------------------------------------------------------

cat >"$T/machine.cfg" <<-'CFG'
	testcase = "load";
	params = { runtime = "4s"; };
	# a steady load, from before the tools until behind them
	command = "ironrig-agent scale context_switch_pipe --tasks 2 "
		"--seconds 90 >/dev/null & load=$!; "
		"ironrig-agent scale page_fault_private --tasks 1 "
		"--seconds 90 >/dev/null & more=$!; sleep 1; "
		"perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC "
		"-e 'printf q(%d), clock_gettime(CLOCK_MONOTONIC) * 1e9' >from.txt; "
		"perf stat -a -x, -o perf.txt "
		"-e context-switches,page-faults sleep ${runtime%s} & p=$!; "
		"vmstat -n ${runtime%s} 2 >vmstat.txt & v=$!; "
		"mpstat ${runtime%s} 1 >mpstat.txt; "
		"wait $p $v; sleep 1; kill $load $more";
	iterations = 1;
	time_limit = "90s";
	keep = [ "*.txt" ];
	monitor = { interval = "100ms"; slow_interval = "100ms";
		add = [ "perf_counters" ]; };
CFG

# our MONITOR EXTRACTOR STAT: of the samples nearest to both ends, and between
our() {
	awk -v from="$FROM" -v to="$((FROM + 4000000000))" '
		function abs(x) { return x < 0 ? -x : x }
		/^@[0-9]+$/ { ns[++n] = substr($0, 2) }
		{ text[n] = text[n] $0 "\n" }
		END {
			for (i = 1; i <= n; i++) {
				if (abs(ns[i] - from) < abs(ns[a] - from) || !a)
					a = i
				if (abs(ns[i] - to) < abs(ns[b] - to) || !b)
					b = i
			}
			for (i = a; i <= b; i++)
				printf "%s", text[i]
		}' "$T/got/monitor/$1" >"$T/part"
	ironrig extract "$2" "$T/part" 2>/dev/null | sed -n "s/^$3: //p"
}
mpstat_says() { # column
	awk -v name="$1" '/%usr/ { for (i = 1; i <= NF; i++) if ($i == name)
			column = NF - i }
		/^Average:.* all / { print $(NF - column) }' \
		"$KEPT/mpstat.txt"
}
vmstat_says() { # column
	awk -v name="$1" '$1 == "r" { for (i = 1; i <= NF; i++) if ($i == name)
			column = i }
		END { print $column }' "$KEPT/vmstat.txt"
}
perf_says() { # event: per second
	awk -F, -v e="$1" '$3 == e { printf "%.3f\n", $1 / 4 }' \
		"$KEPT/perf.txt"
}
machine=("%idle, mpstat" "%sys, mpstat" "%usr, mpstat" "%soft, mpstat"
	"context switches, vmstat" "interrupts, vmstat"
	"context switches, perf stat" "page faults, perf stat")
KEPT=$T/got/iter/001
for _ in 1 2 3 4 5; do
	once "$T/machine.cfg"
	FROM=$(cat "$KEPT/from.txt")
	for x in idle sys usr soft; do
		compare "%$x, mpstat" "$(our stat mpstat "mpstat.cpu.all.$x%")" \
			"$(mpstat_says "%$x")" 5 0
	done
	compare "context switches, vmstat" "$(our stat vmstat vmstat.system.cs)" \
		"$(vmstat_says cs)" 0 10
	compare "interrupts, vmstat" "$(our stat vmstat vmstat.system.in)" \
		"$(vmstat_says in)" 0 10
	for x in context-switches page-faults; do
		compare "${x/-/ }, perf stat" \
			"$(our perf_counters perf-stat "perf-stat.ps.$x")" \
			"$(perf_says "$x")" 0 10
	done
	all_good "${machine[@]}" && break
done
verdict "${machine[@]}"

# ---- one process ----------------------------------------------------------------

cat >"$T/process.cfg" <<-'CFG'
	testcase = "dd";
	command = "/usr/bin/time -o time.txt -f '%e %U %S %M %R %c' "
		"dd if=/dev/zero of=/dev/null bs=8M count=4000 2>/dev/null";
	iterations = 1;
	time_limit = "120s";
	keep = [ "*.txt" ];
CFG
new_home "$T/home"
mkdir "$IRONRIG_HOME/incoming/b"
process=(elapsed_time user_time system_time percent_of_cpu_this_job_got
	maximum_resident_set_size minor_page_faults
	involuntary_context_switches)
for _ in 1 2 3 4 5; do
	once "$T/process.cfg"
	cp "$RESULT" "$IRONRIG_HOME/incoming/b/"
	ironrig collect -q || bail "collect"
	read -r e u s kb faults switches <"$KEPT/time.txt"
	percent=$(awk "BEGIN { print 100 * ($u + $s) / $e }")
	ironrig show --stat 'time.*' @latest >"$T/time"
	# NAME VALUE DIFFERENCE PERCENT; the shell around it adds to each
	while read -r name value difference tolerance; do
		compare "$name" "$(awk -v s="time.$name" '$NF == s { print $1 }' \
			"$T/time")" "$value" "$difference" "$tolerance"
	done <<-EOT
		elapsed_time $e 0.2 5
		user_time $u 0.03 5
		system_time $s 0.03 5
		percent_of_cpu_this_job_got $percent 2 5
		maximum_resident_set_size $kb 0 10
		minor_page_faults $faults 300 10
		involuntary_context_switches $switches 20 10
	EOT
	all_good "${process[@]}" && break
done
verdict "${process[@]}"
nok "a difference would be seen" agrees 50 60 5 0
nok "and a missing figure" agrees nothing 60 5 0
done_testing
