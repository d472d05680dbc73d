# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# Scenes of the box: the real agent is PID 1 of its namespaces, its controller
# in another one with a cable between them. A fault strikes at the K-th of the
# session's or the courier's calls that change or send something, by strace's
# injection; or it is what the job does. Source after lib-faults.sh and ns.sh.

BOX_SET=openat,rename,renameat,unlink,unlinkat,mkdir,sendto,sendmsg,write
BOX_NAME=nsbox
BOX_MAX=120 # seconds from a boot to its end: the deadlines of its host file

box_list() {
	local k

	for k in 3 20 45 70 95 120 140 160 180 200 220; do
		echo "box session $k"
		echo "box cut $k"
	done
	for k in 2 8 15 25 40 60; do
		echo "box courier $k"
		echo "box hole $k"
		echo "box deaf $k"
		echo "box mute $k"
		echo "box sshd $k"
	done
	printf 'box job %s\n' network kill forks fill memory
}

box_job() { # NAME COMMAND
	cat >"$H/conf/jobs/$1.cfg" <<-CFG
		testcase = "test";
		command = "$2";
		iterations = 1;
		time_limit = "30s";
		monitor: { interval = "200ms"; };
	CFG
}

box_lab() {
	local SERVE_EXEC SERVE_PID SERVE_PORT

	lab_on
	lab_bridge
	new_home "$T/lab"
	H=$IRONRIG_HOME
	BOX_FINISHED=()
	SERVE_EXEC=(nsenter --target "$LAB" --net --)
	serve --address 198.51.100.1 --port 2222
	LAB_SERVE=$SERVE_PID
	cat >"$H/conf/hosts/nsbox.cfg" <<-CFG
		box = "nsbox";
		group = "test";
		controller = "198.51.100.1:2222";
		user = "$ME";
		net: { mac = "52:54:00:00:00:01"; address = "198.51.100.7/24"; };
		memory: { results = "16M"; work = "8M"; tmp = "8M"; };
		ship_deadline = "60s";
		idle = "1s";
		tune: { };
	CFG
	ironrig enroll nsbox --mac 52:54:00:00:00:01 \
		--controller 198.51.100.1:2222 >/dev/null || bail "enroll"
	# what it prints tells by itself whether it is whole
	box_job work "sh /bin/work"
	box_job network "sh /bin/work; ip link set mgmt down"
	box_job kill "sh /bin/work; kill -9 -1"
	box_job forks "sh /bin/work; for i in \$(seq 200); do sleep 1000 & done"
	box_job fill "sh /bin/work; cat /dev/zero >fill; cat /dev/zero >/tmp/fill"
	box_job memory "sh /bin/work; exec sh -c 'head -c 300000000 /dev/zero | tail >memory'"
	# the kernel gives a boot id of its own to machines only: this copy of
	# the agent reads it from its root, under a name as long
	sed 's|proc/sys/kernel/random/boot_id|root/boot_id-of-this-namespace|g' \
		"$BIN/ironrig-agent" >"$T/agent"
	chmod 755 "$T/agent"
	NS_AGENT=$T/agent
	ns_root
	ns_session work <<-'SH'
		head -c 20000 /dev/urandom | od -x >random
		cat random
		sha256sum random
	SH
	for applet in head od sha256sum seq ip kill tail; do
		ln -sf busybox "$ROOT/bin/$applet"
	done
	ns_overlay nsbox
}

box_lab_end() {
	stop "$LAB_SERVE"
	stop "$LAB"
	rm -rf "$ROOT" "$H"
}

box_on() {
	new_boot_id >"$ROOT/root/boot_id-of-this-namespace"
	: >"$T/console"
	ns_boot "$T/console" "${NS_WORDS[@]}"
	BOX=$BG_PID
	wait_for 20 grep -q agent "$T/console" || bail "$(cat "$T/console")"
	INIT=$(ns_init_pid)
	lab_cable "$INIT"
}

