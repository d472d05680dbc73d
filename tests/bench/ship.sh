#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Bringing results home beside ssh and scp, interleaved in one run: medians of
# REPS, and of the ratios of each pair; CPU seconds of the sending and of the
# receiving side. Wanted: 256 MiB verified, hashed and synced at no less than 0.7 of
# ssh's rate without any of that; connect and 100 KiB in at most half of ssh's
# time; 64 MiB over a 20 ms round trip no slower than scp; memory that does not
# grow with size.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
: "${REPS:=5}"

new_home "$T/home"
PORT=$(free_port)
ironrig enroll b1 --mac 52:54:00:00:00:01 --controller "127.0.0.1:$PORT" \
	>/dev/null || bail enroll

# One sshd for both, with a second key that may run any command. SHLVL keeps
# bash from reading this account's .bashrc, which can take longer than a verb.
ssh-keygen -q -t ed25519 -N '' -f "$T/any"
cat "$T/home/keys/authorized_keys" "$T/any.pub" >"$T/keys"
cat >"$T/sshd_config" <<-EOT
	Port $PORT
	ListenAddress 127.0.0.1
	HostKey $T/home/keys/controller_host_ed25519
	AuthorizedKeysFile $T/keys
	PidFile none
	StrictModes no
	UsePAM no
	SetEnv SHLVL=2
	Subsystem sftp internal-sftp
EOT
[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
bg "$T/sshd.log" "$(command -v sshd || echo /usr/sbin/sshd)" -D -e \
	-f "$T/sshd_config"
SSHD=$BG_PID
FAR_PORT=$(free_port)
bg "$T/proxy.log" "$IRONRIG_BUILD/tests/proxy" "$FAR_PORT" "$PORT" delay=10
for port in "$PORT" "$FAR_PORT"; do
	echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 \
		"$T/home/keys/controller_host_ed25519.pub")"
done >"$T/kh"
SSH=(-F none -q -i "$T/any" -o BatchMode=yes -o IdentitiesOnly=yes
	-o StrictHostKeyChecking=yes -o UserKnownHostsFile="$T/kh"
	-c aes128-gcm@openssh.com)

make_result() { # bytes: $T/$NAME
	local lease

	lease=$(new_lease)
	NAME=b1.$lease.tar.lz4
	rm -rf "$T/tree"
	mkdir "$T/tree"
	result_cfg b1 "$lease" "$(new_boot_id)" j1 k1 "$(printf '%064d' 1)" \
		"" 0 0 | grep -v '^experiment' >"$T/tree/result.cfg"
	head -c "$1" /dev/urandom >"$T/tree/noise"
	pack_result "$T/tree" "$T/$NAME"
}

agent_put() { # port
	agent_ship "$1" "$T/home/keys/boxes/b1" "$T/kh" --deadline 600 \
		put "$T/$NAME" >"$T/out" || bail "put"
}
ssh_put() { # port
	ssh "${SSH[@]}" -p "$1" 127.0.0.1 "cat >$T/copy && sync $T/copy" \
		<"$T/$NAME" || bail "ssh"
}
scp_put() { # port
	scp "${SSH[@]}" -P "$1" "$T/$NAME" "127.0.0.1:$T/copy" >/dev/null ||
		bail "scp"
}

# CPU ticks so far of what this shell, or sshd's listener, has waited for.
cpu_ticks() { # pid
	sed 's/.*) //' "/proc/$1/stat" | awk '{ print $14 + $15 }'
}
timed() { # command...: "seconds, CPU seconds here, at sshd" into $TOOK
	local t0 here there

	here=$(cpu_ticks $$) there=$(cpu_ticks "$SSHD")
	t0=$EPOCHREALTIME
	"$@"
	TOOK=$EPOCHREALTIME
	sleep 0.2 # sshd waits for its session's end
	TOOK=$(awk -v a="$t0" -v b="$TOOK" -v hz="$(getconf CLK_TCK)" \
		-v here="$(($(cpu_ticks $$) - here))" \
		-v there="$(($(cpu_ticks "$SSHD") - there))" \
		'BEGIN { print b - a, here / hz, there / hz }')
}
median() { # column
	awk -v c="$1" '{ print $c }' | sort -n |
		awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# race BYTES OURS THEIRS PORT: one pair a line, ours first
race() {
	local ours

	: >"$T/pairs"
	for _ in $(seq "$REPS"); do
		make_result "$1"
		timed "$2" "$4"
		ours=$TOOK
		timed "$3" "$4"
		echo "$ours $TOOK $(awk -v o="$ours" -v t="$TOOK" 'BEGIN {
			split(o, a); split(t, b); print b[1] / a[1] }')" \
			>>"$T/pairs"
		rm -f "$T/$NAME" "$T/copy" "$T/home/incoming/b1/$NAME"
	done
}
row() { # what, "rate" or "time" of ours by theirs, wanted
	awk -v what="$1" -v a="$(median 1 <"$T/pairs")" \
		-v b="$(median 4 <"$T/pairs")" -v r="$(median 7 <"$T/pairs")" \
		-v cpu="$(for c in 2 3 5 6; do median $c <"$T/pairs"; done |
			tr '\n' ' ')" -v kind="$2" -v want="$3" \
		'BEGIN { split(cpu, c)
			printf "%-34s %8.3f s %8.3f s  %s %.2f (wanted %s)\n",
			what, a, b, kind, kind == "rate" ? r : 1 / r, want
			printf "%-34s %.2f+%.2f s  %.2f+%.2f s\n",
			"  CPU, sending + receiving", c[1], c[2], c[3], c[4] }'
}

# Peak resident memory of the courier and of the receiver for one put.
peak() { # bytes
	local pid hwm courier=0 receiver=0 put

	make_result "$1"
	agent_put "$PORT" &
	put=$!
	while running $put; do
		while read -r pid name _; do
			hwm=$(awk '/VmHWM/ { print $2 }' "/proc/$pid/status" \
				2>/dev/null) || continue
			case $name in
			courier) courier=$((hwm > courier ? hwm : courier)) ;;
			ironrig) receiver=$((hwm > receiver ? hwm : receiver)) ;;
			esac
		done < <(ps -eo pid=,comm=,args= | awk -v home="$T/home" \
			'index($0, home) && $2 != "awk"')
	done
	wait $put
	rm -f "$T/$NAME" "$T/home/incoming/b1/$NAME"
	printf '%-34s courier %6d KiB, receiver %6d KiB\n' \
		"peak memory, $(($1 >> 20)) MiB" "$courier" "$receiver"
}

printf '%-34s %10s %10s\n' "" agent ssh/scp
race $((256 << 20)) agent_put ssh_put "$PORT"
row "256 MiB, verified, synced" rate ">= 0.70"
race 100000 agent_put ssh_put "$PORT"
row "connect + 100 KiB" time "<= 0.50"
race $((64 << 20)) agent_put scp_put "$FAR_PORT"
row "64 MiB, 20 ms round trip" rate ">= 1.00"
peak $((16 << 20))
peak $((256 << 20))
