#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck source=tests/lib.sh disable=SC2016 # jobs expand their parameters
# One job on this machine by `ironrig-agent --once`: good runs, every kind of
# bad workload, and what their results hold. Machines are fixtures (--root) where
# tuning is looked at.

. "$(dirname "$0")/../lib.sh"

agent=$BIN/ironrig-agent
cat >"$T/host.cfg" <<-'CFG'
	box = "testbox";
	controller = "192.0.2.1:22";
CFG

job() { # job LINE...: a job file of these lines; one iteration by default
	printf '%s\n' 'testcase = "shell";' "$@" >"$T/job.cfg"
	grep -q '^iterations' "$T/job.cfg" ||
		echo 'iterations = 1;' >>"$T/job.cfg"
}

# once [OPTION...]: runs the job; status in $rc, members below $T/got
once() {
	rm -rf "$T/out" "$T/got"
	mkdir "$T/got"
	"$agent" --once --config "$T/host.cfg" --job "$T/job.cfg" \
		--out "$T/out" --quiet "$@" >"$T/file" 2>"$T/say"
	rc=$?
	unpack
}

unpack() {
	local f

	f=$(cat "$T/file")
	[ -f "$f" ] && lz4 -dc "$f" | tar x -C "$T/got"
}

result() { # result PATTERN: first line of result.cfg that matches
	grep -m1 -E "$1" "$T/got/result.cfg" | tr -d '\t'
}

text() {
	cat "$T/got/$1"
}

group_left() { # the last run's cgroup, if it is still there
	local lease

	lease=$(basename "$(cat "$T/file")" .tar.lz4)
	find /sys/fs/cgroup -maxdepth 2 -type d \
		-name "ironrig-${lease##*.}" 2>/dev/null
}

# ---- a good run --------------------------------------------------------------

job 'params = { nr_task = "50%"; mode = "fast"; };' 'path = [ "mode" ];' \
	'setup = [ "echo ready >state" ];' \
	'command = "cat state; echo $nr_task-$mode; echo warn >&2; echo k >k.txt";' \
	'cleanup = [ "rm k.txt" ];' 'teardown = [ "echo bye" ];' \
	'keep = [ "k*" ];' 'iterations = 2;' 'warmup = 1;'
once
is "$rc" 0 "a good job exits 0"
like "$(basename "$(cat "$T/file")")" '^testbox\.[0-9a-f]{32}\.tar\.lz4$' \
	"the result is named by box and lease"
is "$(lz4 -dc "$(cat "$T/file")" | tar t | head -1)" result.cfg \
	"result.cfg comes first"
for f in job.cfg reproduce.sh agent.log iter/001/stdout iter/002/stderr \
	iter/002/k.txt iter/warmup-001/stdout monitor/stat monitor/meminfo \
	monitor/vmstat monitor/interrupts monitor/softirqs meta/cmdline \
	meta/version meta/cpuinfo meta/tuning meta/limits meta/sysctl; do
	ok "the result has $f" test -s "$T/got/$f"
done
is "$(text iter/001/stdout)" "ready
$(($(nproc) > 1 ? $(nproc) / 2 : 1))-fast" "parameters are resolved"
is "$(text iter/001/stderr)" warn "stderr is kept apart"
is "$(result '^outcome')" 'outcome = "ok";' "outcome"
is "$(grep -c 'number =' "$T/got/result.cfg")" 3 "every iteration is listed"
is "$(find "$T/out" -mindepth 1 | wc -l)" 1 "nothing but the result is left"
is "$(group_left)" "" "no group is left"
ok "reproduce.sh is clean shell" shellcheck "$T/got/reproduce.sh"
is "$(cd "$T" && sh "$T/got/reproduce.sh" 2>/dev/null | grep -c 'fast$')" 3 \
	"and repeats the three iterations"

# a window lies between two samples
start=$(sed -n 's/.*start_ns = \([0-9]*\).*/\1/p' "$T/got/result.cfg" | sed -n 2p)
end=$(sed -n 's/.*end_ns = \([0-9]*\).*/\1/p' "$T/got/result.cfg" | sed -n 2p)
stamps=$(sed -n 's/^@//p' "$T/got/monitor/stat" | head -2)
ok "the first sample is before the start" \
	test "$(echo "$stamps" | head -1)" -lt "$start"
ok "the last one behind the end" test "$(echo "$stamps" | tail -1)" -gt "$end"

# ---- bad workloads -----------------------------------------------------------

