#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The run protocol by hand, through a real sshd and the stock ssh: what a box
# may do, what it may not, and what becomes of results that come in pieces,
# twice, or wrong.
. "$(dirname "$0")/../lib.sh"

new_home "$T/home"
serve
ok "enroll b1" ironrig enroll b1 --mac 52:54:00:00:00:01 \
	--controller "127.0.0.1:$SERVE_PORT"
ok "enroll b2" ironrig enroll b2 --mac 52:54:00:00:00:02 \
	--controller "127.0.0.1:$SERVE_PORT"
BOOT=$(new_boot_id)

# The same without ssh, where sshd's part was seen to work and many are tried.
direct() { # box words...
	SSH_ORIGINAL_COMMAND="${*:2}" ironrig receive "$1"
}

# ---- words -------------------------------------------------------------------

like "$(box_ssh b1 hello "$BOOT" 1.0 -)" \
	'^ironrig1 hello b1 [0-9]{19} [0-9.]+$' "hello"
is "$(box_ssh b1 next "$BOOT")" "ironrig1 idle 10" "nothing to do: idle"
is "$(box_ssh b1 next "$(new_boot_id)" | cut -d' ' -f1-3)" \
	"ironrig1 error conflict" "next of a boot that never said hello"
for words in "" "bogus" "hello" "hello x 1.0 -" "next ../../etc" \
	"have b2.$(new_lease).tar.lz4" "have ../b2/x" "put x y" \
	"put b1.$(new_lease).tar.lz4 -1" "put b1.$(new_lease).tar.lz4 1e3" \
	"get ../keys/boxes/b2" "get /etc/passwd" "get job/../../x.cfg" \
	"get job/.cfg" "get kernel/../vmlinuz" "log ../x" "state" \
	"have a'b" "have \$(id)" "have a  b" \
	"state x $(printf 'y%.0s' {1..1200})"; do
	out=$(direct b1 "$words" </dev/null)
	rc=$?
	is "$rc ${out:0:15}" "1 ironrig1 error " "refused: ${words:0:40}"
done
is "$(find "$T/home/incoming" "$T/home/quarantine" -type f ! -name .lock)" "" \
	"and nothing was written"

# ---- get -----------------------------------------------------------------------

cat >>"$T/home/conf/hosts/b1.cfg" <<-'E'
	power = { cycle = "ipmitool -P secret power cycle"; };
	E
box_ssh b1 get host.cfg >"$T/got"
like "$(head -n 1 "$T/got")" '^ironrig1 data [0-9]+ [0-9a-f]{64}$' "get host.cfg"
tail -n +2 "$T/got" >"$T/host.cfg"
is "$(head -n 1 "$T/got")" "ironrig1 data $(stat -c %s "$T/host.cfg") $(
	sha256sum <"$T/host.cfg" | cut -d' ' -f1)" "its size and hash are right"
ok "and it is a host file" ironrig check -k host "$T/host.cfg"
unlike "$(cat "$T/host.cfg")" secret "without the power commands"
printf 'testcase = "t"; command = "true";\n' >"$T/home/conf/jobs/j1.cfg"
is "$(box_ssh b1 get job/j1.cfg | tail -n +2)" \
	"$(cat "$T/home/conf/jobs/j1.cfg")" "get a job"
is "$(box_ssh b1 get job/none.cfg | cut -d' ' -f1-3)" \
	"ironrig1 error notfound" "get what is not there"
ln -s /etc/hostname "$T/home/conf/jobs/link.cfg"
is "$(box_ssh b1 get job/link.cfg | cut -d' ' -f2)" error "no links"
rm "$T/home/conf/jobs/link.cfg"

# ---- put -----------------------------------------------------------------------

# make LEASE [FILE...]: a result of b1 outside any plan, at $T/NAME
make() {
	local dir=$T/tree.$1

	mkdir -p "$dir/meta"
	result_cfg b1 "$1" "$BOOT" j1 k1 \
		"$(printf '%064d' 1)" "" 0 0 | grep -v '^experiment' \
		>"$dir/result.cfg"
	seq 20000 >"$dir/meta/numbers"
	head -c 300000 /dev/urandom >"$dir/meta/noise"
	NAME=b1.$1.tar.lz4
	pack_result "$dir" "$T/$NAME"
	SIZE=$(stat -c %s "$T/$NAME")
	SHA=$(sha256sum <"$T/$NAME" | cut -d' ' -f1)
}

incoming=$T/home/incoming/b1
quarantine=$T/home/quarantine/b1
make "$(new_lease)"
is "$(box_ssh b1 have "$NAME")" "ironrig1 none" "have: none"
is "$(box_ssh b1 put "$NAME" 0 <"$T/$NAME")" "ironrig1 ok $SIZE $SHA" "put"
ok "stored byte for byte" cmp "$T/$NAME" "$incoming/$NAME"
is "$(stat -c %a "$incoming/$NAME")" 600 "private"
is "$(box_ssh b1 have "$NAME")" "ironrig1 done $SIZE $SHA" "have: done"
is "$(box_ssh b1 put "$NAME" 0 <"$T/$NAME")" "ironrig1 ok $SIZE $SHA" \
	"the same again is ok"
