#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A controller that is broken or in the wrong hands, by the real sshd: what it
# answers, how long it talks, where it stops, which key it shows. First against
# the courier, then against a whole box in namespaces.
# shellcheck disable=SC2016,SC2001,SC2317 # texts for the other side; functions that ok calls
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/sshd.sh
. "$TOP/tests/sshd.sh"

sshd_setup
sshd_start


# verbs: what the controller does from now on: a shell script from stdin
verbs() {
	{
		echo 'say() { echo "ironrig1 $*"; }'
		cat
	} >"$CTL/verbs.new"
	mv "$CTL/verbs.new" "$CTL/verbs"
}

# ask MS LINE...: lines for the driver, each with that deadline. What it printed
# in $said, its complaints in $T/err, how long it took in $took (s), and the
# largest memory of its processes in $rss (kB).
ask() {
	local begin=$SECONDS pid now child

	export COURIER_MS=$1
	shift
	printf '%s\n' "$@" >"$T/lines"
	"$IRONRIG_BUILD/tests/courier" "127.0.0.1:$SSHD_PORT" "$(id -un)" \
		"$T/box" "$T/known_hosts" <"$T/lines" >"$T/said" 2>"$T/err" &
	pid=$!
	BG_PIDS+=("$pid")
	rss=0
	while running "$pid" && [ $((SECONDS - begin)) -lt 90 ]; do
		for child in "$pid" \
			$(cat "/proc/$pid/task/$pid/children" 2>/dev/null); do
			now=$(awk '/^VmHWM/ { print $2 }' \
				"/proc/$child/status" 2>/dev/null)
			[ "${now:-0}" -le "$rss" ] || rss=$now
		done
		sleep 0.02
	done
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	left=$?
	took=$((SECONDS - begin))
	said=$(tr '\0' '0' <"$T/said")
}

# 5 s of grace until the caller gives a courier up, and a slow machine
in_time() { # MS
	[ "$took" -le $(($1 / 1000 + 5 + 20)) ] && [ "$left" != 137 ]
}

# refused MS ERE DESCRIPTION LINE...: an error like that, in time and memory
refused() {
	local ms=$1 ere=$2 what=$3

	shift 3
	ask "$ms" "$@"
	like "$said" "^error .*($ere)" "$what"
	ok "$what: in time, in $rss kB" in_time "$ms"
	[ "$rss" -lt "${RSS_MAX:-65536}" ] || tap_result 1 "$what: $rss kB"
	unlike "$said$(cat "$T/err")" $'[\001-\010\013-\037]' \
		"$what: nothing that moves a terminal's cursor"
}
case $IRONRIG_BUILD in
*/san) RSS_MAX=1000000 ;;
esac

# ---- answers -----------------------------------------------------------------

verbs <<<'while :; do printf %01000d 0; done'
refused 8000 'no answer|without an answer' "an endless line" "call hello"
verbs <<<'yes noise'
refused 8000 'without an answer|no answer' "endless lines" "call hello"
verbs <<<'cat /dev/zero'
refused 8000 'without an answer|no answer' "endless zeros" "call hello"
verbs <<<'yes trouble >&2'
refused 2000 'timeout' "an endless complaint" "call hello"
verbs <<<'say ok; yes'
refused 8000 'unexpected|behind' "an answer without end" "call hello"
verbs <<<'printf "ironrig1 hello %02000d\n" 0'
refused 2000 '.' "an answer of 2000 bytes" "call hello"
verbs <<<'printf "ironrig1 hello \033[2J\033]0;x\007 b\n"'
refused 2000 '.' "an answer that would clear the screen" "call hello"
verbs <<<'printf "ironrig1 error limit \033[2Jx\n"; exit 1'
refused 2000 '.' "a refusal that would" "call hello"
verbs <<<'printf "\033[2J\n" >&2; exit 3'
refused 2000 '.' "a complaint that would" "call hello"
verbs <<<'printf "\0\0\0\n\0"; say ok | tr k "\0"'
refused 2000 '.' "zeros within the answer" "call hello"
verbs <<<'printf "ironrig1 "; while :; do printf o; sleep 0.1; done'
refused 2000 'timeout' "an answer by the byte" "call hello"
verbs <<<'exec sleep 60'
refused 2000 'timeout' "no answer" "call hello"
verbs <<<'say ok; exec sleep 60'
refused 2000 'timeout' "an answer, and no end" "call hello"
verbs <<<'say ok 1 2 3 4 5 6 7 8 9 10 11 12 13 14'
refused 2000 'words|.' "too many words" "call hello"

