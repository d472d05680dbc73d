#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# PID 1 with sessions that die, hang, flood and leave things behind.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/ns.sh"

ns_root

# ---- a session that dies -----------------------------------------------------

ns_session dies <<'SH'
echo "phase try 5000" >&3
exit 7
SH
ns_boot "$T/dies" ironrig.session=/bin/dies ironrig.restarts=2 ironrig.end=halt
ns_end 20
is "$NS_STATUS" $NS_HALTED "keeps dying: the configured end"
is "$(grep -c 'ended with 7 in phase "try"' "$T/dies")" 3 \
	"started three times: 1 + 2 restarts"
like "$(cat "$T/dies")" 'session starts again, 2 of 2' "it is said"
like "$(cat "$T/dies")" 'no more sessions, now: halt' "and the end, too"

ns_boot "$T/missing" ironrig.session=/bin/none ironrig.restarts=0
ns_end 20
is "$NS_STATUS" $NS_REBOOTED "no session at all: reboot is the default end"
like "$(cat "$T/missing")" '/bin/none: No such file' "what is missing is named"

ns_session crashes <<'SH'
kill -SEGV $$
SH
ns_boot "$T/crashes" ironrig.session=/bin/crashes ironrig.restarts=0
ns_end 20
like "$(cat "$T/crashes")" 'session killed by signal 11' "a signal is named"

# ---- a session that hangs ----------------------------------------------------

ns_session hangs <<'SH'
trap '' TERM INT HUP
if [ -e /run/second ]; then
	# what the first one left must be gone
	kill -0 "$(cat /run/left)" 2>/dev/null && echo "left: alive"
	echo "left: looked for"
	echo "last poweroff" >&3
	sleep 100
fi
echo x >/run/second
busybox setsid sh -c 'trap "" TERM; echo $$ >/run/left; sleep 100' &
while [ ! -s /run/left ]; do sleep 0.1; done
echo "phase stuck 300" >&3
sleep 100
SH
ns_boot "$T/hangs" ironrig.session=/bin/hangs
ns_end 30
is "$NS_STATUS" $NS_HALTED "overdue, killed, started again, powers off"
like "$(cat "$T/hangs")" 'phase "stuck" is overdue' "the phase is named"
like "$(cat "$T/hangs")" 'left: looked for' "the second one ran"
unlike "$(cat "$T/hangs")" 'left: alive' "nothing of the first one is left"

# ---- last stage ---------------------------------------------------------------

for op in reboot poweroff halt; do
	ns_session "$op-now" <<SH
echo "last $op" >&3
sleep 100
SH
	ns_boot "$T/$op" "ironrig.session=/bin/$op-now"
	ns_end 20
	[ $op = reboot ] && want=$NS_REBOOTED || want=$NS_HALTED
	is "$NS_STATUS" "$want" "last $op"
done

# A kexec without a loaded image is refused by the kernel: it reboots.
ns_session kexec-now <<'SH'
echo "last kexec" >&3
sleep 100
SH
ns_boot "$T/kexec" ironrig.session=/bin/kexec-now
ns_end 20
is "$NS_STATUS" $NS_REBOOTED "last kexec without a kernel: reboot"

ns_session deaf <<'SH'
busybox setsid sh -c 'trap "" TERM; sleep 100' &
echo "last reboot" >&3
trap '' TERM
sleep 100
SH
ns_boot "$T/deaf" ironrig.session=/bin/deaf
ns_end 30
is "$NS_STATUS" $NS_REBOOTED "processes that ignore SIGTERM do not stop it"

ns_session asks <<'SH'
busybox poweroff
sleep 100
SH
ns_boot "$T/asks" ironrig.session=/bin/asks
ns_end 20
is "$NS_STATUS" $NS_HALTED "busybox poweroff works"

# ---- messages -----------------------------------------------------------------