ok "still the same" cmp "$T/$NAME" "$incoming/$NAME"
is "$(ls -A "$incoming")" "$(printf '.lock\n%s' "$NAME")" "nothing beside it"
lease=${NAME#b1.}
lease=${lease%.tar.lz4}
like "$(cat "$T/home/store/b1/leases")" "end $lease ok 1 [0-9]+" \
	"its end is in the log"

echo other >"$T/tree.$lease/meta/other"
pack_result "$T/tree.$lease" "$T/other"
like "$(box_ssh b1 put "$NAME" 0 <"$T/other")" \
	"^ironrig1 error conflict .*another result" "another one is a conflict"
ok "kept in quarantine" cmp "$T/other" "$quarantine/$NAME"
like "$(cat "$quarantine/$NAME.reason")" "another result of this lease" \
	"with its reason"
ok "the first is unharmed" cmp "$T/$NAME" "$incoming/$NAME"

# cut and resumed, at odd places
for cut in 1 7 15000 200001; do
	make "$(new_lease)"
	like "$(head -c $cut "$T/$NAME" | box_ssh b1 put "$NAME" 0)" \
		"^ironrig1 error peer .*cut" "cut after $cut bytes"
	is "$(box_ssh b1 have "$NAME")" "ironrig1 part $cut" "part kept"
	like "$(direct b1 put "$NAME" $((cut + 1)) <"$T/$NAME")" \
		"^ironrig1 error conflict .*offset" "a wrong offset"
	is "$(direct b1 have "$NAME")" "ironrig1 part $cut" "changes nothing"
	is "$(tail -c +$((cut + 1)) "$T/$NAME" |
		box_ssh b1 put "$NAME" $cut)" "ironrig1 ok $SIZE $SHA" "resumed"
	ok "whole" cmp "$T/$NAME" "$incoming/$NAME"
done
make "$(new_lease)"
head -c 999 "$T/$NAME" | box_ssh b1 put "$NAME" 0 >/dev/null
is "$(box_ssh b1 put "$NAME" 0 <"$T/$NAME")" "ironrig1 ok $SIZE $SHA" \
	"offset 0 starts over"
is "$(box_ssh b1 put "b1.$(new_lease).tar.lz4" 0 </dev/null | cut -c1-20)" \
	"ironrig1 error peer " "an empty stream"
is "$(find "$incoming" -name '*.part')" "" "leaves no part"

# whole and wrong
refused() { # description regex < packed
	local name

	name=b1.$(new_lease).tar.lz4
	[ -z "${3:-}" ] || name=$3
	like "$(direct b1 put "$name" 0)" "^ironrig1 error (format|conflict) .*$2" \
		"refused: $1"
	ok "$1: in quarantine" test -s "$quarantine/$name" -a \
		-s "$quarantine/$name.reason"
	ok "$1: no result" test ! -e "$incoming/$name" -a \
		! -e "$incoming/.$name.part"
}
make "$(new_lease)"
dir=$T/tree.${NAME:3:32}
{ head -c 100000 "$T/$NAME"; printf X; tail -c +100002 "$T/$NAME"; } \
	>"$T/bad"
refused "a flipped byte" "" "$NAME" <"$T/bad"
{ cat "$T/$NAME"; echo more; } >"$T/bad"
refused "bytes behind the frame" "" <"$T/bad"
lz4 -dc "$T/$NAME" | head -c 200000 | lz4 -q -c >"$T/bad"
refused "a cut tar in a whole frame" "" <"$T/bad"
gzip -c "$T/$NAME" >"$T/bad"
refused "not LZ4" "" <"$T/bad"
refused "a box's name in result.cfg" "box is" < <(
	sed 's/"b1"/"b2"/' "$dir/result.cfg" >"$T/r" &&
	mkdir -p "$T/w" && mv "$T/r" "$T/w/result.cfg" &&
	pack_result "$T/w" "$T/bad" && cat "$T/bad")
refused "another lease in result.cfg" "lease is" <"$T/$NAME"
make "$(new_lease)"
dir=$T/tree.${NAME:3:32}
echo 'experiment = "x1";' >>"$dir/result.cfg"
pack_result "$dir" "$T/bad"
refused "an experiment that never gave the lease" "x1" "$NAME" <"$T/bad"
make "$(new_lease)"
dir=$T/tree.${NAME:3:32}
ln -s /etc/passwd "$dir/meta/link"
pack_result "$dir" "$T/bad"
refused "a symlink" "link" "$NAME" <"$T/bad"
rm "$dir/meta/link"
tar -C "$dir" --transform 's,^meta,../up,' -cf - result.cfg meta 2>/dev/null |
	lz4 -q -c >"$T/bad"
refused "a name that leads out" "" <"$T/bad"
tar -P -C "$dir" --transform 's,^meta,/abs,' -cf - result.cfg meta |
	lz4 -q -c >"$T/bad"
