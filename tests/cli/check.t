#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ironrig check: the shipped examples are right, KEYS.md is what the program
# says, and every kind of mistake is named with line, key and expectation.
. "$(dirname "$0")/../lib.sh"

# bad KIND TEXT LINE:KEY:MESSAGE: the first problem, to the letter. An empty
# LINE or KEY is not printed.
bad() {
	local kind=$1 got rc

	printf '%b' "$2" >"$T/f.cfg"
	got=$("$BIN/ironrig" check -k "$kind" "$T/f.cfg" 2>&1 >/dev/null)
	rc=$?
	got=${got%%$'\n'*}
	is "$rc ${got#"$T/"}" "1 f.cfg:$3" "$kind: ${3:0:60}"
}

good() { # KIND TEXT DESCRIPTION
	printf '%b' "$2" >"$T/f.cfg"
	exits 0 "$1: $3" "$BIN/ironrig" check -k "$1" "$T/f.cfg"
}

# ---- the shipped files ----
cd "$TOP" || bail "no $TOP"
for f in conf/*.cfg conf/*/*.cfg; do
	exits 0 "$f" "$BIN/ironrig" check "$f"
done
"$BIN/ironrig" check --keys >"$T/KEYS.md"
ok "conf/KEYS.md is that of ironrig check --keys" diff conf/KEYS.md "$T/KEYS.md"

# ---- syntax ----
bad host 'idle = 5\nbox = "a\n\n' '2: box: the string has no end'
bad host '/* note' '1: the comment has no end'
bad host 'net = {\n mac' "2: net.mac: '{' is not closed"
bad host 'net = { };\n}' "2: '}' closes nothing"
bad host 'net = ( };' "1: net[0]: '}' where ')' was expected"
bad host 'console = ttyS0;' '1: console: "ttyS0" needs quotes'
bad host 'memory = { work = 64M; };' \
	'1: memory.work: "64M" is not a number; text needs quotes'
bad host 'net.mac = "52:54:00:00:00:01";' \
	'1: "net.mac" is not the name of a key; write a.b = 1 as a = { b = 1; }'
bad host 'box = "a";\n@include "/etc/passwd"\n' \
	'2: @include is refused: a file stands for itself'
bad host '  @include "f.cfg"\n' \
	'1: @include is refused: a file stands for itself'
bad host 'idle = 5;\n\nidle = 6;' '3: idle: given twice in this group'
bad job 'command = "x"; params = { a = "1"; a = "2"; };' \
	'1: params.a: given twice in this group'
bad host 'modules = [ "a" "b", c ];' '1: modules[1]: "c" needs quotes'
bad host 'modules = [ 1 2 ];' "1: modules[0]: 2 where ',' or ']' was expected"
bad host 'quota = { bytes = 4294967296; };' \
	'1: quota.bytes: "4294967296" does not fit 32 bits: put L behind it'
bad host 'idle = 99999999999999999999L;' \
	'1: idle: "99999999999999999999L" does not fit 64 bits'
bad host 'idle = ;\nbox = "a";' '1: idle: ; where a value was expected'
bad host 'box "a";' '1: box: "a" where '\''='\'' was expected'
bad host 'modules = [ "a", ];' '1: modules[1]: ] where a value was expected'
bad host 'modules = [ "a",\n 2 ];' \
	'2: modules[1]: [ ] holds values of one type; ( ) takes any'
bad host 'modules = [ [ "a" ] ];' \
	'1: modules[0]: [ ] holds single values; ( ) takes any'
bad host 'modules = ( "a"; "b" );' \
	"1: modules[0]: ; where ',' or ')' was expected"
bad host 'idle = 5;;' '1: ; where a key was expected'
bad host 'idle =' '1: idle: the end where a value was expected'
bad host '"idle" = 5;' '1: "idle" where a key was expected'
bad host 'true = 5;' '1: true where a key was expected'
bad host 'idle = 5x;' '1: idle: "5x" is not a number; text needs quotes'
bad host 'idle = 1e999;' '1: idle: "1e999" is out of range'
bad host 'box = "a"; $' "1: '\$' does not belong"
bad host 'a={a={a={a={a={a={a={a={a=1;};};};};};};};};' \
	'1: a.a.a.a.a.a.a.a: nested more than 8 deep'
bad host 'a\0b' ' holds a NUL byte'
good host 'idle = 5; # one\nbox = "a"; // two\n/* three\n */ panic = 1' comments
good host 'idle = 5; # no line end' 'a comment at the end'
good job 'command = "a; "\n  "b";' 'one text in two pieces'

# ---- keys ----
bad host 'governer = "x";' \
	'1: governer: no such key, the nearest known one is tune.governor'
bad host '\nnet = { mca = "x"; };' \
	'2: net.mca: no such key, the nearest known one is net.mac'
bad host 'watchdogs = 1;' \
	'1: watchdogs: no such key, the nearest known one is watchdog'
