#!/bin/bash
# The scaling workloads: figures in both modes, the measured call dominates, a
# dying or failing task fails the run, options, the sweep's columns.
# shellcheck disable=SC2317 # functions that ok calls
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

export TMPDIR=$T/files
mkdir "$TMPDIR"

run() { # run ARGUMENT...: into out, err and status
	"$BIN/ironrig-agent" scale "$@" >"$T/out" 2>"$T/err" && status=0 || status=$?
}

field() { sed -n "1s/.* $1=\([^ ]*\).*/\1/p" "$T/out"; }

# Two tasks, all figures there, all tasks at work, the sum is the sum.
figures() { # figures MODE
	[ "$status" = 0 ] && [ "$(field mode)" = "$1" ] &&
		[ "$(field tasks)" = 2 ] && [ "$(field min_task_ops)" -gt 0 ] &&
		awk -v ops="$(field ops)" -v lo="$(field min_task_ops)" \
			-v hi="$(field max_task_ops)" \
			'$1 == "task" { if ($2 != n++) exit 1; s += $3
				if ($3 < lo || $3 > hi) exit 1 }
			END { exit !(n == 2 && s == ops) }' "$T/out"
}

refused() { # refused TEXT: usage error that says TEXT, nothing on stdout
	[ "$status" = 2 ] && grep -qF -- "$1" "$T/err" && [ ! -s "$T/out" ]
}

failed() { # failed REGEX: exit 1, reason on stderr, no figures
	[ "$status" = 1 ] && grep -qE -- "$1" "$T/err" && [ ! -s "$T/out" ]
}

empty() { [ -z "$(ls -A "$TMPDIR")" ]; }

run --list
cp "$T/out" "$T/list"
ok "--list names lock1" grep -q '^lock1 ' "$T/list"
ok "and at least 20 more" [ "$(wc -l <"$T/list")" -ge 21 ]
while read -r name _; do
	for mode in process thread; do
		run "$name" --mode $mode --tasks 2 --seconds 0.1 --warmup 0
		# on a busy machine a task may not have run at all in that
		[ "$(field min_task_ops)" != 0 ] ||
			run "$name" --mode $mode --tasks 2 --seconds 3
		ok "$name, $mode mode" figures $mode
	done
done <"$T/list"
ok "no file is left behind" empty

run lock1 --tasks 2 --seconds 0.3 --warmup 0.1 --pin
ok "the window is the one asked for" awk -v s="$(field seconds)" \
	'BEGIN { exit !(s >= 0.3 && s < 3) }'
ok "rate is operations over the window" awk -v r="$(field ops_per_s)" \
	-v o="$(field ops)" -v s="$(field seconds)" \
	'BEGIN { d = r - o / s; exit !(d < r / 1e4 && d > -r / 1e4) }'
ok "pinning and warm-up are recorded" \
	[ "$(field pinned) $(field warmup)" = "1 0.100" ]
ok "idle share is a percentage" grep -qE ' idle_pct=[0-9]+\.[0-9][0-9] ' \
	"$T/out"
run lock1 --tasks 1% --seconds 0.05 --warmup 0
ok "a percentage is never 0 tasks" [ "$(field tasks)" = 1 ]

for t in 0 -1 x 2x '' 0% 99999; do
	run lock1 --tasks "$t" --seconds 0.1
	ok "--tasks '$t' is refused" refused "$t"
done
run lock1 --seconds 0
ok "no window is refused" refused '"0"'
run lock1 --mode fibre
ok "an unknown mode is refused" refused '"fibre"'
run lokc1
ok "an unknown workload is refused" refused '"lokc1"'
run
ok "no workload is refused" refused 'must be named'
run lock1 --sweep --mode thread
ok "--sweep with --mode is refused" refused '--sweep'

# A mutex costs a locked instruction in both modes; glibc leaves it out for a
# process of one thread unless it is told, and is four times as fast then.
per_cpu_second() { # mode: operations of mutex_sep by user time
	local TIMEFORMAT=%U

	{ time run mutex_sep --mode "$1" --tasks 1 --seconds 0.5 --warmup 0; } \
		2>"$T/user"
	awk -v ops="$(field ops)" '{ printf "%.0f\n", ops / ($1 + 1e-3) }' "$T/user"
}
same_work() {
	for _ in 1 2 3 4 5; do
		awk -v a="$(per_cpu_second process)" -v b="$(per_cpu_second thread)" \
			'BEGIN { exit !(a < 2 * b && b < 2 * a) }' && return 0
	done
	return 1
}
ok "mutex_sep does the same in both modes" same_work

# A task that is killed: the run fails at once and says which.
"$BIN/ironrig-agent" scale lock1 --mode process --tasks 2 --seconds 60 --warmup 0 \
	>"$T/out" 2>"$T/err" &
