#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A borrowed box, for real: a virtual machine that runs Debian from its own disk
# is taken over through ssh, measured, and comes back. From the hand-over to the
# last stage its disk does not change by one bit. Needs root for debootstrap.

# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/../boot/lib-boot.sh"

[ "$(id -u)" = 0 ] || skip_all "no root"
command -v debootstrap >/dev/null || skip_all "no debootstrap"
ROOT=$TOP/build/debian-root # kept for the next time

# ---- a distribution ----------------------------------------------------------------

# shellcheck disable=SC2016 # the dollars are apt's
mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' \
	'Created-By: Packages' 'Component: main' |
	awk '$2 == "bookworm" { print $1; exit }')
if [ ! -e "$ROOT/.complete" ]; then
	rm -rf "$ROOT"
	debootstrap --variant=minbase \
		--include=systemd-sysv,openssh-server,iproute2,udev,dbus,linux-image-cloud-amd64 \
		bookworm "$ROOT" "$mirror" >"$T/debootstrap.log" 2>&1 ||
		bail "debootstrap: $(tail "$T/debootstrap.log")"
	touch "$ROOT/.complete"
fi
ssh-keygen -q -t ed25519 -N '' -f "$T/user"
mkdir -p "$ROOT/root/.ssh"
install -m 600 "$T/user.pub" "$ROOT/root/.ssh/authorized_keys"
cat >"$ROOT/etc/systemd/network/10-all.network" <<'N'
[Match]
Type=ether
[Network]
Address=10.0.2.15/24
Gateway=10.0.2.2
N
chroot "$ROOT" systemctl -q enable systemd-networkd ssh
echo lender >"$ROOT/etc/hostname"
echo "/dev/vda / ext4 defaults 0 1" >"$ROOT/etc/fstab"
truncate -s 1200M "$T/disk"
mkfs.ext4 -q -F -d "$ROOT" "$T/disk" || bail "mkfs"

# ---- here --------------------------------------------------------------------------------

boot_home
ironrig kernel add again --like v6.1 --append again >/dev/null ||
	bail "kernel add"
cat >"$IRONRIG_HOME/conf/jobs/j1.cfg" <<'CFG'
testcase = "scale";
params = { nr_task = "1"; mode = "process"; test = "getppid"; };
command = "ironrig-agent scale $test --mode $mode --tasks $nr_task --seconds 1";
iterations = 2;
time_limit = "30s";
primary = [ "scale.per_process_ops" ];
CFG
serve
PORT=$(free_port)
# the user's own ssh, as ~/.ssh/config would have it
mkdir "$T/bin"
cat >"$T/bin/ssh" <<S
#!/bin/bash
exec $(command -v ssh) -F none -i "$T/user" -p $PORT -o LogLevel=ERROR \\
	-o StrictHostKeyChecking=no -o UserKnownHostsFile="$T/kh" "\$@"
S
chmod +x "$T/bin/ssh"
PATH=$T/bin:$PATH

# Its own system, until it resets: a kexec is no reset.
start_lender() {
	: >"$(console lender)"
	bg "$T/lender.qemu" timeout 1800 qemu-system-x86_64 \
		-accel tcg,thread=multi -cpu max -m 1024 -smp 2 -no-reboot \
		-machine pc,graphics=off -nodefaults -no-user-config \
		-display none -serial "file:$(console lender)" \
		-device virtio-rng-pci \
		-drive "file=$T/disk,format=raw,if=virtio" \
		-netdev "user,id=n0,restrict=on,hostfwd=tcp:127.0.0.1:$PORT-10.0.2.15:22,guestfwd=tcp:${CONTROLLER}-cmd:busybox nc 127.0.0.1 $SERVE_PORT" \
		-device "virtio-net-pci,netdev=n0,mac=$(mac lender)" \
		-kernel "$(echo "$ROOT"/boot/vmlinuz-*)" \
		-initrd "$(echo "$ROOT"/boot/initrd.img-*)" \
		-append "root=/dev/vda rw console=ttyS0,115200 net.ifnames=0"
	LENDER=$BG_PID
}
up() {
	ssh -o BatchMode=yes -o ConnectTimeout=5 root@127.0.0.1 true
}

start_lender
ok "the distribution is up" wait_for 400 up
ssh root@127.0.0.1 'echo mine >/root/mine'
bg "$T/ab.log" timeout 1500 "$BIN/ironrig" ab v6.1 again \
	--ssh root@127.0.0.1 --job j1 --controller "$CONTROLLER" --blocks 1 \
	--name x1
waiter=$BG_PID
ok_console 400 lender 'box ssh-lender: ready' "it is taken over"
like "$(tr -d '\r' <"$(console lender)")" "unmounting filesystem" \
	"after its root was unmounted"
before=$(sha256sum <"$T/disk")
ok "the experiment ends" wait_for 1200 ended "$waiter"
wait "$waiter"
is $? 11 "without a verdict, after one block" || diag "$(cat "$T/ab.log")"
like "$(cat "$T/ab.log")" "1 blocks of one boot a side" "one block is kept"
ok "the box resets" wait_for 120 ended "$LENDER"
is "$(sha256sum <"$T/disk")" "$before" "its disk is as it was, bit by bit"
start_lender
ok "its own system comes up" wait_for 400 up
is "$(ssh root@127.0.0.1 cat /root/mine)" mine "with what it had"
unlike "$(ssh root@127.0.0.1 dmesg)" "recovery|orphan" \
	"its file system needed no repair"

# ---- a kernel that panics there ------------------------------------------------

ironrig kernel add dead --like v6.1 \
	--append "rdinit=/none root=/dev/none" >/dev/null || bail "kernel add"
bg "$T/ab2.log" timeout 1500 "$BIN/ironrig" ab v6.1 dead \
	--ssh root@127.0.0.1 --job j1 --controller "$CONTROLLER" --blocks 1 \
	--name x2
waiter=$BG_PID
ok_console 400 lender 'box ssh-lender: ready' "it is taken over again"
before=$(sha256sum <"$T/disk")
ok "the kernel that panics resets it" wait_for 600 ended "$LENDER"
like "$(tr -d '\r' <"$(console lender)")" "Kernel panic - not syncing: VFS" \
	"(it did panic)"
is "$(sha256sum <"$T/disk")" "$before" "its disk is as it was, bit by bit"
kill -INT "$waiter"
ok "who waits for it goes" wait_for 60 ended "$waiter"
start_lender
ok "its own system comes up" wait_for 400 up
is "$(ssh root@127.0.0.1 cat /root/mine)" mine "with what it had"
like "$(ironrig queue --list)" "x2 .* stopped" "and is asked for nothing more"
done_testing
