#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# collect: from incoming/ to the store or to quarantine, whatever arrives and
# whenever it is interrupted.
. "$(dirname "$0")/../lib.sh"

new_home "$T/home"
H=$IRONRIG_HOME

# result LEASE [DIR-COMMAND...]: a result of box b1 in $T/r/; prints its name
result() {
	local lease=$1

	rm -rf "$T/r"
	mkdir -p "$T/r/iter/001" "$T/r/monitor"
	result_cfg b1 "$lease" "$(new_boot_id)" j1 k1 \
		"$(printf '%064d' 1)" x1 1 2 >"$T/r/result.cfg"
	sed -i 's/^testcase.*/testcase = "hackbench";/' "$T/r/result.cfg"
	cat >>"$T/r/result.cfg" <<-CFG
		iterations = ( { number = 1; start_ns = 1000000000L;
			end_ns = 3000000000L; utime_us = 500000L;
			cgroup_cpu_us = 800000L; } );
		agent_cpu_us = 600L;
	CFG
	cat >"$T/r/job.cfg" <<-CFG
		testcase = "hackbench";
		command = "hackbench";
		iterations = 1;
		primary = [ "hackbench.throughput" ];
		extract = ( { name = "answer"; regex = "answer=([0-9.]+)";
			unit = "things"; better = "higher"; } );
	CFG
	cat "$TOP/tests/fixtures/stats/hackbench.txt" >"$T/r/iter/001/stdout"
	echo "answer=42.5" >>"$T/r/iter/001/stdout"
	printf '@%s\ncpu0 0 0 %s 100 0 0 0 0 0 0\nctxt %s\nprocs_running 2\n' \
		1000000000 0 0 3000000000 100 500 >"$T/r/monitor/stat"
}

FILE() { echo "b1.$1.tar.lz4"; }
arrive() { # LEASE: packs $T/r
	mkdir -p "$H/incoming/b1"
	pack_result "$T/r" "$H/incoming/b1/$(FILE "$1")"
}

# ---- a good one --------------------------------------------------------------
L1=$(new_lease)
result "$L1"
arrive "$L1"
like "$(ironrig collect)" "collected b1.$L1.*: j1, kernel k1, ok, 1 iter" \
	"a result is collected"
ok "it is in the store" test -f "$H/store/b1/$(FILE "$L1")"
is "$(ls "$H/incoming/b1")" "" "and nowhere else"
out=$(ironrig show --all "$L1")
like "$out" 'hackbench\.throughput' "its workload's stats"
like "$out" ' 42\.5 things +hackbench\.answer' "its job's own rule"
like "$out" ' 250 /s +vmstat\.system\.cs' "its monitors'"
like "$out" ' 300 us/s +agent\.cpu_us_per_s' "the observer's cost"
# 800,000 us for 80,000 messages
like "$out" ' 10 us/op +efficiency\.cpu_us_per_op' "CPU time per operation"
like "$(ironrig collect)" '^collected 0, quarantined 0$' "again: nothing to do"

# ---- the same again, another with its name -----------------------------------
cp "$H/store/b1/$(FILE "$L1")" "$H/incoming/b1/"
like "$(ironrig collect)" 'dropped .*the same is in the store' \
	"the same bytes again are dropped"
before=$(sha256sum <"$H/store/b1/$(FILE "$L1")")
echo more >>"$T/r/iter/001/stdout"
arrive "$L1"
like "$(ironrig collect 2>&1)" 'quarantined.*another result with this lease' \
	"other bytes under a stored name are quarantined"
is "$(sha256sum <"$H/store/b1/$(FILE "$L1")")" "$before" \
	"and the stored one is as it was"

# ---- what is no result -------------------------------------------------------
bad() { # WHAT REASON: the file is in incoming as $F
	local out

	out=$(ironrig collect 2>&1)
	tap_result $? "$1: collect goes on" || diag "$out"
	like "$(cat "$H/quarantine/b1/$F.reason")" "$2" "$1: $2"
	ok "$1: it is kept" test -e "$H/quarantine/b1/$F"
}
fresh() {
	L=$(new_lease)
	F=$(FILE "$L")
	result "$L"
}
pack_with() { # TAR-ARGUMENTS: result.cfg and what they name
	tar -cf - -C "$T/r" result.cfg "$@" | lz4 -q -c >"$H/incoming/b1/$F"
}

