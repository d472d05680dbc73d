#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From kernel to kernel: what `next' answers when another one is wanted, where
# the box's iPXE script points meanwhile, and an A/B experiment from its first
# boot to its last. Kernels and images are names only; the box is this script.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

new_home "$T/home"
register() { # NAME ID
	local dir=$T/home/kernels/$1 k=$1 id=$2

	mkdir -p "$dir"
	cat >"$dir/kernel.cfg" <<-CFG
		name = "$k";
		id = "$id";
		release = "6.1-$k";
		image_sha256 = "$id";
		modules_sha256 = "$id";
	CFG
	echo "$k" >"$dir/vmlinuz"
	echo "$k" >"$dir/modules.cpio"
}
base=base:$(printf '%064d' 1)
head=head:$(printf '%064d' 2)
register base "${base#*:}"
register head "${head#*:}"
echo base >"$T/home/boot/base.cpio"
printf '%064d\n' 7 >"$T/home/boot/base.sha"
printf 'testcase = "t"; command = "true";\n' >"$T/home/conf/jobs/j1.cfg"
ok "enroll" ironrig enroll b1 --mac 52:54:00:00:00:01 --controller \
	127.0.0.1:1 --kernel base
script=$T/home/boot/mac-52-54-00-00-00-01.ipxe
points_to() { grep -q "ironrig.kernel=$1" "$script"; }
ok "the script points at the home kernel" points_to "$base"

verb() {
	ironrig receive b1 "$@" | sed 's/^ironrig1 //'
}
boot() { # KERNEL [MODE]
	BOOT=$(new_boot_id)
	verb hello "$BOOT" 1.0 "$1" ${2:+"$2"} >/dev/null
}
bring() { # the answer's words behind "run"
	local lease=$1 job=$2 kernel=${3%%:*} id=${3#*:} x=$5 block=$6

	mkdir -p "$T/tree"
	result_cfg b1 "$lease" "$BOOT" "$job" "$kernel" "$id" "$x" "$block" \
		"$7" >"$T/tree/result.cfg"
	pack_result "$T/tree" "$T/packed"
	verb put "b1.$lease.tar.lz4" 0 <"$T/packed"
}

# ---- one run in another kernel ---------------------------------------------------

x=$(ironrig queue b1 j1 --kernel head)
boot "$base"
is "$(verb next "$BOOT")" "boot firmware $head" "another kernel is wanted"
ok "the script points there" points_to "$head"
is "$(verb next "$BOOT")" "boot firmware $head" "a retried next: the same"
is "$(grep -c ^want "$T/home/store/b1/leases")" 1 "one line"
boot "$head"
ok "hello: the script points home again" points_to "$base"
like "$(verb next "$BOOT")" "^run [0-9a-f]{32} j1 $head 1 $x 1 1\$" "the run"
read -r -a run <<<"$(verb next "$BOOT")"
like "$(bring "${run[1]}" j1 "$base" 1 "$x" 1 1)" \
	"error conflict .*kernel is \"base\", should be \"head\"" \
	"a result of another kernel is refused, not mislabelled"
rm "$T/home/quarantine/b1/"*
like "$(bring "${run[@]:1}")" "^ok" "the right one is taken"
is "$(verb next "$BOOT" "${run[1]}")" "idle 10" "nothing more"

# a kernel that does not come up: counted, tried again, given up
x=$(ironrig queue b1 j1 --kernel head)
tries=0
boot "$base"
while [ "$(verb next "$BOOT")" = "boot firmware $head" ] && [ $tries -lt 9 ]; do
	tries=$((tries + 1))
	boot "$base"
done
is "$tries" 3 "a kernel that never comes up is tried three times"
like "$(ironrig queue --list)" "$x +queue +b1 +0/1 +given up" "and given up"
is "$(grep -c "^end .* lost 0" "$T/home/store/b1/leases")" 3 \
	"each a lost run of it"
is "$(find "$T/home/incoming/b1" -name '*.lz4' | while read -r f; do
	lz4 -dc "$f" | tar -xO result.cfg
done | grep -c 'asked for kernel head')" 3 "whose result says why"

# an unknown kernel, a missing base image: said, and nothing is lost
x=$(ironrig queue b1 j1 --kernel head)
mv "$T/home/boot/base.sha" "$T/base.sha"
boot "$base"
like "$(verb next "$BOOT")" "^error notfound .*base" "no base image: says so"
like "$(tail -n 1 "$T/home/store/b1/state")" " error - .*base" "status knows"
mv "$T/base.sha" "$T/home/boot/base.sha"
is "$(verb next "$BOOT")" "boot firmware $head" "then it goes on"
ironrig queue --drop "$x"
is "$(verb next "$BOOT")" "idle 10" "dropped"

# ---- A/B -----------------------------------------------------------------------------

experiment() { # NAME MODE
	cat >"$T/home/conf/experiments/$1.cfg" <<-CFG
		kind = "ab"; boxes = [ "b1" ]; kernels = [ "base", "head" ];
		jobs = [ "j1" ]; blocks = 4; seed = 11; boot = "$2";
		created = $(date +%s);
	CFG
}

# Boots and runs as told, until idle; "KERNEL BLOCK POSITION" of each run.
box() { # MODE
	local i a

	for ((i = 0; i < 60; i++)); do
		read -r -a a <<<"$(verb next "$BOOT")"
		case ${a[0]} in
		boot)
			[ "${a[1]}" = "$1" ] || echo "by ${a[1]}"
			boot "${a[2]}" "${a[1]}"
			;;
		run)
			echo "${a[3]%%:*} ${a[6]} ${a[7]}"
			bring "${a[@]:1}" >"$T/bring"
			;;
		*) break ;;
		esac
	done
}

for mode in firmware kexec; do
	experiment "ab-$mode" $mode
	boot "$base"
	box $mode >"$T/runs"
	is "$(wc -l <"$T/runs")" 10 "$mode: warm-up and four blocks"
	is "$(head -n 2 "$T/runs" | tr '\n' ' ')" "base 0 1 head 0 2 " \
		"$mode: the warm-up is block 0"
	for pair in "1 2" "3 4"; do
		is "$(for b in $pair; do
			grep " $b 1\$" "$T/runs" | cut -d' ' -f1
		done | sort | tr '\n' ' ')" "base head " \
			"$mode: AB and BA once each in blocks $pair"
	done
	cut -d' ' -f1 "$T/runs" >"$T/order.$mode"
	like "$(ironrig queue --list)" "ab-$mode +ab +b1 +4/4 +finished" \
		"$mode: finished"
done
ok "both in the order of the seed" cmp "$T/order.firmware" "$T/order.kexec"

# until decided: the marker ends it
experiment ab-decided firmware
: >"$T/home/conf/experiments/ab-decided.decided"
boot "$base"
is "$(verb next "$BOOT")" "idle 10" "a decided experiment wants no runs"
done_testing
