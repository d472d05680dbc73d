#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The fault machine: a box, its controller, and one fault after the other; what
# must hold after each is in lib-faults.sh. By environment:
#
#	SEED=S	chooses which faults, and when; printed
#	N=COUNT	as many faults (0: each that there is)
#	FAULT=X	just this one, as the machine printed it
#	KEEP=DIR	keeps the folder of each failure as DIR.COUNT
#
# One line of TAP a row of the table.
# shellcheck disable=SC2317 # functions that are called by name

HERE=$(dirname "${BASH_SOURCE[0]}")
. "$HERE/../lib.sh"
. "$HERE/lib-faults.sh"
. "$HERE/steps.sh"
. "$HERE/days.sh"
BOXES=
if [ "$(id -u)" = 0 ] && command -v strace nsenter >/dev/null; then
	. "$HERE/../pid1/ns.sh"
	. "$HERE/boxes.sh"
	BOXES=1
fi

SHIM=$IRONRIG_BUILD/tests/faults/shim.so
[ -e "$SHIM" ] || bail "no $SHIM: make build/tests/faults/shim.so"
PER_HOME=60

shuffle() { # stdin's lines, by SEED
	local lines i j line

	mapfile -t lines
	for ((i = ${#lines[@]} - 1; i > 0; i--)); do
		j=$(((RANDOM * 32768 + RANDOM) % (i + 1)))
		line=${lines[i]}
		lines[i]=${lines[j]}
		lines[j]=$line
	done
	printf '%s\n' "${lines[@]}"
}

echo "# SEED=$SEED"
homes=0
faults_home $homes
if [ -n "${FAULT:-}" ]; then
	LIST=("$FAULT")
else
	step_list "$T/list"
	day_list >>"$T/list"
	[ -z "$BOXES" ] || box_list >>"$T/list"
	echo "# $(wc -l <"$T/list") faults there are"
	mapfile -t LIST < <(shuffle <"$T/list" | head -n "${N:-0}")
	[ "${N:-0}" != 0 ] || mapfile -t LIST <"$T/list"
fi
for WHAT in "${LIST[@]}"; do
	if [ "${#STORED[@]}" -ge $PER_HOME ] || [ -n "$FAULT_BROKEN" ]; then
		faults_home_end
		homes=$((homes + 1))
		faults_home $homes
	fi
	# shellcheck disable=SC2086 # its words
	scene_$WHAT
done
faults_home_end

table
for r in "${ROWS[@]}"; do
	bad=
	for i in "${INVARIANTS[@]}"; do
		[ -z "${BROKEN[$r,$i]:-}" ] || bad+=" $i"
	done
	is "$bad" "" "$r (${TIMES[$r]})"
done
isnt "$FAULTS" 0 "there were faults"
done_testing