fresh; arrive "$L"; truncate -s -9 "$H/incoming/b1/$F"
bad truncated 'LZ4 frame cut'
fresh; arrive "$L"
printf X | dd of="$H/incoming/b1/$F" bs=1 seek=40 conv=notrunc 2>/dev/null
bad corrupt .
fresh; arrive "$L"; cat "$H/incoming/b1/$F" >"$T/two"
cat "$T/two" >>"$H/incoming/b1/$F"
bad "two frames" 'behind'
fresh; ln -s /etc/passwd "$T/r/link"; pack_with link
bad symlink '"link" is a symbolic link'
fresh; pack_with -C / dev/null
bad device '"dev/null" is a device'
fresh; pack_with -P --transform 's,^job,../job,' job.cfg
bad "path escape" 'leaves its folder'
fresh; pack_with -P --transform 's,^job,/tmp/job,' job.cfg
bad "absolute path" 'absolute name'
fresh; pack_with --hard-dereference job.cfg job.cfg
bad "a name twice" 'occurs twice'
fresh; truncate -s 100M "$T/r/zeros"; pack_with zeros
ironrig collect >/dev/null
ok "100 MiB of one byte are a result" test -e "$H/store/b1/$F"
rm -f "$H/store/b1/$F"
ironrig fsck --rebuild >/dev/null
fresh; head -c 3000 /dev/urandom >"$H/incoming/b1/$F"
bad "no LZ4 at all" .
fresh; : >"$H/incoming/b1/$F"
bad empty 'cut'
fresh; sed -i 's/^box = "b1"/box = "b2"/' "$T/r/result.cfg"; arrive "$L"
bad "another box" 'says box b2'
fresh; sed -i "s/$L/$(new_lease)/" "$T/r/result.cfg"; arrive "$L"
bad "another lease" 'says lease'
fresh; ln -s "$H/store/b1/$(FILE "$L1")" "$H/incoming/b1/$F"
bad "a link for a file" .
fresh; mkfifo "$H/incoming/b1/$F"
bad "a fifo" 'not a regular file'
is "$(find "$H/store" -name '*.lz4' | wc -l)" 1 "the store has the good one only"
is "$(find "$T" -path '*tmp/job*' -o -name 'job' | wc -l)" 0 "nothing unpacked"

# ---- a result with bad parts -------------------------------------------------
fresh
printf '@1000000000\nnonsense\n' >"$T/r/monitor/stat"
arrive "$L"
like "$(ironrig collect)" 'some not understood' "a bad monitor file is a note"
out=$(ironrig show "$L")
like "$out" 'monitor/stat.*' "show says what was not understood"
like "$out" 'hackbench\.throughput' "and has the rest"

# ---- what cannot be taken now ------------------------------------------------
SHIM=$IRONRIG_BUILD/tests/faults/shim.so
[ -e "$SHIM" ] || bail "no $SHIM"
mkdir "$T/faults"
shimmed() { # ENVIRONMENT...: collect behind the shim
	env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD="$SHIM" "$@" \
		"$BIN/ironrig" collect 2>&1
}
three() { # three results; $L and $F are of the one in the middle
	local i all=()

	for i in 1 2 3; do fresh; arrive "$L"; all+=("$L"); done
	mapfile -t all < <(printf '%s\n' "${all[@]}" | sort)
	L=${all[1]} F=$(FILE "${all[1]}")
}
sum() { stat -c '%s %a %Y' "$H/incoming/b1/$F"; }
# left WHAT REASON COMMAND...: collects as if $F could not be taken
left() {
	local what=$1 why=$2 out rc sum

	shift 2
	sum=$(sum)
	out=$("$@")
	rc=$?
	is "$rc" 1 "$what: collect exits with 1"
	like "$out" "left b1/$F: .*$why" "$what: says which file, and why"
	like "$out" 'collected 2, quarantined 0, left 1$' "$what: counts"
	is "$(ls "$H/incoming/b1")" "$F" "$what: the others are collected"
	is "$(sum)" "$sum" "$what: it is as it was"
	chmod 600 "$H/incoming/b1/$F"
	nok "$what: it is not called bad" test -e "$H/quarantine/b1/$F.reason"
}
bad_sector() { shimmed FAULTS_UNREADABLE="$F"; }
three
left "a bad sector" 'Input/output error' bad_sector
like "$(ironrig collect)" "collected b1.$L" "the next pass has it"
mortal() { # root without the capabilities that make modes mean nothing
	if [ "$(id -u)" = 0 ]; then
		setpriv --bounding-set=-dac_override,-dac_read_search \
			"$BIN/ironrig" collect 2>&1
	else
		ironrig collect 2>&1
	fi
}
three
chmod 0 "$H/incoming/b1/$F"
left "no access" 'Permission denied' mortal
like "$(ironrig collect)" "collected b1.$L" "the next pass has it"
three
truncate -s -9 "$H/incoming/b1/$F"
(cd "$H/quarantine/b1" && touch "$F" && eval "touch $F.{1..999}")
ironrig_both() { ironrig "$@" 2>&1; }
left "quarantine full" 'too many of that name' ironrig_both collect
rm "$H/quarantine/b1/$F"*
like "$(ironrig collect 2>&1)" "quarantined b1/$F" "the next pass has it"
three
mkdir -p "$H/incoming/a0"
chmod 0 "$H/incoming/a0"
out=$(mortal)
is $? 1 "a folder that cannot be read: collect exits with 1"
like "$out" 'left a0/: .*Permission denied.*collected 3, quarantined 0, left 1' \
	"and has the other boxes' results"
