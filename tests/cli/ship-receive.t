#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The agent's transport against the controller's own receiver: verbs, a large
# result, resume, a box that asks for another, the kernel's messages.
# shellcheck disable=SC2317,SC2119 # functions that ok calls; serve alone
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

new_home "$T/home"
serve
ok "enroll" ironrig enroll b1 --mac 52:54:00:00:00:01 \
	--controller "127.0.0.1:$SERVE_PORT"
BOOT=$(new_boot_id)

home_known_hosts "$SERVE_PORT" >"$T/kh"

ship() { # ship ARGUMENT...: into out, err and status
	agent_ship "${PORT:-$SERVE_PORT}" "$T/home/keys/boxes/b1" "$T/kh" "$@" \
		>"$T/out" 2>"$T/err" && status=0 || status=$?
}

says() { # says STATUS REGEX: exit status, and a line on stderr
	[ "$status" = "$1" ] && grep -qE -- "$2" "$T/err"
}

# make BYTES: a result of b1 outside any plan, at $T/$NAME
make() {
	local lease tree

	lease=$(new_lease)
	tree=$T/tree.$lease
	mkdir -p "$tree/meta"
	result_cfg b1 "$lease" "$BOOT" j1 k1 "$(printf '%064d' 1)" "" 0 0 |
		grep -v '^experiment' >"$tree/result.cfg"
	head -c "$1" /dev/urandom >"$tree/meta/noise"
	NAME=b1.$lease.tar.lz4
	pack_result "$tree" "$T/$NAME"
	rm -r "$tree"
}

arrived() { [ "$status" = 0 ] && cmp "$T/$NAME" "$T/home/incoming/b1/$NAME"; }

ship hello "$BOOT" 1.0 -
ok "hello" grep -qE '^hello b1 [0-9]{19} ' "$T/out"
ship next "$BOOT"
is "$(cat "$T/out")" "idle 10" "next"
ship get host.cfg
ok "get" says 0 '^data [0-9]+ [0-9a-f]{64}$'
ok "the data is a host file" ironrig check -k host "$T/out"
ship get ../keys/boxes/b1
ok "what is not for boxes is refused" says 1 'controller refuses: '
echo "[    0.000000] Linux version" >"$T/log"
ship log "$BOOT" <"$T/log"
ok "log" grep -q 'Linux version' "$T/home/store/b1/logs/$BOOT.log"

make 100000
ship put "$T/$NAME"
ok "a small result arrives" arrived
ship put "$T/$NAME"
ok "again is ok again" arrived
is "$(ls "$T/home/quarantine/b1")" "" "nothing went to quarantine"
first=$NAME
make 500000
cp "$T/$NAME" "$T/$first"
ship --deadline 60 put "$T/$first"
ok "another result under that name is not" says 1 'holds another one'
make 1000
cp "$T/$NAME" "$T/$first"
ship --deadline 60 put "$T/$first"
ok "nor is a small one, which is sent without asking" \
	says 1 'controller refuses: conflict'
make 67108864
ship put "$T/$NAME"
ok "a result of 64 MiB arrives" arrived
rm "$T/$NAME"

make 12000000
PORT=$(free_port)
home_known_hosts "$SERVE_PORT" "$PORT" >"$T/kh"
bg "$T/proxy.log" "$IRONRIG_BUILD/tests/proxy" "$PORT" "$SERVE_PORT" \
	cut=6000000
ship put "$T/$NAME"
ok "cut in the middle: it arrives" arrived
wait_for 5 grep -q '^conn 2' "$T/proxy.log"
# shellcheck disable=SC2016 # awk's variables
ok "less than a window was sent twice" awk -v size="$(stat -c %s "$T/$NAME")" '
	{ up += $3 }
	END { exit !(NR == 2 && up - size * 1.005 < 2097152) }' "$T/proxy.log"
PORT=

make 3000000
head -c 2000000 "$T/$NAME" >"$T/broken.tar.lz4"
NAME=b1.$(new_lease).tar.lz4
mv "$T/broken.tar.lz4" "$T/$NAME"
ship --deadline 60 put "$T/$NAME"
ok "a file that is no whole result is refused, and not tried for ever" \
	says 1 'controller refuses: '
ok "it is not among the results" [ ! -e "$T/home/incoming/b1/$NAME" ]
ship --deadline 60 put "$T/out"
ok "nor is one with another name taken" says 1 'controller refuses: input'
done_testing
