#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Several builds of a kernel: registered as such, taken in turn by `ab
# --builds', so that layout is not mistaken for the patch.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/paperbox.sh
. "$TOP/tests/paperbox.sh"

new_home "$T/home"
serve
image_base
PAPER_HOME_KERNEL=v1
PAPER_DIRECT=1 # what is tried is the plan, not the way to it
paper_kernel v1 quiet
paper_kernel other loud

# another_build N NAME KERNEL APPEND: the N-th other image, nothing else
for i in 1 2; do
	cp "$T/vmlinuz" "$T/build-$i"
	echo "$i" | dd of="$T/build-$i" bs=1 seek=4000 conv=notrunc status=none
done
another_build() {
	ironrig kernel add "$2" --force --vmlinuz "$T/build-$1" \
		--modules "$T/m" --append "$4" --build-of "$3" 2>&1
}

# ---- registering --------------------------------------------------------------

ok "a build" another_build 1 v1.b v1 quiet
like "$(ironrig kernel show v1.b)" "build-of +v1" "show names the kernel"
like "$(ironrig kernel ls)" "v1.b .*quiet \(build of v1\)" "so does ls"
like "$(another_build 2 v1.x v1 noisy)" 'command line is "noisy", that of v1 "quiet"' \
	"another command line is no build"
like "$(another_build 2 v1.x v1.b quiet)" "v1.b is a build of v1 itself: --build-of v1" \
	"a build of a build: it says which to name"
like "$(another_build 2 v1.x v9 quiet)" 'no kernel "v9"' "of nothing"
nok "none of them is registered" test -e "$IRONRIG_HOME/kernels/v1.x"
OUT=$(ironrig kernel add again --like v1 --build-of v1 2>&1)
is $? 1 "the same image under another name"
like "$OUT" "image is that of v1: no other layout" "is no other layout"
ironrig kernel add v1.c --force --vmlinuz "$T/build-1" --modules "$T/m" \
	--append "quiet" >/dev/null 2>&1
like "$(ironrig kernel add v1.c --force --vmlinuz "$T/build-1" \
	--modules "$T/m" --append quiet --build-of v1 2>&1)" "that of v1.b" \
	"an image that is known, told later"
ok "gone" ironrig kernel rm v1.c
ok "v1.d, told nothing" ironrig kernel add v1.d --force \
	--vmlinuz "$T/build-2" --modules "$T/m" --append quiet
like "$(ironrig kernel add v1.d --force --vmlinuz "$T/build-2" \
	--modules "$T/m" --append quiet --build-of v1)" "a build of v1 now" \
	"and afterwards"
like "$(ironrig kernel add v1 --force --vmlinuz "$T/vmlinuz" \
	--modules "$T/m" --append quiet --build-of other 2>&1)" "v1.b is a build of it" \
	"one that has builds is none"

# ---- an experiment ------------------------------------------------------------

paper_enroll b1 1
paper_job j1
paper_ops() {
	case $1 in # layouts differ by more than the kernels
	v1.b) echo 1030 ;;
	v1.d) echo 980 ;;
	*) echo 1000 ;;
	esac
}
paper_fault() {
	:
}

OUT=$(ironrig ab other v1.b --builds --box b1 --job j1 2>&1)
is $? 1 "--builds, but neither has several"
like "$OUT" "kernel add NAME ... --build-of other" "how to get some"
OUT=$(ironrig ab v1 v1.b --builds --box b1 --job j1 2>&1)
is $? 1 "a kernel against its own build"
like "$OUT" "v1.b is a build of v1: with --builds they are one side" "is said"
OUT=$(ironrig ab v1 other --builds --box b1 --job j1 --name x1 --seed 3 2>&1)
is $? 0 "--builds" || diag "$OUT"
like "$OUT" "note: other has 1 build: it takes 3" "it says what is too few"
unlike "$OUT" "note: v1 has" "and nothing of three"
like "$(tr -d '\n\t ' <"$IRONRIG_HOME/conf/experiments/x1.cfg")" \
	'builds=\["v1v1.bv1.d"\]' "its file has the builds"
like "$OUT" ": 10 blocks and" "ten blocks are enough for three"
ok "its file holds" ironrig check "$IRONRIG_HOME/conf/experiments/x1.cfg"
ok "twelve blocks" ironrig ab --resume x1 --blocks 12

paper_on b1
OUT=$(ironrig ab --resume x1 --wait 2>&1)
leases=$IRONRIG_HOME/store/b1/leases
runs() { # one line a run: block position kernel
	sed -n 's/^run [^ ]* x1 \([0-9]*\) \([0-9]\) \([^:]*\):.*/\1 \2 \3/p' \
		"$leases"
}
is "$(runs | awk '$1 > 0 { print $3 }' | sort | uniq -c | xargs)" \
	"12 other 4 v1 4 v1.b 4 v1.d" "each build in four blocks, other in all"
is "$(runs | awk '$1 > 0 { print $2, $3 }' | sort | uniq -c | xargs)" \
	"6 1 other 2 1 v1 2 1 v1.b 2 1 v1.d 6 2 other 2 2 v1 2 2 v1.b 2 2 v1.d" \
	"each at each position as often"
is "$(runs | awk '$1 % 3 == 1 && $1 > 0 { r++; s = "" }
	$1 > 0 && $3 ~ /^v1/ { print int(($1 - 1) / 3), $3 }' | sort | uniq -d)" "" \
	"each once in every three"
is "$(runs | head -n 2 | xargs)" "0 1 v1 0 2 other" "the first build warms up"
for f in "$IRONRIG_HOME"/store/b1/*.lz4; do
	lz4 -dc "$f" | tar -xOf - result.cfg |
		awk '/^block =/ { b = $3 + 0 } /^position =/ { p = $3 + 0 }
			/^kernel =/ { gsub(/[";]/, "", $3); k = $3 }
			END { print b, p, k }'
done >"$T/results"
is "$(sort "$T/results")" "$(runs | sort)" "every result names its build"
is "$(paper_odd)" "" "no answer was odd"
paper_off b1
ok "a build is taken out" ironrig kernel rm v1.d
ok "what else is asked for" ironrig ab --resume x1 --blocks 14
like "$(ironrig status)" "x1: .*: no such kernel" "is held up, and says why"
done_testing
