#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every fuzz target, a fixed number of inputs from a fixed seed, over a corpus
# that is made here: the shipped files and what the tools of the same name make.
. "$(dirname "$0")/../lib.sh"

FUZZ=$IRONRIG_BUILD/fuzz
[ -x "$FUZZ/fuzz_conf" ] || skip_all "no fuzz targets: make fuzzers (clang)"

# Those whose readers want files are slower.
RUNS=(conf:15000 result:15000 proto:20000 lz4:10000 stats:10000
	archive:3000 kernel:20000 home:6000 box:3000 told:20000)

# seed FILE...: a corpus file each; conf targets take their kind from byte 1.
for target in "${RUNS[@]%:*}"; do mkdir "$T/$target"; done
for f in "$TOP"/conf/hosts/*.cfg; do
	{ printf 0; cat "$f"; } >"$T/conf/$(basename "$f")"
done
for f in "$TOP"/conf/jobs/*.cfg; do
	{ printf 1; cat "$f"; } >"$T/conf/$(basename "$f")"
done
for f in "$TOP"/conf/experiments/*.cfg "$TOP"/conf/controller.cfg; do
	{ printf 2; cat "$f"; } >"$T/conf/$(basename "$f")"
done
cat >"$T/result/a" <<-'END'
	box = "vbox1"; job = "lock1"; lease = "00112233445566778899aabbccddeeff";
	kernel = "v6.1"; boot_id = "01234567-89ab-cdef-0123-456789abcdef";
	params_path = "100%-thread-lock1"; outcome = "ok"; start_s = 1700000000L;
	iterations = ( { number = 1; start_ns = 1L; exit_code = 0; } );
	knobs = ( { name = "governor"; cpus = "0-3"; held = true; } );
	proofs = ( { name = "steal"; known = true; ok = true; } );
END
printf 'noise\nironrig1 run 00ff lock1 v6.1:ab 1 ab1 2 1\nmore' >"$T/proto/run"
printf 'ironrig1 error conflict it is not the same\n' >"$T/proto/error"
printf 'put vbox1.00ff.tar.lz4 0' >"$T/proto/put"
{ printf 0; lz4 -qc "$TOP/conf/KEYS.md"; } >"$T/lz4/frame"
{ printf 6; lz4 -qlc "$TOP/conf/controller.cfg"; } >"$T/lz4/legacy"
{ printf 1; head -c 3000 "$TOP/conf/KEYS.md"; } >"$T/lz4/text"
# stats targets take the row of the extractors' table from byte 1
row=0
while read -r name file _; do
	case $file in
	stdout) set -- "$TOP/tests/fixtures/stats/${name:0:3}"* ;;
	*) set -- "/proc/${name/proc-/}" "/proc/${file#*/}" ;;
	esac
	for f; do
		[ -f "$f" ] || continue
		{
			printf '\\x%02x\\x07' $row | xargs -0 printf
			for ns in 12 100 2999; do
				[ "$file" = stdout ] || echo "@$ns"
				head -c 2500 "$f"
			done
		} >"$T/stats/$row-$(basename "$f")"
	done
	row=$((row + 1))
done < <(ironrig extract --list)


# a result, packed and not
mkdir -p "$T/r/iter/001"
cp "$T/result/a" "$T/r/result.cfg"
echo 'command = "true";' >"$T/r/job.cfg"
echo text >"$T/r/iter/001/stdout"
for format in pax ustar gnu; do
	tar -C "$T/r" --format=$format -cf "$T/r.tar" result.cfg job.cfg iter
	{ printf 1; cat "$T/r.tar"; } >"$T/archive/$format"
	{ printf 0; lz4 -qc "$T/r.tar"; } >"$T/archive/$format.lz4"
done
ln -s result.cfg "$T/r/link"
truncate -s 100K "$T/r/hole"
tar -C "$T/r" --format=pax --sparse -cf "$T/r.tar" result.cfg link hole
{ printf 1; cat "$T/r.tar"; } >"$T/archive/odd"

# files FILE...: their beginnings, 0xff between them
files() {
	local f

	for f; do
		head -c 1500 "$f" 2>/dev/null
		printf '\377'
	done
}
le32() { # NUMBER
	# shellcheck disable=SC2059 # that is what it is for
	printf "\\x$(printf %02x $(($1 & 255)))\\x$(printf %02x \
		$(($1 >> 8 & 255)))\\x$(printf %02x $(($1 >> 16 & 255)))\\0"
}
# an image whose compressed part says gzip, with an ELF file's note in it
{
	printf '\0'
	head -c 497 /dev/zero
	printf '\1'
	head -c 16 /dev/zero
	printf 'HdrS\17\2\0\0\0\0\0\0\0\2'
	head -c 56 /dev/zero
	le32 0
	le32 900
	head -c 432 /dev/zero
	printf '6.1.0-57-amd64 (a@b) #1 SMP Debian 6.1.1 (2026-11-26)\0'
	head -c 400 /dev/zero
} >"$T/kernel/image"
{ printf '\0'; head -c 2000 "$BIN/ironrig"; } >"$T/kernel/elf"
{ printf '\1'; printf 'CONFIG_%s=y\n' SMP MODULES TMPFS CGROUPS; } \
	>"$T/kernel/config"
{
	printf '\2'
	for at in 1000 1020; do
		printf 'ffffffff8100%s T schedule\nffffffff81002000 t b\n' $at
		printf '0000000000000000 A __per_cpu_start\n0%015x d x\n' 64
		printf '0000000000009000 A __per_cpu_end\n\377'
	done
} >"$T/kernel/maps"
{
	printf '\3kernel/net/a-b.ko: kernel/lib/c.ko\nkernel/lib/c.ko:\n'
	printf 'softdep c pre: a_b\nalias x y\n\377kernel/fs/d.ko\n'
} >"$T/kernel/modules"

