#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ironrig ab: whole experiments with a box on paper, through a real sshd: to a
# regression, to no change, until decided, stopped and resumed, with runs that
# fail, are lost or come twice.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/paperbox.sh
. "$TOP/tests/paperbox.sh"

new_home "$T/home"
serve
image_base
PAPER_HOME_KERNEL=base
for k in base slow same awful; do
	paper_kernel $k
done
paper_enroll b1 1
paper_job j1
paper_job j2

paper_ops() { # kernel job block
	case $1 in
	slow) echo 900 ;;
	*) echo 1000 ;;
	esac
}

paper_fault() { # box kernel block position
	:
}

# ---- what is refused --------------------------------------------------------------

refused() { # description regex words...
	OUT=$(ironrig ab "${@:3}" 2>&1)
	RC=$?
	[ $RC != 0 ] && [[ $OUT =~ $2 ]]
	tap_result $? "refused: $1" || diag "status $RC, expected: $2" "$OUT"
}

refused "a kernel that is nearly one" 'no kernel "slwo", near: slow' \
	base slwo --box b1 --job j1
refused "a kernel like none" 'no kernel "v5.9".*there is: awful, base' \
	base v5.9 --box b1 --job j1
refused "a box that is nearly one" 'no box "b2", near: b1' \
	base slow --box b2 --job j1
refused "a job that is nearly one" 'no job "j", ' base slow --box b1 --job j
refused "a kernel against itself, by one name" "kernel add base-again" \
	base base --box b1 --job j1
refused "one kernel" "a HEAD" base --box b1 --job j1
refused "no box" "which --box" base slow --job j1
refused "blocks and until" "max-blocks" base slow --box b1 --job j1 \
	--blocks 5 --until decided
refused "too few blocks to decide" "below 5" base slow --box b1 --job j1 \
	--until decided --max-blocks 4
refused "a delta of nothing" "between 0 and" base slow --box b1 --job j1 \
	--delta 0
refused "an experiment that is not there" 'no experiment "x1"' --resume x1
is "$(ls "$T/home/conf/experiments")" "" "and nothing was written"
exits 2 "usage: status 2" ironrig ab --frob
exits 0 "-h" ironrig ab -h

# ---- without waiting ----------------------------------------------------------------

OUT=$(ironrig ab base slow --box b1 --job j1 --name x1 --blocks 4 --seed 7)
is $? 0 "an experiment is made"
like "$OUT" "experiment x1, seed 7, boot by firmware" "its name, seed, boot"
like "$OUT" "at most .*: 4 blocks and a warm-up, 2 boots each" \
	"its time, from limits"
like "$OUT" "never seen here; its limit is 30 s" "says that it has seen nothing"
like "$OUT" "no power command" "and that nothing can power-cycle the box"
like "$OUT" "ab --resume x1 --wait" "what next"
ok "its file holds" ironrig check "$T/home/conf/experiments/x1.cfg"
refused "the same name again" "exists" base slow --box b1 --job j1 --name x1
ok "stop" ironrig ab --stop x1
like "$(ironrig queue --list)" "x1 .* stopped" "is stopped"
ok "resume, with fewer blocks" ironrig ab --resume x1 --blocks 3
like "$(ironrig queue --list)" "x1 .* 0/3 *active" "goes on"
like "$(ironrig status)" "x1: block 0: 0 of 3 kept, at most 12 min left" \
	"status: how far, how long"
like "$(ironrig status)" "no power command: .*loaded again and again" \
	"and that a dead kernel would keep the box"
refused "other things changed" "is what it is" --resume x1 --box b1
refused "the wrong kind of number" "x1 has --blocks" --resume x1 --max-blocks 9

# ---- a regression -------------------------------------------------------------------

