#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Enrolling a box: what is written, what a second time does, --rotate and
# --remove, and what is refused.
. "$(dirname "$0")/../lib.sh"

new_home "$T/home"
home=$T/home
ok "enroll" ironrig enroll b1 --mac 52:54:00:AB:CD:01 --group vm \
	--controller 192.0.2.1:22
ok "its host file is right" ironrig check -k host "$home/conf/hosts/b1.cfg"
like "$(cat "$home/conf/hosts/b1.cfg")" 'mac = "52:54:00:ab:cd:01"' "with its MAC"
is "$(stat -c %a "$home/keys/boxes/b1")" 600 "the private key is private"
like "$(cat "$home/keys/boxes/b1.pub")" "^ssh-ed25519 " "ed25519"
line=$(grep ironrig:b1 "$home/keys/authorized_keys")
like "$line" "^restrict,command=\"exec '.*/ironrig' --home '$home' receive --key [A-Za-z0-9+/]{20} b1\" ssh-ed25519 [A-Za-z0-9+/=]+ ironrig:b1\$" \
	"its line in authorized_keys"
is "$(stat -c %a "$home/keys/authorized_keys")" 600 "0600"
ok "its overlay is there" test -s "$home/boot/boxes/b1.cpio"
ok "the chain script is there" test -s "$home/boot/boot.ipxe"

cp "$home/keys/boxes/b1" "$T/key"
cp "$home/keys/authorized_keys" "$T/auth"
ok "a second time" ironrig enroll b1
ok "keeps the key" cmp "$T/key" "$home/keys/boxes/b1"
ok "and the line" cmp "$T/auth" "$home/keys/authorized_keys"
like "$(ironrig enroll b1 --mac 52:54:00:ab:cd:99 2>&1)" \
	"box b1: net.mac is \"52:54:00:ab:cd:01\"" "another MAC is a conflict"

ok "a second box" ironrig enroll b2 --mac 52:54:00:ab:cd:02 \
	--controller 192.0.2.1:22
is "$(grep -c "ironrig:b" "$home/keys/authorized_keys")" 2 "has its own line"

# ---- into the account's file --------------------------------------------------------

printf 'ssh-ed25519 MINE me\n' >"$T/ak"
ok "--authorized-keys" ironrig enroll b1 --authorized-keys "$T/ak"
is "$(head -n 1 "$T/ak")" "ssh-ed25519 MINE me" "what was there stays"
is "$(grep -cF "$line" "$T/ak")" 1 "the line is there too"
like "$(cat "$T/ak")" "# ironrig: begin $home" "in a marked block"
ok "a fresh account has no .ssh" ironrig enroll b2 \
	--authorized-keys "$T/fresh/authorized_keys"
is "$(stat -c %a "$T/fresh" "$T/fresh/authorized_keys" | tr '\n' ' ')" \
	"700 600 " "folder and file are made, closed"
nok "no folder above that" ironrig enroll b2 \
	--authorized-keys "$T/no/such/authorized_keys"
nok "is made" test -e "$T/no"

# ---- rotate, remove -----------------------------------------------------------------

ok "--rotate" ironrig enroll b1 --rotate --authorized-keys "$T/ak"
nok "a new key" cmp "$T/key" "$home/keys/boxes/b1"
is "$(grep -c ironrig:b1 "$home/keys/authorized_keys")" 1 "one line"
nok "not the old one" grep -qF "$line" "$home/keys/authorized_keys"
nok "nor in the other file" grep -qF "$line" "$T/ak"
is "$(cd "$home/keys/boxes" && echo *)" "b1 b1.pub b2 b2.pub" \
	"nothing is left over"
mkdir -p "$home/store/b1"
echo kept >"$home/store/b1/result"
ok "--remove" ironrig enroll b1 --remove --authorized-keys "$T/ak"
is "$(grep -c ironrig:b1 "$home/keys/authorized_keys" "$T/ak" |
	cut -d: -f2 | tr '\n' ' ')" "0 0 " "no line is left"
ok "no key, no overlay" test ! -e "$home/keys/boxes/b1" -a \
	! -e "$home/boot/boxes/b1.cpio"
ok "results stay" test -s "$home/store/b1/result"
is "$(grep -c ironrig:b2 "$home/keys/authorized_keys")" 1 "others stay"

# ---- refused ------------------------------------------------------------------------

exits 2 "no box" ironrig enroll
exits 2 "a bad name" ironrig enroll ../b3 --mac 52:54:00:ab:cd:03
exits 2 "rotate and remove" ironrig enroll b1 --rotate --remove
exits 1 "no MAC" ironrig enroll b3 --controller 192.0.2.1:22
exits 1 "no controller" ironrig enroll b3 --mac 52:54:00:ab:cd:03
like "$(ironrig enroll b4 --mac nonsense --controller 192.0.2.1:22 2>&1)" \
	"net.mac" "a bad MAC is named"
ok "and leaves no host file" test ! -e "$home/conf/hosts/b4.cfg" -a \
	! -e "$home/conf/hosts/b4.cfg.draft"