refused "an absolute name" "" <"$T/bad"
mkfifo "$dir/meta/fifo"
tar -C "$dir" -cf - result.cfg meta | lz4 -q -c >"$T/bad"
refused "a fifo" "" <"$T/bad"
rm "$dir/meta/fifo"
is "$(cat "$T/home/incoming/b1/$NAME" 2>/dev/null)" "" "none of them is stored"

# a planted link in the box's own folder is not followed
make "$(new_lease)"
ln -s "$T/home/keys/boxes/b2" "$incoming/.$NAME.part"
is "$(box_ssh b1 put "$NAME" 0 <"$T/$NAME" | cut -d' ' -f2)" error \
	"a planted link"
like "$(head -n 1 "$T/home/keys/boxes/b2")" BEGIN "leads nowhere"
rm "$incoming/.$NAME.part"

# ---- two at once -----------------------------------------------------------------

# the old connection's receiver waits for bytes that never come
make "$(new_lease)"
mkfifo "$T/pipe"
bg "$T/old.log" bash -c "exec ssh -F none -i '$IRONRIG_HOME/keys/boxes/b1' \
	-p $SERVE_PORT -o UserKnownHostsFile='$T/known_hosts' -o BatchMode=yes \
	-o IdentitiesOnly=yes $(id -un)@127.0.0.1 put $NAME 0 <'$T/pipe'"
old=$BG_PID
exec 7>"$T/pipe"
head -c 50000 "$T/$NAME" >&7
part_is() { [ "$(stat -c %s "$incoming/.$NAME.part")" = "$1" ]; }
ok "an old connection in the middle of a put" wait_for 10 part_is 50000
is "$(box_ssh b1 have "$NAME")" "ironrig1 part 50000" \
	"a newer one ends it and learns what came"
ok "the old one is gone" wait_for 10 ended "$old"
exec 7>&-
is "$(tail -c +50001 "$T/$NAME" | box_ssh b1 put "$NAME" 50000)" \
	"ironrig1 ok $SIZE $SHA" "and goes on where it stopped"

# two boxes do not disturb each other
make "$(new_lease)"
one=$NAME
box_ssh b1 put "$one" 0 <"$T/$one" >"$T/one" &
two_pid=$!
is "$(box_ssh b2 have "b2.$(new_lease).tar.lz4")" "ironrig1 none" \
	"two boxes at once"
wait $two_pid
is "$(cat "$T/one")" "ironrig1 ok $SIZE $SHA" "both are served"

# ---- limits -----------------------------------------------------------------------

echo 'quota = { bytes = "1M"; files = 1000; };' \
	>>"$T/home/conf/hosts/b2.cfg"
sed 's/"b1"/"b2"/' "$T/tree.${one:3:32}/result.cfg" >"$T/w/result.cfg"
head -c 1500000 /dev/urandom >"$T/w/noise"
pack_result "$T/w" "$T/big"
name=b2.${one:3:32}.tar.lz4
like "$(box_ssh b2 put "$name" 0 <"$T/big")" \
	"^ironrig1 error limit .*quota: box b2" "over the quota: says so"
is "$(find "$T/home/incoming/b2" -name '*.part')" "" "and keeps no part"
rm "$T/w/noise"
pack_result "$T/w" "$T/small"
like "$(box_ssh b2 put "$name" 0 <"$T/small")" "^ironrig1 ok" "a small one fits"
sed -i 's/files = 1000/files = 1/' "$T/home/conf/hosts/b2.cfg"
like "$(box_ssh b2 put "b2.$(new_lease).tar.lz4" 0 <"$T/small")" \
	"^ironrig1 error limit .*1 files" "as many files as allowed"

slow() { { printf x; sleep 2; } | ironrig receive --patience 1 b1 put "$1" 0; }
like "$(slow "b1.$(new_lease).tar.lz4" 2>&1)" \
	"error timeout .*nothing came for 1 s" "a sender that stops"

# ---- state and log ------------------------------------------------------------------

is "$(box_ssh b1 state tuning "$(new_lease)" some_text)" "ironrig1 ok" "state"
like "$(tail -n 1 "$T/home/store/b1/state")" ' tuning [0-9a-f]{32} some_text$' \
	"is recorded"
is "$(printf 'line 1\n' | box_ssh b1 log "$BOOT")" "ironrig1 ok" "log"
printf 'line 2\n' | box_ssh b1 log "$BOOT" >/dev/null
is "$(cat "$T/home/store/b1/logs/$BOOT.log")" "$(printf 'line 1\nline 2')" \
	"is appended"
head -c 6000000 /dev/zero | ironrig receive b1 log "$BOOT" >/dev/null
size=$(stat -c %s "$T/home/store/b1/logs/$BOOT.log")
ok "an endless log is cut ($size)" test "$size" -lt 4300000

# ---- who may -------------------------------------------------------------------------

nok "an unknown box" ironrig receive nobody have x
like "$(box_ssh b1 "have b1.$(new_lease).tar.lz4; id")" \
	"^ironrig1 error (format|input) " "no shell in words"
exits 255 "no forwarding" box_ssh b1 -W "127.0.0.1:$SERVE_PORT"
exits 2 "no box: usage" ironrig receive
exits 0 "-h" ironrig receive -h
done_testing
