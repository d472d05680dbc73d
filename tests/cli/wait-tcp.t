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
cat >"$tmp/listen.pl" <<'PL'
use strict;
use Socket;
my ($port, $go) = @ARGV;
socket(my $s, PF_INET, SOCK_STREAM, 0) or die $!;
bind($s, pack_sockaddr_in(0, INADDR_LOOPBACK)) or die $!;
open(my $f, '>', "$port.new") or die $!;
print $f +(unpack_sockaddr_in(getsockname($s)))[0];
close($f) or die $!;
rename("$port.new", $port) or die $!;
select(undef, undef, undef, 0.02) until -e $go;
listen($s, 5) or die $!;
sleep(60);
PL
perl "$tmp/listen.pl" "$tmp/port" "$tmp/go" &
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
