#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Governors on a real kernel: a guest with 4 CPUs and a cpufreq driver without
# hardware (dummy_cpufreq). The agent asks, reads back and records; then with
# one CPU offline, whose scaling_governor answers EBUSY; then, as the negative
# control, with a driver that refuses. Three kernels of one box: its script is
# pointed at each in turn. And what the monitors of cpufreq and of the scheduler
# say on four CPUs, beside what the job itself read.

# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/lib-boot.sh"

boot_home
module=$("$TOP/tests/boot/build-module" \
	"$TOP/tests/boot/dummy_cpufreq" "$DEBS" \
	"$TOP/build/dummy_cpufreq" 2>"$T/module.log") ||
	skip_all "no dummy_cpufreq: $(tail -n 1 "$T/module.log")"

# The kernel again, with that module among its own.
dpkg-deb -x "$(deb linux-image-cloud-amd64)" "$T/k"
release=$(basename "$T"/k/lib/modules/*)
mkdir "$T/k/lib/modules/$release/extra"
cp "$module" "$T/k/lib/modules/$release/extra/"
ok "a kernel with a module of our own" ironrig kernel add four \
	--vmlinuz "$T/k/boot/vmlinuz-$release" --modules "$T/k" \
	--config "$T/k/boot/config-$release" --module dummy_cpufreq ||
	bail "kernel add"
ok "one with a CPU offline" ironrig kernel add three --like four \
	--append dummy_cpufreq.offline=3
ok "one whose driver refuses" ironrig kernel add refusing --like four \
	--append dummy_cpufreq.refuse=1

# What the job itself reads is what the kernel has, whatever the agent says.
for j in four three refusing; do
	cat >"$IRONRIG_HOME/conf/jobs/$j.cfg" <<-'CFG'
		testcase = "governor";
		command = "cd /sys/devices/system/cpu; cat online; cat cpu[012]/cpufreq/scaling_governor; echo powersave >cpu3/cpufreq/scaling_governor && cat cpu3/cpufreq/scaling_governor || true";
		iterations = 1;
		unstable_retries = 0;
		tune = { governor = "performance"; require = [ "governor" ]; };
	CFG
done

# CPU 3 to and fro while the monitors look; what the job reads right before and
# behind it is what they should have seen: at least that, and not much more.
cat >"$IRONRIG_HOME/conf/jobs/stats.cfg" <<-'CFG'
	testcase = "stats";
	params = { on = 0; };
	setup = "echo $on >/proc/sys/kernel/sched_schedstats";
	command = "cd /sys/devices/system/cpu/cpufreq; "
		"look() { cat policy*/stats/total_trans | "
		"awk -v w=$1 '{ n += $1 } END { print w, \"changes\", n }'; "
		"cat policy*/stats/time_in_state | "
		"awk -v w=$1 '{ t += $2; k += $1 * $2 } END "
		"{ print w, \"ticks\", t; printf \"%s khz %.0f\\n\", w, k }'; }; "
		"look first; for i in 1 2 3 4 5; do "
		"echo powersave >policy3/scaling_governor; sleep 0.4; "
		"echo performance >policy3/scaling_governor; sleep 0.2; done; "
		"look last; grep -c ^domain /proc/schedstat";
	iterations = 1;
	unstable_retries = 0;
	tune = { governor = "performance"; };
	monitor = { interval = "500ms"; add = [ "cpufreq_stats", "schedstat" ]; };
CFG
sed 's/on = 0/on = 1/' "$IRONRIG_HOME/conf/jobs/stats.cfg" \
	>"$IRONRIG_HOME/conf/jobs/stats-on.cfg"
enroll_box vm1 <<<'modules = [ "dummy_cpufreq" ];'
for j in four three refusing; do
	queue_runs "$j" vm1 "$j" 1 'attempts = 1;' 'jobs_share_boot = true;'
	[ $j != four ] || sed -i 's/^jobs = .*/jobs = [ "four", "stats", "stats-on" ];/' \
		"$IRONRIG_HOME/conf/experiments/four.cfg"
	sed -i "s/\"v6.1\"/\"$j\"/" "$IRONRIG_HOME/conf/experiments/$j.cfg"
	ok "experiment $j" ironrig check "$IRONRIG_HOME/conf/experiments/$j.cfg"
done

result_of() { # job: its result's file
	local f

	for f in $(results vm1); do
		if result_file "$f" result.cfg | grep -qx "job = \"$1\";"; then
			echo "$f"
			return
		fi
	done
	return 1
}

# take JOB: sets CFG, OUT, ERR and KNOB (the governor's group) of its result.
take() {
	local f

	wait_for 300 result_of "$1" || {
		tail -n 30 "$(console vm1)" | sed 's/^/# /'
		bail "no result of $1"
	}
	f=$(result_of "$1")
	CFG=$(result_file "$f" result.cfg)
	OUT=$(result_file "$f" iter/001/stdout 2>/dev/null | xargs)
	ERR=$(result_file "$f" iter/001/stderr 2>/dev/null)
	KNOB=$(tr -d '\n\t' <<<"$CFG" |
		grep -o '{[^}]*name = "governor"[^}]*asked[^}]*}')
}

serve
user_net
CPUS=4 BOX_SECONDS=600 start_box vm1

take four
like "$CFG" 'outcome = "ok"' "performance on four CPUs: the run is well"
is "$OUT" "0-3 performance performance performance powersave" \
	"every CPU had it, and a write takes effect"
like "$KNOB" 'cpus = "0-2"[^}]*held = true' "recorded as held for CPUs 0-2"
like "$KNOB" 'cpus = "3"[^}]*got = "powersave"[^}]*held = false' \
	"and what the job itself changed as not held"
like "$KNOB" 'asked = "performance"' "what was asked"
like "$KNOB" 'before = "schedutil"' "what was there before"

# ---- what the monitors saw -----------------------------------------------------

stat() { # file extractor stat
	ironrig extract "$2" "$1" 2>/dev/null | sed -n "s/^$3: //p"
}
take stats
like "$CFG" 'outcome = "ok"' "the monitors on four CPUs"
f=$(result_of stats)
IFS=' ' read -r changes khz domains < <(result_file "$f" iter/001/stdout | awk '
	$1 == "first" || $1 == "last" { v[$1 $2] = $3; next }
	{ domains = $1 }
	END { t = v["lastticks"] - v["firstticks"]
		print v["lastchanges"] - v["firstchanges"],
		(v["lastkhz"] - v["firstkhz"]) / (t ? t : 1), domains }')
is "$(stat "$f" cpufreq cpufreq.total_trans)" "$changes" \
	"cpufreq: the changes that the job counted"
is "$changes" 10 "which are those that it made"
near=$(stat "$f" cpufreq cpufreq.mean_khz)
# the window is a little longer than what the job looked at, at 2 GHz
ok "cpufreq: the mean frequency that the job had" awk -v a="${near:-0}" \
	-v b="$khz" 'BEGIN { exit !(b > 1.5e6 && b < 1.95e6 && a > b * .98 &&
		a < b * 1.08) }' || diag "ours $near, the job's $khz"
