#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A box whose image did not arrive whole notices, says which member, and runs
# nothing: the kernel itself prints a line at most and boots.

# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/lib-boot.sh"

boot_home
mkdir -p "$T/b/opt/extra"
echo hello >"$T/b/opt/extra/file"
ironrig image bundle extra --from "$T/b" >"$T/bundle.log" 2>&1 ||
	bail "$(cat "$T/bundle.log")"
cat >"$IRONRIG_HOME/conf/jobs/extra.cfg" <<-'CFG'
	testcase = "extra";
	command = "cat /opt/extra/file";
	iterations = 1;
	bundles = [ "extra" ];
CFG
queue_runs q1 vm1 extra 9 'attempts = 9;'
enroll_box vm1 </dev/null
serve
user_net

twice() {
	[ "$(grep -ac 'vm1 boots v6.1' "$(console vm1)")" -ge 2 ]
}

BOOT=$IRONRIG_HOME/boot
SCRIPT=$BOOT/mac-$(mac vm1 | tr : -).ipxe
like "$(cat "$SCRIPT")" "initrd=extra.cpio" "the script brings the job's bundle"
like "$(cat "$SCRIPT")" "bundle-extra:[0-9a-f]{64}" "and lists it as a member"

# refuses CASE REGEX [QEMU-ARGUMENT...]: a boot in which the console names the
# member, and no run.
refuses() {
	start_box vm1 "${@:3}"
	ok_console 120 vm1 "$2" "$1: the console names it"
	ok_console 60 vm1 'giving up' "$1: the box gives up"
	nok "$1: it runs nothing" says vm1 'job extra'
	stop_box
}

cp "$SCRIPT" "$T/script"
grep -v '^initrd --name extra.cpio' "$T/script" |
	sed 's/ initrd=extra.cpio//' >"$SCRIPT"
refuses "a missing member" 'member bundle-extra: missing'
cp "$T/script" "$SCRIPT"

# Cut by less than what follows, its block eats into the next member.
# (The registry's file is linked to the boot folder's: break that first.)
cp "$BOOT/kernels/v6.1/modules.cpio" "$T/modules.cpio"
cut_modules() { # bytes
	rm "$BOOT/kernels/v6.1/modules.cpio"
	head -c "-$1" "$T/modules.cpio" >"$BOOT/kernels/v6.1/modules.cpio"
}
cut_modules 3072
refuses "a truncated member" 'member modules: '

# Cut by more, the decoder runs off the end of the image.
cut_modules 1000000
start_box vm1
ok_console 120 vm1 'Kernel panic|member modules: ' \
	"a member cut in two: the kernel's panic or the agent says so"
ok "and the box starts again" wait_for 120 twice
stop_box
cp "$T/modules.cpio" "$BOOT/kernels/v6.1/modules.cpio"

cp "$BOOT/boxes/vm1.cpio" "$T/overlay.cpio"
sed 's/group = "virtual"/group = "VIRTUAL"/' "$T/overlay.cpio" \
	>"$BOOT/boxes/vm1.cpio"
refuses "an altered file" 'member overlay: .*host.cfg: altered'
cp "$T/overlay.cpio" "$BOOT/boxes/vm1.cpio"

# Without PXE: the members in one file, as kexec has them. Padded they are
# found, one behind the other; without the padding one is lost.
whole() { # base-file
	cat "$1" "$T/modules.cpio" "$T/overlay.cpio" \
		"$IRONRIG_HOME/bundles/extra.cpio" >"$T/image"
}
direct=(-kernel "$BOOT/kernels/v6.1/vmlinuz" -initrd "$T/image" -append
	"$(sed -n 's/^kernel .* BOOTIF=[^ ]* \(.*\) || goto.*/\1/p' "$SCRIPT")")
# the LZ4 part ends with its last byte that is not zero
size=$(stat -c %s "$BOOT/base.cpio")
zeros=$(tail -c 600 "$BOOT/base.cpio" | od -An -v -tx1 -w1 |
	tac | awk '$1 != "00" { exit } { n++ } END { print n + 0 }')
head -c "-$zeros" "$BOOT/base.cpio" >"$T/unpadded"
isnt "$(stat -c %s "$T/unpadded")" "$size" "base without its padding"
whole "$T/unpadded"
refuses "a badly padded member" \
	'member (base|modules|kernel|overlay|bundle-extra): ' "${direct[@]}"

whole "$BOOT/base.cpio"
start_box vm1 "${direct[@]}"
ok_console 120 vm1 'job extra: ok' "the same, padded: the job runs"
nok "no member is found wanting" says vm1 ': member '
stop_box

done_testing