{
	printf '\0ssh-ed25519 AAAA me\n# ironrig: begin /h\n'
	printf 'restrict ssh-ed25519 AAAA ironrig:b2\n# ironrig: end /h\n'
} >"$T/home/keys"
{
	boot=01234567-89ab-cdef-0123-456789abcdef
	lease=00112233445566778899aabbccddeeff
	printf '\1boot %s k:ab firmware 1\n' $boot
	printf 'want ab 1 0 k:ab j 1 %s kexec 2\n' $boot
	printf 'run %s ab 1 0 k:ab j 1 %s 3\n' $lease $boot
	printf 'end %s ok 1 4\n' $lease
} >"$T/home/leases"
for f in "$TOP"/conf/hosts/*.cfg; do
	{ printf '\2'; sed '/^[ \t]*#/d' "$f"; } >"$T/home/${f##*/}"
done
{ printf '\3'; cat "$TOP"/tests/fixtures/mail2/{before,after}.values; } \
	>"$T/home/values"

printf '\0000-3,8,17-287\n' >"$T/box/cpus"
stable=(/proc/interrupts /proc/stat
	/sys/devices/system/{cpu/online,clocksource/clocksource0/current_clocksource})
{ printf '\1'; files "${stable[@]}" /x /x /x /x "${stable[@]}"; } >"$T/box/stable"
{
	printf '\0020-1\n\3770-1\n\377powersave\n\377performance powersave\n'
	printf '\3776\n\3770\n\377on\n\377always [madvise] never\n\3771\n\3770\n'
} >"$T/box/tune"
{
	printf '\3alias pci:v*d*sv*bc02* virtio_net\nalias a:b-c d-e\n'
	printf '\377softdep virtio_net pre: d_e virtio_net\n'
	printf '\377pci:v00001AF4d00001000sv00001AF4bc02sc00i00\n'
} >"$T/box/modules"
printf '\4root=x "a b" c="d e" ironrig.members=base:%064d,kernel:%064d --' 1 2 \
	>"$T/box/words"
printf '\0056,12,3456,-;text\n KEY=value\n\3770,13,4567,c;BUG: more\377' \
	>"$T/box/messages"
printf '\006<4> lease %032d\nKernel panic - not syncing: x\n\377BUG: y\n\377%s' \
	5 'ro "q' >"$T/box/past"
{
	printf '\007eth0\377192.0.2.7\37724\377192.0.2.1\3771500\377lab.test\377'
	printf '198.51.100.0/24 192.0.2.2\377192.0.2.3 192.0.2.4\377'
} >"$T/box/dhcp"
printf '\007eth0\377192.0.2.7\37724\377\377\377lab\nnameserver 192.0.2.66\377' \
	>"$T/box/dhcp-line"
printf '\0102001:db8::7/64\377' >"$T/box/netlink"

printf '\0oshell noise\n\377oironrig1 run %032d lock1 v6:ab 1 ab1 2 1\n\377' 7 \
	>"$T/told/run"
printf '\1oironrig1 data 4 %064d\n\377obody\377eironrig: said\n\377' 1 \
	>"$T/told/data"
printf '\2oironrig1 part 200\n\377oironrig1 ok 300 %064d\n\377' 1 \
	>"$T/told/put"
printf '\2xironrig1\377oironrig1 done 300 %064d\n\377eend\377' 1 >"$T/told/lost"
printf '\3console=ttyS0 ironrig.members=base:0 panic=5\n\37701-52-54' \
	>"$T/told/cmdline"

# large blocks are kept from reuse by default: most of the time goes there
export ASAN_OPTIONS=quarantine_size_mb=16

# run TARGET OPTION...: its last words on the way
run() {
	local target=$1 log=$T/$1.log rc

	shift
	"$FUZZ/fuzz_$target" -seed=1 -max_len=8192 -rss_limit_mb=1024 \
		-timeout=20 -artifact_prefix="${ARTIFACTS:-$T/}$target-" \
		-print_final_stats=1 "$@" >"$log" 2>&1
	rc=$?
	counters=$(sed -n 's/.*Loaded 1 modules *(\([0-9]*\) .*/\1/p' "$log")
	execs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	edges=$(sed -n 's/.*\tDONE *cov: \([0-9]*\) .*/\1/p' "$log")
	[ $rc = 0 ]
	tap_result $? "$target: ${execs:-?} inputs, ${edges:-?} of $counters edges" ||
		diag "$(grep -avE '^(#|courier|ironrig)' "$log" | head -60)"
}
for row in "${RUNS[@]}"; do
	target=${row%:*}
	if [ -z "${FUZZ_SECONDS:-}" ]; then
		run "$target" -runs="${row#*:}" "$T/$target"
	elif [[ " ${FUZZ_ONLY:-$target} " == *" $target "* ]]; then
		# what was learnt stays, and so does a finding
		ARTIFACTS=$FUZZ/
		mkdir -p "$FUZZ/corpus/$target"
		run "$target" -max_total_time="$FUZZ_SECONDS" \
			"$FUZZ/corpus/$target" "$T/$target"
	fi
done

done_testing
