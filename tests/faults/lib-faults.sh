# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# What the fault machine's scenes share; source after lib.sh. A fault belongs
# to a row (which kind), and after it the invariants are checked:
#
#	once	  each finished run is in the store, once, and nothing else is
#	bytes	  byte for byte what the box packed
#	label	  under the lease, experiment and block that were given out
#	partial	  nothing half is to be seen as a result, or left behind
#	index	  the index is the one that fsck makes of the tarballs
#	deadline  the box got on before its deadline

INVARIANTS=(once bytes label partial index deadline)
ROWS=()
declare -A TIMES=() BROKEN=()
FAULTS=0
FAILED_FAULTS=0
FAULT_BROKEN=	# what it broke, in lines
WHAT=		# the fault under way, as make faults FAULT= takes it
CYCLE_MAX=60	# seconds: the box's deadline in these scenes

# SEED chooses everything that is left to chance here.
SEED=${SEED:-$((RANDOM * 32768 + RANDOM))}
RANDOM=$((SEED % 32768))

# row NAME: the fault that begins is of this kind.
row() {
	ROW=$1
	[ -n "${TIMES[$ROW]:-}" ] || {
		ROWS+=("$ROW")
		TIMES[$ROW]=0
	}
	FAULT_BROKEN=
}

broken() { # INVARIANT TEXT: it does not hold
	BROKEN[$ROW,$1]=$((${BROKEN[$ROW,$1]:-0} + 1))
	FAULT_BROKEN+="$1: $2"$'\n'
}

# The fault is over: counts it.
count_fault() {
	TIMES[$ROW]=$((TIMES[$ROW] + 1))
	FAULTS=$((FAULTS + 1))
	[ -z "$FAULT_BROKEN" ] && return
	FAILED_FAULTS=$((FAILED_FAULTS + 1))
	diag "fault $FAULTS ($WHAT) broke:" "$FAULT_BROKEN" \
		"again: make faults FAULT='$WHAT'"
	[ -z "${KEEP:-}" ] || cp -a "$T" "$KEEP.$FAULTS"
}

table() {
	local r i line

	printf '# %-46s %6s' "fault" "times"
	printf ' %8s' "${INVARIANTS[@]}"
	echo
	for r in "${ROWS[@]}"; do
		printf -v line '%-46s %6d' "$r" "${TIMES[$r]}"
		for i in "${INVARIANTS[@]}"; do
			printf -v line '%s %8s' "$line" \
				"${BROKEN[$r,$i]:-holds}"
		done
		echo "# $line"
	done
	echo "# $FAULTS faults, $FAILED_FAULTS broke something; SEED=$SEED"
}

# ---- the controller -------------------------------------------------------------

SHIM=$IRONRIG_BUILD/tests/faults/shim.so
PRELOAD=$SHIM
[ -e "$SHIM" ] || bail "no $SHIM: make build/tests/faults/shim.so"
FDIR=
ME=$(id -un)
faults_home() { # NAME [DIR]: a fresh home, its sshd, box b1 behind the shim
	new_home "${2:-$T/home.$1}"
	H=$IRONRIG_HOME
	FDIR=$T/plan.$1
	mkdir -p "$FDIR"
	serve
	ironrig enroll b1 --mac 52:54:00:00:00:01 \
		--controller "127.0.0.1:$SERVE_PORT" >/dev/null ||
		bail "enroll"
	sed -i "s|command=\"exec |command=\"FAULTS_DIR=$FDIR LD_PRELOAD=$PRELOAD exec |" \
		"$H/keys/authorized_keys"
	grep -q LD_PRELOAD "$H/keys/authorized_keys" || bail "no shim"
	home_known_hosts "$SERVE_PORT" >"$T/kh"
	printf 'testcase = "test"; command = "true";\n' >"$H/conf/jobs/j1.cfg"
	ironrig queue b1 j1 --count 500 >/dev/null || bail "queue"
	STORED=()
	box_connect
}

