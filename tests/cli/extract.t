#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Extractors on what the tools really printed (tests/fixtures/stats); the
# expected values were read off the texts by eye, or worked out as said.
. "$(dirname "$0")/../lib.sh"

F=$TOP/tests/fixtures/stats

# has EXTRACTOR FILE "KEY: VALUE"...: these lines, and exit status 0
has() {
	local x=$1 f=$2 out line

	shift 2
	out=$(ironrig extract "$x" "$F/$f" 2>&1) ||
		{ tap_result 1 "$x $f"; diag "$out"; return; }
	for line; do
		grep -qxF -- "$line" <<<"$out" && continue
		tap_result 1 "$x $f: $line"
		diag "$out"
		return
	done
	tap_result 0 "$x $f"
}

# refuses EXTRACTOR FILE LINE REGEX: exit 1, naming the line and the reason
refuses() {
	local out rc

	out=$(ironrig extract "$1" "$F/$2" 2>&1)
	rc=$?
	[ $rc = 1 ] && [[ $out =~ :$3:\ .*$4 ]]
	tap_result $? "$1 refuses $2: $4" || diag "status $rc" "$out"
}

# refuses_text EXTRACTOR TEXT REGEX
refuses_text() {
	local out rc

	out=$(printf '%b' "$2" | ironrig extract "$1" 2>&1)
	rc=$?
	[ $rc = 1 ] && [[ $out =~ $3 ]]
	tap_result $? "$1 refuses: $3" || diag "status $rc" "$out"
}

# says EXTRACTOR TEXT "KEY: VALUE"
says() {
	local out

	out=$(printf '%b' "$2" | ironrig extract "$1" 2>&1)
	grep -qxF -- "$3" <<<"$out"
	tap_result $? "$1: $3" || diag "$out"
}

# ---- apachebench -------------------------------------------------------------
has apachebench apachebench-keepalive.txt \
	'apachebench.requests_per_second: 31152.55' \
	'apachebench.time_per_request: 1.605' \
	'apachebench.transfer_rate: 333570.04' \
	'apachebench.failed_requests: 0' \
	'apachebench.connection_time.total.max: 31' \
	'apachebench.connection_time.connect.min: 0' \
	'apachebench.connection_time.processing.mean: 2' \
	'apachebench.max_latency.50%: 1' 'apachebench.max_latency.100%: 31'
has apachebench apachebench-404.txt 'apachebench.non_2xx_responses: 500' \
	'apachebench.requests_per_second: 18158.05'
has apachebench apachebench-two.txt 'apachebench.requests_per_second: 6562.97' \
	'apachebench.requests_per_second: 9886.63'
has apachebench apachebench-progress.txt 'apachebench.failed_requests: 0'
# -r goes on whatever fails: 17356 "requests" a second, nothing transferred
refuses apachebench apachebench-all-failed.txt 24 'every request failed'
# -v 4 of a page with such words in it, twice
is "$(ironrig extract apachebench "$F/apachebench-v.txt" |
	grep -c 'requests_per_second: \(1707.46\|558.76\)$')" 2 \
	"apachebench -v 4: the pages are no figures"
is "$(ironrig extract apachebench "$F/apachebench-v.txt" |
	grep -c 'max_latency.50%')" 2 "nor their percentages"
says apachebench 'Server Software: x\nthe crab: apr_ is in this page\nRequests per second: 15.00\n' \
	'apachebench.requests_per_second: 15'
refuses apachebench apachebench-refused.txt 5 'ab gave up.*Connection refused'
is "$(sed 's/$/\r/' "$F/apachebench-two.txt" | ironrig extract apachebench | md5sum)" \
	"$(ironrig extract apachebench "$F/apachebench-two.txt" | md5sum)" \
	"CRLF makes no difference"
refuses_text apachebench \
	'Server Software: x\nRequests per second:    1,5 [#/sec]\n' \
	'stdin:2: a decimal comma'
says apachebench 'Server Software: x\nRequests per second: 15.00\n
Connnection Times (ms)\n              min   avg   max\nConnect:        0     1    2\n' \
	'apachebench.connection_time.connect.max: 2'