chmod 700 "$H/incoming/a0"

# every call of taking the second one fails in turn
echo "collect 1 trace" >"$T/faults/plan"
three
shimmed FAULTS_DIR="$T/faults" FAULTS_WHO=collect >/dev/null
mapfile -t steps < <(awk '$4 == "renameat2" { n++ }
	n == 1 && $4 == "mkdirat" || n == 2 && $4 != "pwrite" { print $2 }
	n == 2 && $4 == "pwrite" && !once++ { print $2 }
	n == 3 { exit }' "$T/faults/trace")
isnt "${#steps[@]}" 0 "there are calls that may fail: ${#steps[@]}"
for k in "${steps[@]}"; do
	three
	before=$(find "$H/store/b1" -name '*.lz4' | wc -l)
	echo "collect $k eio" >"$T/faults/plan"
	out=$(shimmed FAULTS_DIR="$T/faults" FAULTS_WHO=collect)
	is "$?-$(grep -c '^left b1/' <<<"$out")" 1-1 \
		"$(tail -n 1 "$T/faults/fired" | cut -d' ' -f2-4): one is left"
	ironrig collect >/dev/null
	is "$?-$(find "$H/store/b1" -name '*.lz4' | wc -l)" "0-$((before + 3))" \
		"the next pass has it"
done
ok "fsck agrees" ironrig fsck

# ---- interrupted -------------------------------------------------------------
fresh; arrive "$L"
mv "$H/incoming/b1/$F" "$H/store/b1/"	# as after the rename, before the index
nok "not in the index" ironrig show "$L"
like "$(ironrig collect)" "indexed b1.$L" "the next pass finds it"
ok "and it is" ironrig show "$L"
fresh; arrive "$L"; truncate -s 100 "$H/incoming/b1/$F"
echo "old reason" >"$H/quarantine/b1/$F.reason" # before its file was moved
bad "a reason without its file" 'LZ4 frame cut'

# killed at random times, it loses nothing and does nothing twice
had=$(find "$H/store/b1" -name '*.lz4' | wc -l)
for _ in $(seq 24); do fresh; arrive "$L"; done
for _ in 1 2 3 4 5 6; do
	"$BIN/ironrig" collect -q >/dev/null 2>&1 &
	pid=$!
	sleep "0.0$((RANDOM % 4))$((RANDOM % 10))"
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
done
ok "after kills, a pass" ironrig collect
is "$(find "$H/store/b1" -name '*.lz4' | wc -l)" $((had + 24)) \
	"all are in the store"
is "$(ironrig ls | tail -n +2 | wc -l)" $((had + 24)) "and in the index"
ok "fsck agrees" ironrig fsck

# two at once
for _ in 1 2 3 4 5 6; do fresh; arrive "$L"; done
bg "$T/one" "$BIN/ironrig" collect; one=$BG_PID
out=$(ironrig collect 2>&1)
wait_for 20 ended "$one"
is "$(ironrig ls | tail -n +2 | wc -l)" $((had + 30)) "two collects share the work"
is "$(cat "$T/one" <(echo "$out") | grep -c '^collected b1')" 6 \
	"and none is done twice"

# ---- --watch -----------------------------------------------------------------
bg "$T/watch" "$BIN/ironrig" collect --watch
WATCH=$BG_PID
shows() { ironrig show "$1"; }
fresh; arrive "$L"
ok "--watch collects what arrives" wait_for 20 shows "$L"
mkdir "$H/incoming/b2"
LB=$(new_lease); result "$LB"
sed -i 's/^box = "b1"/box = "b2"/' "$T/r/result.cfg"
pack_result "$T/r" "$T/whole"
mv "$T/whole" "$H/incoming/b2/b2.$LB.tar.lz4"
ok "of a box that is new, too" wait_for 20 shows "$LB"
fresh
(cd "$H/quarantine/b1" && touch "$F" && eval "touch $F.{1..999}")
head -c 99 /dev/urandom >"$H/incoming/b1/$F"
Q=$F
says_left() { grep -q "^left b1/$Q: " "$T/watch"; }
ok "what is left is said" wait_for 20 says_left
ok "the watch goes on" running "$WATCH"
fresh; arrive "$L"
ok "and collects" wait_for 20 shows "$L"
is "$(grep -c "^left b1/$Q: " "$T/watch")" 1 "it is said once"
rm "$H/quarantine/b1/$Q"*
fresh; arrive "$L"
says_bad() { grep -q "^quarantined b1/$Q: " "$T/watch"; }
ok "it is tried again" wait_for 20 says_bad
kill -TERM "$WATCH"
ok "and ends when told to" wait_for 10 ended "$WATCH"

exits 2 "an argument" ironrig collect nonsense
exits 1 "no home" ironrig --home "$T/none" collect
done_testing