pid=$!
children() {
	# one line without its newline: read's own status says nothing
	read -r first second <"/proc/$pid/task/$pid/children"
	[ "$second" ]
}
wait_for 10 children
kill -KILL "$second"
wait "$pid" && status=0 || status=$?
ok "a killed task fails the run" failed '^scale: lock1: task 1: killed by '
ok "the other task is gone too" [ ! -e "/proc/$first" ]
ok "a failed run leaves no file" empty

# Stopped from outside: no figures.
"$BIN/ironrig-agent" scale lock1 --mode thread --tasks 2 --seconds 60 >"$T/out" \
	2>"$T/err" &
pid=$!
wait_for 10 grep -q '^SigBlk:.*[4-7c-f]...$' "/proc/$pid/status"
kill -TERM $pid
wait $pid && status=0 || status=$?
ok "SIGTERM gives no figures" failed 'stopped by '
ok "a stopped run leaves no file" empty

TMPDIR=$T/absent run lock1 --tasks 2 --seconds 0.1
ok "a folder that is missing" failed 'absent'
(
	ulimit -n 8
	run lock1 --mode thread --tasks 8 --seconds 0.1
	echo "$status" >"$T/rc"
)
status=$(cat "$T/rc")
ok "a failing preparation names its task" failed 'task [0-9]+: .*open files'
(
	ulimit -v 200000 # 256 KiB of stack each: too many of them
	run lock1 --mode thread --tasks 2000 --seconds 0.1
	echo "$status" >"$T/rc"
)
status=$(cat "$T/rc")
case $IRONRIG_BUILD in
*/san) ;; # ASan needs its address space
*) ok "pthread_create that fails is an error" \
	failed 'task [0-9]+: pthread_create' ;;
esac

# strace: what is called, and a call that fails half-way. LeakSanitizer wants
# ptrace for itself.
export ASAN_OPTIONS=detect_leaks=0
# share NAME CALL|CALL...: these are nearly all that the task does. A busy
# machine gets a longer window, until there are enough calls to judge.
share() {
	local seconds

	for seconds in 0.1 0.5 4; do
		strace -f -c -o "$T/calls" "$BIN/ironrig-agent" scale "$1" \
			--tasks 1 --seconds "$seconds" --warmup 0 \
			>"$T/out" 2>"$T/err" || return 1
		awk -v call="^($2)$" '$NF ~ call { n += $4 }
			$NF != "total" && $4 ~ /^[0-9]+$/ { all += $4 }
			END { exit !(n > 300 && n / all > 0.6) }' "$T/calls" &&
			return 0
	done
	return 1
}
if strace -o /dev/null true 2>/dev/null; then
	while read -r name calls; do
		ok "$name is $calls" share "$name" "$calls"
	done <<-EOT
		lock1 fcntl
		getppid getppid
		pread pread64
		read read
		write write
		futex futex
		dup dup|close
		unlink openat|close|unlinkat
		tlb_flush mprotect
		brk brk
		socketpair socketpair|close
		mmap mmap|munmap
	EOT
	# Negative control: the check can fail.
	nok "dup is not mmap" share dup mmap
	for mode in process thread; do
		strace -f -o /dev/null -e trace=fcntl \
			-e inject=fcntl:error=ENOLCK:when=100 \
			"$BIN/ironrig-agent" scale lock1 --mode $mode --tasks 2 \
			--seconds 20 >"$T/out" 2>"$T/err" && status=0 || status=$?
		ok "a failing call fails the run, $mode mode" \
			failed 'task [01]: fcntl .*No locks'
	done
else
	skip "no strace, or ptrace is not allowed" 15
fi

run lock1 --sweep --tasks 3 --seconds 0.1 --warmup 0
cat >"$T/sweep.awk" <<'EOT'
NR == 1 { if ($0 != "tasks,processes,processes_idle,threads,threads_idle," \
	"linear") exit 1; next }
NR == 2 { if ($0 != "0,0,100,0,100,0") exit 1; next }
{ if (NF != 6 || $1 != NR - 2 || $2 !~ /^[1-9][0-9]*$/ ||
	$4 !~ /^[1-9][0-9]*$/ || $3 !~ /^[0-9]+\.[0-9][0-9]$/) exit 1 }
NR == 3 { single = $2 > $4 ? $2 : $4 }
{ d = $6 - single * $1; if (d > $1 || d < -$1) exit 1 }
END { if (NR != 5) exit 1 }
EOT
ok "a sweep has the columns of will-it-scale" \
	awk -F, -f "$T/sweep.awk" "$T/out"
run lock1 --sweep --tasks 35 --seconds 0.005 --warmup 0
ok "a long sweep has 1, steps, and the last" [ \
	"$(sed 1,2d "$T/out" | cut -d, -f1 | tr '\n' ' ')" = \
	"1 3 6 9 12 15 18 21 24 27 30 33 35 " ]
done_testing
