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

# reproduce.sh of each, of a run that finds no program and so does nothing.
echo 'box = "b"; controller = "192.0.2.1:22";' >"$T/host.cfg"
mkdir "$T/sh"
for f in "${jobs[@]}"; do
	name=$(basename "$f" .cfg)
	{
		grep -v '^tune' "$f"
		echo 'env = "PATH=/nonexistent";'
	} >"$T/$name.cfg"
	"$BIN/ironrig-agent" --once --quiet --config "$T/host.cfg" \
		--job "$T/$name.cfg" --out "$T/out" >"$T/file" 2>"$T/say"
	lz4 -dc "$(cat "$T/file")" | tar xO reproduce.sh >"$T/sh/$name"
	ok "$name: reproduce.sh ends with its last line" grep -q \
		'^echo "# files of the job' "$T/sh/$name"
	# the workload that is built in, and waiting, which it brings itself
	is "$(grep -v '^#' "$T/sh/$name" | grep -o "ironrig[a-z-]* [a-z-]\+" |
		sort -u | grep -vx 'ironrig-agent \(scale\|wait-tcp\)')" "" \
		"$name: it calls nothing else of ours"
	for shell in dash 'busybox ash'; do
		# shellcheck disable=SC2086 # words
		command -v ${shell%% *} >/dev/null || continue
		# shellcheck disable=SC2086 # words
		ok "$name: $shell reads it" $shell -n "$T/sh/$name"
	done
done
ok "all of them are clean for shellcheck" shellcheck "$T"/sh/*

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