bad host 'vlan = 1;' '1: vlan: no such key, the nearest known one is net.vlan'
bad host 'boot_deadline_s = 1;' \
	'1: boot_deadline_s: no such key, the nearest known one is boot_deadline'
bad host 'zzzzzz = 1;' \
	"1: zzzzzz: no such key, expected one of those that \`ironrig check --keys' lists"
bad host 'net = {\n workload = ( { nic = "a"; },\n { mac_ = "x"; } ); };' \
	'2: net.workload: card 2 has neither nic nor mac'
bad host 'tune = { turboo = 1; };' \
	'1: tune.turboo: no such key, the nearest known one is tune.turbo'
bad job 'params = { a = "1"; };' ' command: missing, expected a shell command'

# ---- types ----
bad host 'net = 5;' '1: net: 5, expected a group { ... }'
bad host 'tune = "fast";' '1: tune: "fast", expected a group { ... }'
bad host 'box = 5;' '1: box: 5, expected a name of up to 64 letters, digits and . _ + -, beginning with a letter or digit'
bad host 'idle = true;' \
	'1: idle: true, expected a duration such as "60s" in 1s..3600s'
bad host 'idle = 1.5;' \
	'1: idle: 1.5, expected a duration such as "60s" in 1s..3600s'
bad host 'watchdog = { require = 1; };' \
	'1: watchdog.require: 1, expected true or false'
bad host 'net = { workload = { nic = "a"; }; };' \
	'1: net.workload: a group, expected a list of groups ( { ... }, ... )'
bad host 'modules = [\n "igb",\n "a b"\n];' \
	'3: modules: "a b", expected a list, each the name of a kernel module'
bad host 'modules = ( "igb",\n 5 );' \
	'2: modules: 5, expected a list, each the name of a kernel module'
bad job 'command = "x"; params = [ "a" ];' \
	'1: params: a list, expected a group of name = "value"'
bad job 'command = "x";\nparams = { a = "1";\n A = "2"; };' \
	'3: params.A: "2", expected a group of name = "value"'
bad experiment 'kind = "ab"; boxes = [ ]; kernels = "a"; jobs = "j";' \
	'1: boxes: an empty list, expected a list, each a name of up to 64 letters, digits and . _ + -, beginning with a letter or digit'

# ---- values ----
mac='the MAC address of one card, such as 52:54:00:00:00:01'
for v in 52:54:00 52-54-00-00-00-01 52:54:00:00:00:0g 01:00:5e:00:00:01 \
	52:54:00:00:00:01:; do
	bad host "net = { mac = \"$v\"; };" "1: net.mac: \"$v\", expected $mac"
done
for v in 192.0.2.7 192.0.2.7/33 192.0.2/24 2001:db8::1/129 /24 192.0.2.7/x; do
	bad host "net = { address = \"$v\"; };" "1: net.address: \"$v\", expected an address with prefix length, such as 192.0.2.7/24"
done
bad host 'net = { dns = "ns.example"; };' '1: net.dns: "ns.example", expected a list, each an address such as 192.0.2.1'
for v in ctl ctl: ctl:0 ctl:65536 :22 '2001:db8::1:22' 'a b:22'; do
	bad host "controller = \"$v\";" "1: controller: \"$v\", expected host:port, such as ctl.example:22 or [2001:db8::1]:22"
done
bad host 'net = { vlan = 4095; };' \
	'1: net.vlan: 4095, expected a whole number in 0..4094'
bad host 'net = { nic = "eth0/1"; };' \
	'1: net.nic: "eth0/1", expected an interface name such as eth0'
bad host 'net = { gateway = "192.0.2.1"; };' \
	'1: net.gateway: needs net.address: DHCP brings its own'
bad host 'idle = "90x";' \
	'1: idle: "90x", expected a duration such as "60s" in 1s..3600s'
bad host 'idle = "1500ms";' \
	'1: idle: "1500ms", expected a duration such as "60s" in 1s..3600s'
bad host 'idle = -1;' \
	'1: idle: -1, expected a duration such as "60s" in 1s..3600s'
bad host 'memory = { work = "64Q"; };' \
	'1: memory.work: "64Q", expected a size such as "64M" in 1M..1T'
bad host 'memory = { work = 5; };' \
	'1: memory.work: 5, expected a size such as "64M" in 1M..1T'
bad host 'boot = "usb";' '1: boot: "usb", expected one of firmware, kexec'
bad host 'tune = { governor = "fast"; };' '1: tune.governor: "fast", expected one of performance, powersave, userspace, ondemand, conservative, schedutil'
bad host 'tune = { turbo = 2; };' '1: tune.turbo: 2, expected true or false'
bad host 'tune = { irq_affinity = "0-3,x"; };' \
	'1: tune.irq_affinity: "0-3,x", expected a CPU list such as 0-3,8'