refuses_text apachebench '' 'no requests per second'

# ---- will-it-scale and scale -------------------------------------------------
has will-it-scale will-it-scale/before1.csv \
	'will-it-scale.4.threads: 2311086' \
	'will-it-scale.4.threads_idle%: 0.18' \
	'will-it-scale.1.processes: 610132' \
	'will-it-scale.per_thread_ops: 577771.5' \
	'will-it-scale.per_process_ops: 613714.5'
# before1: the better column at 4 tasks over the linear one: 2454858/2440528
like "$(ironrig extract will-it-scale "$F/will-it-scale/before1.csv")" \
	'scalability: 1\.00587' "scalability"
# runtest.py itself, on two CPUs; then with a program that failed, which is -1
has will-it-scale will-it-scale/runtest-2cpu.csv \
	'will-it-scale.2.threads: 572339' \
	'will-it-scale.per_process_ops: 200364.5' \
	'will-it-scale.per_thread_ops: 286169.5'
has will-it-scale will-it-scale/runtest-failed.csv \
	'will-it-scale.per_process_ops: 132399'
unlike "$(ironrig extract will-it-scale "$F/will-it-scale/runtest-failed.csv")" \
	'thread|-1' "what failed there has no figures"
refuses_text will-it-scale \
	'tasks,processes,processes_idle,threads,threads_idle,linear\n1,-1,0.00,-1,0.00,-1\n' \
	'stdin:2: nothing was measured: "1,-1,0.00,-1,0.00,-1"'
# (470300 + 490858 + 567136) / 3
has will-it-scale will-it-scale/lock1_threads.txt \
	'will-it-scale.average_ops: 509431'
says will-it-scale \
	'testcase:x\nwarmup\nmin:1 max:2 total:3\nmeasurement\naverage:610132\n' \
	'will-it-scale.average_ops: 610132'
refuses_text will-it-scale 'testcase:x\nwarmup\n' 'no finished test'
refuses_text will-it-scale \
	'tasks,processes,processes_idle,threads,threads_idle,linear\n1,2,3\n' \
	'stdin:2: a row with too few'
says scale 'scale test=lock1 mode=thread tasks=4 seconds=5.0 ops=400 ops_per_s=80.5 per_task_ops_per_s=20.125 idle_pct=- min_task_ops=90 max_task_ops=120 new=1\ntask 0 100\n' \
	'scale.per_thread_ops: 20.125'
says scale 'scale test=lock1 mode=process tasks=4 seconds=5.0 ops=400 ops_per_s=80.5 per_task_ops_per_s=20.125 idle_pct=0.18 min_task_ops=90 max_task_ops=120\n' \
	'scale.idle%: 0.18'
refuses_text scale 'scale test=lock1 mode=thread tasks=4 ops=4\n' \
	'stdin:1: a run without all'

# ---- networks ----------------------------------------------------------------
has netperf netperf-TCP_STREAM.txt 'netperf.Throughput_Mbps: 46974.56'
has netperf netperf-UDP_STREAM.txt 'netperf.Throughput_Mbps: 3558.9' \
	'netperf.send.Throughput_Mbps: 3593.89' 'netperf.send_errors: 0'
has netperf netperf-TCP_RR.txt 'netperf.Throughput_tps: 18162.04'
has netperf netperf-TCP_RR-cpu.txt 'netperf.Throughput_tps: 18377.8' \
	'netperf.local_cpu%: 30.6' 'netperf.remote_demand: 33.306'
has netperf netperf-TCP_CRR.txt 'netperf.Throughput_tps: 14604.89'
# 5473527.04 KBytes/s x 8192 bits
has netperf netperf-TCP_STREAM-K.txt 'netperf.Throughput_Mbps: 44839.13351168'
has netperf netperf-omni-k.txt 'netperf.Throughput_Mbps: 43680.75'
# in bits: no transactions
has netperf netperf-TCP_RR-fm.txt 'netperf.Throughput_Mbps: 0.25'
unlike "$(ironrig extract netperf "$F/netperf-TCP_RR-fm.txt")" tps \
	"netperf -f m: not taken for transactions"
