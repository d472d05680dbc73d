#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The receiver's bad days that need root, in a mount namespace of their own: a
# full disk, and an account whose start-up files talk.

if [ "$(id -u)" = 0 ] && [ -z "${IN_NAMESPACE:-}" ]; then
	IN_NAMESPACE=1 exec unshare --mount --propagation private \
		"$BASH" "$0" "$@"
fi
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" = 0 ] || skip_all "needs root"

new_home "$T/home"

# ---- a full disk --------------------------------------------------------------

mkdir "$T/disk"
mount -t tmpfs -o size=3M tmpfs "$T/disk" || skip_all "no tmpfs"
# one filesystem, as a home is: renames between its folders must work
cp -a "$T/home/." "$T/disk/"
# root's home may hold the clone, which the end of this test puts out of sight
mkdir "$T/bin"
cp "$BIN/ironrig" "$T/bin/"
BIN=$T/bin
cd /
export IRONRIG_HOME=$T/disk
ok "enroll" ironrig enroll b1 --mac 52:54:00:00:00:01 --controller 127.0.0.1:1
BOOT=$(new_boot_id)
incoming=$IRONRIG_HOME/incoming/b1

# make BYTES: $T/NAME is a result of about that size, which does not compress
make() {
	local lease

	lease=$(new_lease)
	NAME=b1.$lease.tar.lz4
	rm -rf "$T/tree"
	mkdir "$T/tree"
	result_cfg b1 "$lease" "$BOOT" j1 k1 "$(printf '%064d' 1)" "" 0 0 |
		grep -v '^experiment' >"$T/tree/result.cfg"
	head -c "$1" /dev/urandom >"$T/tree/noise"
	pack_result "$T/tree" "$T/$NAME"
	SHA=$(sha256sum <"$T/$NAME" | cut -d' ' -f1)
	SIZE=$(stat -c %s "$T/$NAME")
}

put() { # [offset]
	tail -c "+$((${1:-0} + 1))" "$T/$NAME" |
		ironrig receive b1 put "$NAME" "${1:-0}"
}

make 500000
is "$(put)" "ironrig1 ok $SIZE $SHA" "a result while there is room"
good=$NAME
cp "$IRONRIG_HOME/store/b1/leases" "$T/leases"
make 4000000
out=$(put)
like "$out" "^ironrig1 error system $NAME: .*No space left" \
	"a full disk: system, which a box tries again"
ok "what was stored is unharmed" cmp "$T/$good" "$incoming/$good"
ok "the leases too" cmp "$T/leases" "$IRONRIG_HOME/store/b1/leases"
ok "no result appears" test ! -e "$incoming/$NAME"
out=$(ironrig receive b1 have "$NAME")
like "$out" "^ironrig1 part [0-9]+$" "what came is kept"
part=${out##* }
ok "and is what was sent" cmp -n "$part" "$T/$NAME" "$incoming/.$NAME.part"
like "$(put "$part")" "^ironrig1 error system" "still full"
mount -o remount,size=20M "$T/disk"
part=$(ironrig receive b1 have "$NAME")
is "$(put "${part##* }")" "ironrig1 ok $SIZE $SHA" "with room again it goes on"
ok "whole" cmp "$T/$NAME" "$incoming/$NAME"

# nothing at all fits: not even a lease
dd if=/dev/zero of="$T/disk/filler" bs=1M 2>/dev/null
dd if=/dev/zero of="$T/disk/filler2" bs=1k 2>/dev/null
# the last page of the log takes some more lines
for _ in $(seq 100); do
	out=$(ironrig receive b1 hello "$(new_boot_id)" 1.0 -)
	[[ $out != *error* ]] && continue
	break
done
like "$out" "^ironrig1 error system" "hello on a full disk"
is "$(tail -c 1 "$IRONRIG_HOME/store/b1/leases" | od -An -tx1)" " 0a" \
	"leaves no half line"
rm "$T/disk/filler" "$T/disk/filler2"
BOOT=$(new_boot_id)
like "$(ironrig receive b1 hello "$BOOT" 1.0 -)" "^ironrig1 hello" \
	"and works again"

# ---- a noisy account -------------------------------------------------------------

mkdir "$T/account"
mount --bind "$T/account" "$(getent passwd root | cut -d: -f6)" ||
	skip_all "no bind mount"
serve
ok "enroll at the server" sed -i "s/127.0.0.1:1\"/127.0.0.1:$SERVE_PORT\"/" \
	"$IRONRIG_HOME/conf/hosts/b1.cfg"
like "$(ironrig check --lab)" "ok +shell .* silent" "a silent shell"
echo 'echo "Welcome to the lab!"' >"$T/account/.bashrc"
shell=$(getent passwd root | cut -d: -f7)
if [ "${shell##*/}" = bash ]; then
	like "$(box_ssh b1 hello "$BOOT" 1.0 -)" "^ironrig1 hello b1" \
		"serve keeps bash from a noisy .bashrc"
	# a machine's own sshd does not: the same one without that line
	sed -i /SHLVL/d "$IRONRIG_HOME/keys/sshd_config"
	kill -HUP "$(pgrep -P "$SERVE_PID" -x sshd)"
	noisy() {
		out=$(box_ssh b1 hello "$BOOT" 1.0 -)
		[ "$(head -n 1 <<<"$out")" = "Welcome to the lab!" ]
	}
	wait_for 20 noisy
	is "$(head -n 1 <<<"$out")" "Welcome to the lab!" \
		"a noisy .bashrc stands before the answer"
	like "$(tail -n 1 <<<"$out")" "^ironrig1 hello b1" "which still comes"
	like "$(ironrig check --lab)" "BAD .*Welcome to the lab" \
		"check --lab shows it"
	nok "and fails" ironrig check --lab
	unlike "$(ironrig check --lab)" "of CPU at each verb" "it is quick"
	echo 'for ((i = 0; i < 100000; i++)); do :; done' \
		>"$T/account/.bashrc"
	like "$(ironrig check --lab)" "note .*cost [0-9]+ ms of CPU at each verb" \
		"a slow one is noted"
else
	skip "root's shell is not bash" 7
fi
stop "$SERVE_PID"
umount "$(getent passwd root | cut -d: -f6)"
umount "$T/disk"
done_testing
