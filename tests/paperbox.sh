# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# A box on paper, for tests of whole experiments without a machine: it speaks
# the protocol through the private sshd with the stock ssh, "boots" whatever it
# is told to, and "measures" what the test says. To be sourced after lib.sh;
# the test defines
#
#	paper_ops KERNEL JOB BLOCK	the value that its iterations are around
#	paper_fault BOX KERNEL BLOCK POSITION
#		what goes wrong: "" nothing, unstable, failed, panic (in the
#		run), no-boot (before it asks for work), twice (every verb is
#		tried again), no-kexec,
#		lost (in a kexec, for good)
#
# and PAPER_WITHIN may say how far iterations lie apart (1: half a thousandth).

# paper_home: a home that boxes on paper reach without an sshd (PAPER_DIRECT).
paper_home() {
	SERVE_PORT=1
	PAPER_DIRECT=1
	new_home "$T/home"
	image_base
}

[ -x "$IRONRIG_BUILD/tests/jobid" ] ||
	bail "no $IRONRIG_BUILD/tests/jobid: make build/tests/jobid"

# paper_kernel NAME [APPEND]: registers one; its image is no program.
paper_kernel() {
	if [ ! -f "$T/vmlinuz" ]; then
		fake_image "$T/vmlinuz" '6.1.0-paper (me@here) #1 SMP Paper'
		mkdir -p "$T/m/lib/modules/6.1.0-paper/kernel"
	fi
	ironrig kernel add "$1" --force --vmlinuz "$T/vmlinuz" \
		--modules "$T/m" --append "${2:-paper=$1}" >"$T/kernel.log" \
		2>&1 || bail "kernel add $1: $(cat "$T/kernel.log")"
}

# paper_job NAME: two iterations, one primary stat, test.ops, higher is better
paper_job() {
	cat >"$IRONRIG_HOME/conf/jobs/$1.cfg" <<-CFG
		testcase = "test";
		command = "true";
		iterations = 2;
		run_limit = "60s"; time_limit = "10s";
		primary = [ "test.ops" ];
		extract = ( { name = "ops"; regex = "^ops ([0-9.]+)";
			unit = "ops/s"; better = "higher"; } );
	CFG
}

# paper_enroll BOX N [LINE...]: N makes its MAC; lines go into its host file.
paper_enroll() {
	local box=$1 n=$2

	shift 2
	ironrig enroll "$box" --group paper --kernel "$PAPER_HOME_KERNEL" \
		--mac "52:54:00:00:00:0$n" \
		--controller "127.0.0.1:$SERVE_PORT" >"$T/enroll.log" 2>&1 ||
		bail "enroll $box: $(cat "$T/enroll.log")"
	{
		echo 'idle = "1s"; boot_deadline = "30s"; ship_deadline = "10s";'
		printf '%s\n' "$@"
	} >>"$IRONRIG_HOME/conf/hosts/$box.cfg"
}

# verb BOX WORDS...: the answer without its tag; one connection serves many.
# With PAPER_DIRECT set it is what sshd would start, without it: an sshd's child
# costs more than all else here.
paper_verb() {
	local BOX_SSH=(-o ControlMaster=auto -o ControlPath="$T/$1.ssh"
		-o ControlPersist=60)

	if [ -n "${PAPER_DIRECT:-}" ]; then
		SSH_ORIGINAL_COMMAND="${*:2}" "$BIN/ironrig" receive "$1"
	else
		box_ssh "$@"
	fi | sed 's/^ironrig1 //'
}

# ask BOX WORDS...: the same, tried twice when the test wants it so
paper_ask() {
	local first second

	first=$(paper_verb "$@" </dev/null)
	if [ "$PAPER_FAULT" = twice ]; then
		second=$(paper_verb "$@" </dev/null)
		[ "$first" = "$second" ] ||
			echo "$*: $first, then $second" >>"$T/paper.odd"
	fi
	echo "$first"
}