echo "# ironrig: begin $home" >"$T/broken"
cp "$T/broken" "$T/before"
nok "a broken block" ironrig enroll b2 --authorized-keys "$T/broken"
ok "is left as it is" cmp "$T/broken" "$T/before"

# ---- whatever fails leaves what was there before ------------------------------------

SHIM=$IRONRIG_BUILD/tests/faults/shim.so
[ -e "$SHIM" ] || bail "no $SHIM"
mkdir "$T/faults" "$T/account"
shimmed() { # OPTION...
	env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD="$SHIM" \
		FAULTS_DIR="$T/faults" FAULTS_WHO=enroll "$BIN/ironrig" enroll \
		"$@" --authorized-keys "$T/account/.ssh/authorized_keys" 2>&1
}
tree() { # names, modes and contents of all that enrolling may touch
	(cd "$T" && find home account -not -path home/keys/.lock \
		-printf '%p %m %y\n' | sort && find home account -type f \
		-print0 | sort -z | xargs -0 sha256sum)
}
new5=(b5 --mac 52:54:00:ab:cd:05)
exits 1 "no controller" ironrig enroll "${new5[@]}"
ok "leaves no host file" test ! -e "$home/conf/hosts/b5.cfg"
new5+=(--controller 192.0.2.1:22)
before=$(tree)
exits 1 "no ssh-keygen" env PATH=/nowhere "$BIN/ironrig" enroll "${new5[@]}"
is "$(tree)" "$before" "leaves nothing"
exits 1 "a broken block elsewhere" ironrig enroll "${new5[@]}" \
	--authorized-keys "$T/broken"
is "$(tree)" "$before" "leaves nothing"
exits 1 "a group that is none" env HOME="$T" "$BIN/ironrig" enroll \
	"${new5[@]}" --group 'a b'
is "$(tree)" "$before" "leaves nothing"

# each call in turn fails: with a new box, and with the key of one replaced
fails() { # WHAT OPTION...
	local what=$1 k n bad='' failed=0 out rc before

	shift
	before=$(tree)
	cp -a "$home" "$T/kept"
	rm -f "$T/faults/trace"
	echo "enroll 1 trace" >"$T/faults/plan"
	shimmed "$@" >/dev/null
	n=$(wc -l <"$T/faults/trace")
	for ((k = 1; k <= n; k++)); do
		rm -rf "$home" "$T/account/.ssh"
		cp -a "$T/kept" "$home"
		echo "enroll $k eio" >"$T/faults/plan"
		out=$(shimmed "$@")
		rc=$?
		if [ $rc = 0 ]; then
			ironrig check -k host "$home/conf/hosts/$1.cfg" \
				>/dev/null 2>&1 || bad+="$k: done, but not;"
			continue
		fi
		failed=$((failed + 1))
		[ $rc = 1 ] && [ "$(tree)" = "$before" ] ||
			bad+="$(tail -n 1 "$T/faults/fired"): $rc, $out; $(
				diff <(tree) <(echo "$before")) "
	done
	is "$bad" "" "$what: $n calls fail in turn, nothing is left"
	[ $failed -gt 5 ]
	tap_result $? "$what: $failed of them end it"
	rm -rf "$home" "$T/account/.ssh"
	mv "$T/kept" "$home"
}
fails "a new box" "${new5[@]}"
fails "a new key" b2 --rotate

# many at once lose no line
for i in 1 2 3 4 5 6; do
	ironrig enroll "m$i" --mac "52:54:00:ab:00:0$i" \
		--controller 192.0.2.1:22 >/dev/null 2>&1 &
done
wait
is "$(grep -c "ironrig:m" "$home/keys/authorized_keys")" 6 "six at once"
exits 0 "-h" ironrig enroll -h
# ---- a home that is moved --------------------------------------------------------

mv "$home" "$T/moved"
export IRONRIG_HOME=$T/moved
like "$(ironrig check --lab 2>&1)" \
	'box b2: its key stands in no authorized_keys for this home' \
	"check --lab finds its boxes locked out"
ok "enrolled again" ironrig enroll b2
is "$(grep -F "$(cut -d' ' -f2 "$T/moved/keys/boxes/b2.pub")" \
	"$T/moved/keys/authorized_keys" | grep -o "home '[^']*'")" \
	"home '$T/moved'" "b2's key opens the new home only"
unlike "$(ironrig check --lab 2>&1)" 'box b2: its key stands' "it is let in"
home=$T/moved

# ---- somebody else's home --------------------------------------------------------

if [ "$(id -u)" = 0 ]; then
	find "$home" | sort >"$T/files"
	chown 65534 "$home"
	exits 1 "root enrolls nothing in another's home" ironrig enroll b1 \
		--rotate
	exits 1 "nor makes it one" ironrig init
	like "$(ironrig queue b1 lock1 2>&1)" \
		"home .* belongs to .*, and root must not write there" \
		"it says whose it is"
	chown 0 "$home"
	is "$(find "$home" | sort)" "$(cat "$T/files")" "nothing was written"
else
	skip "root alone can write into another's home" 4
fi

done_testing
