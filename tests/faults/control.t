#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The fault machine's own test: a controller that is broken on purpose
# (broken.c) in a way that each invariant is there to notice, with a fault where
# it takes one to show; and the same faults without it, which break nothing.

HERE=$(dirname "${BASH_SOURCE[0]}")
. "$HERE/../lib.sh"
. "$HERE/lib-faults.sh"
. "$HERE/steps.sh"

PRELOAD=$IRONRIG_BUILD/tests/faults/broken.so:$SHIM

# last_step WHO CALL [WHAT]: the last such call of a process of that kind, in $K
last_step() {
	trace "$1"
	K=$(awk -v call="$2" -v what="${3:-}" \
		'$4 == call && (what == "" || $5 == what) { k = $2 } END { print k }' \
		"$FDIR/trace")
}

# breaks INVARIANT WHO HOW [ACTION CALL [WHAT]]: a turn with it, in a home of
# its own; ACTION at the last such call
breaks() {
	local fired

	faults_home "$3.$2"
	row "$*"
	if [ -n "${4:-}" ]; then
		turn 2000 # the steps are those of a home in use
		invariants
	fi
	echo "$2 $3" >"$FDIR/broken"
	if [ -n "${4:-}" ]; then
		last_step "$2" "${@:5}"
		step "$2" "$K" "$4"
		fired=$(cat "$FDIR/fired" 2>/dev/null)
		like "$fired" "$2 $K $4 $5 " "$*: it strikes"
	else
		turn 2000 "$2"
		invariants
	fi
	rm "$FDIR/broken"
	like "$FAULT_BROKEN" "(^|"$'\n'")$1: " "$*: noticed"
	faults_home_end
}

row "none"
faults_home healthy
turn 2000
invariants
is "$FAULT_BROKEN" "" "a healthy controller breaks nothing"
for what in "put gone write fd1" "put eio renameat2" "collect after fdatasync"; do
	read -r who action call <<<"$what"
	# shellcheck disable=SC2086 # its words
	last_step "$who" $call
	step "$who" "$K" "$action"
	is "$FAULT_BROKEN" "" "nor does it with a fault: $what"
done
faults_home_end

breaks once put nosync gone write fd1
breaks once put early eio renameat2
breaks once collect twice
breaks once next double
breaks bytes collect flip
breaks label next label
breaks partial put litter
breaks partial collect early after fdatasync
breaks index collect forget
CYCLE_MAX=2
breaks deadline state stall
done_testing