ok "schedstat has domains here" test "${domains:-0}" -gt 0
like "$(stat "$f" schedstat schedstat.pcount)" '^[1-9]' \
	"schedstat: how often tasks ran"
like "$(stat "$f" schedstat schedstat.run_ms)" '^[1-9]' "and how long"
is "$(stat "$f" schedstat schedstat.sched_count)" "" \
	"schedstat, counters off: missing, not 0"
take stats-on
f=$(result_of stats-on)
like "$(stat "$f" schedstat schedstat.sched_count)" '^[1-9]' \
	"schedstat, counters on: calls of schedule()"
ok "and tasks do not run more often than that" awk \
	-v a="$(stat "$f" schedstat schedstat.pcount)" \
	-v b="$(stat "$f" schedstat schedstat.sched_count)" \
	'BEGIN { exit !(a > 0 && a <= b) }'

take three
like "$CFG" 'outcome = "ok"' "one CPU offline: the run is well"
is "$OUT" "0-2 performance performance performance" "the other three had it"
like "$ERR" "busy" "the offline one's governor answers EBUSY"
like "$KNOB" 'cpus = "0-2"' "recorded for those that are online"
like "$KNOB" 'got = "performance"' "what it got"
like "$KNOB" 'held = true' "it held"

take refusing
like "$CFG" 'outcome = "refused"' "a driver that refuses: the run is refused"
like "$CFG" 'reason = "[^"]*governor' "the reason names the knob"
like "$KNOB" 'errno = 1;' "the driver's EPERM is recorded"
like "$KNOB" 'got = "powersave"' "and what the CPUs really have"
like "$KNOB" 'held = false' "not held"
is "$OUT" "" "the command did not run"
stop_box

done_testing