ns_session babbles <<'SH'
echo "" >&3
echo "phase" >&3
echo "last nonsense" >&3
busybox yes "phase flood 5000" | busybox head -c 200000 >&3
echo "phase calm 5000" >&3
echo "last halt" >&3
sleep 100
SH
ns_boot "$T/babbles" ironrig.session=/bin/babbles
ns_end 20
is "$NS_STATUS" $NS_HALTED "garbage and floods are survived"
like "$(cat "$T/babbles")" 'session: "last nonsense" is no message' \
	"garbage is named"

ns_session closes <<'SH'
exec 3>&-
sleep 100
SH
ns_boot "$T/closes" ironrig.session=/bin/closes
wait_for 5 grep -q agent "$T/closes"
ok "a closed socket does not spin or end PID 1" running "$BG_PID"
ticks() {
	awk '{ print $14 + $15 }' "/proc/$(ns_init_pid)/stat"
}
before=$(ticks)
sleep 1
ok "it uses no CPU meanwhile" [ $(($(ticks) - before)) -le 5 ]
stop "$BG_PID"

# ---- zombies ------------------------------------------------------------------

# Leaves 20 orphans that end at once; prints how many zombies there are then.
ns_session orphans <<'SH'
i=0
while [ $i -lt 20 ]; do
	sh -c 'sleep 0.1 &'
	i=$((i + 1))
done
n=1
end=$(($(busybox date +%s) + 5))
while [ $n -gt 0 ] && [ "$(busybox date +%s)" -lt $end ]; do
	sleep 0.3
	n=$(busybox grep -ls '^State:.Z' /proc/[0-9]*/status | busybox wc -l)
done
echo "zombies: $n"
echo "last halt" >&3
sleep 100
SH
ns_boot "$T/orphans" ironrig.session=/bin/orphans
ns_end 30
like "$(cat "$T/orphans")" 'zombies: 0' "orphans are reaped"

# The same under a PID 1 that does not: the test can fail.
bg "$T/control" unshare --pid --mount --net --fork --kill-child \
	chroot "$ROOT" /bin/busybox sh -c \
	'busybox mount -t proc proc /proc; busybox mount -t devtmpfs dev /dev
	busybox setsid /bin/orphans 3>/dev/null & exec busybox sleep 100'
wait_for 20 grep -q zombies: "$T/control"
like "$(cat "$T/control")" 'zombies: [1-9]' "negative control: zombies are seen"
stop "$BG_PID"

# ---- the session's surroundings -----------------------------------------------

ns_session looks <<'SH'
echo "oom $(cat /proc/self/oom_score_adj)"
echo "nofile $(ulimit -n)"
echo "path $PATH"
for m in /dev /proc /sys /run /sys/fs/cgroup /dev/shm /dev/pts; do
	busybox mountpoint -q $m 2>/dev/null ||
		busybox grep -q " $m " /proc/self/mounts && echo "mounted $m"
done
busybox grep -E '^Sig(Blk|Ign)' /proc/self/status
echo "last halt" >&3
sleep 100
SH
ns_boot "$T/looks" ironrig.session=/bin/looks
ns_end 20
out=$(cat "$T/looks")
if (echo -1000 >/proc/self/oom_score_adj) 2>/dev/null; then
	like "$out" 'oom -1000' "agent is safe from the OOM killer"
else # this machine does not allow it, not even to root
	like "$out" 'oom_score_adj: Permission denied' \
		"that the OOM killer may take the agent is said"
fi
most=$(ulimit -Hn)
like "$out" "nofile (1048576|$most)" "as many open files as may be"
like "$out" 'path /usr' "PATH"
for m in /dev /proc /sys /run /sys/fs/cgroup /dev/shm /dev/pts; do
	like "$out" "mounted $m" "$m"
done
like "$out" 'SigBlk:.0000000000000000' "the session has its signals unblocked"

nok "outside of PID 1 it refuses" "$ROOT/bin/ironrig-agent" init
done_testing
