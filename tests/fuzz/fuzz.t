#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every fuzz target, a fixed number of inputs from a fixed seed, over a corpus
# that is made here: the shipped files and what the tools of the same name make.
. "$(dirname "$0")/../lib.sh"

FUZZ=$IRONRIG_BUILD/fuzz
RUNS=${FUZZ_RUNS:-20000}
[ -x "$FUZZ/fuzz_conf" ] || skip_all "no fuzz targets: make fuzz (needs clang)"

# seed FILE...: a corpus file each; conf targets take their kind from byte 1.
mkdir -p "$T/conf" "$T/result" "$T/proto" "$T/lz4" "$T/stats"
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

for target in conf result proto lz4 stats; do
	exits 0 "$target: $RUNS inputs" "$FUZZ/fuzz_$target" -runs="$RUNS" \
		-seed=1 -max_len=8192 -rss_limit_mb=1024 -timeout=20 \
		-artifact_prefix="$T/$target-" -verbosity=0 "$T/$target"
done

done_testing
