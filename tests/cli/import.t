#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# import, ls, show, export, compare on the six files of the second mail.
. "$(dirname "$0")/../lib.sh"

F=$TOP/tests/fixtures/stats/will-it-scale
new_home "$T/home"

take() { # KERNEL FILE...
	local k=$1
	shift
	ironrig import --kernel "$k" --box ido --group ido-4 --job lock1 \
		--extract will-it-scale --params 4-lock1 "$@"
}

exits 1 "ls without an index" ironrig ls
ok "before" take before "$F"/before?.csv
ok "after" take after "$F"/after?.csv
is "$(ironrig ls | tail -n +2 | wc -l)" 6 "six results"
is "$(ironrig ls --json | grep -o '"boot_id":"[^"]*"' | sort -u | wc -l)" 6 \
	"six boots"
is "$(ironrig ls --kernel after | tail -n +2 | wc -l)" 3 "ls --kernel"
is "$(ironrig ls --outcome failed | wc -l)" 1 "ls --outcome"
is "$(ironrig ls --limit 2 | wc -l)" 3 "ls --limit"
is "$(ironrig ls | head -1 | tr -s ' ')" \
	"RESULT BOX JOB KERNEL OUTCOME STABLE ITERATIONS STARTED EXPERIMENT" "ls's columns"
exits 2 "ls: no such outcome" ironrig ls --outcome great
exits 2 "ls: not a number" ironrig ls --limit many

out=$(ironrig show --all @latest)
like "$out" 'will-it-scale/4-lock1/ido-4/(before|after)' "show: the name"
like "$out" 'ops/s +will-it-scale\.4\.threads' "show --all: a stat"
unlike "$out" 'time\.elapsed' "nothing is made up about its time"
file=$(sed -n 's/.*lz4 -dc \(.*\) | tar tv/\1/p' <<<"$out")
is "$(lz4 -dc "$file" | tar t | tr '\n' ' ')" \
	"result.cfg job.cfg iter/ iter/001/ iter/001/stdout " \
	"show says where the files are"
held=$(lz4 -dc "$file" | tar xO iter/001/stdout | sha256sum)
ok "it holds the output" grep -qF "$held" \
	<(for f in "$F"/*.csv; do sha256sum <"$f"; done)
is "$(ironrig show "$(basename "$file")" | head -2)" \
	"$(ironrig show @latest | head -2)" "show by the file's name"
exits 1 "show: none such" ironrig show ffffffffffffffffffffffffffffffff
exits 2 "show: what?" ironrig show
like "$(ironrig show --json @latest)" \
	'"stat":"will-it-scale\.4\.threads_idle%","unit":"%"' \
	"show --json"

# the mail's averages of the threads column at 4 tasks: 2325577 and 2340328
mean() {
	ironrig export --csv --kernel "$1" --stat will-it-scale.4.threads |
		awk -F, 'NR > 1 { s += $NF; n++ } END { printf "%d", s / n }'
}
is "$(mean before)" 2325577 "export --csv: the mean before"
is "$(mean after)" 2340328 "and after, as the mail says"
is "$(ironrig export --csv | head -1 | tr ',' '\n' | wc -l)" 18 "18 columns"
is "$(ironrig export --csv | awk -F, 'NF != 18' | wc -l)" 0 "in every row"
like "$(ironrig export --benchfmt | grep -c '^BenchmarkLock1 1 ')" '^6$' \
	"export --benchfmt: a line a boot"
like "$(ironrig export --benchfmt)" \
	'Unit will-it-scale.per_thread_ops better=higher' "with directions"
like "$(ironrig export --json --kernel before)" '^\[\{"lease".*\}\]$' \
	"export --json is one array"
is "$(ironrig export --json --kernel none)" "[]" "an empty one, too"
like "$(ironrig compare before after 2>&1)" \
	'\+0\.6%.*will-it-scale\.per_thread_ops' "they compare"
# the figures of the mail's question, end to end: nobody could tell
OUT=$(ironrig compare before after --independent --json --stat will-it-scale.4.threads 2>&1)
is $? 11 "4 tasks, threads: nothing settled"
figure() {
	printf '%s' "$OUT" | FIELD=$1 perl -MJSON::PP -0777 -ne '
		my $v = decode_json($_)->{comparisons}[0]{$ENV{FIELD}};
		$v = [$v] unless ref $v;
		print join " ", map { !defined $_ ? "null" : /^-?[0-9.]+$/ ?
			sprintf "%.6f", $_ : $_ } @$v'
}
is "$(figure n_base) $(figure n_head)" "3.000000 3.000000" "three boots a side"
is "$(figure change)" 0.635781 "change"
is "$(figure ci95)" "-0.939025 2.235623" "interval"
is "$(figure t)" 1.452592 "t"
is "$(figure df)" 2.461478 "df"
is "$(figure p)" 0.260851 "p"
is "$(figure p_exact)" 0.300000 "exact: 6 of 20"
is "$(figure mde)" 2.039825 "what could have been seen"
is "$(figure blocks_needed)" "6.000000 110.000000" "what it takes"
is "$(figure verdict)" INCONCLUSIVE "verdict"
OUT=$(ironrig report before after --independent 2>&1)
like "$(tr -s '\n ' '  ' <<<"$OUT")" 'on a machine that is not known \(ido\)' "report: no machine is made up"
like "$OUT" 'Was the machine quiet\? Not known' "nor that it was quiet"
like "$OUT" 'no steps to reproduce in the results' "nor how to do it again"

# which of them
is "$(ironrig ls --kernel 'b*' | wc -l)" 4 "ls --kernel with a glob"
is "$(ironrig ls --kernel 'b*' --box "i?o" --job '[l]ock1' | wc -l)" 4 "of all names"
is "$(ironrig ls --since 2001-01-01 | wc -l)" 7 "ls --since"
is "$(ironrig ls --until 2001-01-01 | wc -l)" 1 "ls --until"
is "$(ironrig ls --since 0m | wc -l)" 1 "ls --since: ago"
is "$(ironrig export --csv --until 2001-01-01 | wc -l)" 1 "export too"
like "$(ironrig ls | head -1)" 'STARTED +EXPERIMENT$' "ls: the experiment"
like "$(ironrig ls --limit 1 | tail -1)" 'Z +-$' "none"
exits 2 "no time" ironrig ls --since yesterday
exits 2 "two forms" ironrig export --csv --benchfmt
exits 2 "all, and some" ironrig show --all --stat 'x*' @latest
unlike "$(ironrig export --csv)" '[0-9]{17}' "numbers in their shortest form"
ok "fsck" ironrig fsck

# ---- refused -----------------------------------------------------------------
echo "not a csv" >"$T/bad"
out=$(take bad "$F/before1.csv" "$T/bad" 2>&1)
is $? 1 "a file that is not understood"
like "$out" 'bad:1: no finished test' "is named with its line"
is "$(ironrig ls --kernel bad | wc -l)" 1 "and none is imported"
exits 2 "no kernel" ironrig import --box b --job j --extract fio "$T/bad"
exits 2 "a monitor" ironrig import --kernel k --box b --job j \
	--extract mpstat "$T/bad"
exits 2 "not a name" ironrig import --kernel ../k --box b --job j \
	--extract fio "$T/bad"
exits 2 "no file" take k
done_testing
