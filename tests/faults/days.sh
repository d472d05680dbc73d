# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# Scenes of bad days: what goes wrong for longer than a step. Each is
# "NAME [ARGUMENT]" of day_list. Source after lib-faults.sh.

day_list() {
	local at

	for at in 1000 70000 150000 390000; do
		echo "reset $at"
	done
	for at in -86400 -10 10 31536000; do
		echo "clock $at"
	done
	echo "sshd 0"
	echo "sshd 1"
	echo twins
	echo boot_id
	echo stale
	echo wrong
	echo two_collect
	[ "$(id -u)" != 0 ] || printf '%s\n' full read_only
}

# The connection is reset once so many bytes of a result have passed.
scene_reset() { # BYTES
	row "connection reset"
	PORT=$(free_port)
	echo "[127.0.0.1]:$PORT $(cut -d' ' -f2- <"$T/kh")" >>"$T/kh"
	bg "$T/proxy" "$IRONRIG_BUILD/tests/proxy" "$PORT" "$SERVE_PORT" \
		"cut=$1,2"
	local proxy=$BG_PID

	proxy_up() { (exec 3<>"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null; }
	wait_for 10 proxy_up
	turn 400000
	invariants
	stop "$proxy"
	PORT=
	sed -i '$d' "$T/kh"
	count_fault
}

# The controller's clock jumps while a run is under way, and back after it.
scene_clock() { # SECONDS
	row "controller's clock jumps"
	begin_run || return
	echo "$1" >"$FDIR/clock"
	finish_turn 2000
	invariants
	rm "$FDIR/clock"
	count_fault
	turn 2000
	invariants
}

# sshd is gone, with all its sessions, in the middle of a result (1) or before
# it (0), and comes back.
scene_sshd() { # 0|1
	local putting port=$SERVE_PORT

	row "sshd killed, started again"
	begin_run || return
	make_result 400000
	if [ "$1" = 1 ]; then
		arm put 3 wait # long enough to be hit in it
	fi
	ship put "$T/$NAME" >"$T/put.out" &
	putting=$!
	[ "$1" = 0 ] || wait_for 10 test -s "$FDIR/fired"
	stop "$SERVE_PID"
	bg "$T/serve.log" "$BIN/ironrig" serve --port "$port"
	SERVE_PID=$BG_PID
	wait "$putting" || broken once "put: $(tail -n 1 "$T/ship.err")"
	struck
	STORED+=("$LEASE $EXPERIMENT $BLOCK $NAME")
	ask next "$BOOT" "$LEASE"
	invariants
	count_fault
}

# Another machine with the same key comes up while a run is under way. Its
# work is not given out under the other's name: the first one's run is lost,
# what it brings all the same is kept beside, with the reason.
scene_twins() {
	local lease boot name left

	row "two agents with one key"
	begin_run || return
	make_result 2000
	lease=$LEASE boot=$BOOT name=$NAME
	mv "$T/$name" "$T/twin"
	turn_after_loss
	mv "$T/twin" "$T/$name"
	ship put "$T/$name" >"$T/put.out" &&
		broken once "a second result of $lease was taken"
	echo "call next $boot" >&9
	read -r -t $CYCLE_MAX left <&8
	[[ $left == error* ]] || broken label "the first agent gets $left"
	cmp -s "$T/$name" "$H/quarantine/b1/$name" ||
		broken bytes "the first agent's result is not kept"
	[ -s "$H/quarantine/b1/$name.reason" ] ||
		broken partial "no reason beside it"
	rm -f "$H/quarantine/b1/"* "$T/$name"
	STORED=("${STORED[@]:1}" "${STORED[0]}")
	STORED=("${STORED[@]}")
	invariants_of_all
	count_fault
}

# A boot id that was seen before says hello once more.
scene_boot_id() {
	local old out

	row "boot_id used again"
	turn 2000
	old=$BOOT
	begin_run || return
	for out in "hello $old 1.0 - firmware" "next $old"; do
		echo "call $out" >&9
		read -r -t $CYCLE_MAX out <&8
		[[ $out == error* ]] || broken label "the old boot gets $out"
	done
	finish_turn 2000
	invariants
	count_fault
}

# A connection that hangs in the middle of a put; the box comes back by another.
scene_stale() {
	local hung

	row "a receiver outlives its connection"
	begin_run || return
	make_result 400000
	mkfifo "$T/pipe"
	BG_STDIN=$T/pipe bg "$T/hung" ssh -F none -i "$H/keys/boxes/b1" -p "$SERVE_PORT" \
		-o UserKnownHostsFile="$T/kh" -o BatchMode=yes \
		-o IdentitiesOnly=yes "$ME@127.0.0.1" put "$NAME" 0
	hung=$BG_PID
	exec 7>"$T/pipe"
	head -c 100000 "$T/$NAME" >&7
	wait_for 20 test -s "$H/incoming/b1/.$NAME.part" ||
		broken partial "the hanging put did not begin"
	ship put "$T/$NAME" >"$T/put.out" ||
		broken once "put: $(tail -n 1 "$T/ship.err")"
	exec 7>&-
	rm "$T/pipe"
	wait_for 20 ended "$hung" || broken deadline "the old receiver stays"
	STORED+=("$LEASE $EXPERIMENT $BLOCK $NAME")
	ask next "$BOOT" "$LEASE"
	invariants
	count_fault
}

# A whole file that is no result goes to quarantine; its lease runs again.
scene_wrong() {
	local block experiment first lease name

	row "a quarantined result's lease runs again"
	begin_run || return
	block=$BLOCK experiment=$EXPERIMENT lease=$LEASE
	name=b1.$lease.tar.lz4
	head -c 5000 /dev/urandom | lz4 -q -c >"$T/$name"
	ship put "$T/$name" >"$T/put.out" && broken once "garbage was taken"
	ask next "$BOOT" "$lease"
	cmp -s "$T/$name" "$H/quarantine/b1/$name" ||
		broken bytes "it is not in quarantine"
	rm -f "$H/quarantine/b1/"* "$T/$name"
	turn 2000
	first="$BLOCK $EXPERIMENT"
	[ "$first" = "$block $experiment" ] ||
		broken once "block $block was not run again but $first"
	invariants
	count_fault
}

# Two collectors at once.
scene_two_collect() {
	row "two collectors at once"
	turn 400000
	ironrig collect >/dev/null 2>&1 &
	invariants
	wait $!
	check_index
	count_fault
}

# The home is full, or read-only, for a while; then it is not.
on_a_tmpfs() { # BAD GOOD: commands
	faults_home_end
	mkdir -p "$T/small"
	mount -t tmpfs -o size=12m tmpfs "$T/small" || return
	faults_home small "$T/small/home"
	turn 2000
	invariants
	begin_run
	make_result 400000
	"$1"
	ship put "$T/$NAME" >"$T/put.out" &
	wait_for 20 refused_once
	"$2"
	wait $! || broken once "put: $(tail -n 1 "$T/ship.err")"
	STORED+=("$LEASE $EXPERIMENT $BLOCK $NAME")
	ask next "$BOOT" "$LEASE"
	invariants
	count_fault
	FAULT_BROKEN+=" " # the next one begins with a home of its own
	faults_home_end
	umount "$T/small"
	faults_home "after.$FAULTS"
}
refused_once() {
	[ -s "$T/put.out" ] || grep -qE 'No space|Read-only' "$T/ship.err"
}
fill() { dd if=/dev/zero of="$T/small/filler" bs=64k 2>/dev/null; }
unfill() { rm "$T/small/filler"; }
forbid() { mount -o remount,ro "$T/small"; }
allow() { mount -o remount,rw "$T/small"; }
scene_full() {
	row "full disk"
	: >"$T/ship.err"
	on_a_tmpfs fill unfill
}
scene_read_only() {
	row "read-only store"
	: >"$T/ship.err"
	on_a_tmpfs forbid allow
}
