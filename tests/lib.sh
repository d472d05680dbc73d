# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# Helpers for tests in bash, to be sourced first:
#
#	. "$(dirname "$0")/../lib.sh"
#
# TAP on stdout, a private folder $T that is removed at the end, background
# processes that end with the test, deadlines instead of sleeps. A test ends
# with done_testing; one that dies before that fails for want of a plan.

set -u
export LC_ALL=C
: "${IRONRIG_BUILD:=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/build}"
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BIN=$IRONRIG_BUILD/bin
T=$(mktemp -d "${TMPDIR:-/tmp}/ironrig-test.XXXXXX")
export IRONRIG_BUILD BIN TOP T
unset IRONRIG_HOME
TAP_N=0
TAP_FAILED=0
BG_PIDS=()

lib_cleanup() {
	local pid

	for pid in "${BG_PIDS[@]:-}"; do
		[ -n "$pid" ] && stop "$pid"
	done
	rm -rf "$T"
}
trap lib_cleanup EXIT
trap 'exit 1' INT TERM HUP

# ---- TAP ---------------------------------------------------------------------

diag() {
	printf '%s\n' "$*" | sed 's/^/#   /'
}

tap_result() { # good? description
	TAP_N=$((TAP_N + 1))
	if [ "$1" = 0 ]; then
		printf 'ok %d - %s\n' "$TAP_N" "$2"
		return 0
	fi
	TAP_FAILED=$((TAP_FAILED + 1))
	printf 'not ok %d - %s\n' "$TAP_N" "$2"
	return 1
}

# ok DESCRIPTION COMMAND...: the command must succeed.
ok() {
	local what=$1 out rc

	shift
	out=$("$@" 2>&1)
	rc=$?
	tap_result "$rc" "$what" || diag "status $rc: $*" "$out"
}

# nok DESCRIPTION COMMAND...: it must exit with a status from 1 to 125.
nok() {
	local what=$1 out rc

	shift
	out=$("$@" 2>&1)
	rc=$?
	if [ $rc -ge 1 ] && [ $rc -le 125 ]; then
		tap_result 0 "$what"
	else
		tap_result 1 "$what"
		diag "status $rc: $*" "$out"
	fi
}

# exits STATUS DESCRIPTION COMMAND...
exits() {
	local want=$1 what=$2 out rc

	shift 2
	out=$("$@" 2>&1)
	rc=$?
	[ "$rc" = "$want" ]
	tap_result $? "$what" || diag "status $rc, expected $want: $*" "$out"
}

is() { # got wanted description
	[ "$1" = "$2" ]
	tap_result $? "$3" || diag "got:      $1" "expected: $2"
}

isnt() { # got unwanted description
	[ "$1" != "$2" ]
	tap_result $? "$3" || diag "got: $1"
}

like() { # got extended-regex description
	[[ $1 =~ $2 ]]
	tap_result $? "$3" || diag "got:      $1" "expected: $2"
}

unlike() { # got extended-regex description
	! [[ $1 =~ $2 ]]
	tap_result $? "$3" || diag "got:      $1" "unwanted: $2"
}

skip() { # reason [count]: in CI a skip is a failure
	local i

	for ((i = 0; i < ${2:-1}; i++)); do
		if [ -n "${REQUIRE_ALL:-}" ]; then
			tap_result 1 "required, but: $1"
		else
			TAP_N=$((TAP_N + 1))
			printf 'ok %d # SKIP %s\n' "$TAP_N" "$1"
		fi
	done
}

skip_all() { # reason
	if [ -n "${REQUIRE_ALL:-}" ]; then
		tap_result 1 "required, but: $1"
		done_testing
	fi
	echo "1..0 # SKIP $1"
	exit 0
}

bail() { # reason: a step that the whole test stands on failed
	echo "Bail out! $*"
	exit 1
}

done_testing() {
	echo "1..$TAP_N"
	[ "$TAP_FAILED" = 0 ]
	exit
}

# ---- time and processes ------------------------------------------------------

# wait_for SECONDS COMMAND...: polls until the command succeeds.
wait_for() {
	local end=$((SECONDS + $1))

	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt "$end" ] || return 1
		sleep 0.05
	done
}

# bg LOGFILE COMMAND...: starts it; its pid is in $BG_PID. Reads $BG_STDIN.
bg() {
	local log=$1

	shift
	"$@" >"$log" 2>&1 <"${BG_STDIN:-/dev/null}" &
	BG_PID=$!
	BG_PIDS+=("$BG_PID")
}

running() { # pid (a zombie has ended)
	local s

	s=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) || return 1
	[ -n "$s" ] && [ "${s%% *}" != Z ]
}

ended() {
	! running "$1"
}

# stop PID: SIGTERM, SIGKILL after 5 s; only for what this test started.
stop() {
	kill -TERM "$1" 2>/dev/null || return 0
	wait_for 5 ended "$1" || kill -KILL "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	return 0
}

# A TCP port on loopback that nothing listens on now.
free_port() {
	local port

	for _ in $(seq 50); do
		port=$((20000 + RANDOM % 20000))
		if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
			echo "$port"
			return
		fi
	done
	return 1
}

