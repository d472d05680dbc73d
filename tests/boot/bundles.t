#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck disable=SC2016 # jobs expand their parameters on the box
# Every shipped workload on a booted box that holds nothing: each job as it is
# shipped but for its duration, all of them in one boot of one image with every
# bundle. Then jobs that ask for what they do not get: a program that no bundle
# brought, memory and processes beyond their limits.

# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/lib-boot.sh"
# shellcheck source=tests/boot/lib-bundle.sh
. "$(dirname "$0")/lib-bundle.sh"

boot_home
bundle apachebench netperf iperf3 rt-tests stress-ng fio sysbench perf

# A lab's own bundle from a folder: stands for will-it-scale's lock1_threads and
# prints what that prints.
mkdir -p "$T/wis/opt/will-it-scale"
cat >"$T/wis/opt/will-it-scale/lock1_threads" <<-'SH'
	#!/bin/sh
	[ "$1 $2 $3 $4" = "-t 2 -s 1" ] || exit 2
	echo "testcase:Separate file lock/unlock"
	echo warmup
	echo "min:500 max:502 total:1002"
	echo measurement
	echo "min:600 max:634 total:1234"
	echo average:1234
SH
chmod +x "$T/wis/opt/will-it-scale/lock1_threads"
ok "a bundle from a folder" ironrig image bundle will-it-scale --from "$T/wis"

short apachebench-short
short netperf-udp "runtime 2s" \
	's/^profile = .*/profile = { record = true; command = "perf record -e cpu-clock -a -g"; };/'
short netperf-tcp "runtime 2s"
short netperf-rr "runtime 2s"
short iperf3 "runtime 2s"
short hackbench "nr_groups 1" "loops 20"
short cyclictest "runtime 2s"
short stress-ng "runtime 2s"
short fio "runtime 2s" "size 8M"
short sysbench "runtime 2s"
short perf-bench-sched-pipe "loops 2000"
short perf-bench-futex-hash "runtime 1s"
short any-command "count 5000"
# with every monitor that there is, on this kernel
cat >>"$IRONRIG_HOME/conf/jobs/any-command.cfg" <<-CFG
	monitor = { interval = "100ms"; add = [
		$(sed -n 's/^\t{ "\([a-z_]*\)",.*/"\1",/p' "$TOP/agent/sampler.c" |
			sed '$s/,$//') ]; };
CFG
short scale-sweep "runtime 1s"
short will-it-scale "runtime 1s"
good=(apachebench-short netperf-udp netperf-tcp netperf-rr iperf3 hackbench
	cyclictest stress-ng fio sysbench perf-bench-sched-pipe
	perf-bench-futex-hash any-command scale-sweep will-it-scale)

bad() { # name line...
	printf '%s\n' 'testcase = "shell";' 'iterations = 1;' "${@:2}" \
		>"$IRONRIG_HOME/conf/jobs/$1.cfg"
}
# programs that are on this image, but where the job does not look
bad missing 'command = "cyclictest -q";' 'bundles = "fio";' \
	'env = "PATH=/nonexistent";'
bad missing-server 'setup = "netserver -D";' 'command = "true";' \
	'env = "PATH=/nonexistent";'
# tail keeps what may be its last line, and /dev/zero has no end of line
bad memory 'command = "tail /dev/zero";' 'limit = { memory = "32M"; };'
bad processes 'limit = { pids = 16; };' \
	'command = "i=0; while [ $i -lt 40 ]; do sleep 60 & i=$((i + 1)); done";'
bad box-memory 'command = "tail /dev/zero";' 'time_limit = "60s";'
bad controllers 'command = "cat /sys/fs/cgroup/cgroup.subtree_control";'
bad=(missing missing-server memory processes box-memory controllers)