# the right answer, cut at each byte by an end and by a cut connection
answer='ironrig1 hello box 1700000000 1.0'
cut=
for ((n = 0; n < ${#answer}; n += 4)); do
	for end in 'exit 0' 'kill -9 $PPID'; do
		verbs <<<"printf %s '${answer:0:n}'; $end"
		ask 400 "call hello"
		[[ $said = "error "* ]] && in_time 400 || cut+="$n: $said"$'\n'
	done
done
is "$cut" "" "an answer that stops at any byte is none"

# ---- files -------------------------------------------------------------------

sha=$(printf %064d 0)
get() {
	rm -f "$T/got"
	refused "$@" "get $T/got get host.cfg"
	ok "$3: not more than that is written" test \
		"$(stat -c %s "$T/got" 2>/dev/null || echo 0)" -le 4194304
}
verbs <<<"say data 5 $sha; yes"
get 8000 'more than' "more bytes than announced"
verbs <<<"say data 99999999999999 $sha; cat /dev/zero"
get 8000 'at most' "a file that fills the memory"
verbs <<<"say data 18446744073709551616 $sha; cat /dev/zero"
get 8000 'unexpected' "a size that overflows"
verbs <<<"say data -1 $sha; cat /dev/zero"
get 8000 'unexpected' "a negative size"
verbs <<<"say data 4 $sha; printf test"
get 8000 'SHA-256' "bytes of another hash"
verbs <<<"say data 4 $(printf test | sha256sum | cut -c1-64); printf tes"
get 8000 'not the 4' "a byte too few"

# ---- puts --------------------------------------------------------------------

# put MS ERE DESCRIPTION: a file of 1 MiB brought to the controller
put() {
	local ms=$1 begin=$SECONDS pid

	printf 'piece\nwhole\n' >"$T/lines"
	COURIER_MS=$ms timeout -k 1 90 "$IRONRIG_BUILD/tests/courier" \
		"127.0.0.1:$SSHD_PORT" "$(id -un)" "$T/box" "$T/known_hosts" \
		b.tar.lz4 "$T/file" <"$T/lines" >"$T/said" 2>"$T/err"
	left=$?
	took=$((SECONDS - begin))
	said=$(cat "$T/said")
	like "$said" "^error .*($2)" "$3"
	ok "$3: in time" in_time "$ms"
}
verbs <<<"case \$1 in have) say none ;; *) say ok 1048576 $sha ;; esac"
put 8000 'another' "ok before the data"
verbs <<<"case \$1 in have) say none ;; *) cat >/dev/null; say ok 1048576 $sha ;; esac"
put 8000 'another' "ok for other bytes"
verbs <<<"say done 1048576 $sha"
put 8000 'another' "another file is there already"
verbs <<<"case \$1 in have) say part 999999999999999999999 ;; *) cat >/dev/null; say ok ;; esac"
put 8000 'another' "more of it is there than exists"
verbs <<<'say part -5'
put 3000 '.' "less than nothing is there"
verbs <<<'case $1 in have) say none ;; *) yes >&2 ;; esac'
put 2000 'timeout' "an endless complaint in a put"
verbs <<<'case $1 in have) say none ;; *) exec sleep 60 ;; esac'
put 2000 'timeout' "a put that nobody reads"

# ---- another host key ----------------------------------------------------------

verbs <<<'case $1 in hello) say hello ;; get) say data 0 x ;; esac'
ssh-keygen -q -t ed25519 -N '' -f "$T/foreign"
rm -f "$T/in" "$T/said"
mkfifo "$T/in"
COURIER_MS=60000 "$IRONRIG_BUILD/tests/courier" "127.0.0.1:$SSHD_PORT" \
	"$(id -un)" "$T/box" "$T/known_hosts" <"$T/in" >"$T/said" 2>"$T/err" &
BG_PIDS+=("$!")
exec 5>"$T/in"
has() { [ "$(wc -l <"$T/said")" -ge "$1" ]; }
echo "call hello" >&5
ok "the right key: answered" wait_for 20 has 1
sshd_stop
sed -i "s|^HostKey .*|HostKey $T/foreign|; \$a LogLevel DEBUG1" "$T/sshd_config"
cp "$T/sshd.log" "$T/sshd.first"
sshd_start
echo "call hello" >&5
ok "another key in its place: told on the console" wait_for 40 \
	grep -q 'host key SHA256:.* is not the one' "$T/err"
is "$(grep -cE 'userauth-request|Accepted|Starting session' "$T/sshd.log")" 0 \
	"and the other one heard nothing, not even who asks"
ok "no answer" test "$(wc -l <"$T/said")" = 1
sshd_stop
sed -i "s|^HostKey .*|HostKey $T/host|; /LogLevel/d" "$T/sshd_config"
sshd_start
ok "the right one again: the call is still answered" wait_for 60 has 2
is "$(cat "$T/said")" $'answer hello\nanswer hello' "and nothing else was"
exec 5>&-

# ---- the kernel's messages -------------------------------------------------------

# sent when nothing else is to be done, they must not keep the rest waiting
verbs <<<'case $1 in hello) say hello ;; log) : >logs; yes >&2 ;; esac'
mkfifo "$T/in2"
COURIER_MS=60000 "$IRONRIG_BUILD/tests/courier" "127.0.0.1:$SSHD_PORT" \
	"$(id -un)" "$T/box" "$T/known_hosts" <"$T/in2" >"$T/said" 2>"$T/err" &
BG_PIDS+=("$!")
exec 5>"$T/in2"
echo "call hello" >&5
ok "a call" wait_for 20 has 1
echo "kmsg 3,1,1,-;BUG: text" >&5
ok "a message is being sent, and answered without end" \
	wait_for 20 test -e "$CTL/logs"
echo "call hello" >&5
ok "the next call waits for that as long as it may take" wait_for 40 has 2
is "$(cat "$T/said")" $'answer hello\nanswer hello' "and is answered"
exec 5>&-
sshd_stop

# ---- a whole box -------------------------------------------------------------------

# shellcheck source=tests/pid1/ns.sh
. "$TOP/tests/pid1/ns.sh"

bg "$T/lab" unshare --net sleep 1000
LAB=$BG_PID
in_lab() { nsenter --target "$LAB" --net -- "$@"; }
lab_is_there() {
	[ "$(readlink "/proc/$LAB/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}
wait_for 5 lab_is_there || bail "no network namespace"
in_lab ip link set lo up
in_lab ip link add lab0 type bridge
in_lab ip addr add 198.51.100.1/24 dev lab0
in_lab ip link set lab0 up
sed -i "s/^Port .*/Port 22/; s/^ListenAddress .*/ListenAddress 198.51.100.1/" \
	"$T/sshd_config"
bg "$T/sshd.log" nsenter --target "$LAB" --net -- \
	"$(command -v sshd || echo /usr/sbin/sshd)" -D -e -f "$T/sshd_config"

HOST_CFG='box = "nsbox"; group = "test"; controller = "198.51.100.1:22";
user = "'$(id -un)'"; ship_deadline = "15s"; idle = "1s"; end = "halt";
net: { mac = "52:54:00:00:00:01"; address = "198.51.100.7/24"; };
memory: { results = "16M"; work = "8M"; tmp = "8M"; }; tune: { };'
JOB_CFG='testcase = "t"; command = "echo good"; iterations = 1;
time_limit = "20s"; monitor: { interval = "200ms"; };'
EVIL_JOB='testcase = "t"; command = "echo evil";'

ns_root
rm "$ROOT/etc/ironrig/key"
cp "$T/box" "$ROOT/etc/ironrig/key"
echo "[198.51.100.1]:22 $(cut -d' ' -f1,2 "$T/host.pub")" \
	>"$ROOT/etc/ironrig/known_hosts"
echo "198.51.100.1 $(cut -d' ' -f1,2 "$T/host.pub")" \
	>>"$ROOT/etc/ironrig/known_hosts"
printf '%s\n' "$HOST_CFG" >"$ROOT/etc/ironrig/host.cfg"
ns_seal

# The controller: attack N is one lease, whose host.cfg or job.cfg is the file
# host.N or job.N; when `next' says that it is done, the next one follows.
verbs <<-'EOT'
	data() { say data "$(stat -c %s "$1") $(sha256sum <"$1" | cut -c1-64)"; cat "$1"; }
	n=$(cat n)
	case $1 in
	hello) say hello nsbox "$(date +%s%N)" 1.0 ;;
	next)
		if [ "$3" = "$(printf %032d "$n")" ]; then
			n=$((n + 1))
			echo "$n" >n
		fi
		if [ -e "next.$n" ]; then
			. "./next.$n"
		else
			say run "$(printf %032d "$n")" "j$n" - 1 - 0 0
		fi ;;
	get)
		case $2 in
		host.cfg) f=host.$n ;;
		job/*) f=job.$n ;;
		*)
			say error notfound no such file
			exit 1 ;;
		esac
		[ -e "$f" ] || f=${f%%.*}.good
		data "$f" ;;
	state)
		echo "$*" >>state
		say ok ;;
	have) say none ;;
	put)
		cat >"result.$n"
		say ok "$(stat -c %s "result.$n") $(sha256sum <"result.$n" | cut -c1-64)" ;;
	log)
		cat >/dev/null
		say ok ;;
	esac
EOT
cd "$CTL" || bail "$CTL"
printf '%s\n' "$HOST_CFG" >host.good
printf '%s\n' "$JOB_CFG" >job.good
echo 1 >n
count=0
evil=()
job() { # TEXT: a job.cfg that must not run
	count=$((count + 1))
	printf '%s\n' "$1" >"job.$count"
	evil[count]="job.cfg: ${1:0:50}"
}
host() {
	count=$((count + 1))
	printf '%s\n' "$1" >"host.$count"
	evil[count]="host.cfg: ${1:0:50}"
}
job ''
job '{{{{{'
job "$(printf '(%.0s' {1..20000})"
job "$(head -c 3000 /dev/urandom | tr -d '\0')"
job "@include \"/etc/ironrig/key\""
job "$JOB_CFG $JOB_CFG"
job 'command = 5;'
for line in 'command = [ "a", "b" ];' 'iterations = 0;' 'iterations = -1;' \
	'iterations = 99999999999999999999;' 'iterations = "many";' \
	'time_limit = "-5s";' 'time_limit = "99999999999999h";' \
	'run_limit = "1e99s";' 'nonsense = true;' 'bundles = [ "../../etc" ];' \
	'bundles = [ "missing" ];' 'params = { a = { b = 1; }; };' \
	'monitor: { interval = "0s"; };' 'monitor: { add = [ "../x" ]; };' \
	'needs: { memory = "999999999G"; };' 'limit: { memory = "-1"; };' \
	'limit: { nofile = 99999999999; };' \
	'keep = [ "/etc/ironrig/key" ];' 'keep = [ "../../etc/ironrig/key" ];' \
	'tune: { governor = "../../x"; require = [ "governor" ]; };'; do
	job "$EVIL_JOB $line"
done
host ''
host 'box = "other"; group = "test";'
for line in 'controller = "nowhere";' 'memory: { results = "99999999G"; };' \
	'memory: { results = "-1"; work = "0"; };' 'ship_deadline = "-1s";' \
	'idle = "0s";' 'panic = -99999999999;' 'watchdog: { device = 5; };' \
	'net: { mac = "x"; };' 'nonsense = 1;' 'tune: { turbo = "perhaps"; };'; do
	host "$(sed "s/${line%%[ :]*} *[=:][^;]*;.*//" <<<"$HOST_CFG") $line"
