#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Whole experiments under faults: two boxes on paper share an A/B while their
# power is cut, `receive' and `collect' are killed at some step, answers get
# lost and puts are cut. In the end each run is in the store once, under its
# own name, and nothing counts twice; and the plan is the same once fsck has
# made the index anew. By environment:
#
#	SEED=S	chooses all that is left to chance; printed
#	N=COUNT	so many experiments (2)

. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/paperbox.sh
. "$TOP/tests/paperbox.sh"
# shellcheck source=tests/faults/lib-truth.sh
. "$TOP/tests/faults/lib-truth.sh"

SHIM=$IRONRIG_BUILD/tests/faults/shim.so
[ -e "$SHIM" ] || bail "no $SHIM: make build/tests/faults/shim.so"
SEED=${SEED:-$((RANDOM * 32768 + RANDOM))}
RANDOM=$((SEED % 32768))
BLOCKS=6
DEADLINE=240 # seconds, of one experiment
PAPER_FAULT=
echo "# SEED=$SEED"

new_home "$T/home"
serve
image_base
PAPER_HOME_KERNEL=base
paper_kernel base
paper_kernel slow
paper_enroll b1 1
paper_enroll b2 2
paper_job j1

paper_ops() { # by the kernel that runs, not by the one that was asked for
	[ "$1" = slow ] && echo 900 || echo 1000
}

# ---- the boxes ----------------------------------------------------------------
# Each has a folder of faults, and a book of what really happened to it:
#	boot BOOT_ID KERNEL		it came up
#	made LEASE BOOT_ID SHA256	a run came to its end
#	ok LEASE			its put was answered

book() { # BOX WORDS...
	echo "${*:2}" >>"$T/$1.book"
}

fault() { # NAME: one more of its kind
	echo "$1" >>"$T/$BOX.faults"
}

# One try at a verb, with whatever befalls it; 2: the box's power is cut.
# Standard input is the verb's. The answer in $ANSWER, empty: none came.
try() { # WORDS...
	local fate=$((RANDOM % 100)) action shim='' lost='' cut=cat
	local actions=(before after torn power zeros eio)

	ANSWER=
	if [ $fate -lt 4 ]; then
		fault "power cut before $1"
		return 2
	elif [ $fate -lt 20 ]; then
		action=${actions[RANDOM % 6]}
		echo "$1 $((RANDOM % 14 + 1)) $action" >"$T/$BOX.faults.d/plan"
		shim=$SHIM
	elif [ $fate -lt 28 ]; then
		fault "the answer to $1 is lost"
		lost=1
	elif [ $fate -lt 36 ] && [ "$1" = put ]; then
		fault "a put is cut"
		cut="head -c $((RANDOM % 900))"
		lost=1
	fi
	ANSWER=$($cut | SSH_ORIGINAL_COMMAND="$*" FAULTS_DIR=$T/$BOX.faults.d \
		LD_PRELOAD=$shim "$BIN/ironrig" receive "$BOX" \
		2>>"$T/$BOX.err"
		printf .)
	# a line without its end is none: its writer died
	[[ $ANSWER = *$'\n.' ]] || ANSWER=
	ANSWER=${ANSWER%$'\n.'}
	ANSWER=${ANSWER#ironrig1 }
	rm -f "$T/$BOX.faults.d/plan"
	if [ -s "$T/$BOX.faults.d/fired" ]; then
		fault "$1 dies or fails: ${action:-}"
		: >"$T/$BOX.faults.d/fired"
	fi
	[ -z "$lost" ] || ANSWER=
	[ $((RANDOM % 100)) -ge 2 ] || {
		fault "power cut after $1"
		return 2
	}
}

# As a box does it: again and again, until it is answered.
ask() { # WORDS...
	local i

	for ((i = 0; i < 100; i++)); do
		try "$@" </dev/null || return
		case $ANSWER in
		'' | error*) sleep 0.02 ;;
		*) return 0 ;;
		esac
	done
	echo "no answer: $*" >>"$T/paper.odd"
	return 2
}

put() { # FILE
	local i name=$1 at

	for ((i = 0; i < 100; i++)); do
		ask have "$name" || return
		case $ANSWER in
		done*) return 0 ;;
		part*) at=${ANSWER#part } ;;
		*) at=0 ;;
		esac
		try put "$name" "$at" < <(tail -c +$((at + 1)) "$T/$BOX.packed") ||
			return
		[[ $ANSWER != "ok "* ]] || return 0
	done
	echo "no end of put $name" >>"$T/paper.odd"
	return 2
}

measure() { # "run" LEASE JOB KERNEL ATTEMPT EXPERIMENT BLOCK POSITION
	local lease=$2

	[ "$4" = "$KERNEL" ] ||
		echo "lease $lease is for $4, this is $KERNEL" >>"$T/paper.odd"
	paper_result "$BOX" "$BOOT" firmware "$lease" "$3" "$KERNEL" "$5" \
		"$6" "$7" "$8" ok true
	book "$BOX" made "$lease" "$BOOT" \
		"$(sha256sum <"$T/$BOX.packed" | cut -d' ' -f1)"
	put "$BOX.$lease.tar.lz4" || return
	book "$BOX" ok "$lease"
	DONE=$lease
}

