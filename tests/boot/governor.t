#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Governors on a real kernel: a guest with 4 CPUs and a cpufreq driver without
# hardware (dummy_cpufreq). The agent asks, reads back and records; then with
# one CPU offline, whose scaling_governor answers EBUSY; then, as the negative
# control, with a driver that refuses. Three kernels of one box: its script is
# pointed at each in turn.

# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/lib-boot.sh"

boot_home
module=$("$TOP/tests/boot/dummy_cpufreq/build" "$DEBS" \
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
enroll_box vm1 <<<'modules = [ "dummy_cpufreq" ];'
for j in four three refusing; do
	queue_runs "$j" vm1 "$j" 1 'attempts = 1;'
	sed -i "s/\"v6.1\"/\"$j\"/" "$IRONRIG_HOME/conf/experiments/$j.cfg"
	ok "experiment $j" ironrig check "$IRONRIG_HOME/conf/experiments/$j.cfg"
done

result_of() { # job: its result's file
	local f

	for f in $(results vm1); do
		if result_file "$f" result.cfg | grep -q "job = \"$1\""; then
			echo "$f"
			return
		fi
	done
	return 1
}

# take JOB: sets CFG, OUT, ERR and KNOB (the governor's group) of its result.
take() {
	local f

	wait_for 120 result_of "$1" || {
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
CPUS=4 start_box vm1

take four
like "$CFG" 'outcome = "ok"' "performance on four CPUs: the run is well"
is "$OUT" "0-3 performance performance performance powersave" \
	"every CPU had it, and a write takes effect"
like "$KNOB" 'cpus = "0-2"[^}]*held = true' "recorded as held for CPUs 0-2"
like "$KNOB" 'cpus = "3"[^}]*got = "powersave"[^}]*held = false' \
	"and what the job itself changed as not held"
like "$KNOB" 'asked = "performance"' "what was asked"
like "$KNOB" 'before = "schedutil"' "what was there before"

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
