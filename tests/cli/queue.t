#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Queueing, listing, dropping; status and tail.
. "$(dirname "$0")/../lib.sh"

new_home "$T/home"
is "$(ironrig status)" \
	"no boxes: ironrig enroll BOX --mac AA:BB:CC:DD:EE:FF" "status: no box"
ok "enroll" ironrig enroll b1 --mac 52:54:00:00:00:01 --controller 127.0.0.1:1
exits 1 "no such box" ironrig queue b9 lock1
exits 1 "no such job" ironrig queue b1 nothing
exits 1 "no such kernel" ironrig queue b1 lock1 --kernel v0
exits 1 "a job's name that leads out" ironrig queue b1 ../hosts/b1
exits 2 "no job" ironrig queue b1
exits 2 "a count that is none" ironrig queue b1 lock1 --count 0
exits 2 "list takes no job" ironrig queue --list b1 lock1
is "$(ls "$T/home/conf/experiments")" "" "and nothing was queued"

x=$(ironrig queue b1 lock1 --count 2)
ok "its file is right" ironrig check -k experiment \
	"$T/home/conf/experiments/$x.cfg"
y=$(ironrig queue b1 lock1 lock1-short)
isnt "$x" "$y" "two in one second have two names"
out=$(ironrig queue --list)
like "$out" "$x +queue +b1 +0/2 +active +lock1 " "list: the first"
like "$out" "$y +queue +b1 +0/2 +active +lock1,lock1-short " "the second"
ok "drop" ironrig queue --drop "$x"
like "$(ironrig queue --list b1)" "$x +queue +b1 +0/2 +stopped" "is stopped"
exits 1 "drop what is not there" ironrig queue --drop nothing

# ---- status ----------------------------------------------------------------------

like "$(ironrig status)" "b1 +never seen +- " "never seen"
BOOT=$(new_boot_id)
ironrig receive b1 hello "$BOOT" 1.0 - >/dev/null
ironrig receive b1 next "$BOOT" >/dev/null
like "$(ironrig status)" "b1 +running +[0-9]+s +run +- +lock1 $y block 1 lease" \
	"running, with its job"
like "$(ironrig status)" "$y: run 0 of 2, at most [0-9]+ (s|min|h .*) left$" \
	"and how far it is, with limits for what was never seen"
sed -i 's/^\([0-9]*\) run/1000000000 run/' "$T/home/store/b1/state"
like "$(ironrig status b1)" "b1 +silent +[0-9]+d" "silent, when nothing comes"
exits 1 "status of no box" ironrig status b9
ironrig receive b1 nonsense >/dev/null
ironrig receive b1 hello x >/dev/null
like "$(ironrig status b1)" \
	"b1 +running +[0-9]+s +run .*2 refused or failed, the last [0-9]s ago: hello: 2 words" \
	"what was refused stands beside the phase, not in its place"
ironrig receive b1 state "$(printf 'x%.0s' {1..64})" >/dev/null
like "$(ironrig status b1)" "  xxxxxxxxxxxx -  " "a long phase moves no column"
unlike "$(ironrig status b1)" "refused" "what was refused is over then"
ironrig enroll b3 --mac 52:54:00:00:00:03 --controller 192.0.2.1:22 >/dev/null
ironrig receive b3 nonsense >/dev/null
like "$(ironrig status b3)" "b3 +refused +[0-9]s +- " \
	"a box that says nothing sensible is not one that was never seen"
# as after a rotation of the state file: complaints alone
mv "$T/home/store/b1/state" "$T/home/store/b1/state.old"
ironrig receive b1 nonsense >/dev/null
like "$(ironrig status b1)" "running +[0-9]s +x+ .*1 refused" "rotated meanwhile"
mv "$T/home/conf/hosts/b3.cfg" "$T/b3.cfg"
echo 'nonsense' >"$T/home/conf/hosts/b3.cfg"
out=$(ironrig status 2>&1)
is $? 1 "a host file that does not load"
like "$out" "b1 +running.*b3.cfg" "is named, the other boxes are shown"
mv "$T/b3.cfg" "$T/home/conf/hosts/b3.cfg"

# ---- tail ------------------------------------------------------------------------

exits 1 "no log yet" ironrig tail b1
seq 100 | ironrig receive b1 log "$BOOT" >/dev/null
is "$(ironrig tail b1 --no-follow -n 3 | tail -n +2 | tr '\n' ' ')" \
	"98 99 100 " "tail: the last lines"
printf 'a\033[2Jb\n' | ironrig receive b1 log "$BOOT" >/dev/null
is "$(ironrig tail b1 --no-follow -n 1 | tail -n 1)" 'a?[2Jb' \
	"nothing steers the terminal"
bg "$T/tail.log" "$BIN/ironrig" tail b1
ok "follows" wait_for 10 grep -q '^100' "$T/tail.log"
echo more | ironrig receive b1 log "$BOOT" >/dev/null
ok "what comes" wait_for 10 grep -q '^more' "$T/tail.log"
next=$(new_boot_id)
echo anew | ironrig receive b1 log "$next" >/dev/null
ok "into the next boot" wait_for 10 grep -q '^anew' "$T/tail.log"
stop "$BG_PID"
for c in queue status tail; do
	exits 0 "$c -h" ironrig $c -h
	exits 2 "$c: wrong option" ironrig $c --nonsense
done
done_testing
