#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The shipped jobs, without a box: files are right, bundles exist and bring the
# programs that the jobs call, stats that get a verdict are the extractors'.
# shellcheck disable=SC2013 # words, one by one
. "$(dirname "$0")/../lib.sh"

jobs=("$TOP"/conf/jobs/*.cfg)
ok "there are jobs" test ${#jobs[@]} -ge 20
ok "all pass ironrig check" ironrig check "${jobs[@]}"

extractors=$(ironrig extract --list | awk '$2 == "stdout" { print $1 }')
for f in "${jobs[@]}"; do
	name=$(basename "$f" .cfg)
	testcase=$(sed -n 's/^testcase = "\(.*\)";/\1/p' "$f")
	: "${testcase:=$name}"
	ok "$name: somebody understands its output" \
		grep -qxF -e "$testcase" -e 'extract = (' \
		<(echo "$extractors"; grep -x 'extract = (' "$f")
	like "$(grep '^primary' "$f")" '^primary = \[ "[a-z-]+' \
		"$name: a primary stat"
	for b in $(sed -n 's/^bundles = //p' "$f" | grep -o '[a-z0-9-]*'); do
		# a lab's own, as the job file says
		[ "$b" = will-it-scale ] && continue
		ok "$name: there is a bundle $b" \
			test -f "$TOP/initramfs/bundles/$b"
	done
done

# Programs of bundles that a command starts with, and the job names the bundle.
for b in "$TOP"/initramfs/bundles/*; do
	[ -f "$b" ] || continue
	for program in $(grep -o '/usr/s\?bin/[a-z0-9-]*' "$b"); do
		program=${program##*/}
		ok "the agent knows who brings $program" grep -qF \
			"{ \"$program\", \"$(basename "$b")\" }" \
			"$TOP/agent/bundle.c"
		for f in $(grep -lE "(command = |\")$program " "${jobs[@]}"); do
			like "$(grep '^bundles' "$f")" "\"$(basename "$b")\"" \
				"$(basename "$f" .cfg): $program comes with it"
		done
	done
done
done_testing