# ---- ironrig -----------------------------------------------------------------

ironrig() {
	"$BIN/ironrig" "$@"
}

# new_home DIR: a controller's home; later calls of ironrig use it.
new_home() {
	export IRONRIG_HOME=$1
	ironrig init >/dev/null || bail "ironrig init"
}

serve_says_port() {
	SERVE_PORT=$(sed -n 's/^listening on .*:\([0-9]*\)$/\1/p' "$1")
	[ -n "$SERVE_PORT" ]
}

# serve [OPTION...]: starts the home's private sshd; sets SERVE_PORT and
# SERVE_PID. Words of SERVE_EXEC go before the command; they have to exec it.
SERVE_EXEC=()
# shellcheck disable=SC2120 # most tests need no option
serve() {
	rm -f "$T/serve.log" # of an earlier one, that says its port
	bg "$T/serve.log" "${SERVE_EXEC[@]}" "$BIN/ironrig" serve "$@"
	# shellcheck disable=SC2034 # for tests that end it themselves
	SERVE_PID=$BG_PID
	wait_for 20 serve_says_port "$T/serve.log" ||
		bail "ironrig serve: $(cat "$T/serve.log")"
	serve_says_port "$T/serve.log"
}

# home_known_hosts PORT...: the lines that pin the home's host key there.
home_known_hosts() {
	local port

	for port in "$@"; do
		echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 \
			"$IRONRIG_HOME/keys/controller_host_ed25519.pub")"
	done
}

# box_ssh BOX WORDS...: speaks one verb with the box's key, as a box would;
# words of BOX_SSH are options before it.
BOX_SSH=()
box_ssh() {
	local box=$1

	shift
	[ -f "$T/known_hosts" ] ||
		home_known_hosts "$SERVE_PORT" >"$T/known_hosts"
	ssh -F none -i "$IRONRIG_HOME/keys/boxes/$box" -p "$SERVE_PORT" \
		-o UserKnownHostsFile="$T/known_hosts" -o BatchMode=yes \
		-o IdentitiesOnly=yes -o StrictHostKeyChecking=yes \
		-o LogLevel=ERROR "${BOX_SSH[@]}" "$(id -un)@127.0.0.1" "$@"
}

# agent_ship PORT KEY KNOWN_HOSTS WORDS...: by the agent's own transport.
agent_ship() {
	"$BIN/ironrig-agent" ship --controller "127.0.0.1:$1" \
		--user "$(id -un)" --key "$2" --known-hosts "$3" "${@:4}"
}

# fake_image FILE VERSION: a kernel that no machine can run: a setup header
# (Documentation/arch/x86/boot.rst) and what file(1) would say.
fake_image() {
	local at text

	truncate -s 8192 "$1"
	while read -r at text; do
		printf '%b' "$text" | dd of="$1" bs=1 seek=$((at)) \
			conv=notrunc status=none
	done <<-EOT
		0x1f1 \\01
		0x202 HdrS\\017\\02
		0x20e \\0200\\0
		0x280 $2\\0
	EOT
}

# random hex digits, as a lease has them
new_lease() {
	od -An -N16 -tx1 /dev/urandom | tr -d ' \n'
}

new_boot_id() {
	cat /proc/sys/kernel/random/uuid
}

# result_cfg BOX LEASE BOOT_ID JOB KERNEL KERNEL_ID EXPERIMENT BLOCK POSITION
# [OUTCOME [STABLE]]: the smallest result.cfg that names all of them.
result_cfg() {
	cat <<-CFG
		box = "$1";
		group = "test";
		lease = "$2";
		boot_id = "$3";
		job = "$4";
		testcase = "test";
		params_path = "1";
		kernel = "$5";
		kernel_id = "$6";
		experiment = "$7";
		block = $8;
		position = $9;
		attempt = 1;
		boot_mode = "firmware";
		outcome = "${10:-ok}";
		stable = ${11:-true};
	CFG
}

# pack_result DIR FILE: the folder's files as a result, result.cfg first.
pack_result() {
	(cd "$1" && set -- result.cfg &&
		for f in *; do [ "$f" = result.cfg ] || set -- "$@" "$f"; done &&
		tar --format=pax --owner=0 --group=0 \
			--pax-option=delete=atime,delete=ctime -cf - "$@") |
		lz4 -q -3 -c >"$2"
}

# agent_option: sets AGENT to the option of `image base' that a test needs. The
# sanitizers' agent is dynamic, which no box can run: a static stand-in takes
# its place.
agent_option() {
	AGENT=()
	case $IRONRIG_BUILD in
	*/san) stand_in ;;
	esac
}

# stand_in: the same, whatever the build: quicker to pack than the agent.
stand_in() {
	echo 'int main(void) { return 0; }' |
		cc -x c -static -o "$T/agent" - || bail "cc -static"
	AGENT=(--agent "$T/agent")
}

# image_base: the home's base image, or the test is over.
image_base() {
	agent_option
	ironrig image base "${AGENT[@]}" >"$T/image.log" 2>&1 ||
		bail "image: $(cat "$T/image.log")"
}
