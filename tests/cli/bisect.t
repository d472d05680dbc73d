#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ironrig bisect under `git bisect run': a small repository of kernel variants
# (a command line each), a box on paper, and the planted commit.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/paperbox.sh
. "$TOP/tests/paperbox.sh"

paper_home
PAPER_HOME_KERNEL=v1
paper_kernel v1 rev=1
paper_kernel v12 rev=12
paper_enroll b1 1
paper_job j1

# From rev 8 on it is slow; rev 5 does not build, rev 9 never comes up.
paper_rev() { # kernel
	ironrig kernel show "$1" | sed -n 's/.*rev=\([0-9]*\).*/\1/p'
}
paper_ops() {
	if [ "$(paper_rev "$1")" -ge 8 ]; then echo 900; else echo 1000; fi
}
paper_fault() {
	[ "$3" != boot ] || [ "$(paper_rev "$2")" != 9 ] || echo no-boot
}

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t
export GIT_COMMITTER_EMAIL=t@t
mkdir "$T/linux"
cd "$T/linux" || bail "no $T/linux"
git init -q . || bail "git init"
for rev in 1 2 3 4 5 6 7 8 9 10 11 12; do
	echo "rev=$rev" >append
	git add append
	git commit -qm "rev $rev"
done
at() { # revision: its commit
	git log --all --format=%H --grep "^rev $1\$" | head -n 1
}
build='grep -qv "rev=5\$" append && echo built >>../builds'
bisect() {
	"$BIN/ironrig" bisect --box b1 --job j1 --like v1 --append-from append \
		--build "$build" --good-kernel v1 --blocks 3 "$@"
}
go() { # revision
	git checkout -q "$(at "$1")"
}

# ---- usage: nothing that git could take for an answer ---------------------------------

exits 129 "no options: 129" ironrig bisect
exits 129 "an unknown one" ironrig bisect --frob
exits 129 "both ends told twice" bisect --bad-kernel v12 --change -10%
exits 129 "a change without %" bisect --change 17
exits 128 "a good kernel that is not there" bisect --good-kernel v0
exits 128 "a box that is not there" bisect --box b9
exits 0 "-h" ironrig bisect -h
go 5
exits 125 "a build that fails" bisect
exits 128 "no repository" sh -c "cd / && $BIN/ironrig bisect --box b1 \
	--job j1 --good-kernel v1 --build true"

# ---- single steps ------------------------------------------------------------------------

paper_on b1
go 3
OUT=$(bisect --change -10%)
is $? 0 "nearer to good: 0"
like "$OUT" "test.ops .*middle -5.1. %: good" "says why"
go 10
OUT=$(bisect)
is $? 1 "without ends, worse by more than delta: 1"
like "$OUT" "middle -1.00 %: bad" "says so"
n=$(wc -l <"$T/builds")
runs() { grep -c '^run ' "$T/home/store/b1/leases"; }
before=$(runs)
exits 1 "the same again" bisect
is "$(wc -l <"$T/builds")" "$n" "is not built again"
is "$(runs)" "$before" "nor measured again"
exits 125 "the interval holds the middle: 125" bisect --change -19.1%
OUT=$(bisect --bad-kernel "bisect-$(at 3 | cut -c1-16)")
is $? 128 "ends that do not differ: 128"
like "$OUT" "do not differ, there is nothing to hunt" "says so"
go 9
OUT=$(bisect)
is $? 125 "a kernel that never comes up: 125"
like "$OUT" "given up: too many of its boots failed" "says why"

# ---- the hunt ---------------------------------------------------------------------------------

git checkout -q -
git bisect start "$(at 12)" "$(at 1)" >/dev/null
OUT=$(git bisect run "$BIN/ironrig" bisect --box b1 --job j1 --like v1 \
	--append-from append --build "$build" --good-kernel v1 \
	--bad-kernel v12 --blocks 3 2>&1)
is $? 0 "git bisect run"
like "$OUT" "$(at 8) is the first bad commit" "finds the planted commit"
like "$OUT" "v12: test.ops -[0-9.]+ % .*, middle -5" "the ends were measured"
is "$(ironrig queue --list | grep -c bisect-ends)" 2 "once (and the pair above)"
paper_off b1
is "$(paper_odd)" "" "no answer was odd"
done_testing