job 'command = "echo broke >&2; exit 3";' 'teardown = [ "echo down" ];'
once
is "$rc" 1 "a failing job exits 1"
is "$(result '^outcome')" 'outcome = "failed";' "non-zero exit: failed"
is "$(result '^reason')" 'reason = "iteration-1: exit 3: broke";' \
	"with its last words"
like "$(text setup.log)" 'down' "torn down all the same"

job 'command = "kill -SEGV $$";'
once
like "$(result '^reason')" 'signal 11' "dies of a signal"

job 'command = "sleep 600";' 'time_limit = "500ms";'
once
is "$(result '^outcome')" 'outcome = "timeout";' "hangs: time-out"
like "$(result '^reason')" 'over its limit of 500 ms' "and which limit"

job 'command = "trap \"\" TERM; while :; do sleep 600; done";' \
	'time_limit = "300ms";'
once
is "$(result '^outcome')" 'outcome = "timeout";' "ignores SIGTERM: ended"

job "command = \"setsid sh -c 'sleep 601' >/dev/null 2>&1 & echo left\";"
once
is "$(result '^outcome')" 'outcome = "ok";' "leaves a daemon: ok"
like "$(text agent.log)" 'iteration-1: still running, now ended: [12] processes' \
	"the log says so"
nok "and it is gone" pgrep -f 'sleep 601$'

job 'command = "yes | head -c 5000000";' 'limit = { output = "4K"; };'
once
is "$(result '^outcome')" 'outcome = "ok";' "fills stdout: ok"
is "$(stat -c %s "$T/got/iter/001/stdout")" 4096 "cut at the limit"
like "$(grep output_cut "$T/got/result.cfg")" true "and flagged"

job 'command = "no-such-program --fast";' 'setup = [ "echo set up" ];'
once
is "$(result '^outcome')" 'outcome = "refused";' "missing program: refused"
like "$(result '^reason')" 'no-such-program.*is missing.*lists no bundles' \
	"by name"
job 'command = "cyclictest -q";' 'bundles = [ "fio" ];' \
	'env = [ "PATH=/nonexistent" ];'
once
like "$(result '^reason')" 'bundle .*rt-tests.* brings it; the job lists .*fio' \
	"and says which bundle brings it"

job 'setup = [ "exit 4", "echo not reached" ];' 'command = "echo no";'
once
like "$(result '^reason')" '^reason = "setup-1: exit 4' "set-up fails"
ok "nothing was measured" test ! -e "$T/got/iter/001"

job 'command = "echo no";' 'needs = { cpus = 8000; };'
once
like "$(result '^reason')" 'needs 8000 CPUs' "too few CPUs: refused"
job 'command = "echo no";' 'needs = { memory = "900G"; };'
once
like "$(result '^reason')" 'needs 921600 MiB of memory' \
	"too little memory: refused"

job 'command = "sleep 0.7";' 'iterations = 9;' 'time_limit = "1s";' \
	'run_limit = "1s";'
once
like "$(result '^reason')" "what the run's limit left" "the whole run's limit"

# the work folder and the results share one small file system
if unshare -m true 2>/dev/null; then
	job 'command = "cat /dev/zero >big; exit 9";'
	mkdir -p "$T/small"
	unshare -m sh -c "mount -t tmpfs -o size=8m none '$T/small' &&
		'$agent' --once --quiet --config '$T/host.cfg' \
		--job '$T/job.cfg' --out '$T/small' >'$T/file' 2>'$T/say'
		rm -rf '$T/got'; mkdir '$T/got'
		lz4 -dc <\"\$(cat '$T/file')\" | tar x -C '$T/got'"
	is "$(result '^outcome')" 'outcome = "failed";' "fills its file system"
	ok "the log fits all the same" grep -q 'phase evidence' \
		"$T/got/agent.log"
else
	skip "no mount namespace" 2
fi

# ---- profile -----------------------------------------------------------------

mkdir "$T/bin"
cat >"$T/bin/perf" <<-'PERF'
	#!/bin/sh
	# stands for perf(1): `record ... -o FILE -- COMMAND' and `report -i FILE'
	verb=$1
	while [ "$1" != -- ] && [ "$1" != -i ]; do
		[ "$1" = -o ] && out=$2
		shift
	done
	shift
	case $verb in
	record) "$@" && echo data >"$out" ;;
	report) echo "report of $1: $(cat "$1")" ;;
	esac
PERF
chmod +x "$T/bin/perf"
job "command = \"echo \\\"it's\\\" \$0 \$((6 * 7))\";" \
	'profile = { record = true; };' \
	"env = [ \"PATH=$T/bin:$PATH\" ];"
