#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The base image and what `ironrig image' says.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

agent_option
new_home "$T/home"
BASE=$T/home/boot/base.cpio

out=$(ironrig image base "${AGENT[@]}")
is $? 0 "image base"
sha=$(sed -n 's/^manifest //p' <<<"$out")
mkdir "$T/u"
lz4 -dc "$BASE" | (cd "$T/u" && cpio -idm --quiet)
is "$(sha256sum <"$T/u/etc/ironrig/members/base" | cut -d' ' -f1)" "$sha" \
	"it says its manifest's hash"
ok "the manifest holds" sh -ec "cd '$T/u'
	sha256sum -c --quiet etc/ironrig/members/base"
is "$(readlink "$T/u/init")" bin/ironrig-agent "/init is the agent"
ok "busybox runs" "$T/u/bin/busybox" true
is "$(readlink "$T/u/bin/sh")" /bin/busybox "sh is an applet"
ok "modprobe, where the kernel looks for it" test -L "$T/u/sbin/modprobe"
nok "no init of busybox" test -e "$T/u/sbin/init"
is "$(stat -c %a "$T/u/tmp")" 1777 "/tmp is everybody's"
is "$(stat -c %s "$BASE" | awk '{ print $1 % 512 }')" 0 "padded"
is "$(stat -c %a "$BASE")" 640 "mode of the file"
ok "at most 6 MiB" test "$(stat -c %s "$BASE")" -le $((6 << 20))
# shellcheck disable=SC2016 # iPXE expands it
ok "boot.ipxe chains by MAC" grep -q 'chain .*mac-${netX/mac:hexhyp}.ipxe' \
	"$T/home/boot/boot.ipxe"

cp "$BASE" "$T/first"
touch "$BIN/ironrig-agent"
ironrig image base "${AGENT[@]}" >/dev/null
ok "the same bytes again" cmp "$BASE" "$T/first"
SOURCE_DATE_EPOCH=86400 ironrig image base "${AGENT[@]}" >/dev/null
nok "another time, other bytes" cmp -s "$BASE" "$T/first"
out=$(SOURCE_DATE_EPOCH=noon ironrig image base "${AGENT[@]}" 2>&1)
is $? 1 "a SOURCE_DATE_EPOCH that is none"
like "$out" "SOURCE_DATE_EPOCH" "is named"
ironrig image base --gzip "${AGENT[@]}" >/dev/null
ok "--gzip" gzip -t "$BASE"

out=$(ironrig image list)
like "$out" "base .*$sha" "image list"
out=$(ironrig image sbom)
like "$out" "SPDXVersion: SPDX-2.3" "sbom"
like "$out" $'PackageName: libssh2-1-dev\n[^\n]*\nPackageVersion: [0-9]' \
	"with versions"

out=$(ironrig image base --agent /bin/ls 2>&1)
is $? 1 "an agent with shared libraries"
like "$out" "/bin/ls: needs shared libraries" "is refused"
out=$(ironrig image base --busybox "$T/none" "${AGENT[@]}" 2>&1)
is $? 1 "no busybox"
like "$out" "$T/none" "is named"
out=$(ironrig image overlay nobody 2>&1)
is $? 1 "the overlay of no box"
like "$out" "nobody.cfg" "names the host file"
ok "-h" ironrig image -h
exits 2 "no subcommand" ironrig image
exits 2 "an argument too many" ironrig image base x

# a bundle from a folder, and from a file that names one
mkdir -p "$T/d/opt/wis" "$T/defs"
echo 'int main(void) { return 7; }' | cc -x c -o "$T/d/opt/wis/prog" -
ln -s prog "$T/d/opt/wis/link"
out=$(ironrig image bundle wis --from "$T/d")
is $? 0 "image bundle --from"
B=$T/home/bundles/wis.cpio
mkdir "$T/b"
lz4 -dc "$B" 2>/dev/null | (cd "$T/b" && cpio -idm --quiet)
is "$(readlink "$T/b/opt/wis/link")" prog "a link stays a link"
ok "its manifest holds" sh -ec "cd '$T/b'
	sha256sum -c --quiet etc/ironrig/members/bundle-wis"
is "$(cat "$T/home/bundles/wis.sha")" \
	"$(sha256sum <"$T/b/etc/ironrig/members/bundle-wis" | cut -d' ' -f1)" \
	"its hash is noted"
cp "$B" "$T/first"
ironrig image bundle wis --from "$T/d" >/dev/null
ok "the same bytes again" cmp "$B" "$T/first"
cat >"$T/defs/wis" <<-'CFG'
	from = "../d";
	files = [ "/opt/wis/li*" ];
CFG
ok "from a file" ironrig image bundle wis2 --file "$T/defs/wis"
like "$(ironrig image list)" "bundle wis2 " "image list shows it"