is "$(ironrig extract netperf "$F/netperf-TCP_STREAM-v2.txt")" \
	'netperf.Throughput_Mbps: 12788.33' "netperf -v 2: its other tables"
has netperf netperf-UDP_STREAM-cpu.txt 'netperf.Throughput_Mbps: 312.3' \
	'netperf.send.Throughput_Mbps: 957.7' 'netperf.local_cpu%: 100'
has netperf netperf-TCP_CC.txt 'netperf.Throughput_tps: 11120.33'
refuses netperf netperf-P0.txt 1 'without netperf.s title'
refuses netperf netperf-refused.txt 1 'netperf failed'
refuses_text netperf ' 87380  16384  16384    10.00    9416.01\n' \
	"stdin:1: numbers without netperf's title"
says netperf 'TCP STREAM TEST from 0.0.0.0 port 0\nbytes  bytes   bytes    secs.    10^6bits/sec\n\n 87380  16384  16384    10.00     941.44\n' \
	'netperf.Throughput_Mbps: 941.44'
has iperf3 iperf3-tcp.txt 'iperf.tcp.sender.bps: 37600000000' \
	'iperf.tcp.retransmits: 37'
has iperf3 iperf3-parallel.txt 'iperf.tcp.sender.bps: 30200000000' \
	'iperf.tcp.receiver.bps: 30100000000' 'iperf.tcp.retransmits: 10'
has iperf3 iperf3-reverse-k.txt 'iperf.tcp.receiver.bps: 29784587000'
has iperf3 iperf3-udp.txt 'iperf.udp.receiver.bps: 50100000' \
	'iperf.udp.jitter: 0.008' 'iperf.udp.lost%: 0'
has iperf3 iperf3-tcp.json 'iperf.tcp.retransmits: 22' \
	'iperf.tcp.sender.bps: 32752797350.6967'
has iperf3 iperf3-udp.json 'iperf.udp.receiver.bps: 50053136.6243238'
has iperf3 iperf3-bidir-parallel.txt 'iperf.tcp.sender.bps: 3310000000' \
	'iperf.tcp.receiver.bps: 3300000000' 'iperf.tcp.retransmits: 0' \
	'iperf.tcp.reverse.sender.bps: 2250000000' \
	'iperf.tcp.reverse.receiver.bps: 1760000000' \
	'iperf.tcp.reverse.retransmits: 21'
has iperf3 iperf3-bidir.json 'iperf.tcp.sender.bps: 4398690946.82891' \
	'iperf.tcp.reverse.receiver.bps: 3726942366.74456'
has iperf3 iperf3-timestamps.txt 'iperf.tcp.sender.bps: 9880000000'
refuses iperf3 iperf3-interrupted.txt 1 'iperf3 failed'
refuses iperf3 iperf3-interrupted.json '[0-9]*' 'client has terminated'
# its standard output alone, as a job keeps it
refuses_text iperf3 "$(sed 1d "$F/iperf3-interrupted.txt" | sed 's/%/%%/g')\n" \
	'no "iperf Done."'
refuses iperf3 iperf3-refused.txt 1 'unable to connect'
refuses iperf3 iperf3-refused.json '[0-9]*' 'unable to connect'
refuses_text iperf3 "$(head -c 900 "$F/iperf3-tcp.json")" 'JSON: '

# ---- scheduler and CPU -------------------------------------------------------
# 2 groups x 20 senders x 20 receivers x 100 messages in 0.088 s
has hackbench hackbench.txt 'hackbench.time: 0.088' \
	'hackbench.throughput: 909090.909090909'
has hackbench hackbench-pipe-threads.txt 'hackbench.time: 0.028'
refuses_text hackbench 'Running in process mode with 2 groups using 40 file descriptors each (== 80 tasks)\nEach sender will pass 100 messages of 100 bytes\nfork: No space\n' \
	'stdin:3: no time'