paper_on b1
OUT=$(ironrig ab --resume x1 --wait 2>&1)
is $? 10 "a regression: status 10"
like "$OUT" "block 0: 0 of 3 kept" "progress: the warm-up"
like "$OUT" "block 3: 2 of 3 kept" "progress: the last block"
like "$OUT" "REGRESSION" "the table says it"
like "$OUT" "3 blocks of one boot a side" "of three blocks"
like "$OUT" "2 iterations a boot; for the same time, [0-9]+" \
	"how many iterations would have been best"
leases=$T/home/store/b1/leases
is "$(grep -c '^run ' "$leases")" 8 "eight boots: a warm-up and three blocks"
is "$(grep -c '^boot ' "$leases")" "$(grep '^run ' "$leases" | cut -d' ' -f9 |
	sort -u | wc -l | awk '{ print $1 + 1 }')" "each run its own boot"
order() { # experiment: the kernels by block and position
	grep "^run [0-9a-f]* $1 " "$leases" |
		sed 's/^run [^ ]* [^ ]* \([0-9]*\) \([0-9]\) \([^:]*\).*/\1\2\3/' |
		sort -u | tr '\n' ' '
}
like "$(order x1)" "01base 02slow " "the warm-up takes them as they came"
is "$(order x1 | tr ' ' '\n' | grep -c '1slow')" 1 \
	"in two blocks each kernel is first once"
is "$(paper_script b1 | cut -d: -f1)" base \
	"in the end the script leads to the home kernel"
is "$(find "$T/home/incoming" -name '*.lz4')" "" "all is collected"
is "$(paper_odd)" "" "no answer was odd"

# ---- no change, with trouble ----------------------------------------------------------

trouble=("1 2 failed" "2 1 unstable" "4 1 panic" "5 1 twice" "6 2 twice")
paper_fault() {
	local t

	for t in "${trouble[@]}"; do
		[ "$3 $4" != "${t% *}" ] || echo "${t##* }"
	done
	# the boot into the 9th run dies before it asks for work
	if [ "$3" = boot ] && [ "$(grep -c '^want x2 ' "$leases")" = 9 ]; then
		: >"$T/no-boot"
		echo no-boot
	fi
}
paper_off b1
PAPER_DIRECT=1
paper_on b1
OUT=$(ironrig ab base same --box b1 --job j1 --name x2 --blocks 8 --seed 3 \
	--wait 2>&1)
is $? 0 "no change: status 0"
like "$OUT" "about .*: 8 blocks" "its time, from what was seen"
like "$OUT" "median of [0-9]+ seen here" "says so"
like "$OUT" "EQUIVALENT" "no change"
like "$OUT" "8 blocks of one boot a side" "eight blocks are kept"
like "$(tr -s '\n ' '  ' <<<"$OUT")" "left out \(failed, unstable or" \
	"others are left out, and said"
outcomes() { # how: how often the log has it
	grep -c "^end [0-9a-f]* $1 " "$leases"
}
is "$(outcomes failed)" 1 "one failed"
is "$(grep -c "^end [0-9a-f]* ok 0 " "$leases")" 1 "one was unstable"
is "$(outcomes lost)" 2 "two were lost: a panic, a boot that died"
ok "the boot was really tried" test -e "$T/no-boot"
is "$(paper_odd)" "" "retried verbs have the same answer"
# shellcheck disable=SC2012 # names are leases
is "$(ls "$T/home/store/b1" | sed -n 's/^b1\.\(.*\)\.tar\.lz4/\1/p' | sort)" \
	"$(sed -n 's/^run \([0-9a-f]*\) .*/\1/p' "$leases" | sort)" \
	"each run has exactly one result"

# ---- until decided ---------------------------------------------------------------------

paper_fault() {
	:
}
paper_off b1
paper_on b1
OUT=$(ironrig ab base slow same --box b1 --job j1 --job j2 --name x3 \
	--jobs-share-boot --until decided --max-blocks 30 --wait 2>&1)
