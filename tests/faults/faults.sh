#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The fault machine: a box, its controller, and one fault after the other; what
# must hold after each is in lib-faults.sh. By environment:
#
#	SEED=S	chooses which faults, and when; printed
#	N=COUNT	as many faults (0: each that there is; each: one of every family,
#		which is a program and what befalls it, a bad day, what befalls a box)
#	FAULT=X	just this one, as the machine printed it
#	KEEP=DIR	keeps the folder of each failure as DIR.COUNT
#
# One line of TAP a row of the table.
# shellcheck disable=SC2317 # functions that are called by name

HERE=$(dirname "${BASH_SOURCE[0]}")
MACHINE=
if command -v qemu-system-x86_64 >/dev/null && command -v busybox >/dev/null; then
	. "$HERE/../boot/lib-boot.sh"
	MACHINE=1
else
	. "$HERE/../lib.sh"
fi
. "$HERE/lib-faults.sh"
. "$HERE/steps.sh"
. "$HERE/days.sh"
BOXES=
if [ "$(id -u)" = 0 ] && command -v strace nsenter >/dev/null; then
	. "$HERE/../pid1/ns.sh"
	. "$HERE/boxes.sh"
	. "$HERE/machine.sh"
	BOXES=1
fi

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

# families WHO K ACTION...: the words that tell what kind of fault it is
families() {
	case $1 in
	step) echo "$2 $4" ;;
	box) echo "box:$2" ;;
	*) echo "day:$1" ;;
	esac
}

# one_of_each: of the faults on stdin, in their order, so few that each family
# is there; first those that stand for two.
one_of_each() {
	local lines what family fresh old pass
	local -A seen=()

	mapfile -t lines
	for pass in 1 2; do
		for what in "${lines[@]}"; do
			fresh=0 old=0
			# shellcheck disable=SC2086 # its words
			for family in $(families $what); do
				[ -z "${seen[$family]:-}" ] && fresh=1 || old=1
			done
			[ $fresh = 1 ] && [ $old -lt $pass ] || continue
			echo "$what"
			# shellcheck disable=SC2086
			for family in $(families $what); do
				seen[$family]=1
			done
		done
	done
}

choose() { # as N says, of the faults on stdin
	case ${N:-0} in
	0) cat ;;
	each) shuffle | one_of_each ;;
	*) shuffle | head -n "$N" ;;
	esac
}

trap 'table; exit 1' INT TERM HUP # what there is so far
echo "# SEED=$SEED"
homes=0
faults_home $homes
if [ -n "${FAULT:-}" ]; then
	LIST=("$FAULT")
else
	step_list "$T/list"
	day_list >>"$T/list"
	[ -z "$BOXES" ] || box_list >>"$T/list"
	[ "$BOXES$MACHINE" != 11 ] || ! deb linux-image-cloud-amd64 >/dev/null ||
		machine_list >>"$T/list"
	echo "# $(wc -l <"$T/list") faults there are"
	choose <"$T/list" >"$T/chosen"
	mapfile -t LIST <"$T/chosen"
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
