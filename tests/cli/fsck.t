#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# fsck: finds what is wrong with a store, makes its index again.
. "$(dirname "$0")/../lib.sh"

F=$TOP/tests/fixtures/stats/will-it-scale
new_home "$T/home"
H=$IRONRIG_HOME
S=$H/store/b

ok "an empty store is well" ironrig fsck
ok "some results" ironrig import --kernel k --box b --job j \
	--extract will-it-scale "$F"/*.csv
n=$(printf '%s\n' "$F"/*.csv | wc -l)
like "$(ironrig fsck)" "^$n results are right, 0 are not; index equal\$" "well"
dump() { ironrig export --csv; }
before=$(dump | sha256sum)

# the index is lost, or lies
rm "$H"/index.db*
out=$(ironrig fsck)
is $? 1 "without an index"
is "$(grep -c 'is in the store and not indexed' <<<"$out")" "$n" "all are named"
ok "--rebuild" ironrig fsck --rebuild
is "$(dump | sha256sum)" "$before" "makes the same index again"
ok "which is well" ironrig fsck
first=$(cd "$S" && printf "%s\n" b.*.tar.lz4 | head -1)
mv "$S/$first" "$T/away"
out=$(ironrig fsck)
is $? 1 "a tarball that is gone"
like "$out" "b ${first:2:32}: its tarball is not in the store" "is named"
ok "--rebuild" ironrig fsck --rebuild
is "$(ironrig ls | tail -n +2 | wc -l)" $((n - 1)) "drops its row"
mv "$T/away" "$S/$first"
ok "collect finds it again" ironrig collect
is "$(dump | sort | sha256sum)" \
	"$(ironrig fsck --rebuild >/dev/null; dump | sort | sha256sum)" \
	"and the index is as if it had never gone"

# a tarball rots
cp "$S/$first" "$T/keep"
printf X | dd of="$S/$first" bs=1 seek=60 conv=notrunc 2>/dev/null
out=$(ironrig fsck)
is $? 1 "a corrupt tarball"
like "$out" "store/b/$first: " "is named"
ok "and left where it is" test -f "$S/$first"
cp "$T/keep" "$S/$first"

# what belongs to nothing
echo x >"$S/notes.txt"
mkdir -p "$H/quarantine/b"
echo x >"$H/quarantine/b/b.x.tar.lz4"
for f in leases state state.old power.log; do
	echo x >"$S/$f"
done
mkdir "$S/logs"
out=$(ironrig fsck)
is $? 1 "orphans"
like "$out" 'store/b/notes.txt: belongs to no result' "in the store"
like "$out" 'quarantine/b/b.x.tar.lz4: has no reason' "in quarantine"
unlike "$out" 'store/b/(leases|state|state\.old|power\.log|logs):' \
	"the box's books are no orphans"

# where nothing can be written (here: what readers share is in the way)
rm -f "$S/notes.txt" "$H/quarantine/b/b.x.tar.lz4" "$H"/index.db-*
ok "an index" ironrig fsck --rebuild
same=$(dump | sha256sum)
rm -f "$H"/index.db-*
ln -s /nowhere "$H/index.db-shm"
is "$(dump | sha256sum)" "$same" "a read-only home can be read"
echo x >"$H/index.db-wal"
out=$(ironrig ls 2>&1)
is $? 1 "not when its log holds more"
unlike "$out" "rebuild" "which no new index would mend"

# an index of another time
rm "$H"/index.db*
echo "no database" >"$H/index.db"
exits 1 "an index that is none" ironrig ls
ok "--rebuild puts it right" ironrig fsck --rebuild
ok "well" ironrig fsck
exits 2 "an argument" ironrig fsck x
done_testing