# From power-on until it is cut or reboots.
one_boot() {
	local w

	KERNEL=$(paper_script "$BOX")
	BOOT=$(new_boot_id)
	DONE=
	book "$BOX" boot "$BOOT" "$KERNEL"
	ask hello "$BOOT" 1.0 "$KERNEL" firmware || return
	while [ -e "$T/$BOX.on" ]; do
		# shellcheck disable=SC2086 # no lease, no word
		ask next "$BOOT" $DONE || return
		read -ra w <<<"$ANSWER"
		case ${w[0]} in
		run) measure "${w[@]}" || return ;;
		boot | reboot) return ;;
		idle)
			: >"$T/$BOX.idle"
			sleep 0.05
			;;
		*) echo "next: $ANSWER" >>"$T/paper.odd" ;;
		esac
	done
}

box() { # NAME SEED
	trap - EXIT
	BOX=$1
	RANDOM=$2
	mkdir -p "$T/$BOX.faults.d"
	while [ -e "$T/$BOX.on" ]; do
		one_boot
	done
}

# ---- the controller: results are collected now and then, or it dies of it ------

collector() { # SEED
	local actions=(before after power eio)

	trap - EXIT
	BOX=collect
	RANDOM=$1
	mkdir -p "$T/collect.faults.d"
	while [ -e "$T/b1.on" ]; do
		[ $((RANDOM % 2)) = 0 ] || echo "collect $((RANDOM % 40 + 1)) \
${actions[RANDOM % 4]}" >"$T/collect.faults.d/plan"
		FAULTS_WHO=collect FAULTS_DIR=$T/collect.faults.d \
			LD_PRELOAD=$SHIM "$BIN/ironrig" collect -q 2>>"$T/err"
		rm -f "$T/collect.faults.d/plan"
		[ ! -s "$T/collect.faults.d/fired" ] || fault "collect dies or fails"
		: >"$T/collect.faults.d/fired"
		sleep 0.2
	done
}

# ---- one experiment ---------------------------------------------------------------

over() { # EXPERIMENT: it has all it wanted, and both boxes know
	ironrig queue --list | grep -q "^$1 .*finished" &&
		[ -e "$T/b1.idle" ] && [ -e "$T/b2.idle" ]
}

experiment() { # NAME
	local pids=()

	rm -f "$T"/b?.idle
	ironrig ab base slow --box b1 --box b2 --job j1 --name "$1" \
		--blocks $BLOCKS --seed $((SEED % 1000)) >/dev/null ||
		bail "ab"
	# what is cut here is no kernel's fault
	sed -i 's/attempts = .*/attempts = 100;/' \
		"$IRONRIG_HOME/conf/experiments/$1.cfg"
	: >"$T/b1.on"
	: >"$T/b2.on"
	bg "$T/b1.log" box b1 $RANDOM
	pids+=("$BG_PID")
	bg "$T/b2.log" box b2 $RANDOM
	pids+=("$BG_PID")
	bg "$T/collect.log" collector $RANDOM
	pids+=("$BG_PID")
	ok "$1: it comes to its end" wait_for $DEADLINE over "$1"
	rm -f "$T"/b?.on
	for p in "${pids[@]}"; do
		wait_for 30 ended "$p" || stop "$p"
	done
	cat "$T/b1.log" "$T/b2.log" "$T/collect.log" >>"$T/odd.log"
}

# ---- what must hold -----------------------------------------------------------------

truth() { # BOX
	local lease boot sha out bad=''

	ok_books "$1"
	# each ok result was made in a boot of that kernel, byte for byte
	while read -r lease _ _ _ kernel boot out; do
		if [ "$out" = ok ]; then
			grep -q "^boot $boot $kernel:" "$T/$1.book" ||
				bad+="$lease: not of $kernel; "
			sha=$(sha256sum <"$IRONRIG_HOME/store/$1/$1.$lease.tar.lz4" |
				cut -d' ' -f1)
			grep -q "^made $lease $boot $sha" "$T/$1.book" ||
				bad+="$lease: other bytes; "
		else
			! grep -q "^ok $lease" "$T/$1.book" ||
				bad+="$lease: it was answered, and is $out; "
		fi
	done <"$T/results"
	is "$bad" "" "$1: what ran is what they say, and no answer was a lie"
}

for ((n = 1; n <= ${N:-2}; n++)); do
	experiment "x$n"
	ok "x$n: the rest is collected" ironrig collect
	ok "x$n: the index is the tarballs'" ironrig fsck
	truth b1
	truth b2
	blocks=$(kept "x$n" b1 b2)
	like "$(ironrig queue --list | grep "^x$n ")" " $blocks/$BLOCKS " \
		"x$n: the plan counts $blocks blocks"
	ok "x$n: as many as were wanted, or one a box more" test "$blocks" -ge \
		$BLOCKS -a "$blocks" -le $((BLOCKS + 1))
	like "$(ironrig compare base slow --experiment "x$n" --json |
		tr -d ' \n')" "\"n_base\":$blocks,\"n_head\":$blocks" \
		"x$n: so does the report"
	# one box asks for more: what the plan says needs no index
	ironrig ab --resume "x$n" --blocks $((blocks + 4)) >/dev/null
	ok_plan "x$n" b1 base slow
	ironrig ab --stop "x$n" >/dev/null
done
is "$(paper_odd)" "" "no answer was odd"
sort "$T"/*.faults | sed 's/ after .*\| before .*//' | uniq -c | sed 's/^/# /'
faults=$(cat "$T"/*.faults | wc -l)
ok "there were faults ($faults)" test "$faults" -ge $((20 * ${N:-2}))
done_testing