# a library that is left out: what works without it works, the rest says so
mkdir -p "$T/l/usr/lib" "$T/l/usr/bin" "$T/l/lib64"
echo '__thread int per_thread; int datum[3]; int f(void) { return 7; }' |
	cc -x c -shared -fPIC -nostdlib -Wl,-soname,libbig.so.1 \
		-Wl,--version-script=<(echo 'BIG_1 { f; datum; per_thread; };') \
		-o "$T/l/usr/lib/libbig.so.1" -
cat >"$T/l.c" <<-'C'
	extern __thread int per_thread;
	extern int datum[3], f(void);
	int main(int n, char **v) {
		(void)v;
		return n == 1 ? datum[2] + per_thread : f();
	}
C
cc -O2 -o "$T/l/usr/bin/prog" "$T/l.c" "$T/l/usr/lib/libbig.so.1"
for f in $(ldd "$T/l/usr/bin/prog" | grep -o '/lib[^ ]*'); do
	cp -L --parents "$f" "$T/l" # what it needs besides
done
cat >"$T/defs/l" <<-'CFG'
	from = "../l";
	programs = [ "/usr/bin/prog" ];
	without = [ "libbig.so.*" ];
CFG
ok "a bundle without a library" ironrig image bundle l --file "$T/defs/l"
mkdir "$T/lb"
lz4 -dc "$T/home/bundles/l.cpio" 2>/dev/null | (cd "$T/lb" && cpio -idm --quiet)
run_l() { # argument...: the program with the bundle's libraries
	LD_LIBRARY_PATH=$T/lb/usr/lib "$T/lb/usr/bin/prog" "$@"
}
ok "works as long as nothing of it is called" run_l
out=$(run_l call 2>&1)
is "$? $out" "127 libbig.so.1 is not in this bundle" "and says so when it is"
nok "its code is not there" cmp -s "$T/l/usr/lib/libbig.so.1" \
	"$T/lb/usr/lib/libbig.so.1"
echo 'programs = [ "/opt/none" ]; from = "../d";' >"$T/defs/wis"
out=$(ironrig image bundle wis3 --file "$T/defs/wis" 2>&1)
is $? 1 "a program that is not there"
like "$out" "/opt/none" "is named"
echo 'programs = [ "/opt/wis/prog" ]; from = "../d";' >"$T/defs/wis"
out=$(ironrig image bundle wis3 --file "$T/defs/wis" 2>&1)
is $? 1 "a program whose libraries are not there"
like "$out" "/opt/wis/prog: needs" "is named with them"
echo 'progams = [ "x" ];' >"$T/defs/wis"
out=$(ironrig image bundle wis3 --file "$T/defs/wis" 2>&1)
is $? 1 "a key that there is not"
like "$out" "wis:1: progams: no such key" "is named with its line"
out=$(ironrig image bundle none 2>&1)
is $? 1 "a bundle that nobody knows"
like "$out" "bundle none: no bundle of that name" "is named"
is "$(find "$T/home/bundles" -name '.new*')" "" "nothing is left behind"
like "$(cat "$T/u/etc/ironrig/programs")" "iperf3 iperf3" \
	"the base says which bundle brings a program"
for f in "$TOP"/initramfs/bundles/*[a-z]; do
	[ -d "$f" ] || ok "known: ${f##*/}" grep -q " ${f##*/}\$" \
		"$T/u/etc/ironrig/programs"
done

for f in "$TOP"/conf/pxe/dnsmasq-*.conf; do
	if command -v dnsmasq >/dev/null; then
		ok "dnsmasq takes ${f##*/}" dnsmasq --test -C "$f"
	else
		skip "no dnsmasq"
	fi
done
mkdir -p "$T/home/keys/boxes"
ssh-keygen -q -t ed25519 -N '' -f "$T/home/keys/boxes/b1"
cat >"$T/home/conf/hosts/b1.cfg" <<-'CFG'
	box = "b1";
	controller = "192.0.2.1:2222";
	net = { mac = "52:54:00:00:00:01"; };
	power = { cycle = "bmc -P secret cycle"; };
CFG
ok "an overlay" ironrig image overlay b1
mkdir "$T/o"
(cd "$T/o" && cpio -idm --quiet <"$T/home/boot/boxes/b1.cpio")
ok "its manifest holds" sh -ec "cd '$T/o'
	sha256sum -c --quiet etc/ironrig/members/overlay"
ok "the box's key" cmp "$T/o/etc/ironrig/key" "$T/home/keys/boxes/b1"
is "$(stat -c %a "$T/o/etc/ironrig/key")" 600 "for root alone"
is "$(cut -d' ' -f1,2 "$T/o/etc/ironrig/known_hosts")" \
	"[192.0.2.1]:2222 ssh-ed25519" "the controller's host key is pinned"
nok "power commands stay at home" grep -r secret "$T/o"
ok "the host file loads" ironrig check "$T/o/etc/ironrig/host.cfg"

done_testing