once
is "$rc" 0 "a run with a profile"
is "$(text profile/stdout)" "$(text iter/001/stdout)" \
	"the profiled command is the measured one"
is "$(text profile/report.txt)" "report of perf.data: data" "report"
is "$(text profile/perf.data)" data "a small perf.data is kept"
is "$(grep -c 'profile = true' "$T/got/result.cfg")" 1 \
	"the iteration is marked"

job 'command = "echo no";' 'profile = { record = true; command = "false"; };'
once
is "$(result '^outcome')" 'outcome = "ok";' "a profiler that fails costs no run"
like "$(text agent.log)" 'the profile is not complete' "but is told"

# ---- tuning ------------------------------------------------------------------

gov=sys/devices/system/cpu/cpu1/cpufreq/scaling_governor
"$TOP/tests/fixtures/mkroot" offline "$T/box"
printf 'cpu  1 2 3 4 5 6 7 8 9 10\n' >"$T/box/proc/stat"
job 'command = "cat \"$FIXTURE\"";' "env = [ \"FIXTURE=$T/box/$gov\" ];" \
	'tune = { governor = "performance"; require = [ "governor" ]; };'
once --root "$T/box"
is "$(text iter/001/stdout)" performance "tuned in the run"
is "$(cat "$T/box/$gov")" ondemand "restored behind it"
like "$(text meta/tuning)" 'governor \[0-1,3\]: asked performance.*holds' \
	"the tuning is told"

job 'command = "sleep 600";' 'tune = { governor = "performance"; };' \
	'time_limit = "600s";'
for sig in INT TERM; do
	rm -rf "$T/out" "$T/got" "$T/say"
	mkdir "$T/got"
	"$agent" --once --config "$T/host.cfg" --job "$T/job.cfg" \
		--out "$T/out" --root "$T/box" >"$T/file" 2>"$T/say" &
	pid=$!
	ok "runs" wait_for 20 grep -q iteration-1 "$T/say"
	is "$(cat "$T/box/$gov")" performance "tuned while it runs"
	kill -$sig "$pid"
	wait "$pid"
	is "$?" 1 "ended by SIG$sig"
	unpack
	is "$(cat "$T/box/$gov")" ondemand "restored"
	is "$(result '^outcome')" 'outcome = "aborted";' "and the result says so"
done

"$TOP/tests/fixtures/mkroot" nocpufreq "$T/vm"
job 'command = "echo no";' \
	'tune = { governor = "performance"; require = [ "governor" ]; };'
once --root "$T/vm"
is "$(result '^outcome')" 'outcome = "refused";' "a required knob: refused"
like "$(result '^reason')" 'required governor=performance does not hold' \
	"by name"

# ---- wrong use ---------------------------------------------------------------

exits 2 "usage" "$agent" --once
echo 'comand = "x";' >"$T/bad.cfg"
nok "a bad job file" "$agent" --once --config "$T/host.cfg" \
	--job "$T/bad.cfg" --out "$T/out"
# ---- which job it was ------------------------------------------------------------

job_id() { # LINE...: of the job with these lines
	job 'command = "true";' "$@"
	once
	result '^job_id'
}
id=$(job_id)
like "$id" '^job_id = "[0-9a-f]{64}";$' "the result names what was run"
is "$(job_id '# a comment' 'description = "x";' 'primary = [ "t.x" ];')" "$id" \
	"not what is said about it"
isnt "$(job_id 'setup = [ "true" ];')" "$id" "an edited job is another one"

# ---- what it keeps ---------------------------------------------------------------

job 'command = "echo 1 >a..b; echo 2 >\"a b\"; echo 3 >$(printf \"a\\\\tb\"); echo 4 >$(printf \"a\\\\377b\")";' \
	'keep = [ "a*" ];'
once
is "$rc" 0 "files of any name"
is "$(cd "$T/got/iter/001" && printf '%s|' *)" "a b|a..b|stderr|stdout|" \
	"those are kept that a controller takes"
is "$(grep -c 'keep a?b: a name that no result can hold' "$T/got/agent.log")" 2 \
	"the log says which are not"
deep=1/2/3/4/5/6/7/8/9/10/11/12/13/14/15
job "command = \"mkdir -p $deep; cd $deep; touch \$(seq 1000)\";" \
	"keep = [ \"$deep/*\" ];" 'iterations = 4;'
once
is "$rc" 0 "thousands of files"
is "$(find "$T/got/iter" -name '[0-9]*' -type f | wc -l)" 3125 \
	"no more are kept than a controller takes"
is "$(grep -c 'over 50000 files in all' "$T/got/agent.log")" 1 "it says so once"

done_testing
