#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ironrig enroll --try-kexec, with boxes on paper: one that can, one that
# refuses, one that does not come back from it.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/paperbox.sh
. "$TOP/tests/paperbox.sh"

paper_home
PAPER_HOME_KERNEL=base
paper_kernel base
for n in 1 2 3; do
	paper_enroll b$n $n
done
paper_ops() {
	echo 1
}
paper_fault() { # box kernel "boot" mode
	case $1$3$4 in
	b2bootkexec) echo no-kexec ;;
	b3bootkexec) echo lost ;;
	esac
}
host() {
	cat "$T/home/conf/hosts/$1.cfg"
}

exits 1 "a box without a host file" ironrig enroll b9 --try-kexec
exits 2 "with --rotate: usage" ironrig enroll b1 --try-kexec --rotate
unlike "$(host b1)" "boot = " "b1's file says nothing"
paper_on b1
OUT=$(timeout 60 "$BIN/ironrig" enroll b1 --try-kexec)
is $? 0 "a box that can: status 0"
like "$OUT" "comes back from kexec" "says so"
like "$(host b1)" 'boot = "kexec";' "and its file"
ok "the file holds" ironrig check -k host "$T/home/conf/hosts/b1.cfg"
is "$(grep -c '^run ' "$T/home/store/b1/leases")" 1 "by one run"
like "$(grep '^boot ' "$T/home/store/b1/leases" | tail -n 1)" " kexec " \
	"in a boot by kexec"
sed -i 's/^boot = .*/  boot="firmware";/' "$T/home/conf/hosts/b1.cfg"
ok "again" timeout 60 "$BIN/ironrig" enroll b1 --try-kexec
is "$(host b1 | grep boot | grep -v deadline)" 'boot = "kexec";' \
	"a line that was there is replaced"
paper_off b1

paper_on b2
OUT=$(timeout 60 "$BIN/ironrig" enroll b2 --try-kexec)
is $? 1 "a box that refuses: status 1"
like "$OUT" "refuses kexec" "says so"
unlike "$(host b2)" 'boot = ' "its file stays"
paper_off b2

paper_on b3
bg "$T/try.log" timeout 60 "$BIN/ironrig" enroll b3 --try-kexec
ok "a box that is told to kexec" wait_for 30 \
	grep -q '^want .* kexec ' "$T/home/store/b3/leases"
paper_off b3
sed -i "\$s/^[0-9]*/$(($(date +%s) - 40))/" "$T/home/store/b3/state"
ok "and is silent: the waiting ends" wait_for 30 ended "$BG_PID"
like "$(cat "$T/try.log")" "silent for .* switch it off and on" "says so"
unlike "$(host b3)" 'boot = ' "its file stays"
like "$(ironrig queue --list b3)" "stopped" "and the trial is dropped"
done_testing
