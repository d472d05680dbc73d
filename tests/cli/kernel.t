#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The registry of kernels, with made-up images and modules.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

REL=6.1.0-fake

# fake_module DIR PATH [MODINFO...]
fake_module() {
	local to=$1/lib/modules/$REL/kernel/$2 s

	shift 2
	mkdir -p "$(dirname "$to")"
	{
		i=0
		for s; do
			i=$((i + 1))
			echo "char m${i}[] __attribute__((section(\".modinfo\"), used)) = \"$s\";"
		done
		echo 'char end[] __attribute__((section(".modinfo"), used)) = "license=GPL";'
	} | cc -x c -c -o "$to" -
}

fake_config() { # everything that kernel add asks for
	cat <<-'CFG'
	CONFIG_BLK_DEV_INITRD=y
	CONFIG_BINFMT_ELF=y
	CONFIG_BINFMT_SCRIPT=y
	CONFIG_PROC_FS=y
	CONFIG_SYSFS=y
	CONFIG_DEVTMPFS=y
	CONFIG_TMPFS=y
	CONFIG_SHMEM=y
	CONFIG_UNIX=y
	CONFIG_INET=y
	CONFIG_PACKET=m
	CONFIG_EPOLL=y
	CONFIG_SIGNALFD=y
	CONFIG_TIMERFD=y
	CONFIG_FUTEX=y
	CONFIG_FILE_LOCKING=y
	CONFIG_CGROUPS=y
	CONFIG_RD_LZ4=y
	CONFIG_CC_VERSION_TEXT="cc (Fake) 1"
	CFG
}

# unpack_members FILE DIR: every member of a modules.cpio, as the kernel would
unpack_members() {
	mkdir -p "$2"
	# the LZ4 part ends where the padding starts; the plain part follows
	lz4 -dc "$1" 2>/dev/null | (cd "$2" && cpio -idm --quiet 2>/dev/null)
	grep -abo 070701 "$1" | tail -n +1 | cut -d: -f1 | while read -r at; do
		tail -c +$((at + 1)) "$1" |
			(cd "$2" && cpio -idm --quiet 2>/dev/null) && break
	done
}

field() { # kernel field
	ironrig kernel show "$1" | sed -n "s/^$2 *//p"
}

fake_image "$T/vmlinuz" "$REL (me@here) #1 SMP Fake 1"
fake_config >"$T/config"
fake_module "$T/m" drivers/net/virtio_net.ko
fake_module "$T/m" drivers/net/r8169.ko 'softdep=pre: realtek' \
	firmware=rtl/a.fw firmware=rtl/b.fw firmware=../../etc/passwd
fake_module "$T/m" drivers/phy/realtek.ko
fake_module "$T/m" drivers/odd/odd-one.ko
fake_module "$T/m" drivers/net/igb.ko
xz "$T/m/lib/modules/$REL/kernel/drivers/net/igb.ko"
mkdir -p "$T/fw/rtl"
echo firmware >"$T/fw/rtl/a.fw"
new_home "$T/home"

add() { # name, options
	ironrig kernel add "$1" --vmlinuz "$T/vmlinuz" --modules "$T/m" \
		--config "$T/config" "${@:2}"
}

out=$(add k1 --firmware "$T/fw")
is $? 0 "kernel add"
like "$out" "$REL #1 SMP Fake 1" "it says release and version"
like "$out" "modules 4" "the usual modules, with the softdep, no odd one"
like "$out" "not in this kernel:.* ixgbe" "it names what is missing"
like "$out" "was not given .*: 1 files" "one firmware file was not given"
is "$(field k1 release)" $REL "show: release"
is "$(field k1 version)" "#1 SMP Fake 1" "show: version"
is "$(field k1 compiler)" "cc (Fake) 1" "show: compiler"
image=$(sha256sum <"$T/vmlinuz" | cut -d' ' -f1)
is "$(field k1 image)" "$image" "show: the image's hash"
id=$(printf 'image %s\nmodules %s\nappend \n' "$image" "$(field k1 modules)" |
	sha256sum | cut -d' ' -f1)
is "$(field k1 id)" "$id" "the id is the hash over image, modules, append"

unpack_members "$T/home/kernels/k1/modules.cpio" "$T/u"
ok "the members' manifests hold" sh -ec "cd '$T/u'
	for m in modules kernel; do sha256sum -c --quiet etc/ironrig/members/\$m
	done"
is "$(sha256sum <"$T/u/etc/ironrig/members/modules" | cut -d' ' -f1)" \
	"$(field k1 modules)" "the modules' hash is their manifest's"
