#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A box in namespaces against a real controller: sshd, receive, leases. Hello,
# a run, its result in incoming/; then bad days: a session killed in the run,
# no controller at boot, a foreign host key, an image that is not whole.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/ns.sh"

for tool in ip nsenter sshd ssh-keygen cpio lz4; do
	PATH=$PATH:/usr/sbin command -v $tool >/dev/null ||
		skip_all "needs $tool"
done

# The controller lives in a namespace with one cable to the box.
lab_on
lab_bridge
SERVE_EXEC=(nsenter --target "$LAB" --net --)

new_home "$T/home"
controller() {
	serve --address 198.51.100.1 --port 2222
}

ID=$(printf %064d 1)
mkdir -p "$IRONRIG_HOME/kernels/nskernel"
cat >"$IRONRIG_HOME/kernels/nskernel/kernel.cfg" <<-CFG
	name = "nskernel";
	id = "$ID";
	release = "$(uname -r)";
	version = "$(uname -v)";
	append = "";
	image_sha256 = "$ID";
	modules_sha256 = "$ID";
CFG
cat >"$IRONRIG_HOME/conf/hosts/nsbox.cfg" <<-CFG
	box = "nsbox";
	group = "test";
	controller = "198.51.100.1:2222";
	user = "$(id -un)";
	net: { mac = "52:54:00:00:00:01"; address = "198.51.100.7/24"; };
	memory: { results = "32M"; work = "16M"; tmp = "16M"; };
	ship_deadline = "120s";
	idle = "1s";
	tune: { };
CFG
job() { # NAME COMMAND [LINE...]
	cat >"$IRONRIG_HOME/conf/jobs/$1.cfg" <<-CFG
		testcase = "test";
		command = "$2";
		iterations = 2;
		time_limit = "60s";
		monitor: { interval = "200ms"; };
		${3:-}
	CFG
}
queue() { # EXPERIMENT JOB
	cat >"$IRONRIG_HOME/conf/experiments/$1.cfg" <<-CFG
		kind = "queue";
		boxes = [ "nsbox" ];
		kernels = [ "nskernel" ];
		jobs = [ "$2" ];
		count = 1;
		attempts = ${3:-1};
	CFG
}
ok "enrolled" ironrig enroll nsbox --mac 52:54:00:00:00:01 \
	--controller 198.51.100.1:2222

# The box: base and kernel by hand, the overlay as enroll made it.
box_root() {
	ns_root
	NS_KERNEL=nskernel:$ID
	printf '%s\n' "$NS_KERNEL" "$(uname -r)" "$(uname -v)" - \
		>"$ROOT/etc/ironrig/kernel"
	ns_overlay nsbox
}
box_on() {
	ns_boot "$T/console" "${NS_WORDS[@]}" "$@"
	BOX=$BG_PID
	wait_for 10 grep -q 'agent' "$T/console" || bail "$(cat "$T/console")"
	lab_cable "$(ns_init_pid)"
}
console_says() {
	grep -qE "$1" "$T/console"
}
# Every file of the box's that the controller has.
results() {
	find "$IRONRIG_HOME/incoming/nsbox" -name '*.tar.lz4' 2>/dev/null |
		wc -l
}

