#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How many iterations a run of an A/B has: the jobs' own, a number, or what is
# chosen after three blocks; the same in both boots of a block, and all blocks
# count.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/paperbox.sh
. "$TOP/tests/paperbox.sh"

new_home "$T/home"
serve
image_base
PAPER_HOME_KERNEL=base
PAPER_DIRECT=1
for k in base same; do
	paper_kernel $k
done
paper_enroll b1 1
paper_job j1
paper_ops() {
	echo 1000
}
paper_fault() { # a boot takes two seconds
	[ "$3" != boot ] || sleep 2
}
made() { # experiment: BLOCK:ITERATIONS of each run, by the tarballs
	local f

	for f in "$IRONRIG_HOME"/store/b1/*.lz4; do
		lz4 -dc "$f" | tar -xOf - result.cfg | tr ';' '\n' | awk -v x="$1" '
			/experiment =/ { gsub(/"/, ""); mine = $NF == x }
			/^[ \t]*block =/ { b = $NF }
			/number =/ { n++ }
			END { if (mine) print b ":" n }'
	done | sort -n | uniq -c | awk '{ print $1 "x" $2 }' | xargs
}

# ---- a number, the jobs' own ----------------------------------------------------

exits 2 "no number" ironrig ab base same --box b1 --job j1 --iterations many
exits 2 "none" ironrig ab base same --box b1 --job j1 --iterations 0
paper_on b1
OUT=$(ironrig ab base same --box b1 --job j1 --name x1 --iterations 5 \
	--blocks 1 --wait 2>&1)
is "$(made x1)" "2x0:5 2x1:5" "--iterations 5: five in every run" ||
	diag "$OUT"
like "$OUT" "1 blocks? of one boot a side, 5 iterations each" "the report says so"
OUT=$(ironrig ab base same --box b1 --job j1 --name x2 --iterations job \
	--blocks 4 --wait 2>&1)
is "$(made x2)" "2x0:2 2x1:2 2x2:2 2x3:2 2x4:2" "--iterations job: its own two"
unlike "$OUT" "from now on" "nothing is chosen"

# ---- chosen ---------------------------------------------------------------------

paper_off b1
PAPER_WITHIN=40 # far more within a boot than between boots
paper_on b1
OUT=$(ironrig ab base same --box b1 --job j1 --name x3 --blocks 6 --wait 2>&1)
like "$OUT" "x3: j1: ([3-9]|1[0-9]) iterations a run from now on instead of 2 \\(of the spread [0-9]+ % lies within boots, a boot takes [2-9] s, an iteration 1 s\\)" \
	"after three blocks it is said how many, and why"
n=$(sed -n 's/.*x3: j1: \([0-9]*\) iterations a run from.*/\1/p' <<<"$OUT")
is "$(made x3)" "2x0:2 2x1:2 2x2:2 2x3:2 2x4:$n 2x5:$n 2x6:$n" \
	"the blocks after it have them, the same in both boots" ||
	diag "$OUT"
like "$OUT" "6 blocks of one boot a side, 2 to $n iterations" "all blocks count"
like "$(tr -d '\n\t ' <"$IRONRIG_HOME/conf/experiments/x3.cfg")" \
	"iterations=\\[\"j1$n\"\\]" "the experiment's file has it"
ok "which holds" ironrig check "$IRONRIG_HOME/conf/experiments/x3.cfg"
lease=$(grep '^run .* x3 6 ' "$IRONRIG_HOME/store/b1/leases" | head -n 1 |
	cut -d' ' -f2)
like "$(lz4 -dc "$IRONRIG_HOME/store/b1/b1.$lease.tar.lz4" |
	tar -xOf - job.cfg | tr -d '\n\t ')" "iterations=$n;.*run_limit=\"$((60 * n / 2))s\"" \
	"the job as it ran says so, with time for them"
like "$(cat "$IRONRIG_HOME/conf/jobs/j1.cfg")" "iterations = 2" "its file stays"

# what a boot costs little is not stretched; whoever only collects may choose
PAPER_WITHIN=0.1
paper_off b1
paper_on b1
bg "$T/watch.log" "$BIN/ironrig" collect --watch -q
ironrig ab base same --box b1 --job j1 --name x4 --blocks 5 >/dev/null
finished() { ironrig queue --list | grep -q "^$1 .* finished"; }
ok "nobody waits" wait_for 120 finished x4
like "$(cat "$T/watch.log")" "x4: j1: 2 iterations a run stay \\(of the spread" \
	"collect --watch chooses: no more than the job's own"
is "$(made x4 | tr ' ' '\n' | grep -c '2x[0-5]:2$')" 6 "all runs have them"
ironrig ab --resume x4 --blocks 7 >/dev/null
like "$(ironrig status)" "x4: .*left.*j1: 2 iterations a run stay" \
	"status tells it, while it runs"
ironrig ab --stop x4 >/dev/null
is "$(paper_odd)" "" "no answer was odd"
paper_off b1
done_testing