box_gone() {
	[ -z "${TRACER:-}" ] || stop "$TRACER"
	TRACER=
	kill -KILL "$BOX" 2>/dev/null
	wait "$BOX" 2>/dev/null
	lab_uncable
	box_read_console
}

# Which runs it finished, and which it was told are stored.
box_read_console() { # [FILE]
	local lease= line

	while read -r line; do
		if [[ $line =~ lease\ ([0-9a-f]{32}):\ job ]]; then
			lease=${BASH_REMATCH[1]}
		elif [[ $line =~ job\ [a-z]*:\ ok && -n $lease ]]; then
			BOX_FINISHED+=("$lease")
		elif [[ $line =~ $BOX_NAME\.([0-9a-f]{32})\.tar\.lz4\ is\ stored ]]; then
			BOX_STORED+=("${BASH_REMATCH[1]}")
		fi
	done <"${1:-$T/console}"
	cat "${1:-$T/console}" >>"$T/consoles"
	[ -z "${KEEP:-}" ] || cp "$T/consoles" "$KEEP.consoles"
}

child_of() { # PID NAME: the first with that name among its children
	local pid

	for pid in $(children_of "$1"); do
		[ "$2" = "$(cat "/proc/$pid/comm" 2>/dev/null)" ] && echo "$pid" &&
			return
	done
	return 1
}

box_session() {
	SESSION=$(cut -d' ' -f1 "/proc/$INIT/task/$INIT/children" 2>/dev/null)
	[ -n "$SESSION" ]
}

box_courier() {
	box_session && COURIER_BOX=$(child_of "$SESSION" courier)
}

# inject PID K SIGNAL: at its K-th call of BOX_SET
inject() {
	bg "$T/strace" strace -qq -p "$1" -o /dev/null -e trace=$BOX_SET \
		-e "inject=$BOX_SET:signal=$3:when=$2"
	TRACER=$BG_PID
}

box_done() {
	ended "$BOX" || grep -q 'is stored' "$T/console"
}

is_stopped() {
	local s

	s=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) || return 0 # gone
	[ "${s%% *}" = T ] || [ "${s%% *}" = t ]
}

# Until the box reboots for want of work, in up to 4 boots.
box_to_the_end() {
	local i before=$1

	for i in 1 2 3 4; do
		if ! wait_for $BOX_MAX ended "$BOX"; then
			broken deadline "still in boot $i after $BOX_MAX s: $(
				tail -n 3 "$T/console")"
			box_gone
			return
		fi
		box_gone
		[ "$(grep -c '^end .* ok ' "$H/store/nsbox/leases")" -gt \
			"$before" ] && return
		box_on
	done
	box_gone
	broken once "no run came through in 4 boots: $(tail -n 4 "$T/consoles")"
}

