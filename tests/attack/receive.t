#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# receive against a box whose key is in the wrong hands: it can do what a box
# can do, to its own folders, and within limits. The verbs through a real sshd;
# many tries without it, as the same program.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

new_home "$T/home"
serve
for b in b1 b2; do
	ok "enroll $b" ironrig enroll $b --mac "52:54:00:00:00:0${b#b}" \
		--controller "127.0.0.1:$SERVE_PORT"
done
BOOT=$(new_boot_id)
H=$T/home
echo secret >"$H/store/secret"
mkdir -p "$H/store/b2" "$H/incoming/b2" "$H/quarantine/b2"
echo "of b2" >"$H/store/b2/private"
echo "of b2" >"$H/incoming/b2/private"

# Everything that is not b1's, to be the same at the end.
others() {
	(cd "$H" && find . -path ./incoming/b1 -prune -o -path ./store/b1 -prune \
		-o -path ./quarantine/b1 -prune -o -type f -print0 | sort -z |
		xargs -0 sha256sum)
}
before=$(others)

direct() {
	SSH_ORIGINAL_COMMAND="$1" timeout 20 "$BIN/ironrig" receive b1
}

# ---- words -------------------------------------------------------------------

long=$(printf 'a%.0s' {1..5000})
many=$(printf 'a %.0s' {1..500})
verbs=(hello next get have put state log)
# shellcheck disable=SC2016 # the very text
bad=("../b2" "/etc/passwd" "../../keys/boxes/b2" "b2.$(new_lease).tar.lz4"
	"b1.$(new_lease).tar.lz4/../../b2/x" "$long" "$many" $'a\tb' $'a\nb'
	$'a\001b' 'a;id' '$(id)' '`id`' '%s%n' '-' '--help' '-h' '.' '..' '*'
	"b1." "b1..tar.lz4" $'b1.\xff\xfe' "99999999999999999999999" "-1" "0x10")
answers=0
wrong=
for verb in "${verbs[@]}"; do
	for w in "${bad[@]}"; do
		for words in "$verb $w" "$verb $w $w" "$verb $w 0" \
			"$verb $w $w $w"; do
			out=$(direct "$words" </dev/null 2>"$T/err" | head -c 600)
			rc=$?
			answers=$((answers + 1))
			case $out in
			"ironrig1 error "* | "ironrig1 ok"* | "ironrig1 hello"*) ;;
			*) wrong+="$rc $words: $out $(cat "$T/err")"$'\n' ;;
			esac
		done
	done
done
is "$wrong" "" "$answers verbs with bad words: each gets an answer"
is "$(others)" "$before" "and nobody else's files changed"

# ---- planted links -----------------------------------------------------------

lease=$(new_lease)
name=b1.$lease.tar.lz4
mkdir -p "$T/r/meta"
result_cfg b1 "$lease" "$BOOT" j1 k1 "$(printf %064d 1)" "" 0 0 |
	grep -v ^experiment >"$T/r/result.cfg"
head -c 300000 /dev/urandom >"$T/r/meta/noise"
pack_result "$T/r" "$T/$name"
for link in "$name" ".$name.part" ".lock"; do
	rm -f "$H/incoming/b1/$link"
	ln -s "$H/incoming/b2/private" "$H/incoming/b1/$link"
	like "$(direct "put $name 0" <"$T/$name")" '^ironrig1 error' \
		"a link as $link: refused"
	like "$(direct "have $name")" '^ironrig1 (error|none)' "not read either"
	rm "$H/incoming/b1/$link"
done
for link in leases state logs; do
	rm -rf "$H/store/b1/$link"
	ln -s "$H/store/b2/private" "$H/store/b1/$link"
	direct "next $BOOT" </dev/null >/dev/null
	direct "state x" </dev/null >/dev/null
	echo x | direct "log $BOOT" >/dev/null
	rm "$H/store/b1/$link"
done
is "$(others)" "$before" "links in its own folders lead nowhere"