refuses hackbench hackbench-interrupted.txt 3 'interrupted'
# (1000 x 65 + 667 x 65) / 1667
has cyclictest cyclictest.txt 'cyclictest.min_latency: 30' \
	'cyclictest.max_latency: 984' 'cyclictest.avg_latency: 65'
has cyclictest cyclictest-hist.txt 'cyclictest.max_latency: 4248' \
	'cyclictest.min_latency: 62'
# -H: the last column is of both threads; 107 and 194 us, 200 cycles each
has cyclictest cyclictest-H.txt 'cyclictest.min_latency: 40' \
	'cyclictest.max_latency: 4496' 'cyclictest.avg_latency: 150.5'
# -N: nanoseconds
has cyclictest cyclictest-N.txt 'cyclictest.avg_latency: 113.998' \
	'cyclictest.max_latency: 7207.56'
# three runs, the last without its first line
is "$(ironrig extract cyclictest "$F/cyclictest-three.txt" |
	sed -n 's/.*max_latency: //p' | tr '\n' ' ')" '5392 7743 140 ' \
	"cyclictest: three runs"
# and two histograms, without it
is "$(cat "$F/cyclictest-hist.txt" "$F/cyclictest-H.txt" |
	grep -v cpu_dma_latency | ironrig extract cyclictest |
	sed -n 's/.*max_latency: //p' | tr '\n' ' ')" '4248 4496 ' \
	"cyclictest: two histograms"
refuses_text cyclictest \
	'T: 0 ( 7) P: 0 I:1000 C:      0 Min:1000000 Act:    0 Avg:    0 Max:       0\n' \
	'no cycle was finished'
has stress-ng stress-ng-timestamp.txt 'stress-ng.switch.ops_per_sec: 120354.93'
refuses stress-ng stress-ng-nothing.txt 8 'no metrics'
has stress-ng stress-ng-brief.txt 'stress-ng.switch.ops_per_sec: 284194.21' \
	'stress-ng.cpu.ops: 2174'
has stress-ng stress-ng-metrics.txt 'stress-ng.fault.ops_per_sec: 4175.68' \
	'stress-ng.getrandom.ops_per_sec: 72201.68'
says stress-ng 'stress-ng: info:  [7] dispatching hogs: 1 cpu\nstress-ng: info:  [7] stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s\nstress-ng: info:  [7]                           (secs)    (secs)    (secs)   (real time) (usr+sys time)\nstress-ng: info:  [7] cpu                2174      1.00      0.99      0.00      2169.83        2185.17\n' \
	'stress-ng.cpu.ops_per_sec: 2169.83'
refuses_text stress-ng 'stress-ng: info:  [7] unsuccessful run completed in 1s\n' \
	'stdin:1: stress-ng failed'
has sysbench sysbench-cpu.txt 'sysbench.events_per_second: 5181.29' \
	'sysbench.latency.95th: 0.21'
has sysbench sysbench-memory.txt 'sysbench.transfer_MiBps: 7698.45'
has sysbench sysbench-fileio.txt 'sysbench.reads_per_s: 92435.02' \
	'sysbench.written_MiBps: 962.88'
# 2573 events in 1.0004 s
like "$(ironrig extract sysbench "$F/sysbench-threads.txt")" \
	'events_per_second: 2571\.9712' "sysbench threads"
has sysbench sysbench-75th.txt 'sysbench.latency.75th: 0.22'
says sysbench "Running the test with following options:\\n approx.  95 percentile:    0.40ms\\n total number of events: 10\\n total time: 2.0s\\n execution time (avg/stddev): 1/0\\n" \
	'sysbench.latency.95th: 0.4'
refuses sysbench sysbench-interrupted.txt 13 'no finished run'
refuses_text sysbench 'FATAL: unknown test\n' 'stdin:1: sysbench failed'
has perf-bench perf-bench-pipe.txt \
	'perf-bench-sched-pipe.ops_per_sec: 24441' \
	'perf-bench-sched-pipe.usecs_per_op: 40.91355'
has perf-bench perf-bench-messaging.txt \
	'perf-bench-sched-messaging.total_time: 0.338'