# The kernel that the box's iPXE script leads to now, as NAME:ID.
paper_script() {
	local mac script

	mac=$(sed -n 's/.*mac = "\([0-9a-f:]*\)".*/\1/p' \
		"$IRONRIG_HOME/conf/hosts/$1.cfg")
	script=$IRONRIG_HOME/boot/mac-${mac//:/-}.ipxe
	grep -o 'ironrig\.kernel=[^ ]*' "$script" | head -n 1 | cut -d= -f2
}

paper_iterations() { # count
	local i

	echo 'iterations = ( '
	for ((i = 1; i <= $1; i++)); do
		printf '{ number = %d; start_ns = %dL; end_ns = %dL; }%s' $i \
			$((i * 1000000000)) $((i * 1000000000 + 500000000)) \
			"$([ $i = "$1" ] || echo ,)"
	done
	echo ' );'
}

# result BOX BOOT MODE LEASE JOB KERNEL ATTEMPT EXPERIMENT BLOCK POSITION
# OUTCOME STABLE: makes $T/BOX.packed
paper_result() {
	local dir=$T/$1.tree ops noise i n job=$IRONRIG_HOME/conf/jobs/$5.cfg

	[ ! -e "$T/$1.jobs/$5.cfg" ] || job=$T/$1.jobs/$5.cfg
	n=$(sed -n 's/.*iterations = \([0-9]*\);.*/\1/p' "$job")
	rm -rf "$dir"
	mkdir -p "$dir"
	{
		result_cfg "$1" "$4" "$2" "$5" "${6%%:*}" "${6#*:}" "$8" "$9" \
			"${10}" "${11}" "${12}" |
			sed "s/group = .*/group = \"paper\";/
				s/attempt = .*/attempt = $7;/
				s/params_path = .*/params_path = \"defaults\";/
				s/boot_mode = .*/boot_mode = \"$3\";/"
		echo "start_s = $(date +%s); end_s = $(date +%s);"
		echo "job_id = \"$("$IRONRIG_BUILD/tests/jobid" "$job")\";"
		paper_iterations "$n"
	} >"$dir/result.cfg"
	cp "$job" "$dir/job.cfg"
	# noise of a few parts in a thousand, the same in every run of the test
	noise=$(printf '%s' "$6 $8 $9 $5" | cksum | cut -d' ' -f1)
	ops=$(paper_ops "${6%%:*}" "$5" "$9")
	for ((i = 1; i <= n; i++)); do
		printf -v to '%s/iter/%03d' "$dir" $i
		mkdir -p "$to"
		awk "BEGIN { print \"ops\", $ops * (1 + ($noise % 7 - 3 + \
			${PAPER_WITHIN:-1} * (($i - 1) % 2 + 1)) / 2000) }" \
			>"$to/stdout"
	done
	pack_result "$dir" "$T/$1.packed"
}

# One answer "run ..."; 1: the boot ends in it.
paper_run() { # box boot mode "run" lease job kernel attempt experiment block pos
	local outcome=ok stable=true answer

	mkdir -p "$T/$1.jobs"
	paper_verb "$1" get "job/$6.cfg" </dev/null | sed 1d \
		>"$T/$1.jobs/$6.cfg"
	case $PAPER_FAULT in
	panic) return 1 ;;
	failed) outcome=failed ;;
	unstable) stable=false ;;
	esac
	paper_result "$1" "$2" "$3" "$5" "$6" "$7" "$8" "$9" "${10}" "${11}" \
		$outcome $stable
	answer=$(paper_verb "$1" put "$1.$5.tar.lz4" 0 <"$T/$1.packed")
	[[ $answer = "ok "* ]] || echo "put: $answer" >>"$T/paper.odd"
	PAPER_DONE=$5
}

# One boot: PAPER_KERNEL and PAPER_MODE are what it is, and what comes next.
paper_boot() { # box
	local boot answer w fault

	boot=$(new_boot_id)
	PAPER_DONE=
	PAPER_FAULT=
	paper_ask "$1" hello "$boot" 1.0 "$PAPER_KERNEL" "$PAPER_MODE" \
		>/dev/null
	while [ -e "$T/$1.on" ]; do
		answer=$(paper_ask "$1" next "$boot" \
			${PAPER_DONE:+"$PAPER_DONE"})
		read -ra w <<<"$answer"
		case ${w[0]:-} in
		run)
			PAPER_FAULT=$(paper_fault "$1" "${w[3]%%:*}" "${w[6]}" \
				"${w[7]}")
			paper_run "$1" "$boot" "$PAPER_MODE" "${w[@]}" || {
				PAPER_MODE=firmware
				return
			}
			;;
		boot | reboot)
			PAPER_MODE=${w[1]:-firmware}
			fault=
			[ "${w[0]}" = reboot ] || fault=$(paper_fault "$1" \
				"${w[2]%%:*}" boot "$PAPER_MODE")
			case $PAPER_MODE$fault in
			kexecno-kexec)
				paper_verb "$1" state kexec-failed - refused \
					</dev/null >/dev/null
				PAPER_MODE=firmware
				;;
			kexeclost)
				while [ -e "$T/$1.on" ]; do
					sleep 0.1
				done
				return
				;;
			kexec)
				PAPER_KERNEL=${w[2]}
				return
				;;
			esac
			# firmware: whatever the script says now
			[ "$fault" = no-boot ] && paper_verb "$1" hello \
				"$(new_boot_id)" 1.0 "$(paper_script "$1")" \
				firmware </dev/null >/dev/null
			return
			;;
		idle) sleep 0.1 ;;
		*)
			echo "next: $answer" >>"$T/paper.odd"
			sleep 0.1
			;;
		esac
	done
}

# paper_on BOX: switches it on; it runs in the background until paper_off BOX.
paper_on() {
	: >"$T/$1.on"
	bg "$T/$1.log" paper_power "$1"
	printf -v "PAPER_PID_$1" %s "$BG_PID"
}

paper_power() {
	trap - EXIT
	PAPER_KERNEL=
	PAPER_MODE=firmware
	while [ -e "$T/$1.on" ]; do
		[ "$PAPER_MODE" = kexec ] || PAPER_KERNEL=$(paper_script "$1")
		paper_boot "$1"
	done
}

paper_off() {
	local pid=PAPER_PID_$1

	rm -f "$T/$1.on"
	wait_for 20 ended "${!pid}" || stop "${!pid}"
	ssh -F none -o ControlPath="$T/$1.ssh" -O exit paper 2>/dev/null
	return 0
}

# odd answers that a box got; none in a good test
paper_odd() {
	cat "$T/paper.odd" 2>/dev/null
}