faults_home_end() {
	box_disconnect
	stop "$SERVE_PID"
	rm -rf "$H"
}

# With the shim; WHO is what the plan calls it.
shimmed() { # WHO COMMAND...
	FAULTS_WHO=$1 FAULTS_DIR=$FDIR LD_PRELOAD=$PRELOAD "${@:2}"
}

arm() { # WHO K ACTION
	rm -f "$FDIR/fired" "$FDIR/taken"
	echo "$*" >"$FDIR/plan.new"
	mv "$FDIR/plan.new" "$FDIR/plan"
}

# Whether it struck; disarms it in any case.
struck() {
	rm -f "$FDIR/plan"
	[ -s "$FDIR/fired" ]
}

# ---- the box --------------------------------------------------------------------

# The box's connection for everything but results: the agent's own courier.
box_connect() {
	coproc COURIER { exec "$IRONRIG_BUILD/tests/courier" \
		"127.0.0.1:$SERVE_PORT" "$(id -un)" "$H/keys/boxes/b1" \
		"$T/kh" 2>>"$T/ship.err"; }
	BOX_PID=$!
	exec 8<&"${COURIER[0]}" 9>&"${COURIER[1]}"
}

box_disconnect() {
	exec 8<&- 9>&-
	# a shell that was not replaced yet would run this one's trap for TERM
	kill -KILL "$BOX_PID"
	wait "$BOX_PID" 2>/dev/null
}

# ask WORDS...: until it is answered, as a box does it; the answer in $ANSWER.
ask() {
	local end=$((SECONDS + CYCLE_MAX)) how

	while echo "call $*" >&9 && read -r -t $CYCLE_MAX how ANSWER <&8; do
		[ "$how" = answer ] && return
		[ $SECONDS -lt $end ] || break
		sleep 0.05
	done
	broken deadline "no answer to $1: ${ANSWER:-}"
	return 1
}

# One verb, or put FILE, by a connection of its own.
ship() {
	agent_ship "${PORT:-$SERVE_PORT}" "$H/keys/boxes/b1" "$T/kh" \
		--deadline ${CYCLE_MAX}s "$@" 2>>"$T/ship.err"
}

# make_result BYTES: what the box made of $LEASE, as $T/$NAME
make_result() {
	rm -rf "$T/tree"
	mkdir -p "$T/tree/meta"
	result_cfg b1 "$LEASE" "$BOOT" j1 k1 "$(printf %064d 1)" \
		"$EXPERIMENT" "$BLOCK" 1 >"$T/tree/result.cfg"
	head -c "$1" /dev/urandom >"$T/tree/meta/noise"
	NAME=b1.$LEASE.tar.lz4
	pack_result "$T/tree" "$T/$NAME"
}

# A boot: hello, next; leaves $LEASE $EXPERIMENT $BLOCK. A plan that could not
# be read is idle for a while, and the box asks again.
begin_run() {
	local end=$((SECONDS + CYCLE_MAX))

	BOOT=$(new_boot_id)
	ask hello "$BOOT" 1.0 - firmware || return
	ask next "$BOOT" || return
	while [[ $ANSWER == *idle* ]] && [ $SECONDS -lt $end ]; do
		ask next "$BOOT" || return
	done
	read -r _ LEASE _ _ _ EXPERIMENT BLOCK _ <<<"$ANSWER"
	[[ $LEASE =~ ^[0-9a-f]{32}$ ]] || {
		broken once "next: $ANSWER"
		return 1
	}
}

# A whole turn of the box; what it brought is in STORED.
turn() { # BYTES [log|state]
	begin_run && finish_turn "$@"
}

