#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A lab at once: BOXES enrolled boxes as processes, each with a connection of
# its own through the real sshd, put results of 100 KiB to 20 MiB, while
# collect watches. Prints results a second, failures, receive's memory for each
# connection, and how long `next' takes meanwhile.
#
#	BOXES=200 EACH=1 tests/bench/load.sh

. "$(dirname "$0")/../lib.sh"
BOXES=${BOXES:-20} EACH=${EACH:-1}
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
(
	boot=$(new_boot_id)
	until ship l1 hello "$boot" 1.0 - >/dev/null 2>&1; do :; done
	while [ ! -e "$T/end" ]; do
		a=$(date +%s%N)
		ship l1 next "$boot" >/dev/null 2>&1 &&
			echo $((($(date +%s%N) - a) / 1000000)) >>"$T/next"
		sleep 0.2
	done
) &
beside=$!
(
	while [ ! -e "$T/end" ]; do
		for p in $(pgrep -f "home $H receive"); do
			awk '/^VmHWM/ { print $2 }' "/proc/$p/status" 2>/dev/null
		done >>"$T/memory"
		sleep 0.05
	done
) &
beside+=" $!"
wait "${pids[@]}"
ms=$((($(date +%s%N) - start) / 1000000))
: >"$T/end"
# shellcheck disable=SC2086 # two pids
wait $beside
all_stored() {
	[ "$(find "$H/store" -name '*.tar.lz4' | wc -l)" = $((BOXES * EACH)) ]
}
wait_for 120 all_stored && stored=all || stored="not all"
late=$((($(date +%s%N) - start) / 1000000 - ms))
echo "results a second	$((BOXES * EACH * 1000 / ms)).$((
	BOXES * EACH * 10000 / ms % 10))"
# shellcheck disable=SC2002 # the file may not be there
echo "failures	$(cat "$T/failed" 2>/dev/null | wc -l)"
echo "receive's memory, KiB	$(sort -n "$T/memory" | tail -n 1)"
echo "next, ms: median	$(sort -n "$T/next" |
	awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')"
echo "next, ms: 99th percentile	$(sort -n "$T/next" |
	awk '{ v[NR] = $1 } END { print v[int(NR * .99 + .99)] }')"
echo "collect: $stored stored, ms after the last	$late"
