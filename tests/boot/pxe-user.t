#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A bare box boots by PXE over QEMU's user network, without root: from the
# firmware to a result that the controller has verified. Then a controller that
# comes up after the box, and one with another host key.

# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/lib-boot.sh"

boot_home
enroll_box vm1 </dev/null
queue_runs q1 vm1 lock1-short 1

# The box is first: nobody listens yet.
SERVE_PORT=$(free_port)
user_net
start_box vm1
ok_console 120 vm1 'ironrig: box vm1: network: ' "it boots, the agent has a network"
sleep 1 # at least one try fails
nok "nothing has come home" has_results vm1 1
serve --port "$SERVE_PORT"
ok_console 120 vm1 'ironrig: box vm1: controller .* answers' \
	"the controller comes up, the box finds it"
ok "a result arrives" wait_for 120 has_results vm1 1
ok_console 30 vm1 'ironrig: .* is stored' "the box has dropped its copy"
ok "the box asks for more" wait_for 30 grep -q idle \
	"$IRONRIG_HOME/store/vm1/state"
stop_box

R=$(results vm1)
ok "it is one whole frame" lz4 -tq "$R"
cfg=$(result_file "$R" result.cfg)
like "$cfg" 'outcome = "ok"' "outcome"
like "$cfg" 'box = "vm1"' "box"
like "$cfg" 'kernel = "v6.1"' "kernel"
id=$(ironrig kernel show v6.1 | sed -n 's/^id *//p')
like "$cfg" "kernel_id = \"$id\"" "kernel id"
build=$(ironrig kernel show v6.1 | sed -n 's/^build-id *//p')
like "$cfg" "build_id = \"$build\"" "the running kernel's build-id is the image's"
like "$cfg" 'boot_mode = "firmware"' "boot mode"
list=$(lz4 -dc "$R" | tar -t)
for f in result.cfg job.cfg reproduce.sh agent.log iter/001/stdout \
	monitor/stat meta/cmdline meta/dmesg; do
	like "$list" "$(printf '(^|\n)%s(\n|$)' "$f")" "it has $f"
done
like "$(result_file "$R" meta/cmdline)" "ironrig.members=base:" \
	"the command line named the members"
nok "no member was found wanting" says vm1 ': member [a-z]*: '

# The same box, another controller behind the same address.
ssh-keygen -q -t ed25519 -N '' -f "$T/other"
cp "$T/other" "$IRONRIG_HOME/keys/controller_host_ed25519"
stop "$SERVE_PID"
serve
user_net
queue_runs q2 vm1 lock1-short 1
start_box vm1
ok_console 120 vm1 'ironrig: .*host key' \
	"another host key: said on the console"
nok "and no data is sent" has_results vm1 2
unlike "$(cat "$T/serve.log")" "Accepted|Starting session" \
	"nor did the box log in"
stop_box

done_testing