finish_turn() { # BYTES [log|state]
	local end=$((SECONDS + CYCLE_MAX))

	make_result "$1"
	[ "${2:-}" != state ] || ask state running "$LEASE"
	[ "${2:-}" != log ] || until echo "a line" | ship log "$BOOT"; do
		[ $SECONDS -lt $end ] || break
	done >/dev/null
	ship put "$T/$NAME" >"$T/put.out" ||
		broken once "put: $(tail -n 1 "$T/ship.err")"
	STORED+=("$LEASE $EXPERIMENT $BLOCK $NAME")
	ask next "$BOOT" "$LEASE"
	[ $SECONDS -lt $end ] || broken deadline "over $CYCLE_MAX s"
}

# A box that took a lease and never came back: the next boot's turn. The lost
# run is a result as well.
turn_after_loss() {
	local lost=$LEASE experiment=$EXPERIMENT block=$BLOCK

	turn 2000 || return
	STORED=("$lost $experiment $block b1.$lost.tar.lz4" "${STORED[@]}")
	[ "$BLOCK" = "$block" ] || broken once "block $block was not run again"
}

# collect, until it gets through.
collect() {
	local i

	for i in 1 2 3; do
		shimmed collect "$BIN/ironrig" collect >"$T/collect" 2>&1 &&
			return
		check_seen
	done
	broken once "collect fails: $(tail -n 1 "$T/collect")"
}

# ---- invariants ------------------------------------------------------------------

check_once() { # LEASE NAME
	local want have

	have=$(grep -c "^run $1 " "$H/store/b1/leases")
	[ "$have" = 1 ] || broken once "lease $1 was given out $have times"
	[ -f "$H/store/b1/$2" ] || broken once "$2 is not in the store"
	want=$(printf '%s\n' "${STORED[@]##* }" | sort)
	have=$(cd "$H/store/b1" && ls | grep 'tar\.lz4' | sort)
	[ "$have" = "$want" ] ||
		broken once "the store holds other files: $(
			diff <(echo "$want") <(echo "$have") | head -n 4)"
}

# What the index shows is there: also between a fault and what mends it.
check_seen() {
	local lease

	for lease in $(ironrig ls --json 2>/dev/null |
		grep -oE '"lease": ?"[0-9a-f]{32}"' | grep -oE '[0-9a-f]{32}'); do
		[ -f "$H/store/b1/b1.$lease.tar.lz4" ] ||
			broken partial "$lease is shown, not stored"
	done
}

check_partial() {
	local left

	left=$(find "$H/incoming/b1" -type f ! -name .lock)
	[ -z "$left" ] || broken partial "left in incoming: $left"
	left=$(find "$H/quarantine/b1" -type f)
	[ -z "$left" ] || broken partial "in quarantine: $(
		cat "$H"/quarantine/b1/*.reason) $left"
}

check_label() { # LEASE EXPERIMENT BLOCK
	local row

	row=$(ironrig ls --json --experiment "$2" | tr -d '\n' | tr '{' '\n' |
		grep "\"$1\"")
	[[ $row =~ \"block\":\ ?$3, && $row =~ \"box\":\ ?\"b1\" ]] ||
		broken label "$1 should be block $3 of $2: $row"
	grep -q "^run $1 $2 $3 " "$H/store/b1/leases" ||
		broken label "$1 was not given out as block $3 of $2"
}

check_index() {
	local out

	out=$(ironrig fsck) || broken index "$out"
}

# All of them, for the last run of STORED.
invariants() {
	local name

	[ "${#STORED[@]}" -gt 0 ] || return
	name=${STORED[-1]##* }
	collect
	cmp -s "$T/$name" "$H/store/b1/$name" || broken bytes "$name differs"
	rm -f "$T/$name"
	invariants_of_all
}

# But for the bytes.
invariants_of_all() {
	local lease experiment block name

	[ "${#STORED[@]}" -gt 0 ] || return
	read -r lease experiment block name <<<"${STORED[-1]}"
	collect
	check_once "$lease" "$name"
	check_partial
	check_label "$lease" "$experiment" "$block"
	check_index
}