has perf-bench perf-bench-memcpy.txt \
	'perf-bench-mem-memcpy.default.GBps: 48.828125' \
	'perf-bench-mem-memcpy.x86-64-movsb.GBps: 61.035156'
has perf-bench perf-bench-futex-hash.txt \
	'perf-bench-futex-hash.ops_per_sec: 4297216'
has perf-bench perf-bench-futex-wake.txt \
	'perf-bench-futex-wake.wakeup_ms: 0.1411'
has perf-bench perf-bench-futex-all.txt \
	'perf-bench-futex-hash.ops_per_sec: 534169' \
	'perf-bench-futex-wake.wakeup_ms: 0.0515' \
	'perf-bench-futex-wake-parallel.latency_ms: 0.017' \
	'perf-bench-futex-requeue.requeue_ms: 0.0065' \
	'perf-bench-futex-lock-pi.ops_per_sec: 786'
has perf-bench perf-bench-epoll-ctl.txt 'perf-bench-epoll-ctl.add_ops: 51584'
has perf-bench perf-bench-numa.txt 'perf-bench-numa-mem.total-speed: 1.825'
refuses perf-bench perf-bench-pipe-simple.txt 1 'no figures'

# ---- fio ---------------------------------------------------------------------
# 73670 and 73710 KiB/s
has fio fio.json 'fio.read_bw_MBps: 71.943359375' \
	'fio.write_bw_MBps: 71.982421875' 'fio.read_iops: 18417.582418' \
	'fio.read_clat_mean_us: 45.844506238' 'fio.read_clat_99%_us: 67.072'
has fio fio-terse.txt 'fio.read_bw_MBps: 1600' 'fio.read_iops: 25600' \
	'fio.read_clat_mean_us: 31.992852' 'fio.read_clat_99%_us: 765'
# 30821 and 32682 KiB/s
has fio fio-terse5.txt 'fio.read_bw_MBps: 30.0986328125' \
	'fio.write_bw_MBps: 31.916015625' 'fio.write_clat_mean_us: 3.338607'
has fio fio-gtod.json 'fio.read_iops: 11975.903614'
unlike "$(ironrig extract fio "$F/fio-gtod.json")" clat \
	"fio --gtod_reduce: latencies are missing, not 0"
has fio fio-mixed.json 'fio.mixed_bw_MBps: 85.10546875'
# four reports of one run: the last one counts
is "$(ironrig extract fio "$F/fio-interval.json" | grep bw)" \
	"$(printf 'fio.read_bw_MBps: 30.7705078125\nfio.write_bw_MBps: 30.6025390625')" \
	"fio --status-interval: one run"
is "$(ironrig extract fio "$F/fio-terse-json.txt" | grep -c read_bw)" 1 \
	"fio --output-format=terse,json: one run"
is "$(cat "$F/fio.json" "$F/fio-mixed.json" | ironrig extract fio | grep -c '_bw')" \
	3 "and two are two"
refuses_text fio '{ "jobs" : [ { "error" : 0, "read" : { "total_ios" : 0 } } ] }\n' \
	'no job did any'
refuses fio fio-fail.json 1 'fio failed'
refuses fio fio-normal.txt 27 'no JSON or terse'

# ---- profiles, kernel log ----------------------------------------------------
has perf-profile perf-report.txt \
	'perf-profile.self.cpu-clock.pv_native_safe_halt: 97.98' \
	'perf-profile.self.cpu-clock.unmap_vmas: 0.08'
says perf-profile "# Samples: 1K of event 'cycles:P'\n#\n     3.00%  a  [kernel.kallsyms]  [k] foo\n            |--1.00%--bar\n     1.50%  b  [kernel.kallsyms]  [k] foo\n" \
	'perf-profile.self.cycles.foo: 4.5'
says perf-profile "# Samples: 1K of event 'cycles'\n# Children      Self  Command\n    80.00%     2.50%  a  [kernel.kallsyms]  [k] foo\n" \
	'perf-profile.self.cycles.foo: 2.5'