box_invariants() {
	local lease file out

	collect
	for lease in "${BOX_STORED[@]}" ${KEEPS_RESULTS:+"${BOX_FINISHED[@]}"}; do
		file=$H/store/$BOX_NAME/$BOX_NAME.$lease.tar.lz4
		[ -f "$file" ] ||
			broken once "finished run $lease is not in the store"
	done
	for file in "$H/store/$BOX_NAME"/*.tar.lz4; do
		[ -e "$file" ] || continue
		lease=${file##*"$BOX_NAME".}
		lease=${lease%.tar.lz4}
		out=$(lz4 -qdc "$file" | tar -xO result.cfg 2>/dev/null)
		[[ $out =~ lease\ =\ \"$lease\" ]] ||
			broken label "$lease says $out"
		[[ $out =~ outcome\ =\ \"lost\" ]] && continue
		grep -q "^run $lease ${X:-[^ ]*} " "$H/store/$BOX_NAME/leases" ||
			broken label "$lease was never given out"
		[[ $out =~ outcome\ =\ \"ok\" ]] || continue
		rm -rf "$T/x" && mkdir "$T/x"
		lz4 -qdc "$file" | tar -xf - -C "$T/x" iter ||
			broken bytes "$lease does not unpack"
		head -n -1 "$T"/x/iter/*1/stdout >"$T/x/random"
		(cd "$T/x" && tail -n 1 iter/*1/stdout | sha256sum -c --quiet) ||
			broken bytes "$lease: its output is not what it printed"
	done
	[ -z "$(ls "$H/store/$BOX_NAME/" | grep tar.lz4 | sort | uniq -d)" ] ||
		broken once "twice"
	out=$(find "$H/incoming/$BOX_NAME" "$H/quarantine/$BOX_NAME" -type f ! -name .lock \
		! -name '*.reason' ! -name '*.part')
	[ -z "$out" ] || broken partial "left behind: $out"
	check_index
}

declare -A BOX_ROW=(
	[session]="box: session killed at a step" [cut]="box: power cut at a step"
	[courier]="box: courier killed at a step" [hole]="box: black hole for 4 s"
	[deaf]="box: hears nothing for 4 s" [mute]="box: not heard for 4 s"
	[sshd]="box: its sshd killed at a step"
	[job]="box: the job does harm"
)

# The other end's hardware address, wrong for a while: what is sent arrives
# nowhere, in that direction alone.
astray() { # PID ADDRESS DEVICE
	nsenter --target "$1" --net ip neigh replace "$2" \
		lladdr 02:00:00:00:00:99 dev "$3" nud permanent
}
found() { # PID ADDRESS DEVICE
	nsenter --target "$1" --net ip neigh del "$2" dev "$3"
}

children_of() { # PID
	cat "/proc/$1/task/$1/children" 2>/dev/null
}

# All that the listening sshd has started, and what that has.
kill_sessions() {
	local listener session pid

	listener=$(child_of "$LAB_SERVE" sshd)
	for session in $(children_of "$listener"); do
		for pid in $(children_of "$session") "$session"; do
			kill -KILL "$pid" 2>/dev/null
		done
		KILLED=1
	done
}

# The box's session stands still: what happens then
strike() { # KIND
	case $1 in
	cut)
		KEEPS_RESULTS= # they were in memory
		kill -KILL "$INIT"
		return
		;;
	sshd)
		kill_sessions
		[ -n "$KILLED" ] || diag "$WHAT: no session of sshd"
		;;
	hole) in_lab ip link set far down ;;
	deaf) astray "$LAB" 198.51.100.7 lab0 ;;
	mute) astray "$INIT" 198.51.100.1 mgmt ;;
	esac
	kill -CONT "$SESSION"
	[ "$1" = sshd ] || sleep 4 # so long is the hole
	case $1 in
	hole) in_lab ip link set far up ;;
	deaf) found "$LAB" 198.51.100.7 lab0 ;;
	mute) found "$INIT" 198.51.100.1 mgmt ;;
	esac
}

scene_box() { # KIND K
	local before KEEPS_RESULTS=1 KILLED=

	if [ "$1" = job ]; then
		row "${BOX_ROW[job]}: $2"
	else
		row "${BOX_ROW[$1]}"
	fi
	faults_home_end
	box_lab
	BOX_FINISHED=() BOX_STORED=()
	: >"$T/consoles"
	[ "$1" = job ] && ironrig queue nsbox "$2" --count 1 >/dev/null
	[ "$1" = job ] || ironrig queue nsbox work --count 3 >/dev/null
	box_on
	case $1 in
	job) ;;
	courier) wait_for 20 box_courier ;;
	*) wait_for 20 box_session ;;
	esac
	case $1 in
	session) inject "$SESSION" "$2" SIGKILL ;;
	courier) inject "$COURIER_BOX" "$2" SIGKILL ;;
	job) ;;
	*)
		inject "$SESSION" "$2" SIGSTOP
		wait_for 60 is_stopped "$SESSION"
		stop "$TRACER"
		TRACER=
		strike "$1"
		;;
	esac
	if [ "$1" = job ]; then
		wait_for $BOX_MAX box_done ||
			broken deadline "$(tail -n 3 "$T/console")"
		box_gone
	else
		box_to_the_end 0
	fi
	box_invariants
	count_fault
	FAULT_BROKEN=
	box_lab_end
	faults_home "box.$FAULTS"
}