is $? 10 "until decided: a regression"
like "$OUT" "look after 5 blocks: [0-9] of 4 settled" "looks are taken"
like "$OUT" "look after [0-9]+ blocks: 4 of 4 settled" "until all is settled"
like "$OUT" "stopped by looks \([0-9]+ taken\)" "the report says that it was looked at"
like "$(cat "$T/home/conf/experiments/x3.decided")" "^after [0-9]+ blocks: " \
	"the marker says when"
n=$(tail -n 1 "$T/home/conf/experiments/x3.looks" | cut -d' ' -f1)
ok "far from 30 blocks ($n)" test "$n" -ge 6 -a "$n" -le 15
like "$(ironrig queue --list)" "x3 .* decided" "the plan knows"
odd=$(grep '^run [0-9a-f]* x3 ' "$leases" | awk '{ print $9 }' | sort |
	uniq -c | awk '$1 != 2' | wc -l)
ok "both jobs share each boot, the last perhaps cut short" test "$odd" -le 1
refused "to go on with it" "is decided" --resume x3
is "$(paper_odd)" "" "no answer was odd"

# nobody waits: whoever collects takes the looks
bg "$T/watch.log" "$BIN/ironrig" collect --watch -q
watcher=$BG_PID
OUT=$(ironrig ab base slow --box b1 --job j1 --name x9 --until decided \
	--max-blocks 30)
like "$OUT" "collect --watch" "until decided, without --wait: says who looks"
decided() { ironrig queue --list | grep -q "^$1 .* decided"; }
ok "and it is decided" wait_for 60 decided x9
like "$(cat "$T/watch.log")" "x9: look after 5 blocks: [01] of 1 settled" \
	"collect says what it saw"
like "$(tail -n 1 "$T/home/conf/experiments/x9.looks")" "^[5-9] 1 1 " \
	"the look that settled it is written down"
is "$(cut -d' ' -f1 "$T/home/conf/experiments/x9.looks" | uniq -d)" "" \
	"no look was taken twice"
ok "the box stops" wait_for 60 eval 'ironrig status b1 | grep -q " idle "'
# the same without anybody who stays: each collect looks at what it brought
ironrig ab base same --box b1 --job j1 --name x10 --until decided \
	--max-blocks 30 --delta 5% >/dev/null
kill "$watcher"
ok "the watcher ends" wait_for 20 ended "$watcher"
came() { [ "$(grep -c '^end ' "$leases")" -ge "$1" ]; }
n=$(grep -c '^end ' "$leases")
ok "some blocks are run" wait_for 60 came $((n + 16))
like "$(ironrig collect)" "x10: look after ([6-9]|1[0-9]) blocks: 1 of 1 settled" \
	"collect looks at what it brought, and settles it"
ok "decided" decided x10
n=$(wc -l <"$T/home/conf/experiments/x10.looks")
ironrig collect >/dev/null
is "$(wc -l <"$T/home/conf/experiments/x10.looks")" "$n" \
	"another collect has nothing to look at"

# one whose box is gone troubles nobody else's collect
sed 's/name = "x10"/name = "x11"/; s/"b1"/"b9"/' \
	"$T/home/conf/experiments/x10.cfg" >"$T/home/conf/experiments/x11.cfg"
is "$(ironrig collect 2>&1)" "collected 0, quarantined 0" \
	"an experiment whose box is gone is passed over"
rm "$T/home/conf/experiments/x11.cfg"

# ---- stopped in the middle ----------------------------------------------------------------

bg "$T/wait.log" "$BIN/ironrig" ab base same --box b1 --job j1 --name x4 \
	--until decided --max-blocks 90 --delta 0.001% --wait
