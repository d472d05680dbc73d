#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One experiment on a virtual box while QEMU, the box's connections and
# `receive' are killed at random moments (SEED chooses them): no run counts
# twice, gets lost or goes under another kernel's name.

# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/../boot/lib-boot.sh"
# shellcheck source=tests/faults/lib-truth.sh
. "$TOP/tests/faults/lib-truth.sh"

SEED=${SEED:-$(date +%-j)}
RANDOM=$SEED
KILLS=${KILLS:-14}
echo "# SEED=$SEED"

boot_home
ironrig kernel add variant --like v6.1 --append ironrig_test=variant \
	>/dev/null || bail "kernel add"
enroll_box vm1 <<-CFG
	boot_deadline = "300s";
	$SLOW_HOST
	power = { cycle = "$T/cycle"; };
CFG
power_button vm1 "$T/cycle"
serve
user_net
BOX_SECONDS=1500
plug vm1

# ---- killing ------------------------------------------------------------------

# children PID: all below it, that are this test's own
children() {
	local p

	for p in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
		echo "$p"
		children "$p"
	done
}

# victim REGEX: a random process below the sshd that serves, whose command
# line fits
victim() {
	local p all=()

	for p in $(children "$SERVE_PID"); do
		! { tr '\0' ' ' <"/proc/$p/cmdline"; } 2>/dev/null |
			grep -q "$1" || all+=("$p")
	done
	[ ${#all[@]} -gt 0 ] && echo "${all[RANDOM % ${#all[@]}]}"
}

strike() {
	local pid what

	case $((RANDOM % 4)) in
	0)
		what=qemu
		pid=$(children "$(cat "$T/vm1.pid")" | head -n 1)
		;;
	1)
		what=receive
		# it lives for milliseconds: whoever comes next
		wait_for 20 victim 'ironrig.* receive vm1'
		pid=$(victim 'ironrig.* receive vm1')
		;;
	*)
		what=connection
		wait_for 20 victim '^sshd: .*@notty'
		pid=$(victim '^sshd: .*@notty')
		;;
	esac
	[ -n "$pid" ] && kill -KILL "$pid" 2>/dev/null && echo "$what" >>"$T/kills"
}

killed() {
	[ "$(cat "$T/kills" 2>/dev/null | wc -l)" -ge "$1" ]
}

waiter_ends() {
	ended "$WAITER"
}

ironrig ab v6.1 variant --box vm1 --job lock1-short --boot firmware \
	--blocks 4 --name x1 >/dev/null || bail "ab"
sed -i 's/attempts = .*/attempts = 100;/' \
	"$IRONRIG_HOME/conf/experiments/x1.cfg"
bg "$T/ab.log" timeout 1400 "$BIN/ironrig" ab --resume x1 --wait
WAITER=$BG_PID
while ! killed "$KILLS" && running "$WAITER"; do
	wait_for $((RANDOM % 12 + 2)) ended "$WAITER"
	strike
done
ok "after $KILLS kills it comes to its end" wait_for 900 ended "$WAITER"
diag "$(sort "$T/kills" | uniq -c)" "$(grep -c '^boot ' \
	"$IRONRIG_HOME/store/vm1/leases") boots" "$(cat "$T/ab.log")"
ok "it was killed $KILLS times before" killed "$KILLS"
unplug

# ---- what must hold -------------------------------------------------------------

ok "the rest is collected" ironrig collect
ok "the index is the tarballs'" ironrig fsck
ok_books vm1
bad=
while read -r lease _ _ _ kernel boot out; do
	[ "$out" = ok ] || continue
	line=$(result_file "$IRONRIG_HOME/store/vm1/vm1.$lease.tar.lz4" \
		meta/cmdline)
	[[ $line = *"ironrig.kernel=$kernel:"* ]] || bad+="$lease: $line; "
	case $kernel in
	variant) [[ $line = *ironrig_test=variant* ]] ;;
	*) [[ $line != *ironrig_test=variant* ]] ;;
	esac || bad+="$lease: $kernel, $line; "
	grep -q "^boot $boot $kernel:" "$IRONRIG_HOME/store/vm1/leases" ||
		bad+="$lease: boot $boot was no $kernel; "
done <"$T/results"
is "$bad" "" "what ran is what the results say"
blocks=$(kept x1 vm1)
is "$blocks" 4 "four blocks are kept, by the tarballs"
like "$(ironrig queue --list | grep '^x1 ')" " 4/4 " "by the plan"
like "$(ironrig compare v6.1 variant --experiment x1 --json | tr -d ' \n')" \
	'"n_base":4,"n_head":4' "by the report"
ironrig ab --resume x1 --blocks 6 >/dev/null
ok_plan x1 vm1 v6.1 variant
done_testing
