#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ironrig ab --ssh: what is found out before anything is stopped, what is sent,
# and a whole experiment, with an ssh and a box on paper.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/paperbox.sh
. "$TOP/tests/paperbox.sh"

paper_home
paper_kernel base
paper_kernel slow
paper_job j1
paper_ops() {
	if [ "$1" = slow ]; then echo 900; else echo 1000; fi
}
paper_fault() {
	:
}

# The user's ssh: the last word is the command for the box.
mkdir "$T/bin" "$T/run"
cat >"$T/bin/ssh" <<S
#!/bin/bash
target=\${@:\$# - 1:1} command=\${*: -1}
echo "\$target" >>"$T/targets"
case \$command in
*SSH_CONNECTION*) cat "$T/answers" ;;
*"tar -x"*) tar -x -f - -C "$T/run" && cat "$T/loaded" ;;
*initramfs*) touch "$T/installed" ;;
*"systemctl kexec"*) touch "$T/go" ;;
*) exit 1 ;;
esac
S
chmod +x "$T/bin/ssh"
PATH=$T/bin:$PATH
echo 1 >"$T/loaded"
answers() { # sed expressions change them
	sed "$1" >"$T/answers" <<-'A'
		uid=0
		arch=x86_64
		host=Lender.example
		release=6.1.0-9-amd64
		lockdown=none
		disabled=0
		systemd=yes
		kexec=yes
		memory=4000000
		peer=192.0.2.1
		nic=eno1
		address=192.0.2.7/24
		gateway=192.0.2.254
		mac=52:54:00:aa:bb:cc
		device=yes
		driver=igb
		end=yes
	A
}
borrow() {
	timeout 100 "$BIN/ironrig" ab base slow --ssh root@lender --job j1 \
		--controller 192.0.2.1:22 --blocks 3 "$@"
}

# ---- found out before anything is stopped ------------------------------------------

refused() { # description regex sed-expression
	answers "$3"
	OUT=$(borrow 2>&1)
	[ $? = 1 ] && [[ $OUT =~ root@lender:.*$2 ]]
	tap_result $? "refused: $1" || diag "$OUT"
}
refused "another architecture" "no x86_64" 's/arch=.*/arch=aarch64/'
refused "lockdown" "locked down" 's/lockdown=.*/lockdown=integrity/'
refused "kexec switched off" "kexec_load_disabled" 's/disabled=0/disabled=1/'
refused "a kernel without kexec" "has no kexec" 's/disabled=0/disabled=/'
refused "no systemd" "systemd" '/systemd/d'
refused "a bridge" "no device of its own" '/device/d'
refused "no root" "as root" 's/uid=0/uid=1000/'
refused "little memory" "250000 kB of memory" 's/memory=.*/memory=250000/'
refused "no address" "network was not understood" '/address/d'
refused "an answer that is cut" "to the end" '/end=/d'
refused "a strange MAC" "not understood" 's/mac=.*/mac=a";x="/'
refused "no kexec-tools and a taken shutdown" "install kexec-tools" \
	's/kexec=yes/shutdown=yes/'
answers ''
is "$(ls "$T/home/conf/hosts" "$T/home/conf/experiments")" "$(
	printf '%s/conf/experiments:\n\n%s/conf/hosts:' "$T/home" "$T/home")" \
	"and nothing was made here"
nok "nor was anything sent" test -e "$T/run/vmlinuz"
exits 2 "with --box: usage" borrow --box b1
exits 1 "a target that ssh would take for an option" ironrig ab base slow \
	--ssh -oProxyCommand=x --job j1
like "$(ironrig ab base slow --ssh root@lender --job j1 2>&1)" \
	"It sees us as 192.0.2.1" "no controller's address: says what to give"
echo 0 >"$T/loaded"
like "$(borrow 2>&1)" "did not keep" "a kernel that takes nothing"
nok "the box was not told to go" test -e "$T/go"
like "$(ironrig queue --list)" "stopped" "the experiment does not stay open"

# ---- taken over --------------------------------------------------------------------------

kernel() {
	grep -o 'ironrig\.kernel=[^ ]*' "$T/run/cmdline" | cut -d= -f2
}
lender() {
	trap - EXIT
	wait_for 60 test -e "$T/go" || exit 1
	: >"$T/ssh-lender.on"
	PAPER_KERNEL=$(kernel)
	PAPER_MODE=kexec
	while [ "$PAPER_MODE" = kexec ]; do
		paper_boot ssh-lender
	done
	: >"$T/at-home"
}
echo 1 >"$T/loaded"
bg "$T/lender.log" lender
OUT=$(borrow --name x1 2>&1)
is $? 10 "a whole experiment: a regression"
like "$OUT" "root@lender is box ssh-lender: eno1 .igb. 192.0.2.7/24" \
	"it says what it found"
like "$OUT" "REGRESSION" "the table"
ok "the box is sent home" wait_for 30 test -e "$T/at-home"
is "$(paper_odd)" "" "no answer was odd"
host=$T/home/conf/hosts/ssh-lender.cfg
ok "its host file holds" ironrig check -k host "$host"
like "$(cat "$host")" 'address = "192.0.2.7/24"; gateway = "192.0.2.254"' \
	"with the network settings of its own system"
is "$(cut -d' ' -f4 <(sed -n 's/^want x1 .* \(kexec\|firmware\) .*/x x x \1/p' \
	"$T/home/store/ssh-lender/leases") | sort -u)" kexec "all by kexec"
like "$(cat "$T/run/cmdline")" "BOOTIF=01-52-54-00-aa-bb-cc" "its NIC by MAC"
is "$(kernel | cut -d: -f1)" base "the base came first"
ok "the agent was sent" cmp "$T/run/agent" "$BIN/ironrig-agent"
ok "and the kernel" cmp "$T/run/vmlinuz" "$T/vmlinuz"
size=$(stat -c %s "$T/run/initrd")
is $((size % 512)) 0 "the image is padded"
nok "kexec-tools are there: its shutdown is its own" test -e "$T/installed"

# ---- again, after it fell back into its own system ------------------------------------------

answers '/kexec=/d'
rm "$T/go"
exits 1 "nothing to do: it is left alone" ironrig ab --take root@lender
nok "not told to go" test -e "$T/go"
ironrig ab base slow --box ssh-lender --job j1 --name x2 >/dev/null
ok "its power command takes it over" ironrig power ssh-lender cycle
ok "it was told to go" test -e "$T/go"
ok "without kexec-tools, by our own end of its shutdown" test -e "$T/installed"
echo "# mine" >"$host"
like "$(borrow 2>&1)" "written by somebody" "a host file of one's own is kept"
done_testing
