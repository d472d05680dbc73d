# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# Scenes of the controller: at every step that a verb or collect takes, as a
# trace counts them, each thing that can go wrong there. Source after
# lib-faults.sh.

STEP_WHO=(hello next log state have put collect lose)

# step_size WHO: up to 256 KiB the box sends without asking `have' first.
step_size() {
	[ "$1" = have ] && echo 400000 || echo 2000
}

# step WHO K ACTION: a turn of the box with that.
step() {
	if [ "$1" = lose ]; then
		begin_run || return
		arm next "$2" "$3"
		turn_after_loss
	else
		arm "$1" "$2" "$3"
		turn "$(step_size "$1")" "$1"
	fi
	invariants
}

# trace WHO: the calls of one healthy process of that kind, a line each in
# $FDIR/trace.
trace() {
	rm -f "$FDIR/trace"
	step "$1" 0 trace
}

# step_list FILE: every fault "step WHO K ACTION" there is.
step_list() {
	local who k call what action actions

	row "none: the trace"
	turn 2000 # the first ever makes folders that later ones find
	invariants
	for who in "${STEP_WHO[@]}"; do
		trace "$who"
		while read -r _ k _ call what; do
			actions="before after eio enospc power zeros"
			[ "$what" != fd1 ] || actions+=" gone" # an answer
			case $call in
			read | pread) actions="eio short" ;;
			write | pwrite) actions+=" torn short" ;;
			fsync | fdatasync | rename*) actions+=" late" ;;
			esac
			for action in $actions; do
				echo "step $who $k $action"
			done
		done <"$FDIR/trace"
	done >>"$1"
	[ -z "$FAULT_BROKEN" ] || bail "broken without a fault: $FAULT_BROKEN"
}

declare -A STEP_ROW=(
	[before]="SIGKILL before a step" [after]="SIGKILL after a step"
	[eio]="a step fails: EIO" [enospc]="a step fails: ENOSPC"
	[torn]="half a write, then SIGKILL" [short]="half a write or read"
	[late]="done, but reported as EIO"
	[power]="power cut" [gone]="power cut after the answer"
	[zeros]="power cut, zeros in files"
)

# scene_step WHO K ACTION
scene_step() {
	row "$1: ${STEP_ROW[$3]}"
	step "$1" "$2" "$3"
	if struck; then
		count_fault
	else
		diag "$WHAT: there is no such step"
	fi
}
