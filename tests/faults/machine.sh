# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# Scenes of a whole machine: QEMU boots kernel and image, and its power is cut
# when its console has said a certain thing. Source after lib-boot.sh and
# boxes.sh, whose invariants these are.

declare -A CUT_AT=(
	[kernel]="Run /init" [agent]="ironrig: agent" [hello]="vm1: ready"
	[lease]="lease [0-9a-f]+: job work" [job]="in the job"
	[finished]="job work: ok" [shipping]="shipping vm1" [stored]="is stored"
)

machine_list() {
	printf 'machine %s\n' kernel agent hello lease job finished shipping stored
}

machine_lab() {
	if [ -z "${M_HOME:-}" ]; then
		boot_home
		M_HOME=$IRONRIG_HOME
		H=$M_HOME
		box_job work "head -c 20000 /dev/urandom | busybox od -x >random; echo in the job >/dev/kmsg; sleep 1; cat random; busybox sha256sum random"
		enroll_box vm1 </dev/null
		box_members vm1 | xargs cat >"$T/vm1.initrd"
	fi
	export IRONRIG_HOME=$M_HOME
	H=$M_HOME
	serve
	user_net
}

machine_on() {
	start_direct vm1 "$T/vm1.initrd" "ignore_loglevel"
}

machine_off() {
	stop_box
	box_read_console "$(console vm1)"
}

# How many runs came to a good end.
machine_ok() {
	grep -c '^end .* ok ' "$H/store/vm1/leases" 2>/dev/null
}

machine_got_on() { # COUNT: of runs that had
	says vm1 'vm1: ready' && [ "$(machine_ok)" -gt "$1" ]
}

scene_machine() { # WHERE
	local before BOX_NAME=vm1 KEEPS_RESULTS=

	row "machine: power cut"
	faults_home_end
	BOX_FINISHED=() BOX_STORED=()
	machine_lab
	: >"$T/consoles"
	before=$(machine_ok)
	queue_runs "m$FAULTS" vm1 work 1
	machine_on
	console_wait $BOX_MAX vm1 "${CUT_AT[$1]}" || diag "$(tail "$(console vm1)")"
	says vm1 "${CUT_AT[$1]}" || diag "$WHAT: it never says so"
	machine_off
	machine_on
	wait_for $BOX_MAX machine_got_on "${before:-0}" ||
		broken deadline "$(tail -n 5 "$(console vm1)")"
	machine_off
	box_invariants
	stop "$SERVE_PID"
	count_fault
	FAULT_BROKEN=
	faults_home "machine.$FAULTS"
}
