#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A lab at once: BOXES enrolled boxes as processes, each with a connection of
# its own through the real sshd, put results of 100 KiB to 20 MiB, while
# collect watches. Prints results a second, failures, receive's memory for each
# connection, and how long `next' takes meanwhile: over the connection that a
# box keeps for its boot, over one that is made for it, and without ssh, as a
# process alone: the last is what this machine's queue of work costs.
#
#	BOXES=200 EACH=1 tests/bench/load.sh

. "$(dirname "$0")/../lib.sh"
BOXES=${BOXES:-200} EACH=${EACH:-1}
SIZES=(100 100 300 300 1000 3000 20000) # KiB, in turn

new_home "$T/home"
H=$IRONRIG_HOME
serve
for ((b = 1; b <= BOXES; b++)); do
	ironrig enroll "l$b" --mac "$(printf '52:54:00:00:%02x:%02x' \
		$((b / 256)) $((b % 256)))" \
		--controller "127.0.0.1:$SERVE_PORT" >/dev/null || bail enroll
done
home_known_hosts "$SERVE_PORT" >"$T/kh"
for size in "${SIZES[@]}"; do
	head -c $((size * 1024)) /dev/urandom >"$T/noise.$size"
done

ship() { # BOX ARGUMENT...
	agent_ship "$SERVE_PORT" "$H/keys/boxes/$1" "$T/kh" --deadline 600s \
		"${@:2}"
}

box() { # NUMBER
	local i lease dir=$T/box.$1 size

	for ((i = 0; i < EACH; i++)); do
		lease=$(new_lease)
		size=${SIZES[($1 + i) % ${#SIZES[@]}]}
		mkdir -p "$dir"
		result_cfg "l$1" "$lease" "$(new_boot_id)" j1 k1 \
			"$(printf %064d 1)" "" 0 0 | grep -v ^experiment \
			>"$dir/result.cfg"
		ln -sf "$T/noise.$size" "$dir/noise"
		tar -C "$dir" -chf - result.cfg noise | lz4 -q -1 -c \
			>"$T/l$1.$lease.tar.lz4"
		echo "$T/l$1.$lease.tar.lz4" >>"$dir/list"
	done
}
for ((b = 1; b <= BOXES; b++)); do box "$b"; done
echo "# $BOXES boxes, $((BOXES * EACH)) results of $(du -shc "$T"/l*.lz4 |
	tail -n 1 | cut -f1)"

mkfifo "$T/asks" "$T/answers"
# shellcheck disable=SC2016 # for that shell
BG_STDIN=$T/asks bg "$T/courier.log" sh -c 'exec "$@" >"$0"' "$T/answers" \
	"$IRONRIG_BUILD/tests/courier" "127.0.0.1:$SERVE_PORT" "$(id -un)" \
	"$H/keys/boxes/l1" "$T/kh"
exec 8>"$T/asks" 9<"$T/answers"
BOOT=$(new_boot_id)
echo "call hello $BOOT 1.0 -" >&8
read -r -t 60 line <&9
[[ $line = "answer hello "* ]] || bail "hello: $line"

bg "$T/collect" "$BIN/ironrig" collect --watch --quiet
start=$(date +%s%N)
pids=()
for ((b = 1; b <= BOXES; b++)); do
	(while read -r f; do
		ship "l$b" put "$f" >/dev/null 2>>"$T/errors" || echo x >>"$T/failed"
	done <"$T/box.$b/list") &
	pids+=($!)
done

# beside them: memory of the receivers, and how long a verb takes
next_kept() { # the answer of the courier that has the connection
	local line

	echo "call next $BOOT" >&8
	read -r -t 60 line <&9 && [[ $line = "answer idle "* ]]
}
next_new() { ship l1 next "$BOOT" >/dev/null 2>&1; }
next_alone() { ironrig receive l1 next "$BOOT" >/dev/null; }
probe() { # KIND: until the end, milliseconds of each
	local t0

	while [ ! -e "$T/end" ]; do
		t0=$EPOCHREALTIME
		"next_$1" || echo x >>"$T/next.failed"
		awk -v a="$t0" -v b="$EPOCHREALTIME" \
			'BEGIN { printf "%.0f\n", (b - a) * 1000 }' >>"$T/$1"
		sleep 0.1
	done
}
(
	while [ ! -e "$T/end" ]; do
		for p in $(pgrep -f "home $H receive"); do
			awk '/^VmHWM/ { print $2 }' "/proc/$p/status" 2>/dev/null
		done >>"$T/memory"
		sleep 0.05
	done
) &
beside=$!
for kind in kept new alone; do
	probe "$kind" &
	beside+=" $!"
done
wait "${pids[@]}"
ms=$((($(date +%s%N) - start) / 1000000))
: >"$T/end"
# shellcheck disable=SC2086 # pids
wait $beside
all_stored() {
	[ "$(find "$H/store" -name '*.tar.lz4' | wc -l)" = $((BOXES * EACH)) ]
}
wait_for 120 all_stored && stored=all || stored="not all"
late=$((($(date +%s%N) - start) / 1000000 - ms))
echo "load average	$(cut -d" " -f1-3 /proc/loadavg), $(nproc) CPUs"
echo "results a second	$((BOXES * EACH * 1000 / ms)).$((
	BOXES * EACH * 10000 / ms % 10))"
# shellcheck disable=SC2002 # the file may not be there
echo "failures	$(cat "$T/failed" 2>/dev/null | wc -l)"
echo "receive's memory, KiB	$(sort -n "$T/memory" | tail -n 1)"
declare -A how=([kept]="connection kept" [new]="connection made"
	[alone]="without ssh")
for kind in kept new alone; do
	sort -n "$T/$kind" | awk -v how="${how[$kind]}" '{ v[NR] = $1 } END {
		printf "next, %s: median, p99, ms\t%d\t%d (of %d)\n", how,
			v[int((NR + 1) / 2)], v[int(NR * .99 + .99)], NR }'
done
# shellcheck disable=SC2002 # the file may not be there
echo "next: failures	$(cat "$T/next.failed" 2>/dev/null | wc -l)"
echo "collect: $stored stored, ms after the last	$late"
