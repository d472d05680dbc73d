#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# monitors.sh [SECONDS]: CPU time of sampling once a second, side by side in one
# run: the agent's monitors, vmstat, mpstat, sadc, and shell loops over the same
# files. Microseconds of CPU per second of run, start-up taken off where a
# program was started only once (by a run of one sample).
set -eu
export LC_ALL=C
top=$(cd "$(dirname "$0")/../.." && pwd)
agent=${IRONRIG_BUILD:-$top/build}/bin/ironrig-agent
seconds=${1:-20}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
files="/proc/stat /proc/meminfo /proc/vmstat /proc/interrupts /proc/softirqs"

echo 'box = "bench"; controller = "192.0.2.1:22";' >"$tmp/host.cfg"

agent_us() { # agent_us SECONDS MONITOR-SETTINGS [OPTION...]: in its window
	local d

	d=$(mktemp -d "$tmp/XXXXXX")
	cat >"$d/job.cfg" <<-CFG
		testcase = "idle";
		command = "sleep $1";
		iterations = 1;
		time_limit = "$(($1 + 60))s";
		monitor = { $2 };
	CFG
	"$agent" --once --quiet --config "$tmp/host.cfg" --job "$d/job.cfg" \
		--out "$d/out" "${@:3}" >"$d/file" 2>/dev/null
	lz4 -dc "$(cat "$d/file")" | tar xO result.cfg |
		sed -n 's/^agent_cpu_us = \([0-9]*\).*/\1/p'
}

cpu_us() { # cpu_us COMMAND...: user and system time
	local TIMEFORMAT='%U %S'

	{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print ($1 + $2) * 1e6 }'
}

per_second() { # of a command whose last word is the number of samples
	local one many

	one=$(cpu_us "$@" 2)
	many=$(cpu_us "$@" $((seconds + 2)))
	echo "$many $one" | awk -v s="$seconds" '{ printf "%.0f", ($1 - $2) / s }'
}

cat_loop() {
	local i

	# shellcheck disable=SC2086 # a list of files
	for ((i = 0; i < $1; i++)); do
		cat $files >>"$tmp/loop"
		sleep 1
	done
}

date_loop() { # what monitors written in shell do: a date and a cat a file
	local i f

	for ((i = 0; i < $1; i++)); do
		for f in $files; do
			date +%s >>"$tmp/dates"
			cat "$f" >>"$tmp/dates"
		done
		sleep 1
	done
}

run() { # run NAME FUNCTION...: in the background, result in a file
	local name=$1

	shift
	"$@" >"$tmp/$name" &
}

echo "# $(nproc) CPUs, $seconds s at 1 Hz, $(uname -r)"
usual=$(agent_us "$seconds" "")
few=$(agent_us "$seconds" 'drop = [ "interrupts", "softirqs" ];')
usual=$((usual / seconds))
few=$((few / seconds))
run vmstat per_second vmstat -n 1
run cat per_second cat_loop
run date per_second date_loop
[ -z "$(command -v mpstat)" ] || run mpstat per_second mpstat -P ALL 1
sadc=$(command -v sadc || ls /usr/lib/sysstat/sadc 2>/dev/null || :)
[ -z "$sadc" ] || run sadc per_second "$sadc" -S ALL 1
wait

row() {
	printf '%-44s %8s us/s  %s\n' "$1" "$2" \
		"$(awk -v a="$2" -v b="$usual" 'BEGIN { printf "%.1fx", a / b }')"
}
wanted() { # wanted WHAT VALUE LIMIT
	printf '  %-42s %s\n' "wanted: $1" \
		"$([ "$2" -le "$3" ] && echo yes || echo NO)"
}
row "agent: stat meminfo vmstat interrupts softirqs" "$usual"
row "agent: stat meminfo vmstat" "$few"
row "vmstat 1" "$(cat "$tmp/vmstat")"
[ ! -s "$tmp/mpstat" ] || row "mpstat -P ALL 1" "$(cat "$tmp/mpstat")"
[ ! -s "$tmp/sadc" ] || row "sadc -S ALL 1" "$(cat "$tmp/sadc")"
row "shell: one cat of the five" "$(cat "$tmp/cat")"
row "shell: date and cat for each" "$(cat "$tmp/date")"
if [ -s "$tmp/mpstat" ] && [ -s "$tmp/sadc" ]; then
	tools=$(($(cat "$tmp/vmstat") + $(cat "$tmp/mpstat") + $(cat "$tmp/sadc")))
	row "the three tools together" "$tools"
	wanted "3 times less than they" "$((usual * 3))" "$tools"
fi
wanted "at most 600 us/s" "$usual" 600
wanted "40 times less than date and cat" "$((usual * 40))" "$(cat "$tmp/date")"

# ---- 288 CPUs: a fixture of plain files, so without the kernel's own work -----

"$top/tests/fixtures/mkroot" knm "$tmp/knm"
awk 'BEGIN {
	for (c = -1; c < 288; c++)
		print "cpu" (c < 0 ? " " : c), 81234567, 0, 9123456, 812345678, \
			1234, 0, 4567, 0, 0, 0
}' >"$tmp/knm/proc/stat"
awk 'BEGIN {
	for (row = 0; row < 540; row++) {
		printf "%4d:", row
		for (c = 0; c < 288; c++)
			printf " %10d", row < 60 ? row * c * 997 : 0
		print "  IR-PCI-MSI edge nvme" row
	}
}' >"$tmp/knm/proc/interrupts"
for f in meminfo vmstat softirqs; do
	cp "/proc/$f" "$tmp/knm/proc/$f"
done
wide=$(agent_us "$seconds" "" --root "$tmp/knm")
all=$(agent_us "$seconds" 'slow_interval = "1s";' --root "$tmp/knm")
row "288 CPUs: the five, interrupts at the ends" $((wide / seconds))
row "288 CPUs: the five, interrupts each second" $((all / seconds))