waiter=$BG_PID
ok "it runs" wait_for 60 grep -q "block 2" "$T/wait.log"
ok "the limit is edited while it runs" ironrig ab --resume x4 --max-blocks 80
ok "and seen" wait_for 60 grep -q "of at most 80 kept" "$T/wait.log"
kill -INT "$waiter"
ok "interrupted, it ends" wait_for 20 ended "$waiter"
like "$(cat "$T/wait.log")" "goes on without this command" "and says so"
more() { [ "$(grep -c '^run [0-9a-f]* x4 ' "$leases")" -ge "$1" ]; }
ok "the box does go on" wait_for 60 more 10
ironrig ab --stop x4 >/dev/null
OUT=$(ironrig ab --resume x4 --max-blocks 7 --wait 2>&1)
is $? 11 "stopped, resumed, at its limit: not settled"
like "$OUT" "INCONCLUSIVE|NEAR" "as the table says"
bg "$T/wait5.log" "$BIN/ironrig" ab base same --box b1 --job j1 --name x5 \
	--blocks 500 --wait
waiter=$BG_PID
ok "another one" wait_for 60 grep -q "block 1" "$T/wait5.log"
ironrig ab --stop x5 >/dev/null
ok "stopped from elsewhere: the waiting ends" wait_for 30 ended "$waiter"
like "$(cat "$T/wait5.log")" "it was stopped" "and says why"

# ---- kexec, refused in the middle ---------------------------------------------------------

paper_fault() {
	[ "$3$4" != bootkexec ] || [ -e "$T/no-kexec" ] ||
		[ "$(grep -c '^want x7 ' "$leases")" != 4 ] || {
		: >"$T/no-kexec"
		echo no-kexec
	}
}
paper_off b1
paper_on b1
OUT=$(ironrig ab base slow --box b1 --job j1 --name x7 --boot kexec \
	--blocks 3 --wait 2>&1)
is $? 10 "kexec, refused in the middle: it ends with a verdict"
like "$OUT" "x7, seed [0-9]+, boot by kexec" "it began by kexec"
like "$OUT" "starts over by firmware, as x7-firmware" "and starts over"
like "$OUT" "3 blocks of one boot a side" "from the first block"
is "$(grep '^want x7-firmware ' "$leases" | cut -d' ' -f9 | sort -u)" firmware \
	"all of it by firmware"
is "$(grep -c '^end .* lost ' "$leases")" 2 "the refusal is no failure of a kernel"
like "$(ironrig queue --list)" "x7  .* stopped" "the first half stands stopped"

# ---- two boxes ------------------------------------------------------------------------------

paper_fault() {
	:
}
paper_enroll b2 2
paper_off b1
paper_on b1
paper_on b2
OUT=$(ironrig ab base slow --box b1 --box b2 --job j1 --name x8 --blocks 5 \
	--wait 2>&1)
is $? 10 "two boxes: a regression"
like "$OUT" "a warm-up a box, 2 boots each, on 2 boxes" "they share the blocks"
kept=$(sed -n 's/.* \([0-9]*\) blocks of one boot a side.*/\1/p' <<<"$OUT")
kept=${kept:-$(sed -n 's/^\([0-9]*\) blocks of one boot.*/\1/p' <<<"$OUT")}
# each brings the block that it is in to its end
ok "five blocks, or one more ($kept)" test "$kept" -ge 5 -a "$kept" -le 6
for b in b1 b2; do
	ok "$b did some" grep -q '^run [0-9a-f]* x8 [1-9]' \
		"$T/home/store/$b/leases"
done
paper_off b2

# ---- a kernel that never comes up --------------------------------------------------------

paper_fault() {
	[ "$2" != awful ] || [ "$3" != boot ] || echo no-boot
}
paper_off b1
paper_on b1
OUT=$(ironrig ab base awful --box b1 --job j1 --name x6 --wait 2>&1)
is $? 10 "a kernel that never comes up: status 10"
like "$OUT" "given up: too many blocks" "it is given up"
like "$OUT" "lost" "the failures are in the table"
like "$OUT" "0:[0-9]+ .*[1-9]+:[1-9]+ +lost" "of the head alone"
is "$(grep -c '^end [0-9a-f]* lost' "$leases")" \
	"$((2 + $(grep -c '^run [0-9a-f]* x6 .* awful:' "$leases")))" \
	"all its boots are lost runs of it"

paper_off b1

done_testing