bad host 'tune = { require = [ "turbbo" ]; };' \
	'1: tune.require: "turbbo" is not a knob of this group, the nearest is turbo'
bad host 'tune = { require = "require"; };' \
	'1: tune.require: "require" is not a knob of this group, the nearest is require'
bad host 'box = "../x";' '1: box: "../x", expected a name of up to 64 letters, digits and . _ + -, beginning with a letter or digit'
bad host 'description = "a\\nb";' \
	'1: description: "a?b", expected one line of text'
bad host 'power = { cycle = "  "; };' \
	'1: power.cycle: "  ", expected a shell command'
bad job 'command = "x"; iterations = 0;' \
	'1: iterations: 0, expected a whole number in 1..9999'
bad job 'command = "x"; params = { a = "1"; };\npath = [ "b" ];' \
	'2: path: "b" is not one of params'
bad job 'command = "x"; keep = [ "../*" ];' \
	'1: keep: "../*", expected a list, each a relative pattern without ..'
bad job 'command = "x"; env = [ "1A=b" ];' \
	'1: env: "1A=b", expected a list, each NAME=value'
bad job 'command = "x"; time_limit = "2h"; run_limit = "1h";' \
	'1: run_limit: is shorter than time_limit, of one iteration'
bad experiment 'kind = "ab"; boxes = "b"; kernels = "k"; jobs = "j";' \
	'1: kernels: one kernel, expected the base and a head'
bad experiment 'kind = "ab"; boxes = "b"; jobs = "j";' \
	' kernels: no kernel, expected the base and a head'
bad experiment 'kind = "queue"; boxes = "b"; kernels = ["k","l"]; jobs = "j";' \
	'1: kernels: 2 kernels, expected one for kind "queue"'
bad experiment 'kind = "ab"; boxes = ["b","b"]; kernels = ["k","l"]; jobs = "j";' \
	'1: boxes: "b" stands twice'
bad experiment 'kind = "ab"; boxes = "b"; kernels = ["k","l"]; jobs = "j"; delta = 1;' \
	'1: delta: 1, expected a fraction between 0 and 1, such as 0.01'
bad controller 'boot_url = "ftp://x";' \
	'1: boot_url: "ftp://x", expected an address that begins with http://'

# ---- regular expressions: one group, and nothing that explodes ----
re='a POSIX extended regular expression of at most 256 bytes with exactly one (group)'
for v in 'x' '(a)(b)' '((a))' '(a' 'a)' '(a+)++' '(a){300}' '(a)\\\\1' '[(]' \
	'(*)' '(a){2'; do
	bad job "command = \"x\";\nextract = ( { name = \"n\";\n regex = \"$v\"; } );" \
		"3: extract[0].regex: \"$(printf '%b' "${v//\\\\\\\\/\\\\}")\", expected $re"
done
for v in '^ops: +([0-9.]+)' '[^(]*(a)' '\\\\((a)\\\\)' '(a){2}' '[]()]([0-9])'; do
	good job "command = \"x\"; extract = ( { name = \"n\"; regex = \"$v\"; } );" "$v"
done
bad job 'command = "x"; extract = ( { name = "n"; } );' \
	"1: extract[0].regex: missing, expected $re"

# ---- more than one problem, more than one file, wrong use ----
printf 'idle = 0;\nbox = "a b";\nnett = 1;\n' >"$T/f.cfg"
is "$("$BIN/ironrig" check "$T/f.cfg" 2>&1 | cut -d: -f2 | tr '\n' ' ')" \
	'1 2 3 ' 'every problem, in the order of lines'
printf 'idle = 1;\n' >"$T/g.cfg"
exits 1 'one bad file of two' "$BIN/ironrig" check "$T/g.cfg" "$T/f.cfg"
exits 1 'a missing file' "$BIN/ironrig" check "$T/none.cfg"
like "$("$BIN/ironrig" check "$T/none.cfg" 2>&1)" 'none.cfg.*No such file' \
	'is named'
exits 1 'a folder' "$BIN/ironrig" check "$T"
exits 1 'a file of no kind' "$BIN/ironrig" check /dev/null
head -c 300000 /dev/zero | tr '\0' '#' >"$T/long.cfg"
like "$("$BIN/ironrig" check -k host "$T/long.cfg" 2>&1)" \
	'longer than 262144 bytes' 'a file without end'
exits 2 'no file' "$BIN/ironrig" check
exits 2 'no such kind' "$BIN/ironrig" check -k box "$T/g.cfg"
exits 2 'no such option' "$BIN/ironrig" check -x
exits 0 'help' "$BIN/ironrig" check -h
printf 'idle = "a\\x1b[31m";\n' >"$T/f.cfg"
is "$("$BIN/ironrig" check -k host "$T/f.cfg" 2>&1 | cut -d' ' -f3)" \
	'"a?[31m",' 'control characters do not reach the terminal'

done_testing
