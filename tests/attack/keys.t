#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Where private keys go: what enroll, the image, serve, a borrowed box's ab, the
# courier and receive do with them, call by call.
# shellcheck disable=SC2119,SC2120 # an option that comes once
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# The LeakSanitizer cannot work under strace.
case $IRONRIG_BUILD in */san) export ASAN_OPTIONS=detect_leaks=0 ;; esac
umask 000 # a careless account

# traced NAME COMMAND...: every call that tells anybody anything, with all words
traced() {
	local name=$1

	shift
	strace -f -qq -s 100000 -o "$T/$name.trace" -e \
		trace=execve,openat,creat,mkdir,mkdirat,chmod,fchmod,fchmodat,umask,prctl,prlimit64 \
		"$@"
}
# The lines of a key file that are secret: before them stands what all have in
# common, and the public key.
secrets() {
	sed -s -n 4,5p "$@"
}
# said NAME: no argument, no environment, no name holds a secret
unsaid() {
	secrets "$IRONRIG_HOME/keys/boxes/b1" \
		"$IRONRIG_HOME/keys/controller_host_ed25519" >"$T/secrets"
	is "$(wc -l <"$T/secrets")" 4 "$1: there are keys"
	nok "$1: in nobody's arguments or environment" \
		grep -qFf "$T/secrets" "$T/$1.trace"
}

new_home "$T/home"
H=$T/home
image_base
traced enroll "$BIN/ironrig" enroll b1 --mac 52:54:00:00:00:01 \
	--controller 127.0.0.1:22 --authorized-keys "$T/ssh/authorized_keys" \
	>/dev/null
unsaid enroll
first=$(secrets "$H/keys/boxes/b1" | head -1)

# made ERE: modes with which such files were ever made, less the umask then
made() {
	local line mask=0 mode

	grep -hE "umask\(|openat\([^,]*, \"[^\"]*$1\", [^)]*O_CREAT" "$T"/*.trace |
		while read -r line; do
			mode=${line##*, }
			mode=${mode%%)*}
			if [[ $line == *umask* ]]; then
				mask=${line#*umask(}
				mask=${mask%%)*}
			else
				printf '%04o\n' $((mode & ~mask))
			fi
		done | sort -u
}
is "$(made 'keys\/boxes\/b1:?n?e?w?')" 0600 "a key is 0600 from its first moment on"
unlike "$(made 'boxes\/\.?b1\.cpio[^\"]*')" '[1-7]$' \
	"an overlay is closed to others from its first moment on"
like "$(grep -h 'PR_SET_DUMPABLE' "$T/enroll.trace" | head -1)" \
	'SUID_DUMP_DISABLE' "no other process may look into enroll"
like "$(grep -h 'RLIMIT_CORE' "$T/enroll.trace" | head -1)" 'rlim_cur=0' \
	"and it leaves no core dump"
is "$(sed -nE '/PR_SET_DUMPABLE/q; /openat.*boxes\/b1"/p' "$T/enroll.trace")" "" \
	"before it reads a key"
is "$(find "$H/keys" "$H/boot" "$T/ssh" -type f -perm /002)" "" \
	"nobody else may write any of it"
like "$(stat -c %a "$T/ssh/authorized_keys")" '^600$' "authorized_keys is 0600"

# ---- what is built ----------------------------------------------------------

traced sbom "$BIN/ironrig" image --sbom >"$T/sbom" 2>&1
unsaid sbom
for f in "$H"/boot/base.cpio "$T/sbom"; do
	lz4 -dcq "$f" 2>/dev/null >"$T/plain" || cp "$f" "$T/plain"
	nok "${f##*/} carries no key" grep -qaFf "$T/secrets" "$T/plain"
done
holders=$(grep -rlaFf "$T/secrets" "$H" | grep -v "^$H/keys/" | sort)
like "$holders" '^[^ ]*/boot/boxes/b1.cpio$|^$' "the overlay alone does: $holders"

# ---- in use -----------------------------------------------------------------

serve
HOME=$T traced courier "$IRONRIG_BUILD/tests/courier" "127.0.0.1:$SERVE_PORT" \
	"$(id -un)" "$H/keys/boxes/b1" "$T/known_hosts" <<-END >"$T/said" 2>&1
	call have b1.$(new_lease).tar.lz4
END
unsaid courier
box_ssh b1 have "b1.$(new_lease).tar.lz4" >/dev/null # makes known_hosts
HOME=$T traced courier "$IRONRIG_BUILD/tests/courier" "127.0.0.1:$SERVE_PORT" \
	"$(id -un)" "$H/keys/boxes/b1" "$T/known_hosts" <<-END >"$T/said" 2>&1
	call have b1.$(new_lease).tar.lz4
END
is "$(cat "$T/said")" "answer none" "the courier logs in with it"
unsaid courier
is "$(sed -nE '/PR_SET_DUMPABLE, SUID_DUMP_DISABLE/q; /openat.*boxes\/b1"/p' \
	"$T/courier.trace")" "" "and cannot be looked into from before that on"
for pid in $(pgrep -P "$SERVE_PID") "$SERVE_PID"; do
	nok "serve ($pid): no key in its words" \
		grep -qaFf "$T/secrets" "/proc/$pid/cmdline" "/proc/$pid/environ"
done
SSH_ORIGINAL_COMMAND="get overlay.cpio" traced receive \
	"$BIN/ironrig" receive b1 >"$T/overlay" 2>&1
like "$(grep -h 'PR_SET_DUMPABLE' "$T/receive.trace" | head -1)" \
	'SUID_DUMP_DISABLE' "receive, which hands an overlay over, neither"
nok "no log of it all holds one" grep -qaFf "$T/secrets" \
	"$T/serve.log" "$T/said" "$T/image.log" "$H"/store/b1/*

# ---- a key that is replaced -------------------------------------------------

# a connection that the old one opened while it was good
cp "$H/keys/boxes/b1" "$T/old"
chmod 600 "$T/old"
old() {
	ssh -F none "$@" -i "$T/old" -p "$SERVE_PORT" -o BatchMode=yes \
		-o UserKnownHostsFile="$T/known_hosts" -o IdentitiesOnly=yes \
		-o LogLevel=ERROR -o ControlPath="$T/control" \
		"$(id -un)@127.0.0.1" have "b1.$(new_lease).tar.lz4" </dev/null
}
bg "$T/control.log" ssh -F none -i "$T/old" -p "$SERVE_PORT" -N -M \
	-o BatchMode=yes -o UserKnownHostsFile="$T/known_hosts" \
	-o IdentitiesOnly=yes -o ControlPath="$T/control" "$(id -un)@127.0.0.1"
wait_for 20 test -S "$T/control"
is "$(old)" "ironrig1 none" "the first key, over a connection that stays"
traced rotate "$BIN/ironrig" enroll b1 --rotate >/dev/null
unsaid rotate
isnt "$(secrets "$H/keys/boxes/b1" | head -1)" "$first" "another key"
like "$(old)" '^ironrig1 error conflict this key of box b1 was replaced' \
	"what it opened is good for nothing from that moment on"
exits 255 "and a new connection is refused" old -o ControlPath=none
is "$(box_ssh b1 have "b1.$(new_lease).tar.lz4")" "ironrig1 none" \
	"the new one is taken"
nok "the old one is nowhere any more" grep -rqaF "$first" "$H"
is "$(made 'keys\/boxes\/b1:new')" 0600 "0600 from its first moment on"
is "$(find "$H/keys" -name '*:new*')" "" "nothing is left behind"
done_testing