is "$(head -n 3 "$T/u/etc/ironrig/kernel")" \
	"$(printf 'k1:%s\n%s\n#1 SMP Fake 1' "$id" $REL)" \
	"the member kernel names it"
M=$T/u/lib/modules/$REL
ok "a compressed module is unpacked" test -f "$M/kernel/drivers/net/igb.ko"
ok "the softdep is there" test -f "$M/kernel/drivers/phy/realtek.ko"
nok "the odd one is not" test -e "$M/kernel/drivers/odd/odd-one.ko"
ok "depmod ran" grep -q 'virtio_net.ko:' "$M/modules.dep"
is "$(cat "$T/u/lib/firmware/rtl/a.fw")" firmware "firmware is there"
is "$(cat "$T/u/etc/ironrig/firmware-missing")" "r8169 rtl/b.fw" \
	"what is missing is listed; a path that climbs is not looked for"

out=$(add k1 --firmware "$T/fw")
is $? 0 "the same again"
like "$out" "unchanged" "changes nothing"
out=$(add k1 2>&1)
is $? 1 "other modules under the same name"
like "$out" "take a new name" "are refused"
out=$(add k1 --firmware "$T/fw" --append "debug" 2>&1)
is $? 1 "so is another command line"

# shellcheck disable=SC2016 # iPXE's own
for bad in 'a -- b' 'a="b c' 'a=${b}' 'a && b' $'a\nb'; do
	exits 1 "no box can be told: $bad" ironrig kernel add k1-bad --like k1 \
		--append "$bad"
done
# what a killed one left, and what a living one works in
mkdir -p "$T/home/kernels/.new-1/src/deep" "$T/home/kernels/.new-2"
exec 7<"$T/home/kernels/.new-2"
flock 7
ok "quotes can" ironrig kernel add k1-quote --like k1 --append 'a="b -- c" --d'
ironrig kernel rm k1-quote >/dev/null
is "$(cd "$T/home/kernels" && echo .new-*)" .new-2 "what was left is swept"
exec 7<&-
rmdir "$T/home/kernels/.new-2"

ok "a variant" ironrig kernel add k1-debug --like k1 --append "debug x=y"
is "$(field k1-debug append)" "debug x=y" "has its command line"
is "$(field k1-debug modules)" "$(field k1 modules)" "the same modules"
isnt "$(field k1-debug id)" "$id" "and another id"
unpack_members "$T/home/kernels/k1-debug/modules.cpio" "$T/u2"
like "$(cat "$T/u2/etc/ironrig/kernel")" "^k1-debug:" "its own member kernel"
is "$(ironrig kernel ls | awk 'NR > 1 { print $1 }' | xargs)" "k1 k1-debug" \
	"kernel ls"

add k1-all --all-modules --module odd-one >/dev/null
unpack_members "$T/home/kernels/k1-all/modules.cpio" "$T/u3"
ok "--all-modules: the odd one too" \
	test -f "$T/u3/lib/modules/$REL/kernel/drivers/odd/odd-one.ko"
add k1-odd --module odd_one >/dev/null
unpack_members "$T/home/kernels/k1-odd/modules.cpio" "$T/u4"
ok "--module: '-' is '_'" \
	test -f "$T/u4/lib/modules/$REL/kernel/drivers/odd/odd-one.ko"
add k1-gzip --gzip >"$T/out" 2>&1
is $? 1 "--gzip needs CONFIG_RD_GZIP"
like "$(cat "$T/out")" "needs CONFIG_RD_GZIP=y" "and says so"

# the same in another home: the same bytes
new_home "$T/home2"
add k1 --firmware "$T/fw" >/dev/null
ok "reproducible" cmp "$T/home/kernels/k1/modules.cpio" \
	"$T/home2/kernels/k1/modules.cpio"