# what else may lie there before receive comes: a pipe, a socket, a device, a
# second name of somebody else's file
for what in mkfifo mknod ln; do
	for there in "$name" ".$name.part" ".lock"; do
		rm -f "$H/incoming/b1/$there"
		case $what in
		mkfifo) mkfifo "$H/incoming/b1/$there" ;;
		mknod) mknod "$H/incoming/b1/$there" c 1 3 2>/dev/null ||
			mkfifo "$H/incoming/b1/$there" ;;
		ln) ln "$H/incoming/b2/private" "$H/incoming/b1/$there" ;;
		esac
		direct "put $name 0" <"$T/$name" >"$T/out" 2>&1
		isnt $? 124 "$what as $there: not held up"
		rm -f "$H/incoming/b1/$there"
	done
done
rm -f "$H/incoming/b1/$name"
for there in leases state logs; do
	rm -rf "$H/store/b1/$there"
	mkfifo "$H/store/b1/$there"
	for words in "next $BOOT" "state x" "log $BOOT"; do
		echo x | direct "$words" >"$T/out" 2>&1
		isnt $? 124 "a pipe as $there: \`${words%% *}' is not held up"
	done
	for cmd in "status" "tail b1 --no-follow" "queue b1 --list"; do
		# shellcheck disable=SC2086 # words
		timeout 20 "$BIN/ironrig" $cmd >"$T/out" 2>&1 </dev/null
		isnt $? 124 "nor is $cmd"
	done
	rm -f "$H/store/b1/$there"
done
is "$(others)" "$before" "and nobody else's files changed"

# ---- what people see -------------------------------------------------------------

# Nothing that a box says moves a cursor, sets a title or begins a line.
direct "hello $BOOT 1.0 k1:$(printf %064d 1)" </dev/null >/dev/null
evil=$'\033]0;title\007\033[2J\r\302\233 31m \342\200\256'
printf '%s\nroot login\n' "$evil" | direct "log $BOOT" >/dev/null
direct "state x - ${evil// /}" </dev/null >/dev/null
printf '%s running %s %s\n' "$(date +%s)" "-" "$evil" >>"$H/store/b1/state"
mkdir -p "$T/e/meta"
evil_lease=$(new_lease)
result_cfg b1 "$evil_lease" "$BOOT" j1 k1 "$(printf %064d 1)" "" 0 0 failed |
	grep -v ^experiment >"$T/e/result.cfg"
printf 'reason = "%s";\ncpu_model = "%s";\n' "$evil" "$evil" >>"$T/e/result.cfg"
pack_result "$T/e" "$T/e.tar.lz4"
direct "put b1.$evil_lease.tar.lz4 0" <"$T/e.tar.lz4" >"$T/out"
"$BIN/ironrig" collect >"$T/seen" 2>&1
for cmd in "status" "status b1" "ls" "show @latest" "tail b1 -n 100 --no-follow" \
	"queue b1 --list" "export --csv" "fsck"; do
	# shellcheck disable=SC2086 # words
	timeout 20 "$BIN/ironrig" $cmd 2>&1 </dev/null
done >>"$T/seen"
is "$(grep -aP '\x1b|\x07|\r|\xc2\x9b|\xe2\x80\xae' "$T/seen" | cat -v)" "" \
	"no escape of a box reaches a terminal"
ok "though it was shown" grep -q 'title' "$T/seen"
rm -f "$H/store/b1/b1.$evil_lease.tar.lz4"
before=$(others) # with an index

# ---- sizes and offsets -----------------------------------------------------------

for offset in 1 4095 18446744073709551615 9223372036854775807 1e9 -5; do
	like "$(direct "put $name $offset" <"$T/$name")" '^ironrig1 error' \
		"offset $offset of nothing"
done
is "$(find "$H/incoming/b1" -name '*.part' -size +0)" "" "no part of them"
# what stands in $T/r as a result, put; the answer
bomb() {
	local lease

	lease=$(new_lease)
	sed -i "s/^lease = .*/lease = \"$lease\";/" "$T/r/result.cfg"
	tar -C "$T/r" -cf - result.cfg meta | lz4 -q -c >"$T/bomb"
	direct "put b1.$lease.tar.lz4 0" <"$T/bomb"
}
truncate -s 1G "$T/r/meta/zeros"
like "$(bomb)" '^ironrig1 ok' \
	"1 GiB in $(stat -c %s "$T/bomb") bytes costs no memory"
