#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Leases and the plan, end to end on files: what `next' answers to retries,
# reboots, lost runs, and what is left in the store.
. "$(dirname "$0")/../lib.sh"

new_home "$T/home"
ok "enroll" ironrig enroll b1 --mac 52:54:00:00:00:01 --controller 127.0.0.1:1
printf 'testcase = "t"; command = "true"; unstable_retries = 1;\n' \
	>"$T/home/conf/jobs/j1.cfg"
store=$T/home/store/b1
incoming=$T/home/incoming/b1

verb() {
	ironrig receive b1 "$@" | sed 's/^ironrig1 //'
}

boot() { # a new boot says hello
	BOOT=$(new_boot_id)
	verb hello "$BOOT" 1.0 - >/dev/null
}

# put LEASE EXPERIMENT BLOCK [OUTCOME [STABLE]]: brings that run home
bring() {
	mkdir -p "$T/tree"
	result_cfg b1 "$1" "$BOOT" j1 k "$(printf '%064d' 0)" "$2" "$3" 1 \
		"${4:-ok}" "${5:-true}" >"$T/tree/result.cfg"
	pack_result "$T/tree" "$T/packed"
	verb put "b1.$1.tar.lz4" 0 <"$T/packed"
}

x=$(ironrig queue b1 j1 --count 3)
boot
first=$(verb next "$BOOT")
like "$first" "^run [0-9a-f]{32} j1 - 1 $x 1 1\$" "next: the first run"
is "$(verb next "$BOOT")" "$first" "a retried next: the same run"
is "$(grep -c ^run "$store/leases")" 1 "and one lease"
lease=$(cut -d' ' -f2 <<<"$first")
like "$(bring "$lease" wrong 1)" "^error conflict .*experiment" \
	"a result of another experiment is refused"
like "$(bring "$lease" "$x" 2)" "^error conflict .*block 2" "of another block"
rm "$T/home/quarantine/b1/"*
like "$(bring "$lease" "$x" 1)" "^ok" "the right one is taken"
is "$(verb next "$BOOT" "$lease")" "reboot" "then a fresh boot is wanted"
is "$(verb next "$BOOT" "$lease")" "reboot" "as often as it is asked"
is "$(grep -c ^want "$store/leases")" 1 "and one line says so"
boot
second=$(verb next "$BOOT")
like "$second" "^run [0-9a-f]{32} j1 - 1 $x 2 1\$" "the second run"
isnt "$second" "$first" "is another one"

# done, but nothing came
lease=$(cut -d' ' -f2 <<<"$second")
is "$(verb next "$BOOT" "$lease")" "reboot" "done without a result"
like "$(cat "$store/leases")" "end $lease gone 0" "is recorded"
boot
third=$(verb next "$BOOT")
like "$third" "^run [0-9a-f]{32} j1 - 2 $x 2 1\$" "and tried again: attempt 2"

# state failed
lease=$(cut -d' ' -f2 <<<"$third")
is "$(verb state failed "$lease" no_reason)" "ok" "state failed"
like "$(verb state failed "$(new_lease)")" "^error peer" \
	"of a lease that is not open"
is "$(verb next "$BOOT" "$lease")" "reboot" "ends the run"

# lost: another boot asks; its half result goes to quarantine
boot
fourth=$(verb next "$BOOT")
like "$fourth" "^run [0-9a-f]{32} j1 - 3 $x 2 1\$" "attempt 3"
lease=$(cut -d' ' -f2 <<<"$fourth")
head -c 100 "$T/packed" | verb put "b1.$lease.tar.lz4" 0 >/dev/null
old=$BOOT
boot
like "$(verb next "$old")" "^error conflict .*is over" \
	"a boot that another followed gets nothing"
like "$(verb hello "$old" 1.0 -)" "^error peer .*is over" "not even a hello"
fifth=$(verb next "$BOOT")
like "$fifth" "^run [0-9a-f]{32} j1 - 1 $x 3 1\$" \
	"three attempts: given up, the next run"
like "$(cat "$store/leases")" "end $lease lost 0" "the lost one is recorded"
ok "and is a result" test -s "$incoming/b1.$lease.tar.lz4"
like "$(lz4 -dc "$incoming/b1.$lease.tar.lz4" | tar -xO result.cfg)" \
	'outcome = "lost"' "whose outcome is lost"
is "$(lz4 -dc "$incoming/b1.$lease.tar.lz4" | tar -t | tr '\n' ' ')" \
	"result.cfg job.cfg " "with the job"
ok "its part is in quarantine" test -s \
	"$T/home/quarantine/b1/b1.$lease.tar.lz4.part"
like "$(cat "$T/home/quarantine/b1/b1.$lease.tar.lz4.part.reason")" \
	"ended without a result" "with its reason"

# unstable runs run again, a stated number of times
lease=$(cut -d' ' -f2 <<<"$fifth")
like "$(bring "$lease" "$x" 3 ok false)" "^ok" "an unstable result is kept"
is "$(verb next "$BOOT" "$lease")" "reboot" "and run again"
boot
sixth=$(verb next "$BOOT")
like "$sixth" " 2 $x 3 1\$" "once more"
lease=$(cut -d' ' -f2 <<<"$sixth")
bring "$lease" "$x" 3 ok false >/dev/null
is "$(verb next "$BOOT" "$lease")" "idle 10" "then no more: idle"
like "$(ironrig queue --list)" "$x +queue +b1 +2/3 +finished" "queue --list"

# the plan stands on the leases and the files, not on the index
y=$(ironrig queue b1 j1)
boot
seventh=$(verb next "$BOOT")
rm -f "$T/home/index.db"*
is "$(verb next "$BOOT")" "$seventh" "no index: the same plan"
lease=$(cut -d' ' -f2 <<<"$seventh")
bring "$lease" "$y" 1 >/dev/null
mv "$incoming/b1.$lease.tar.lz4" "$store/"
is "$(verb next "$BOOT" "$lease")" "idle 10" "a result that collect moved"
printf 'end %s ok' "$lease" >>"$store/leases"
is "$(verb next "$BOOT")" "idle 10" "a torn last line is passed over"
rm "$store/b1.$lease.tar.lz4"

# a quarantined result runs again
z=$(ironrig queue b1 j1)
boot
ironrig queue --drop "$y" >/dev/null
eighth=$(verb next "$BOOT")
lease=$(cut -d' ' -f2 <<<"$eighth")
echo garbage | verb put "b1.$lease.tar.lz4" 0 >/dev/null
is "$(verb next "$BOOT" "$lease")" "reboot" "a quarantined result"
boot
like "$(verb next "$BOOT")" "^run .* 2 $z 1 1\$" "runs again"

# a broken experiment costs itself only
echo 'kind = nonsense' >"$T/home/conf/experiments/bad.cfg"
like "$(verb next "$BOOT")" "^run .* 2 $z 1 1\$" "a broken experiment file"
like "$(ironrig status)" "problem: .*bad.cfg" "is named by status"

# two at once: one lease
rm "$T/home/conf/experiments/bad.cfg"
lease=$(verb next "$BOOT" | cut -d' ' -f2)
bring "$lease" "$z" 1 >/dev/null
w=$(ironrig queue b1 j1)
boot
for i in 1 2 3 4 5; do
	verb next "$BOOT" >"$T/next.$i" &
done
wait
is "$(sort -u "$T"/next.* | wc -l)" 1 "five at once get one answer"
is "$(grep -c "^run .* $w " "$store/leases")" 1 "and one lease"
done_testing