# A job with bundles starts only in a boot that was asked for them; one without
# makes any boot do.
queue_jobs all vm1 lock1-short "${good[@]}" "${bad[@]}"
enroll_box vm1 </dev/null
serve
user_net
n=$((1 + ${#good[@]} + ${#bad[@]}))
MEMORY=1280 BOX_SECONDS=620 start_box vm1
ok "every job comes home" wait_for 600 has_results vm1 $n
stop_box
is "$(grep -ac '^ironrig: agent ' "$(console vm1)")" 1 "all of it in one boot"
ironrig collect >"$T/collect" 2>&1
like "$(tail -n 1 "$T/collect")" "^collected $n, quarantined 0" "collected"

# ---- every workload's stat ---------------------------------------------------

# within JOB STAT LOW HIGH: the run is ok and so is the stat. The bounds are
# those of an emulated box on a busy machine: they show a wrong unit.
within() {
	local v

	v=$(stat_of "$1" "$2")
	awk -v v="${v:-none}" -v l="$3" -v h="$4" \
		'BEGIN { exit !(v ~ /^[0-9.e+-]+$/ && v >= l && v <= h) }'
	tap_result $? "$1: $2 is in $3..$4" || diag "got: ${v:-nothing}" \
		"$(ironrig show "$(lease_of "$1")" 2>&1)"
}

for job in lock1-short "${good[@]}"; do
	show=$(ironrig show "$(lease_of "$job")" 2>&1)
	like "$show" 'outcome +ok' "$job: ok"
	unlike "$show" 'Not understood' "$job: everything is understood"
done

within lock1-short scale.per_thread_ops 100 1e7
within apachebench-short apachebench.requests_per_second 5 1e5
within apachebench-short apachebench.time_per_request 0.2 4000
within apachebench-short apachebench.transfer_rate 50 1e6
within apachebench-short apachebench.connection_time.total.max 1 60000
within apachebench-short 'apachebench.max_latency.100%' 1 60000
within apachebench-short time.elapsed_time 2 60
within netperf-udp netperf.Throughput_Mbps 1 1e5
within netperf-udp netperf.send.Throughput_Mbps 1 1e5
within netperf-tcp netperf.Throughput_Mbps 1 1e5
within netperf-rr netperf.Throughput_tps 5 1e5
within iperf3 iperf.tcp.receiver.bps 1e6 1e11
within hackbench hackbench.throughput 100 1e7
within cyclictest cyclictest.max_latency 1 1e7
within cyclictest cyclictest.avg_latency 1 1e6
within stress-ng stress-ng.switch.ops_per_sec 50 1e7
within fio fio.read_bw_MBps 0.1 1e5
within fio fio.write_bw_MBps 0.1 1e5
within sysbench sysbench.events_per_second 1 1e5
within perf-bench-sched-pipe perf-bench-sched-pipe.ops_per_sec 50 1e6
within perf-bench-futex-hash perf-bench-futex-hash.ops_per_sec 100 1e8
within any-command dd.seconds 0.01 60
within any-command dd.blocks 5000 5000
within scale-sweep scale.per_process_ops 100 1e7
within scale-sweep scale.2.threads 100 1e7
within will-it-scale will-it-scale.per_thread_ops 617 617

# The other stats that the reports name, of one run.
within netperf-udp mpstat.cpu.all.idle% 0 100
within netperf-udp mpstat.cpu.all.sys% 0.1 100
within netperf-udp mpstat.cpu.all.usr% 0 100
within netperf-udp mpstat.cpu.all.soft% 0 100
within netperf-udp vmstat.system.cs 1 1e7
within netperf-udp vmstat.system.in 1 1e7
within netperf-udp vmstat.procs.r 0 1000
within netperf-udp interrupts.CAL:Function_call_interrupts 0 1e8
within netperf-udp softirqs.NET_RX 10 1e9
within netperf-udp meminfo.SUnreclaim 1000 1e8
within netperf-udp meminfo.KernelStack 100 1e7
within netperf-udp time.elapsed_time 1 60
within netperf-udp time.involuntary_context_switches 0 1e8
within netperf-udp time.percent_of_cpu_this_job_got 1 200
within netperf-udp agent.cpu_us_per_s 1 1e6

within any-command uptime.boot 1 1000
within any-command uptime.idle 0 200
within any-command pressure.cpu.some% 0 100
like "$(result_file "$(result_of vm1 any-command)" agent.log |
	grep 'monitor ')" 'this kernel has no .*cpufreq' \
	"a monitor that this kernel does not have is told"

# ---- profile -----------------------------------------------------------------

r=$(result_of vm1 netperf-udp)
# no PMU here, so it samples by the clock
like "$(ironrig show --stat 'perf-profile.self.cpu-clock.*' \
	"$(lease_of netperf-udp)")" 'perf-profile\.self\.cpu-clock\.[a-z_]*udp' \
	"the profile knows the kernel's functions"
like "$(result_file "$r" result.cfg | grep -A 3 'number = 2;')" \
	'profile = true' \
	"made in an iteration of its own, behind the measured one"
unlike "$(result_file "$r" iter/001/stderr)" 'perf record' \
	"and not within that"

# ---- the layout of a result ----------------------------------------------------

list=$(lz4 -dc "$r" | tar -t)
for f in result.cfg job.cfg reproduce.sh agent.log setup.log iter/001/stdout \
	iter/001/stderr monitor/stat monitor/interrupts profile/report.txt \
	meta/cmdline meta/version meta/dmesg meta/modules meta/tuning; do
	like "$list" "$(printf '(^|\n)%s(\n|$)' "$f")" "it has $f"
done
like "$(result_file "$r" setup.log)" 'wait-tcp 127.0.0.1:12865' \
	"what set-up did is logged"

# ---- what a box does not give ----------------------------------------------------

reason() {
	ironrig show "$(lease_of "$1")" | sed -n 's/^ *outcome *//p'
}
like "$(reason missing)" \
	'^refused: program .cyclictest. is missing: bundle .rt-tests. brings it; the job lists .fio' \
	"a missing program: which bundle to name"
like "$(reason missing-server)" \
	'^failed: setup-1: program .netserver. is missing: bundle .netperf. brings it' \
	"the same in set-up"
like "$(reason memory)" \
	'^failed: iteration-1: over its memory limit of 32 MiB: 1 killed by the kernel' \
	"beyond memory.max"
like "$(reason processes)" \
	'^failed: iteration-1: over its limit of 16 processes: [1-9][0-9]* forks refused' \
	"beyond pids.max"
like "$(reason box-memory)" \
	'^failed: iteration-1: the box ran out of memory: [1-9] killed by the kernel' \
	"the box's memory runs out: the job dies, agent and result do not"
is "$(result_file "$(result_of vm1 controllers)" iter/001/stdout)" pids \
	"no memory controller is left for jobs without a limit"

done_testing
