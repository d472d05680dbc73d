#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The scripts that boxes boot by: members, command line, replacement.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

new_home "$T/home"
BOOT=$T/home/boot

fake_image "$T/vmlinuz" '6.1.0-fake (me@here) #1 SMP'
stand_in

host() { # the rest of the host file on standard input
	{
		cat <<-'CFG'
			box = "b1";
			controller = "192.0.2.1:22";
			kernel = "k1";
		CFG
		cat
	} >"$T/home/conf/hosts/b1.cfg"
}
host <<'CFG'
net = { mac = "52:54:00:0A:0b:0c"; };
panic = "7s";
append = "quiet";
CFG
S=$BOOT/mac-52-54-00-0a-0b-0c.ipxe
ironrig kernel add k1 --vmlinuz "$T/vmlinuz" --append "mitigations=off" \
	>/dev/null || bail "kernel add"
ironrig image base --agent "$T/agent" >/dev/null || bail "image base"
ok "enroll writes the script" ironrig enroll b1
script=$(cat "$S")
like "$script" '^#!ipxe' "an iPXE script"
like "$script" 'kernel [^|]* kernels/k1/vmlinuz ' "the kernel, by a relative path"
like "$script" 'initrd=base.cpio initrd=modules.cpio initrd=overlay.cpio ' \
	"UEFI's words for each member"
like "$script" 'BOOTIF=01-\$\{netX/mac:hexhyp\}' "the card it came from"
like "$script" ' panic=7 ' "panic"
like "$script" ' quiet mitigations=off ' "the host's words, then the kernel's"
like "$script" ' oops=panic ironrig.oops=0 ' "an oops before the agent reboots"
id=$(ironrig kernel show k1 | sed -n 's/^id *//p')
like "$script" " ironrig.kernel=k1:$id " "the kernel's name and id"
like "$script" " ironrig.boot=firmware " "how it boots"
for m in base:base overlay:boxes/b1; do
	like "$script" "[=,]${m%:*}:$(cat "$BOOT/${m#*:}.sha")" \
		"member ${m%:*} with its manifest's hash"
done
like "$script" ",modules:$(ironrig kernel show k1 |
	sed -n 's/^modules *//p')," "the modules' hash is the kernel's"
is "$(stat -c %a "$S")" 640 "mode"
is "$(stat -c %i "$BOOT/kernels/k1/vmlinuz")" \
	"$(stat -c %i "$T/home/kernels/k1/vmlinuz")" \
	"the kernel is there by a hard link"

# a new base has another hash: the scripts follow
SOURCE_DATE_EPOCH=1 ironrig image base --agent "$T/agent" >/dev/null
is "$(cat "$S")" "$script" "the same content: the same script"
echo 'int main(void) { return 1; }' | cc -x c -static -o "$T/agent" -
ironrig image base --agent "$T/agent" >/dev/null
like "$(cat "$S")" "=base:$(cat "$BOOT/base.sha")," \
	"another base: the script names it"
isnt "$(cat "$S")" "$script" "and is another"

# a job's bundle
cat >"$T/home/conf/jobs/j.cfg" <<-'CFG'
	testcase = "t";
	command = "true";
	bundles = [ "extra" ];
CFG
cat >"$T/home/conf/experiments/q.cfg" <<-'CFG'
	kind = "queue";
	boxes = [ "b1" ];
	kernels = [ "k1" ];
	jobs = [ "j" ];
	count = 1;
CFG
out=$(ironrig image overlay b1 2>&1)
is $? 1 "a bundle that was never built"
like "$out" "box b1: bundle extra .*image bundle extra" "is named with the cure"
mkdir -p "$T/d"
echo x >"$T/d/file"
ironrig image bundle extra --from "$T/d" >/dev/null
like "$(cat "$S")" 'initrd --name extra.cpio bundles/extra.cpio' \
	"built, it is in the script"
like "$(cat "$S")" ",bundle-extra:[0-9a-f]{64}" "and among the members"
ok "the server can read it" test -f "$BOOT/bundles/extra.cpio"
echo 'stopped = true;' >>"$T/home/conf/experiments/q.cfg"
ironrig image overlay b1
unlike "$(cat "$S")" "extra" "an experiment that is stopped wants nothing"

# what cannot work is refused, and the old script stays
old=$(cat "$S")
refused() { # description regex: the host file on standard input
	host
	out=$(ironrig image overlay b1 2>&1)
	is $? 1 "$1"
	like "$out" "box b1: .*$2" "is refused: $2"
	is "$(cat "$S")" "$old" "the old script stays"
}
MAC='net = { mac = "52:54:00:0a:0b:0c"; };'
# shellcheck disable=SC2016 # iPXE's own
refused "a word that iPXE would expand" "append.*iPXE" \
	<<<"$MAC append = \"a=\${x}\";"
refused "an end of the kernel's options" "append: behind \"--\"" \
	<<<"$MAC append = \"quiet -- x\";"
refused "a command line beyond the kernel's limit" "command line has" \
	<<<"$MAC append = \"$(head -c 1900 /dev/zero | tr '\0' x)\";"
host <<<"$MAC boot = \"kexec\"; append = \"oops=panic\";"
ironrig image overlay b1
like "$(cat "$S")" "watchdog.stop_on_reboot=0" \
	"kexec: the watchdog outlives the kernel"
unlike "$(cat "$S")" "ironrig.oops" "oops= of one's own stays"

# HTTP instead of TFTP
echo 'boot_url = "http://192.0.2.1/boot";' >>"$T/home/conf/controller.cfg"
ironrig image overlay b1
like "$(cat "$S")" ' http://192.0.2.1/boot/kernels/k1/vmlinuz ' "boot_url"
like "$(cat "$S")" ' http://192.0.2.1/boot/base.cpio ' "for every file"
echo 'boot_group = "no-such-group";' >>"$T/home/conf/controller.cfg"
out=$(ironrig image overlay b1 2>&1)
is $? 1 "a boot_group that there is not"
like "$out" 'no group "no-such-group"' "is named"

done_testing
