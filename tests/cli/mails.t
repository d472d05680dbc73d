#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck disable=SC2016 # the text of a job, not expanded
# Every name in the three mails that ironrig was made to answer: a shipped job
# brings it, an extractor makes it (out of what the tool really printed, or in
# a run on this machine), and the boot test of the shipped jobs looks at it.
#
#	1  Re: udp: avoid a cache miss on dequeue, 2017 (apachebench -21%)
#	2  Re: drop_monitor: will-it-scale.per_thread_ops -17.5%, 2019
#	3  Re: qdisc bulk dequeue, UDP_STREAM, 2014
. "$(dirname "$0")/../lib.sh"

F=$TOP/tests/fixtures/stats
BOOT=$TOP/tests/boot/bundles.t

# MAIL  NAME THERE  OURS  JOB  WHERE IT COMES FROM: a text of the fixtures, or a
# monitor's name. Two kinds have another name here: mpstat.cpu.* is
# mpstat.cpu.all.*, as lkp-tests has it since; TESTCASE.time.* and
# time.elapsed_time.max are said once, for each iteration, as time.*.
cat >"$T/names" <<-'EOT'
	1 apachebench.time_per_request = apachebench apachebench-keepalive.txt
	1 apachebench.requests_per_second = apachebench apachebench-keepalive.txt
	1 apachebench.transfer_rate = apachebench apachebench-keepalive.txt
	1 apachebench.connection_time.total.max = apachebench apachebench-keepalive.txt
	1 apachebench.max_latency.100% = apachebench apachebench-keepalive.txt
	1 apachebench.time.involuntary_context_switches time.involuntary_context_switches apachebench run
	1 apachebench.time.elapsed_time time.elapsed_time apachebench run
	1 apachebench.time.elapsed_time.max time.elapsed_time apachebench run
	1 apachebench.time.percent_of_cpu_this_job_got time.percent_of_cpu_this_job_got apachebench run
	1 interrupts.CAL:Function_call_interrupts = apachebench run
	1 vmstat.procs.r = apachebench run
	1 vmstat.system.in = apachebench run
	1 vmstat.system.cs = apachebench run
	1 time.involuntary_context_switches = apachebench run
	1 time.elapsed_time = apachebench run
	1 time.percent_of_cpu_this_job_got = apachebench run
	1 time.elapsed_time.max time.elapsed_time apachebench run
	1 mpstat.cpu.idle% mpstat.cpu.all.idle% apachebench run
	1 mpstat.cpu.sys% mpstat.cpu.all.sys% apachebench run
	1 mpstat.cpu.usr% mpstat.cpu.all.usr% apachebench run
	1 mpstat.cpu.soft% mpstat.cpu.all.soft% apachebench run
	1 meminfo.SUnreclaim = apachebench run
	1 meminfo.KernelStack = apachebench run
	2 will-it-scale.per_thread_ops = will-it-scale will-it-scale/before1.csv
	2 lock1 scale.per_thread_ops lock1-threads run
	3 UDP_STREAM netperf.Throughput_Mbps netperf-udp netperf-UDP_STREAM.txt
	3 TCP_STREAM netperf.Throughput_Mbps netperf-tcp netperf-TCP_STREAM.txt
EOT

# ---- a run here, with the job of the second mail -------------------------------

new_home "$T/home"
mkdir -p "$IRONRIG_HOME/incoming/m1"
echo 'box = "m1"; controller = "192.0.2.1:22";' >"$T/host.cfg"
sed -e 's/--seconds 30/--seconds 1/; s/^iterations.*/iterations = 1;/' \
	-e 's/^warmup.*//; s/^tune.*//' "$TOP/conf/jobs/lock1-threads.cfg" \
	>"$T/lock1-threads.cfg"
"$BIN/ironrig-agent" --once --config "$T/host.cfg" \
	--job "$T/lock1-threads.cfg" --out "$T/out" --quiet >"$T/file" \
	2>"$T/say" || bail "the run: $(cat "$T/say")"
cp "$(cat "$T/file")" "$IRONRIG_HOME/incoming/m1/"
ironrig collect -q || bail "collect"
ironrig show --all @latest >"$T/run"

# ---- name by name ----------------------------------------------------------------

made() { # name source extractor
	if [ "$2" = run ]; then
		awk -v n="$1" '$NF == n { f = 1 } END { exit !f }' "$T/run"
	else
		ironrig extract "$3" "$F/$2" | grep -qF -- "$1: "
	fi
}

while read -r mail theirs ours job source; do
	[ "$ours" = = ] && ours=$theirs
	ok "mail $mail: $theirs: $ours is made" made "$ours" "$source" \
		"${ours%%.*}"
	ok "by the job $job" test -f "$TOP/conf/jobs/$job.cfg"
	# what the job is for of that job; what any run has of any
	[ "$source" = run ] && job='[a-z0-9-]+'
	ok "and looked at on a box" grep -qE -- \
		"^within $job(-short)? '?${ours//./\\.}'? " "$BOOT"
done <"$T/names"

# ---- what is named and is no stat -------------------------------------------------

# mail 1: seven modules of apache2, and ab's own words
job=$(cat "$TOP/conf/jobs/apachebench.cfg")
for m in auth_basic authn_core authn_file authz_core authz_host authz_user \
	access_compat; do
	like "$job" "$m" "mail 1: a2enmod $m"
	like "$(cat "$TOP/initramfs/bundles/apachebench")" "mod_$m.so" \
		"and it is in the bundle"
done
like "$job" 'ab -k -q -t \$\{runtime%s\} -n 1000000 -c \$concurrency 127.0.0.1/' \
	"mail 1: the words of ab"
like "$job" 'runtime = "300s"; concurrency = 1000;' "mail 1: 300 s, 1000 at once"
# mail 2: the columns of runtest.py, and the parameters
like "$("$BIN/ironrig-agent" scale lock1 --sweep --tasks 1 --seconds 0.05 \
	--warmup 0 | head -n 2 | tr '\n' ' ')" \
	'^tasks,processes,processes_idle,threads,threads_idle,linear 0,0,100,0,100,0 $' \
	"mail 2: its columns"
job=$(cat "$TOP/conf/jobs/lock1-threads.cfg")
like "$job" 'nr_task = "100%"; mode = "thread"; test = "lock1"' \
	"mail 2: its parameters"
like "$job" 'governor = "performance"' "mail 2: its governor"
# mail 3: netperf's words, and perf diff's table
job=$(cat "$TOP/conf/jobs/netperf-udp.cfg")
like "$job" 'test = "UDP_STREAM"; send_size = 1472' "mail 3: -m 1472"
like "$job" 'profile = \{ record = true' "mail 3: a profile"
like "$(ironrig extract perf-profile "$F/perf-report.txt")" \
	'perf-profile.self\.' "out of which its table comes"
done_testing
