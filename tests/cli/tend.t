#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ironrig power and tend: what a box's power commands are run for, how often,
# and what is written down. The clock is not waited for: what the box said last
# is made old.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/paperbox.sh
. "$TOP/tests/paperbox.sh"

paper_home
PAPER_HOME_KERNEL=home
paper_kernel home
paper_kernel dead
paper_job j1
cat >"$T/pdu" <<'S'
#!/bin/sh
echo "$IRONRIG_BOX $*" >>"$0.calls"
[ ! -e "$0.fails" ] || { echo one; echo no power today; exit 3; }
S
chmod +x "$T/pdu"
paper_enroll b1 1 "power = { cycle = \"$T/pdu cycle\"; max_cycles = 2; };"
paper_enroll b2 2
paper_enroll b3 3 "power = { off = \"$T/pdu off\"; on = \"$T/pdu on\"; };"
calls() {
	cat "$T/pdu.calls" 2>/dev/null
}
verb() {
	paper_verb "$@" </dev/null
}

# ---- by hand ---------------------------------------------------------------------

like "$(ironrig power b1 status)" "b1 is never seen.*commands: cycle" "status"
like "$(ironrig power b2 status)" "none in its host file" "of a box without"
is "$(ironrig power b1 cycle)" "b1: cycle done" "cycle"
is "$(calls)" "b1 cycle" "the command ran, and knows the box"
exits 1 "a command that the host file does not have" ironrig power b1 off
like "$(ironrig power b1 off 2>&1)" "box b1: .*no power.off" "says so"
exits 1 "an unknown box" ironrig power b9 on
exits 2 "an unknown word" ironrig power b1 dance
touch "$T/pdu.fails"
like "$(ironrig power b1 cycle 2>&1)" \
	"power.cycle: exit status 3: no power today" "a command that fails"
rm "$T/pdu.fails"
like "$(ironrig power b1 status)" "cycle ok by hand.*cycle failed by hand" \
	"the record has both"
: >"$T/pdu.calls"
is "$(ironrig power b3 cycle)" "b3: cycle done" "cycle is off and on, if need be"
is "$(calls)" "$(printf 'b3 off\nb3 on')" "in this order"

# ---- tend --------------------------------------------------------------------------

: >"$T/pdu.calls"
is "$(ironrig tend)" "" "boxes that never said hello are left alone"
home_word=$(paper_script b1)
boot_into() { # box: it comes up in no kernel of ours, and is told to boot one
	BOOT=$(new_boot_id)
	verb "$1" hello "$BOOT" 1.0 - firmware >/dev/null
	verb "$1" next "$BOOT" >/dev/null
}
older() { # box seconds: what it said last was then
	sed -i "\$s/^[0-9]*/$(($(date +%s) - $2))/" "$T/home/store/$1/state"
}
cat >"$T/home/conf/experiments/x1.cfg" <<'CFG'
kind = "ab"; boxes = [ "b1", "b2" ]; kernels = [ "dead", "home" ];
jobs = [ "j1" ]; attempts = 50;
CFG
boot_into b1
is "$(paper_script b1 | cut -d: -f1)" dead "b1 is on its way to a dead kernel"
is "$(ironrig tend)" "" "within its deadline: nothing is done"
older b1 15
is "$(ironrig tend)" "" "half of its deadline: nothing"
older b1 40
out=$(ironrig tend)
is $? 0 "tend, past the deadline: status 0"
like "$out" "b1: silent for [0-9]+ s after a reboot to dead: power-cycled, 1 of" \
	"it is power-cycled"
is "$(calls)" "b1 cycle" "by its command"
is "$(paper_script b1 | cut -d: -f1)" home "and will come up at home"
like "$(tail -n 1 "$T/home/store/b1/power.log")" \
	"^[0-9]+ cycle ok tend: silent for [0-9]+ s after a reboot to dead\$" \
	"recorded"
like "$(ironrig tend)" "b1: .*may still be booting" "it has time to boot"
is "$(calls)" "b1 cycle" "once"
# the box and its record, a while ago
past() {
	local log=$T/home/store/b1/power.log

	sed -i "s/^\(boot .*\) [0-9]*$/\1 $(($(date +%s) - 1000))/
		s/^\(want .*\) [0-9]*$/\1 $(($(date +%s) - 1000))/" \
		"$T/home/store/b1/leases"
	awk '{ $1 -= 60; print }' "$log" >"$T/l" && cat "$T/l" >"$log"
}
past
touch "$T/pdu.fails"
out=$(ironrig tend)
is $? 1 "a power command that fails: status 1"
like "$out" "b1: silent .*exit status 3: no power today" "says so"
rm "$T/pdu.fails"
past
out=$(ironrig tend)
is $? 1 "the second was the last allowed: status 1"
like "$out" "as often as power.max_cycles allows" "says so"
is "$(calls | wc -l)" 2 "no third"

# the box comes back: its dead boot is a lost run of that kernel
BOOT=$(new_boot_id)
verb b1 hello "$BOOT" 1.0 - firmware >/dev/null
like "$(verb b1 next "$BOOT")" "^boot firmware" "back, it gets more work"
is "$(grep -c '^end .* lost 0' "$T/home/store/b1/leases")" 1 "the boot is lost"
like "$(grep '^run ' "$T/home/store/b1/leases")" " dead:" "of the dead kernel"
older b1 40
like "$(ironrig tend b1)" "power-cycled, 1 of" "since it was back: from one again"

# ---- other silences -------------------------------------------------------------------

: >"$T/pdu.calls"
BOOT=$(new_boot_id)
verb b2 hello "$BOOT" 1.0 "$home_word" firmware >/dev/null
older b2 9999
is "$(ironrig tend b2)" "" "a box that was told nothing may be off: left alone"
boot_into b2
older b2 40
out=$(ironrig tend b2)
is $? 1 "a box without a power command: status 1"
like "$out" "somebody has to switch it off and on" "tells people"
is "$(paper_script b2 | cut -d: -f1)" home "its script leads home all the same"

cat >"$T/home/conf/experiments/q1.cfg" <<'CFG'
kind = "queue"; boxes = [ "b3" ]; kernels = [ ]; jobs = [ "j1" ];
CFG
BOOT=$(new_boot_id)
verb b3 hello "$BOOT" 1.0 "$home_word" firmware >/dev/null
like "$(verb b3 next "$BOOT")" "^run " "b3 runs a job of at most 60 s"
older b3 600
is "$(ironrig tend b3)" "" "silent for 600 s: packing and shipping may be slow"
older b3 900
like "$(ironrig tend b3)" "silent for 9.. s in a run of j1: power-cycled" \
	"900 s: cycled"
is "$(calls)" "$(printf 'b3 off\nb3 on')" "off and on"

# ---- a loop, and trouble of its own ------------------------------------------------------

boot_into b1
older b1 50
bg "$T/tend.log" "$BIN/ironrig" tend --loop 1 b1
ok "tend --loop finds it" wait_for 20 grep -q "power-cycled, 1 of" "$T/tend.log"
kill -TERM "$BG_PID"
ok "and ends when asked" wait_for 10 ended "$BG_PID"
rm "$T/home/store/b1/power.log"
echo nonsense >"$T/home/conf/hosts/b0.cfg"
mkdir "$T/home/store/b0"
out=$(ironrig tend 2>&1)
is $? 1 "a host file that is broken: status 1"
like "$out" "b0.cfg" "says so"
like "$out" "b1: .*power-cycled" "and the others are cared for"

done_testing