# what is wrong is said
export IRONRIG_HOME=$T/home
sed -i 's/CONFIG_DEVTMPFS=y/# CONFIG_DEVTMPFS is not set/' "$T/config"
out=$(add k2 2>&1)
is $? 1 "a kernel without devtmpfs"
like "$out" "needs CONFIG_DEVTMPFS=y" "names it"
nok "and is not registered" test -e "$T/home/kernels/k2"
ok "--force" add k2 --force
out=$(ironrig kernel add k3 --vmlinuz /bin/sh 2>&1)
is $? 1 "no kernel image"
like "$out" "/bin/sh: not an x86 kernel image" "is said"
out=$(ironrig kernel add k3 --vmlinuz "$T/vmlinuz" --modules "$T/fw" 2>&1)
is $? 1 "a folder without modules"
like "$out" "has no lib/modules" "is said"
fake_image "$T/other" "9.9 (me@here) #1 SMP Fake 1"
out=$(ironrig kernel add k3 --vmlinuz "$T/other" --modules "$T/m" 2>&1)
is $? 1 "modules of another release"
like "$out" "no modules of release 9.9" "are said"
exits 2 "two sources" ironrig kernel add k3 --deb x --build y
exits 1 "a bad name" ironrig kernel add ../x --vmlinuz "$T/vmlinuz"
is "$(find "$T/home/kernels" -name '.new*')" "" "nothing is left behind"
ok "a kernel without modules" ironrig kernel add mono --vmlinuz "$T/vmlinuz"

# the same kernel as a package, and as a built tree in git
mkdir -p "$T/pkg/DEBIAN" "$T/pkg/boot"
cat >"$T/pkg/DEBIAN/control" <<-'CONTROL'
	Package: linux-image-fake
	Version: 1
	Architecture: all
	Maintainer: nobody <nobody@invalid>
	Description: fake
CONTROL
cp "$T/vmlinuz" "$T/pkg/boot/vmlinuz-$REL"
fake_config >"$T/pkg/boot/config-$REL"
echo "a stub" >"$T/pkg/boot/System.map-$REL"
cp -r "$T/m/lib" "$T/pkg/"
dpkg-deb --root-owner-group -b "$T/pkg" "$T/fake.deb" >/dev/null
ok "--deb" ironrig kernel add deb --deb "$T/fake.deb" --firmware "$T/fw"
is "$(field deb id)" "$id" "the same image and modules have the same id"
is "$(field deb origin)" "deb fake.deb" "it says where it came from"
nok "a System.map that is none is not kept" \
	test -e "$T/home/kernels/deb/System.map"
# a package whose files are links to what this account can read, a pipe, and
# scripts that want to run here
echo "secret of this account" >"$T/secret"
cp -r "$T/pkg" "$T/evil"
ln -sf "$T/secret" "$T/evil/boot/config-$REL"
rm "$T/evil/boot/System.map-$REL"
mkfifo "$T/evil/boot/System.map-$REL"
module=$(find "$T/evil/lib" -name '*.ko' | head -1)
ln -sf "$T/secret" "$module"
ln -sf "$T/secret" "$(dirname "$module")/stolen.ko"
printf '#!/bin/sh\ntouch "%s"\n' "$T/ran" >"$T/evil/DEBIAN/preinst"
cp "$T/evil/DEBIAN/preinst" "$T/evil/DEBIAN/postinst"
chmod 755 "$T/evil/DEBIAN/"p*inst
dpkg-deb --root-owner-group -b "$T/evil" "$T/evil.deb" >/dev/null
timeout 60 "$BIN/ironrig" kernel add evil --deb "$T/evil.deb" --force \
	--all-modules >"$T/evil.out" 2>&1
isnt $? 124 "a package with a pipe in it holds nothing up"
for f in "$T/home/kernels/evil"/*; do
	lz4 -dcq "$f" 2>/dev/null >"$T/evil.plain" || cp "$f" "$T/evil.plain"
	nok "${f##*/}: its links lead nowhere" \
		grep -qa "secret of this account" "$T/evil.plain"
done
nok "nor do its scripts run" test -e "$T/ran"
for name in ../../../../etc '6.1\033[2J' ..; do
	fake_image "$T/evil.vmlinuz" "$name (me@here) #1 SMP Fake 1"
	nok "an image of release $name" ironrig kernel add evil2 \
		--vmlinuz "$T/evil.vmlinuz"
done
# the real one is in the package with debugging symbols
mkdir -p "$T/dbg/DEBIAN" "$T/dbg/usr/lib/debug/boot"
sed s/linux-image-fake/linux-image-fake-dbg/ "$T/pkg/DEBIAN/control" >"$T/dbg/DEBIAN/control"
printf 'ffffffff81000000 T %s\n' _text _stext one two >"$T/map"
cp "$T/map" "$T/dbg/usr/lib/debug/boot/System.map-$REL"
head -c 3000000 /dev/zero >"$T/dbg/usr/lib/debug/boot/vmlinux-$REL"
dpkg-deb --root-owner-group -b "$T/dbg" "$T/fake-dbg.deb" >/dev/null
out=$(ironrig kernel add deb --deb "$T/fake.deb" --firmware "$T/fw" \
	--system-map "$T/fake-dbg.deb" 2>&1)
