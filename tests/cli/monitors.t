#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every monitor of the agent on this machine, in a real run: each file that the
# run brings is understood by an extractor, and its stats are in the index.
. "$(dirname "$0")/../lib.sh"

new_home "$T/home"
mkdir -p "$IRONRIG_HOME/incoming/m1"
echo 'box = "m1"; controller = "192.0.2.1:22";' >"$T/host.cfg"

# the names, from the table itself
names=$(sed -n 's/^\t{ "\([a-z_]*\)",.*/\1/p' "$TOP/agent/sampler.c")
ok "the agent has monitors" test "$(wc -w <<<"$names")" -ge 20
like "$names" 'diskstats.*net_dev.*numa_vmstat.*perf_counters.*pressure_cpu' \
	"those that were asked for"

# shellcheck disable=SC2086 # a list of names
add=$(printf '"%s", ' $names)
cat >"$T/job.cfg" <<-CFG
	testcase = "dd";
	command = "dd if=/dev/zero of=/dev/null bs=1M count=2000; sleep 1";
	iterations = 2;
	monitor = { interval = "250ms"; add = [ ${add%, } ]; };
CFG
"$BIN/ironrig-agent" --once --config "$T/host.cfg" --job "$T/job.cfg" \
	--out "$T/out" --quiet >"$T/file" 2>"$T/say" ||
	bail "the run: $(cat "$T/say")"
f=$(cat "$T/file")
mkdir "$T/got"
lz4 -dc "$f" | tar x -C "$T/got"
cp "$f" "$IRONRIG_HOME/incoming/m1/"
ironrig collect >"$T/collect" 2>&1
unlike "$(ironrig show @latest)" 'Not understood' "nothing is left over"
ironrig show --all @latest >"$T/all"

for name in $names; do
	if [ ! -f "$T/got/monitor/$name" ]; then
		# a kernel or machine without it, and the log says so
		like "$(cat "$T/got/agent.log")" "monitor $name: " \
			"$name: not on this machine, which is told"
		continue
	fi
	by=$(ironrig extract --list | awk -v f="monitor/$name" \
		'$2 == f { print $1 }')
	isnt "$by" "" "$name: there is an extractor"
	for x in $by; do
		ok "$x: understands $name" ironrig extract "$x" "$f"
		# net_dev has no lossless interface, cpuidle may know no state
		ironrig extract "$x" "$f" >"$T/x" 2>&1
		key=$(sed -n '1s/: .*//p' "$T/x")
		ok "$x: its stats are indexed" \
			grep -qF -- " ${key:-nothing of $x}" "$T/all"
	done
done

# a sample is stamped at both ends of each window
n=$(grep -c '^@' "$T/got/monitor/uptime")
ok "uptime: a sample every quarter of a second and at the ends" test "$n" -ge 10
is "$(grep -c '^@' "$T/got/monitor/slabinfo" 2>/dev/null || echo 0)" 4 \
	"slabinfo, which is dear: before and after each iteration"

# negative control: an extractor that does not understand says so
sed 's/^@.*/&\nnonsense/' "$T/got/monitor/uptime" >"$T/bad"
exits 1 "a file that is not understood is told" ironrig extract uptime "$T/bad"
done_testing
