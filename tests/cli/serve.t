#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The private sshd: starts as the calling user, lets in enrolled keys only,
# ends cleanly; and what `check --lab' finds.
. "$(dirname "$0")/../lib.sh"

new_home "$T/home"
ok "init again changes nothing" ironrig init
is "$(stat -c '%a' "$T/home/keys" "$T/home/keys/controller_host_ed25519" \
	"$T/home/boot" "$T/home/store" | tr '\n' ' ')" "700 600 750 700 " "modes"
ok "example jobs came along" test -s "$T/home/conf/jobs/lock1.cfg"
nok "no home" ironrig --home "$T/none" serve
like "$(ironrig --home "$T/none" serve 2>&1)" "ironrig --home .* init" \
	"says how to make one"
chmod 777 "$T/home/keys"
like "$(ironrig serve 2>&1)" "can be written by others" "keys open to others"
chmod 700 "$T/home/keys"
exits 2 "a port that is none" ironrig serve --port 99999
exits 0 "-h" ironrig serve -h

serve
ok "enroll" ironrig enroll b1 --mac 52:54:00:00:00:01 \
	--controller "127.0.0.1:$SERVE_PORT"
BOOT=$(new_boot_id)
like "$(box_ssh b1 hello "$BOOT" 1.0 -)" "^ironrig1 hello b1 " "a box is let in"
like "$(ironrig serve --port "$SERVE_PORT" 2>&1)" "port $SERVE_PORT: " \
	"the port is taken: says so"

unlike "$(cat "$T/serve.log")" "kex|[Cc]onnection|reset|closed" \
	"its own start left nothing in sshd's log"

ssh-keygen -q -t ed25519 -N '' -f "$T/stranger"
cp "$T/home/keys/boxes/b1" "$T/kept"
cp "$T/stranger" "$T/home/keys/boxes/b1"
exits 255 "an unknown key is refused" box_ssh b1 hello "$BOOT" 1.0 -
cp "$T/kept" "$T/home/keys/boxes/b1"
ok "the right one again" box_ssh b1 hello "$BOOT" 1.0 -

# another host key: the client refuses
cp "$T/known_hosts" "$T/known_good"
printf '[127.0.0.1]:%s %s\n' "$SERVE_PORT" "$(cat "$T/stranger.pub")" \
	>"$T/known_hosts"
exits 255 "a wrong host key is refused" box_ssh b1 hello "$BOOT" 1.0 -
cp "$T/known_good" "$T/known_hosts"

# it ends with everything it started
mkfifo "$T/pipe"
BG_STDIN=$T/pipe bg "$T/session.log" box_ssh b1 log "$BOOT"
exec 7>"$T/pipe"
logs() { [ -e "$T/home/store/b1/logs/$BOOT.log" ]; }
ok "a session is open" wait_for 10 logs
receivers() { pgrep -f "home $T/home receive .*b1"; }
ok "its receiver runs" receivers
kill -TERM "$SERVE_PID"
ok "SIGTERM ends serve" wait_for 10 ended "$SERVE_PID"
no_receivers() { ! receivers; }
ok "and the session's receiver" wait_for 10 no_receivers
exec 7>&-
refused() { ! (exec 3<>"/dev/tcp/127.0.0.1/$SERVE_PORT") 2>/dev/null; }
ok "nothing listens any more" refused

# ---- check --lab -----------------------------------------------------------------

out=$(ironrig check --lab)
like "$out" "shell .* silent|start-up files" "the shell was tried"
like "$out" "keys is private" "modes were looked at"
chmod 755 "$T/home/keys/boxes"
like "$(ironrig check --lab)" "BAD .*keys/boxes has mode 0755" \
	"keys that others can read"
nok "is a failure" ironrig check --lab
chmod 700 "$T/home/keys/boxes"
chmod 755 "$T/home/boot"
like "$(ironrig check --lab)" "BAD .*boot folder" "a boot folder open to all"
chmod 750 "$T/home/boot"
: >"$T/home/keys/authorized_keys"
like "$(ironrig check --lab)" "BAD .*box b1: its key stands in no" \
	"a box without its line"
done_testing