says dmesg '[    1.5] WARNING: CPU: 1 PID: 22 at net/core/dev.c:3123 skb_warn+0xa/0xb\n<4>[ 9.9] WARNING: CPU: 0 PID: 7 at net/core/dev.c:3125 skb_warn+0xc/0xd\n' \
	'dmesg.WARNING:at_net/core/dev.c:#skb_warn: 2'
# what kernels from 4.9 to 6.19 print, all kinds; nothing else is a report
is "$(ironrig extract dmesg "$F/dmesg.txt")" "$(cat "$F/dmesg.stats")" \
	"dmesg: every kind of report, and where it says it was"
is "$(echo '[ 1.0] all is well' | ironrig extract dmesg)" "" \
	"a quiet log has no stats and is no error"

# ---- every text again: other line ends, another locale ------------------------

# name of the extractor whose texts start with that
of() {
	local x

	for x in $(ironrig extract --list | awk '{ print $1 }'); do
		case $1 in "$x"[-.]*) echo "$x"; return ;; esac
	done
	case $1 in perf-report*) echo perf-profile ;; esac
}

crlf=() comma=() unknown=()
for f in "$F"/*.* "$F"/will-it-scale/*; do
	name=${f#"$F/"}
	x=$(of "${name/\//-}")
	[ "$x" ] || unknown+=("$name")
	out=$(ironrig extract "$x" "$f" 2>/dev/null)
	[ "$(sed 's/$/\r/' "$f" | ironrig extract "$x" 2>/dev/null)" = "$out" ] ||
		crlf+=("$name")
	# fractions with a comma: refused, or none of what is read is one
	got=$(sed 's/\([0-9]\)\.\([0-9]\)/\1,\2/g' "$f" |
		ironrig extract "$x" 2>/dev/null) || continue
	[ "$got" = "$out" ] || comma+=("$name")
done
is "${unknown[*]}" "" "an extractor for each text"
is "${crlf[*]}" "" "CRLF makes no difference"
is "${comma[*]}" "" "decimal commas are no numbers"

# ---- the command -------------------------------------------------------------
exits 2 "no such extractor" ironrig extract nonsense
exits 2 "two files" ironrig extract fio a b
exits 1 "no such file" ironrig extract fio "$T/none"
ok "--list" ironrig extract --list
exits 0 "-h" ironrig extract -h

# ---- cut anywhere, or with a zero byte: no number, never another -------------

# cut FILE EXTRACTOR: cut behind each digit that another one follows
cut() {
	local out wrong
	wrong=$(perl -e '
		my ($bin, $x, $file) = @ARGV;
		local $/;
		open my $f, "<", $file or die; my $all = <$f>;
		my %whole = map { $_ => 1 } split /\n/, `$bin extract $x $file`;
		my @at; push @at, pos($all) while $all =~ /\d(?=[\d.])/g;
		for my $at (grep { defined } @at[map { int $_ * @at / 60 } 0 .. 59]) {
			for my $text (substr($all, 0, $at),
				substr($all, 0, $at) . "\0" . substr $all, $at + 1) {
				open my $o, ">", "$ENV{T}/cut"; print $o $text; close $o;
				my $got = `$bin extract $x $ENV{T}/cut 2>/dev/null`;
				next if $?;
				$whole{$_} or print "at $at: $_\n" for split /\n/, $got;
			}
		}' "$BIN/ironrig" "$2" "$F/$1")
	is "$wrong" '' "$2: $1 cut at 60 places, and with zero bytes there"
}
cut apachebench-keepalive.txt apachebench
cut cyclictest.txt cyclictest
cut hackbench.txt hackbench
cut iperf3-tcp.json iperf3
cut netperf-TCP_STREAM-cpu.txt netperf
cut stress-ng-metrics.txt stress-ng
cut sysbench-cpu.txt sysbench
refuses_text hackbench 'Running in process mode\nTime: 0.08' \
	':2: the text ends within this line'
refuses_text netperf 'a\n\0000b\n' ':2: a zero byte in it'

done_testing
