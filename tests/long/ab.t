#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Whole experiments on a virtual box. By kexec: a kernel, the same again, and
# one that checks its slabs, which socketpair feels: a regression beside none
# (at alpha .001: chance fails this once in a thousand times). By firmware: a
# kernel that panics before its initramfs; `tend' has the box back each time.

# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/../boot/lib-boot.sh"

BLOCKS=${AB_BLOCKS:-5}

boot_home
ironrig kernel add again --like v6.1 --append again >/dev/null ||
	bail "kernel add"
ironrig kernel add checked --like v6.1 --append slub_debug=FZPU >/dev/null ||
	bail "kernel add"
ironrig kernel add dead --like v6.1 \
	--append "rdinit=/none root=/dev/none" >/dev/null || bail "kernel add"
enroll_box vm1 <<-CFG
	boot = "kexec";
	boot_deadline = "300s";
	$SLOW_HOST
	power = { cycle = "$T/cycle"; };
CFG
pairs_job
power_button vm1 "$T/cycle"

serve
user_net
MEMORY=1024
BOX_SECONDS=3600
plug vm1

# ---- kexec -------------------------------------------------------------------

start=$SECONDS
OUT=$(timeout 3000 "$BIN/ironrig" ab v6.1 again checked --box vm1 --job pairs \
	--blocks "$BLOCKS" --delta 10% --name x1 --wait 2>&1)
is $? 10 "by kexec: a regression"
diag "$((SECONDS - start)) s for $((3 * (BLOCKS + 1))) boots" "$OUT"
verdict() { # head alpha: what the report says of it
	ironrig compare v6.1 "$1" --experiment x1 --alpha "$2" --delta 10% 2>&1
}
like "$(verdict checked 0.001)" "REGRESSION" \
	"the kernel that checks its slabs is slower"
unlike "$(verdict again 0.001)" "REGRESSION|IMPROVEMENT" \
	"the same kernel again is not"
like "$(verdict again 0.001)" "$BLOCKS blocks of one boot a side" "of all blocks"
leases=$IRONRIG_HOME/store/vm1/leases
is "$(grep '^run .* x1 ' "$leases" | awk '{ print $9 }' | sort | uniq -d)" "" \
	"each run has a boot of its own"
is "$(grep -c '^end [0-9a-f]* ok 1 ' "$leases")" $((3 * (BLOCKS + 1))) \
	"every run ended well"
first=$(grep '^run ' "$leases" | sed -n 2p | cut -d' ' -f2)
like "$(result_file "$IRONRIG_HOME/store/vm1/vm1.$first.tar.lz4" result.cfg)" \
	'boot_mode = "kexec"' "by kexec"

# ---- firmware, a kernel that panics, tend -----------------------------------------

# each boot into it is waited for; its own ones take 15 s on an idle machine
sed -i "s/boot_deadline = .*/boot_deadline = \"${AB_DEADLINE:-60s}\";/" \
	"$IRONRIG_HOME/conf/hosts/vm1.cfg"
start=$SECONDS
ironrig ab v6.1 dead --box vm1 --job pairs --boot firmware --blocks 2 \
	--name x2 >/dev/null
sed -i 's/attempts = 3/attempts = 1/' "$IRONRIG_HOME/conf/experiments/x2.cfg"
OUT=$(timeout 900 "$BIN/ironrig" ab --resume x2 --wait 2>&1)
is $? 10 "by firmware: a kernel that panics"
diag "$((SECONDS - start)) s" "$OUT"
like "$OUT" "power-cycled, 1 of at most 3" "tend has the box back"
like "$OUT" "given up" "the experiment is given up"
like "$OUT" "lost" "its runs are lost ones"
is "$(grep -c '^run .* x2 .* dead:' "$leases")" \
	"$(grep -c ' cycle ok tend: ' "$IRONRIG_HOME/store/vm1/power.log")" \
	"as many cycles as boots into it"
ok "the box is at home again" grep -q '^.* idle ' "$IRONRIG_HOME/store/vm1/state"
like "$(grep '^boot ' "$leases" | tail -n 1)" " v6.1:" "in its home kernel"

ok "unplugged, it stays off" unplug
done_testing