is $? 0 "--system-map from a -dbg package, for a kernel that is registered"
like "$out" "System.map is kept now" "says so"
ok "it is the package's" cmp "$T/map" "$T/home/kernels/deb/System.map"
ok "kernel.cfg knows it" grep -q "system_map = true" "$T/home/kernels/deb/kernel.cfg"
is "$(field deb id)" "$id" "its id stays"
ok "--like with a map of its own" ironrig kernel add debl --like deb \
	--append quiet --system-map "$T/map"
ok "is kept" cmp "$T/map" "$T/home/kernels/debl/System.map"
out=$(ironrig kernel add deb3 --deb "$T/fake.deb" --system-map "$T/fake.deb" 2>&1)
is $? 1 "a stub in a package"
like "$out" "no symbol _stext" "is no map"
out=$(ironrig kernel add deb3 --deb "$T/fake.deb" --system-map "$T/config" 2>&1)
is $? 1 "nor is any file"
rm "$T/dbg/usr/lib/debug/boot/System.map-$REL"
dpkg-deb --root-owner-group -b "$T/dbg" "$T/none-dbg.deb" >/dev/null
out=$(ironrig kernel add deb3 --deb "$T/fake.deb" --system-map "$T/none-dbg.deb" 2>&1)
is $? 1 "a package without one"
like "$out" "no System.map-$REL" "is told"
out=$(ironrig kernel add deb2 --deb "$T/config" 2>&1)
is $? 1 "a file that is no package"
like "$out" "$T/config" "is named"
rm -r "$T/pkg/boot"
dpkg-deb --root-owner-group -b "$T/pkg" "$T/none.deb" >/dev/null
out=$(ironrig kernel add deb2 --deb "$T/none.deb" 2>&1)
is $? 1 "a package without a kernel"
like "$out" "no boot/vmlinuz" "is said to be none"

mkdir -p "$T/tree/arch/x86/boot"
cp "$T/vmlinuz" "$T/tree/arch/x86/boot/bzImage"
fake_config >"$T/tree/.config"
touch "$T/tree/modules.order"
seq 2000 >"$T/tree/System.map"
# shellcheck disable=SC2016 # make expands it
printf 'modules_install:\n\tmkdir -p $(INSTALL_MOD_PATH)\n\t%s\n' \
	"cp -r $T/m/lib \$(INSTALL_MOD_PATH)/" >"$T/tree/Makefile"
git_tree() {
	git -C "$T/tree" -c user.name=n -c user.email=n@invalid "$@" \
		>>"$T/git.log" 2>&1
}
git_tree init -q
git_tree add Makefile
git_tree commit -q -m "net: a title"
ok "--build" ironrig kernel add built --build "$T/tree" --firmware "$T/fw"
is "$(field built id)" "$id" "the same id again"
is "$(field built commit)" "$(git -C "$T/tree" rev-parse HEAD)" "its commit"
is "$(field built title)" "net: a title" "and title"
ok "System.map is kept" test -s "$T/home/kernels/built/System.map"
echo "# changed" >>"$T/tree/Makefile"
ok "a tree with changes" ironrig kernel add dirty --build "$T/tree"
like "$(field dirty commit)" "-dirty\$" "is marked"
echo "modules_install: ; echo no space left; false" >"$T/tree/Makefile"
out=$(ironrig kernel add built2 --build "$T/tree" 2>&1)
is $? 1 "modules that do not install"
like "$out" "no space left" "say why"
rm "$T/tree/arch/x86/boot/bzImage"
out=$(ironrig kernel add built2 --build "$T/tree" 2>&1)
is $? 1 "a tree that was not built"
like "$out" "was .make' run there" "is said to be none"

# rm
cat >"$T/home/conf/hosts/b1.cfg" <<-'CFG'
	box = "b1";
	controller = "127.0.0.1:22";
	kernel = "k1";
CFG
out=$(ironrig kernel rm k1 2>&1)
is $? 1 "rm of a home kernel"
like "$out" "home kernel of box b1" "is refused"
ok "rm" ironrig kernel rm k1-debug
nok "it is gone" ironrig kernel show k1-debug
out=$(ironrig kernel add k1-debug --like k1 --append other 2>&1)
is $? 1 "its name does not come back with another meaning"
like "$out" "was another kernel" "and says so"
ok "but with the same" ironrig kernel add k1-debug --like k1 \
	--append "debug x=y"
ok "-h" ironrig kernel -h
exits 2 "no subcommand" ironrig kernel

done_testing