# What the controller knows of earlier boots goes: in a namespace every boot has
# the boot_id of this machine, and a second run wants a fresh one.
forget() {
	rm -rf "$IRONRIG_HOME"/{store,incoming}/nsbox \
		"$IRONRIG_HOME"/conf/experiments/*
}
box_gone() {
	stop "$BOX"
	lab_uncable
}

# ---- a run --------------------------------------------------------------------

controller
job hello "echo hello from \$HOSTNAME\$(cat /proc/sys/kernel/hostname)"
queue first hello
box_root
box_on
ok "ready" wait_for 30 console_says 'box nsbox: ready, [0-9.]+ s after'
ok "the controller answers" wait_for 30 console_says 'controller .* answers'
ok "the lease is taken" wait_for 10 console_says 'lease [0-9a-f]{32}: job hello'
ok "the result is stored" wait_for 60 console_says 'tar.lz4 is stored'
is "$(results)" 1 "one file in incoming"
FILE=$(ls "$IRONRIG_HOME"/incoming/nsbox/*.tar.lz4)
lz4 -qdc "$FILE" | tar -xf - -C "$(mkdir -p "$T/x" && echo "$T/x")"
like "$(cat "$T"/x/iter/*1/stdout)" 'hello from nsbox' "what the job printed"
cfg=$(cat "$T/x/result.cfg")
like "$cfg" 'outcome = "ok"' "outcome"
like "$cfg" 'kernel = "nskernel"' "kernel"
like "$cfg" "kernel_id = \"$ID\"" "its id"
like "$cfg" 'boot_mode = "firmware"' "how it was booted"
like "$cfg" "boot_id = \"$(cat /proc/sys/kernel/random/boot_id)\"" "boot_id"
# shellcheck disable=SC2016 # for the shell inside
ok "then it idles, and the tree is gone" wait_for 20 \
	ns_in sh -c '[ -z "$(busybox ls -A /results)" ]'
ok "the controller's host.cfg gave the size of /results" ns_in sh -c \
	'busybox grep -q "/results.*size=32768k" /proc/self/mounts'

# ---- another run needs another boot ---------------------------------------------

job hello2 "echo again"
queue second hello2
ok "a kernel that is not there: asked again" \
	wait_for 20 console_says 'controller refuses: .*base.cpio'
ok "not given up" running "$BOX"
box_gone

# ---- the session is killed in the middle of a run -----------------------------

forget
job long "sleep 60"
queue third long
box_on
ok "a long job" wait_for 30 console_says ': job long'
ok "is running" wait_for 20 console_says 'iteration'
INIT=$(ns_init_pid)
SESSION=$(cut -d' ' -f1 "/proc/$INIT/task/$INIT/children")
kill -KILL "$SESSION"
ok "PID 1 sees it" wait_for 10 console_says 'session killed by signal 9'
ok "and starts another" wait_for 30 console_says 'session starts again'
ok "which says why there is no result" \
	wait_for 30 console_says 'died or was overdue in the run'
nok "nothing of the job is left" ns_in sh -c \
	'busybox ps | busybox grep -v grep | busybox grep -q "sleep 60"'
is "$(results)" 0 "no result of it"
wait_for 10 grep -q failed "$IRONRIG_HOME/store/nsbox/state"
like "$(cat "$IRONRIG_HOME/store/nsbox/state")" 'failed [0-9a-f]{32}' \
	"the controller was told"
box_gone

# ---- no controller at boot ------------------------------------------------------

forget
stop "$SERVE_PID"
queue fourth hello2
box_on
ok "waits for the controller" wait_for 30 console_says 'courier: controller'
unlike "$(cat "$T/console")" answers "which does not answer"
controller
ok "it does once it is there" wait_for 60 console_says 'answers'
ok "and ships" wait_for 60 console_says 'tar.lz4 is stored'
is "$(results)" 1 "its result is there"
box_gone

# ---- a foreign host key --------------------------------------------------------

cp "$ROOT/etc/ironrig/known_hosts" "$T/known_hosts.good"
ssh-keygen -q -t ed25519 -N '' -f "$T/foreign"
sed -i "s|ssh-ed25519 .*|$(cut -d' ' -f1,2 "$T/foreign.pub")|" \
	"$ROOT/etc/ironrig/known_hosts"
box_on ironrig.end=halt
ok "refused" wait_for 40 console_says 'host key'
BG_PID=$BOX
ns_end 40
is "$NS_STATUS" $NS_REBOOTED "then the configured end"
unlike "$(cat "$T/console")" 'answers' "nothing was asked"
lab_uncable
cp "$T/known_hosts.good" "$ROOT/etc/ironrig/known_hosts"

# ---- a key that nobody enrolled --------------------------------------------------

cp "$ROOT/etc/ironrig/key" "$T/key.good"
rm "$ROOT/etc/ironrig/key"
ssh-keygen -q -t ed25519 -N '' -f "$ROOT/etc/ironrig/key"
forget
queue stranger hello2
box_on
ok "an unknown key is refused" \
	wait_for 40 console_says 'is not accepted for .*enrolled'
nok "and gets no work" console_says 'answers|lease'
nok "nor is anything written down" [ -e "$IRONRIG_HOME/store/nsbox/leases" ]
box_gone
cp "$T/key.good" "$ROOT/etc/ironrig/key"

# ---- a bundle that the image lacks ------------------------------------------------

# The first job of the boot needs none, so that the box runs it as it is.
forget
mkdir -p "$T/b/opt/extra"
echo from a bundle >"$T/b/opt/extra/file"
ok "a bundle" ironrig image bundle extra --from "$T/b"
job bundled "cat /opt/extra/file" 'bundles = [ "extra" ];'
queue shared hello2
sed -i 's/"hello2"/"hello2", "bundled"/; $a jobs_share_boot = true;' \
	"$IRONRIG_HOME/conf/experiments/shared.cfg"
box_on
ok "fetched by the running box" \
	wait_for 60 console_says 'bundle extra is not in the image: fetching it'
ok "the job that needs it runs" wait_for 60 console_says 'job bundled: ok'
is "$(ns_in cat /opt/extra/file)" "from a bundle" "from where it belongs"
ok "its members are checked: the manifest is there" ns_in sh -c \
	'[ -s /etc/ironrig/members/bundle-extra ]'
two_results() {
	[ "$(results)" = 2 ]
}
ok "both results are stored" wait_for 30 two_results
box_gone
rm -rf "$ROOT/opt" "$ROOT/etc/ironrig/members/bundle-extra"

# ---- an image that is not whole ------------------------------------------------

printf x >>"$ROOT/bin/busybox"
forget
queue fifth hello2
box_on
ok "named on the console" \
	wait_for 40 console_says 'member base: bin/busybox: altered or cut'
BG_PID=$BOX
ns_end 60
is "$NS_STATUS" $NS_REBOOTED "no job is run: the end"
is "$(results)" 0 "and no result made"
like "$(tail -3 "$IRONRIG_HOME/store/nsbox/state")" 'bad-image' \
	"the controller was told"

stop "$SERVE_PID"
stop "$LAB"
done_testing
