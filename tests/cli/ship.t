#!/bin/bash
# The transport against a real sshd: pinned host key, refusals, data both
# ways, resume, a receiver that ends early, a controller that comes and goes.
# shellcheck disable=SC2317 # functions that ok calls
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/sshd.sh
. "$TOP/tests/sshd.sh"

PORT=
# ship ARGUMENT...: into out, err and status
ship() {
	agent_ship "${PORT:-$SSHD_PORT}" "${KEY:-$T/box}" "$T/known_hosts" "$@" \
		>"$T/out" 2>"$T/err" && status=0 || status=$?
}

says() { # says STATUS REGEX: exit status, and a line on stderr
	[ "$status" = "$1" ] && grep -qE -- "$2" "$T/err"
}

arrived() { # arrived FILE: whole, and the same
	[ "$status" = 0 ] && cmp "$1" "$CTL/done.${1##*/}"
}

calls() { cat "$CTL/calls" 2>/dev/null; }

# fresh SIZE: a new random file $R, called $N: a receiver that is late in
# noticing its end must not meddle with the next test.
N=r0
fresh() {
	rm -f "$CTL"/done.* "$CTL"/part.* "$CTL/calls" "$CTL/mode" "${R:-}"
	N=r$((${N#r} + 1))
	R=$T/$N
	head -c "$1" /dev/urandom >"$R"
	echo "$1" >"$CTL/size.$N"
}

sshd_setup
sshd_start

# ---- one verb ----

ship hello BOOT 1.0 -
is "$status $(cat "$T/out")" "0 hello box 1700000000 1.0" "hello is answered"
is "$(calls)" "hello BOOT 1.0 -" "the words arrive as they were given"
echo noisy >"$CTL/mode"
ship hello
is "$status $(cat "$T/out")" "0 hello box 1700000000 1.0" \
	"a shell that prints before the answer does no harm"
ok "and is reported" says 0 'Welcome to the lab'
rm "$CTL/mode"
ship nonsense
ok "a refusal is told" says 1 'controller refuses: no such verb'
ship fail
ok "no answer: exit status and the last line of stderr" \
	says 1 'fail: no answer, exit status 3: receiver: last trouble'
head -c 5000000 /dev/urandom >"$CTL/data"
ship get data
ok "get brings the data" cmp "$CTL/data" "$T/out"
ok "and its answer" says 0 '^data 5000000 [0-9a-f]{64}$'
ship log "a;b"
ok "what is no word is not sent" says 2 '0x3b does not belong'
cat >"$T/box.cfg" <<-EOT
	controller = "127.0.0.1:$SSHD_PORT";
	user = "$(id -un)";
EOT
"$BIN/ironrig-agent" ship --config "$T/box.cfg" --key "$T/box" \
	--known-hosts "$T/known_hosts" hello >"$T/out" 2>"$T/err"
is "$? $(cat "$T/out")" "0 hello box 1700000000 1.0" "controller by host file"
ship
ok "no verb is refused" says 2 'verb'

# ---- who is who ----

rm "$CTL/calls"
cp "$T/known_hosts" "$T/known_hosts.right"
echo "[127.0.0.1]:$SSHD_PORT $(cut -d' ' -f1,2 "$T/other.pub")" \
	>"$T/known_hosts"
ship hello
ok "another host key is refused" says 1 \
	"host key SHA256:[A-Za-z0-9+/]{43} is not the one .* nothing sent"
ok "the fingerprint is the one that ssh-keygen prints" \
	grep -qF "$(ssh-keygen -lf "$T/host.pub" | cut -d' ' -f2) " "$T/err"
fresh 100000
ship --deadline 60 put "$R"
ok "put gives up at once then" says 1 'nothing sent'
: >"$T/known_hosts"
ship hello
ok "an empty known_hosts trusts nobody" says 1 'nothing sent'
mv "$T/known_hosts.right" "$T/known_hosts"
is "$(calls)" "" "none of these ran a command"
KEY=$T/other ship hello
ok "an unknown key is refused" says 1 'key .*/other is not accepted'
KEY=$T/other ship --deadline 2 put "$R"
ok "put waits for enrolment until its deadline" says 1 \
	'deadline: .* not accepted'
KEY=$T/absent ship hello
ok "a missing key file is named" says 2 'key .*/absent: No such file'
is "$(calls)" "" "none of these ran a command either"

# ---- put ----

fresh 67108864
ship put "$R"
ok "64 MiB arrive" arrived "$R"
is "$(cat "$T/out")" "ok $(sha256sum <"$R" | cut -c1-64)" "the hash is told"
ship put "$R"
ok "again is ok again" arrived "$R"
is "$(calls | grep -c "^put $N ")" 1 "and sends nothing"
echo more >>"$R"
ship --deadline 60 put "$R"
ok "another file under that name is not" says 1 'holds another one'
fresh 0
ship put "$R"
ok "an empty file arrives" arrived "$R"
fresh 3000000
head -c 1234567 "$R" >"$CTL/part.$N"
ship put "$R"
ok "a part is resumed" arrived "$R"
is "$(calls | tail -n 1)" "put $N 1234567" "where it ended"
fresh 1000
head -c 2000 /dev/urandom >"$CTL/part.$N"
: >"$CTL/size.$N"
ship --deadline 3 put "$R"
is "$(calls | grep "^put $N " | head -n 1)" "put $N 0" \
	"a part longer than the file is not built upon"

# ---- bad days ----

# The proxy cuts the first connection at 6 MB; what was sent twice is the
# sum of both less the file.
fresh 12000000
PORT=$(free_port)
known_hosts "$SSHD_PORT" "$PORT"
bg "$T/proxy.log" "$IRONRIG_BUILD/tests/proxy" "$PORT" "$SSHD_PORT" \
	cut=6000000
ship put "$R"
ok "a connection cut in the middle: the file arrives" arrived "$R"
wait_for 5 grep -q '^conn 2' "$T/proxy.log"
is "$(calls | grep -c "^put $N [1-9]")" 1 "it was resumed"
# shellcheck disable=SC2016 # awk's variables
ok "less than a window was sent twice" awk '
	{ up += $3 }
	END { twice = up - 12000000 * 1.005; exit !(NR == 2 && twice < 2097152) }
' "$T/proxy.log"
ok "the cut was said" says 0 "^courier: put $N 0: "
PORT=

for mode in early die; do
	fresh 8000000
	echo $mode >"$CTL/mode"
	ship --deadline 8 put "$R"
	case $mode in
	early) ok "a full disk: tried until the deadline, reason told" \
		says 1 'deadline: disk full' ;;
	die) ok "a receiver that dies: likewise" \
		says 1 "deadline: put $N 0: no answer, exit status 7: .*luck" ;;
	esac
	ok "it was tried again" [ "$(calls | grep -c "^put $N ")" -ge 2 ]
done
fresh 8000000
echo early >"$CTL/mode"
bg "$T/later" "$BIN/ironrig-agent" ship --controller "127.0.0.1:$SSHD_PORT" \
	--user "$(id -un)" --key "$T/box" --known-hosts "$T/known_hosts" \
	put "$R"
wait_for 10 grep -q "^put $N " "$CTL/calls"
rm "$CTL/mode"
wait "$BG_PID" && status=0 || status=$?
ok "a full disk that is emptied: the file arrives" arrived "$R"

fresh 100000
echo conflict >"$CTL/mode"
ship --deadline 60 put "$R"
ok "a conflict is final" says 1 'refuses: conflict: another one is here'
is "$(calls | grep -c "^put $N ")" 1 "and tried once"

# sshd killed half-way: the connection's processes and the listener.
fresh 30000000
PORT=$(free_port)
known_hosts "$SSHD_PORT" "$PORT"
bg "$T/proxy.log" "$IRONRIG_BUILD/tests/proxy" "$PORT" "$SSHD_PORT" delay=20
bg "$T/killed" "$BIN/ironrig-agent" ship --controller "127.0.0.1:$PORT" \
	--user "$(id -un)" --key "$T/box" --known-hosts "$T/known_hosts" \
	put "$R"
part_grows() { [ "$(stat -c %s "$CTL/part.$N")" -gt 4000000 ]; }
ok "a put is under way" wait_for 20 part_grows
pid=$BG_PID
sshd_stop
ok "sshd is gone, the put is not" running "$pid"
sshd_start
wait "$pid" && status=0 || status=$?
ok "sshd killed half-way and started again: the file arrives" arrived "$R"
ok "it was resumed" [ "$(calls | grep -c "^put $N [1-9]")" -ge 1 ]
PORT=

# Not there at first.
sshd_stop
fresh 100000
bg "$T/absent" "$BIN/ironrig-agent" ship --controller "127.0.0.1:$SSHD_PORT" \
	--user "$(id -un)" --key "$T/box" --known-hosts "$T/known_hosts" \
	put "$R"
pid=$BG_PID
ok "a controller that is absent is said" wait_for 10 \
	grep -q 'connect: Connection refused' "$T/absent"
ok "once" [ "$(grep -c refused "$T/absent")" = 1 ]
ok "and waited for" running "$pid"
sshd_start
wait "$pid" && status=0 || status=$?
ok "when it is there the file arrives" arrived "$R"
ship --controller nowhere hello
ok "a controller without port is refused" says 2 'not HOST:PORT'
done_testing
