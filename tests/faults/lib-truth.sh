# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# What the books of an experiment say beside its tarballs, for tests that do
# it harm; source after lib.sh.

# runs BOX: LEASE EXPERIMENT BLOCK POSITION KERNEL BOOT_ID of each, by its log
runs() {
	awk '$1 == "run" { split($6, k, ":"); print $2, $3, $4, $5, k[1], $9 }' \
		"$IRONRIG_HOME/store/$1/leases"
}

# results BOX: the same with outcome in the end, by the tarballs
results() {
	local f

	for f in "$IRONRIG_HOME/store/$1"/*.tar.lz4; do
		lz4 -dc "$f" | tar -xOf - result.cfg | awk '
			{ sub(/;$/, ""); gsub(/"/, "") }
			NF == 3 && $2 == "=" { v[$1] = $3 }
			END { print v["lease"], v["experiment"], v["block"],
				v["position"], v["kernel"], v["boot_id"],
				v["outcome"] }'
	done
}

# ok_books BOX: leases and results agree, and nothing is in a block twice.
# Leaves them in $T/runs and $T/results.
ok_books() {
	runs "$1" | sort >"$T/runs"
	results "$1" | sort >"$T/results"
	is "$(cut -d' ' -f1 "$T/runs" | uniq -d)" "" "$1: no lease twice"
	is "$(cut -d' ' -f1-5 "$T/results")" "$(cut -d' ' -f1-5 "$T/runs")" \
		"$1: each run has one result, under its own name ($(
		wc -l <"$T/runs"))"
	is "$(awk '$7 == "ok" { n[$2, $3, $5]++; p[$2, $3, $4]++ }
		END { for (i in n) if (n[i] > 1) print "kernel", i
			for (i in p) if (p[i] > 1) print "position", i }' \
		"$T/results")" "" "$1: nothing is in a block twice"
}

# kept EXPERIMENT BOX...: blocks with two good runs, as the tarballs have them
kept() {
	local b

	for b in "${@:2}"; do
		results "$b" | awk -v x="$1" '
			$2 == x && $3 > 0 && $7 == "ok" { n[$3]++ }
			END { for (i in n) k += n[i] == 2; print k + 0 }'
	done | awk '{ n += $1 } END { print n + 0 }'
}

# ok_plan EXPERIMENT BOX BASE HEAD: asked for more, a box that stands idle is
# told the same without an index and with one that fsck made.
ok_plan() {
	local report before boot id

	id=$(ironrig kernel show "$3" | sed -n 's/^id *//p')
	report=$(ironrig compare "$3" "$4" --experiment "$1" --json)
	boot=$(new_boot_id)
	plan_verb "$2" hello "$boot" 1.0 "$3:$id" firmware \
		>/dev/null
	before=$(plan_of "$1" "$2" "$boot")
	like "$before" "ironrig1 (boot|run) " "$1: there is a plan"
	rm -f "$IRONRIG_HOME"/index.db*
	is "$(plan_of "$1" "$2" "$boot")" "$before" \
		"$1: the plan is the same without an index"
	ok "$1: fsck --rebuild" ironrig fsck --rebuild
	is "$(plan_of "$1" "$2" "$boot")" "$before" "$1: and after it"
	is "$(ironrig compare "$3" "$4" --experiment "$1" --json)" \
		"$report" "$1: and so is the report"
}

plan_verb() { # BOX WORDS...
	SSH_ORIGINAL_COMMAND="${*:2}" "$BIN/ironrig" receive "$1" </dev/null
}

plan_of() { # EXPERIMENT BOX BOOT
	plan_verb "$2" next "$3"
	ironrig queue --list
	ironrig status | grep "$1"
}