done
head -c 3000000 /dev/zero >"job.$((count + 1))"
count=$((count + 1))
evil[count]="job.cfg of 3 MB"
good=$((count + 1))
# over the good one, whose lease then is named once more
# shellcheck disable=SC2016 # for the controller
echo '[ -e again ] && { : >over; n=$((n + 1)); echo $n >n; }; : >again
say run "$(printf %032d '$good')" j'$good' - 1 - 0 0' >"next.$((good + 1))"
echo 'say run ../../../etc - - - - - -' >"next.$((good + 2))"
echo 0 >"$T/memory"
cd "$TOP" || bail "$TOP"

ns_boot "$T/console" "${NS_WORDS[@]}"
BOX=$BG_PID
wait_for 10 grep -q agent "$T/console" || bail "$(cat "$T/console")"
in_lab ip link add far type veth peer name mgmt address 52:54:00:00:00:01
in_lab ip link set far master lab0 up
in_lab ip link set mgmt netns "$(ns_init_pid)"
INIT=$(ns_init_pid)

largest=0
until ended "$BOX" || [ $SECONDS -gt 400 ]; do
	for pid in "$INIT" $(cat "/proc/$INIT/task/$INIT/children" 2>/dev/null); do
		now=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status" 2>/dev/null)
		[ "${now:-0}" -le "$largest" ] || largest=$now
	done
	sleep 0.2
done
ns_end 5
for ((n = 1; n <= count; n++)); do
	like "$(grep "failed $(printf %032d $n)" "$CTL/state")" 'failed' \
		"${evil[n]//$'\n'/ }: told"
	[ ! -e "$CTL/result.$n" ] || tap_result 1 "${evil[n]//$'\n'/ }: no result"
done
ok "then a good job ran" test -s "$CTL/result.$good"
like "$(cat "$T/console")" "lease 0*$good is over: asking again" \
	"a lease that is over is not run again"
is "$(grep -c "lease 0*$good: job" "$T/console")" 1 "it ran once"
like "$(cat "$T/console")" 'malformed lease|not understood' \
	"a lease that is none ends the boot"
is "$NS_STATUS" $NS_HALTED "as configured"
unlike "$(cat "$T/console")" 'killed by signal|starts again' "nothing died of it"
ok "$largest kB at most" test "$largest" -lt "${RSS_MAX:-65536}"
nok "and the key is in nothing that left the box" \
	grep -rqaF "$(sed -n 2p "$T/box")" "$CTL"
stop "$LAB"
done_testing
