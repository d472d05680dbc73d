# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# A private sshd with one forced command, for tests of the transport alone.
# Source after lib.sh; then sshd_setup, sshd_start, sshd_stop.
#
# The forced command is a small receiver that works in $T/ctl: it logs its
# words in calls, keeps part.NAME and done.NAME, and does what the file mode
# says: early (answers `error limit' after 100 kB), die (exits 7 then), conflict
# (refuses at once), noisy (prints before each answer). After a put's data it
# makes the file taken and waits while there is a file hold.

CTL=$T/ctl
SSHD_PID=

sshd_setup() {
	mkdir -p "$CTL"
	for k in host box other; do
		ssh-keygen -q -t ed25519 -N '' -f "$T/$k" || bail "ssh-keygen"
	done
	SSHD_PORT=$(free_port)
	cat >"$CTL/receive" <<-EOT
		#!/bin/bash
		cd "$CTL"
		set -- \$SSH_ORIGINAL_COMMAND
		echo "\$*" >>calls
		. ./verbs
	EOT
	chmod +x "$CTL/receive"
	cat >"$CTL/verbs" <<-'EOT'
		mode=$(cat mode 2>/dev/null)
		say() { echo "ironrig1 $*"; }
		sum() { echo "$(stat -c %s "$1") $(sha256sum <"$1" | cut -c1-64)"; }
		[ "$mode" = noisy ] && echo "Welcome to the lab"
		case $1 in
		hello) say hello box 1700000000 1.0 ;;
		get)
			say data "$(sum "$2")"
			cat "$2"
			;;
		have)
			if [ -e "done.$2" ]; then
				say done "$(sum "done.$2")"
			elif [ -e "part.$2" ]; then
				say part "$(stat -c %s "part.$2")"
			else
				say none
			fi
			;;
		put)
			case $mode in
			early) head -c 100000 >/dev/null
				say error limit disk full
				exit 1 ;;
			die) head -c 100000 >/dev/null
				echo "receiver: out of luck" >&2
				exit 7 ;;
			conflict) say error conflict another one is here
				exit 1 ;;
			esac
			dd of="part.$2" bs=64k seek="$3" oflag=seek_bytes \
				conv=notrunc 2>/dev/null
			: >taken
			while [ -e hold ]; do sleep 0.02; done
			if [ "$(stat -c %s "part.$2")" = "$(cat "size.$2")" ]; then
				mv "part.$2" "done.$2"
				say ok "$(sum "done.$2")"
			else
				say error format cut
				exit 1
			fi
			;;
		log)
			cat >>log
			say ok
			;;
		fail)
			echo "receiver: first trouble" >&2
			echo "receiver: last trouble" >&2
			exit 3
			;;
		*)
			say error input no such verb
			exit 1
			;;
		esac
	EOT
	echo "restrict,command=\"$CTL/receive\" $(cat "$T/box.pub")" \
		>"$T/authorized_keys"
	cat >"$T/sshd_config" <<-EOT
		Port $SSHD_PORT
		ListenAddress 127.0.0.1
		HostKey $T/host
		AuthorizedKeysFile $T/authorized_keys
		PidFile none
		StrictModes no
		UsePAM no
		PasswordAuthentication no
		KbdInteractiveAuthentication no
	EOT
	[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
	known_hosts "$SSHD_PORT"
}

known_hosts() { # known_hosts PORT...: pins the host key for them
	local port

	echo 'broken line' >"$T/known_hosts"
	for port in "$@"; do
		echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 "$T/host.pub")"
	done >>"$T/known_hosts"
}

sshd_listens() {
	(exec 3<>"/dev/tcp/127.0.0.1/$SSHD_PORT") 2>/dev/null
}

sshd_start() {
	bg "$T/sshd.log" "$(command -v sshd || echo /usr/sbin/sshd)" -D -e \
		-f "$T/sshd_config"
	SSHD_PID=$BG_PID
	wait_for 10 sshd_listens || bail "sshd: $(cat "$T/sshd.log")"
}

# The listener and the connections that it serves.
sshd_stop() {
	local pid

	for pid in $(ps -o pid= --ppid "$SSHD_PID"); do
		pkill -KILL -P "$pid"
		kill -KILL "$pid" 2>/dev/null
	done
	stop "$SSHD_PID"
}
