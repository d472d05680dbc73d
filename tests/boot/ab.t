#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A whole experiment on a virtual box, by kexec: a kernel beside the same with
# slub_debug, which socketpair feels, in five blocks and at alpha .001, so that
# chance fails this less than once in a thousand times. The longer forms are in
# tests/long.

# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/lib-boot.sh"

BLOCKS=5

boot_home
ironrig kernel add checked --like v6.1 --append slub_debug=FZPU >/dev/null ||
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
BOX_SECONDS=1500
plug vm1

start=$SECONDS
OUT=$(timeout 1400 "$BIN/ironrig" ab v6.1 checked --box vm1 --job pairs \
	--blocks $BLOCKS --delta 10% --alpha 0.001 --name x1 --wait 2>&1)
is $? 10 "a regression: status 10"
diag "$((SECONDS - start)) s for $((2 * (BLOCKS + 1))) boots" "$OUT"
like "$OUT" "REGRESSION: p [^ ]+ < 0\.001" "the kernel that checks its slabs is slower"
like "$OUT" "$BLOCKS blocks of one boot a side" "by five blocks"
like "$OUT" "boot by kexec" "by kexec"
leases=$IRONRIG_HOME/store/vm1/leases
is "$(grep '^run .* x1 ' "$leases" | awk '{ print $9 }' | sort | uniq -d)" "" \
	"each run has a boot of its own"
is "$(grep -c '^end [0-9a-f]* ok 1 ' "$leases")" $((2 * (BLOCKS + 1))) \
	"every run ended well"
is "$(for f in $(results vm1); do
	result_file "$f" result.cfg | grep '^boot_mode'
done | sort -u)" 'boot_mode = "kexec";' "every boot came by kexec"
ok "unplugged, it stays off" unplug
done_testing