rm "$T/r/meta/zeros"
(cd "$T/r" && seq -f 'meta/%.0f' 100000 | xargs touch)
like "$(bomb)" '^ironrig1 error .*more than 100000 members' "many members"
rm -rf "$T/r"
like "$(yes | direct "put b1.$(new_lease).tar.lz4 0")" '^ironrig1 error' \
	"an endless stream that is no result"
yes line | head -c 9000000 | direct "log $BOOT" >/dev/null
ok "an endless log stops growing" test \
	"$(stat -c %s "$H/store/b1/logs/$BOOT.log")" -lt 5000000
for i in $(seq 80); do
	echo x | direct "log $(new_boot_id)" >/dev/null
done
# shellcheck disable=SC2012 # names are boot ids
ok "logs of endlessly many boots" test \
	"$(ls "$H/store/b1/logs" | wc -l)" -le 65

# ---- two at once ------------------------------------------------------------------

for i in 1 2 3 4 5 6; do
	direct "put $name 0" <"$T/$name" >"$T/put.$i" &
	pids[i]=$!
done
wait "${pids[@]}"
is "$(direct "put $name 0" <"$T/$name")" \
	"ironrig1 ok $(stat -c %s "$T/$name") $(sha256sum <"$T/$name" |
		cut -d' ' -f1)" "six puts of one name at once: then it is there"
ok "once, and whole" cmp "$T/$name" "$H/incoming/b1/$name"
is "$(find "$H/incoming/b1" -name "*$lease*" | wc -l)" 1 "and nothing beside it"

# ---- what a key is worth -------------------------------------------------------------

key() { # SSH-ARGUMENT...
	ssh -F none -i "$H/keys/boxes/b1" -p "$SERVE_PORT" \
		-o UserKnownHostsFile="$T/known_hosts" -o BatchMode=yes \
		-o IdentitiesOnly=yes -o LogLevel=ERROR -o ConnectTimeout=10 \
		"$@" "$(id -un)@127.0.0.1" </dev/null
}
box_ssh b1 have "$name" >/dev/null # makes known_hosts
like "$(key -T)" '^ironrig1 error' "no shell"
exits 255 "no terminal" key -tt
exits 255 "no forward from there" key -N -o ExitOnForwardFailure=yes \
	-R 0:127.0.0.1:1
exits 255 "no subsystem" key -s sftp
for name in LD_PRELOAD IRONRIG_HOME BASH_ENV PATH; do
	unlike "$(key -o "SetEnv=$name=/nowhere" -o "SendEnv=$name" 2>&1)" \
		'nowhere|is no controller' "$name of its own is not taken"
done
mega=$(head -c 100000 /dev/zero | tr '\0' a)
like "$(ssh -F none -i "$H/keys/boxes/b1" -p "$SERVE_PORT" -o BatchMode=yes \
	-o UserKnownHostsFile="$T/known_hosts" -o IdentitiesOnly=yes \
	-o LogLevel=ERROR "$(id -un)@127.0.0.1" "hello $mega" </dev/null)" \
	'^ironrig1 error' "a verb of 100,000 bytes"
is "$(others)" "$before" "nobody else's files changed"

# ---- private keys ----------------------------------------------------------------------

is "$(find "$H/keys" -type f ! -name '*.pub' ! -name authorized_keys \
	! -perm 600)" "" "private keys are 0600"
secret=$(sed -n 2p "$H/keys/boxes/b1")
is "$(grep -rlF -- "$secret" "$H/store" "$H/incoming" "$H/quarantine" \
	"$H/conf" "$T"/*.log 2>/dev/null)" "" "and in no log or result"
is "$(find "$H/boot" -name '*.cpio' -perm /007)" "" \
	"overlays, which carry one, are closed to others"
done_testing
