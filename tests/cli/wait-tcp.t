#!/bin/bash
# wait-tcp: returns when a port takes connections, fails by name when not.
set -u
agent=${IRONRIG_BUILD:?}/bin/ironrig-agent
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"; [ -z "${srv:-}" ] || kill "$srv" 2>/dev/null' EXIT
n=0
check() {
	n=$((n + 1))
	if [ "$1" = "$2" ]; then
		echo "ok $n - $3"
	else
		printf 'not ok %d - %s\n#  got: %s\n# want: %s\n' \
			"$n" "$3" "$1" "$2"
	fi
}

# a listener that says its port; its socket exists before the name does
cat >"$tmp/listen.py" <<'PY'
import os, socket, sys, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
open(sys.argv[1] + ".new", "w").write(str(s.getsockname()[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
while not os.path.exists(sys.argv[2]):
    time.sleep(0.02)
s.listen()
time.sleep(60)
PY
python3 "$tmp/listen.py" "$tmp/port" "$tmp/go" &
srv=$!
for _ in $(seq 500); do
	[ -e "$tmp/port" ] && break
	sleep 0.02
done
port=$(cat "$tmp/port")

"$agent" wait-tcp "127.0.0.1:$port" 0 2>"$tmp/err"
check $? 1 "bound but not listening is not there yet"
grep -q "127.0.0.1:$port: Connection refused" "$tmp/err"
check $? 0 "and the message says where and why"
"$agent" wait-tcp "localhost:$port" 30 &
pid=$!
touch "$tmp/go"
wait "$pid"
check $? 0 "returns once the port takes connections"
"$agent" wait-tcp nowhere 2>/dev/null
check $? 2 "usage"
"$agent" wait-tcp host.example:80 2>/dev/null
check $? 2 "names are not looked up"
echo "1..$n"
