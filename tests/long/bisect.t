#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `git bisect run ironrig bisect' on a virtual box: a small repository whose
# commits are command lines; one of them has the kernel check its slabs, which
# takes memory: by what they take, which a busy host does not change.

# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/../boot/lib-boot.sh"

boot_home
ironrig kernel add good --like v6.1 --append rev=0 >/dev/null ||
	bail "kernel add"
enroll_box vm1 <<-CFG
	boot = "kexec";
	boot_deadline = "300s";
	$SLOW_HOST
	power = { cycle = "$T/cycle"; };
CFG
power_button vm1 "$T/cycle"
pairs_job
serve
user_net
MEMORY=1024
BOX_SECONDS=3000
plug vm1

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t
export GIT_COMMITTER_EMAIL=t@t
mkdir "$T/linux"
cd "$T/linux" || bail "no $T/linux"
git init -q . || bail "git init"
slow=
for rev in 1 2 3 4 5; do
	[ $rev != 3 ] || slow=" slub_debug=FZPU"
	echo "rev=$rev$slow" >append
	git add append
	git commit -qm "rev $rev"
done
at() { # revision: its commit
	git log --all --format=%H --grep "^rev $1\$" | head -n 1
}

start=$SECONDS
git bisect start "$(at 5)" "$(at 1)" >/dev/null
OUT=$(timeout 3000 git bisect run "$BIN/ironrig" bisect --box vm1 \
	--job pairs --like v6.1 --append-from append --build true \
	--good-kernel good --stat meminfo.SUnreclaim --change +80% \
	--blocks 3 2>&1)
is $? 0 "git bisect run"
diag "$((SECONDS - start)) s, $(grep -c '^boot ' \
	"$IRONRIG_HOME/store/vm1/leases") boots" "$OUT"
like "$OUT" "$(at 3) is the first bad commit" "finds the planted commit"
is "$(grep -c '^want .* kexec ' "$IRONRIG_HOME/store/vm1/leases")" \
	"$(grep -c '^want ' "$IRONRIG_HOME/store/vm1/leases")" "all by kexec"
ok "unplugged, it stays off" unplug
done_testing
