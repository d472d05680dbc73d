#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# ironrig compare and report on a store: results that boxes shipped, collected,
# compared, told.
#
# shellcheck disable=SC2016 # $j is of the perl expressions

. "$(dirname "$0")/../lib.sh"

new_home "$T/home"
cd "$T" || bail "no $T"

FIXTURES=$TOP/tests/fixtures/layout
SERIAL=0
LOST='' TOLD=''

# run KERNEL EXPERIMENT BLOCK POSITION OPS [OUTCOME [STABLE]]: a result of two
# iterations in incoming/
run() {
	local lease file ops=$5 i

	SERIAL=$((SERIAL + 1))
	lease=$(printf '%032x' $SERIAL)
	file=$IRONRIG_HOME/incoming/box1/box1.$lease.tar.lz4
	rm -rf res
	mkdir -p res/iter/001 res/iter/002 res/meta "$IRONRIG_HOME/incoming/box1"
	{
		result_cfg box1 "$lease" "$(new_boot_id)" lock1 "$1" "$(printf %064d 1)" "$2" \
			"$3" "$4" "${6:-ok}" "${7:-true}"
		[ -z "${JOB_ID:-}" ] || echo "job_id = \"$JOB_ID\";"
		echo 'cpu_model = "Test CPU @ 1.50GHz";'
		echo 'cpus_online = 288; memory_kb = 83000000L;'
		echo "build_id = \"${2:+b}$(printf %s "$1" | md5sum | cut -c1-8)\"; start_s = $((1764524700 + SERIAL * 60));"
		echo 'iterations = ( '
		for i in 1 2; do
			printf '{ number = %d; start_ns = %dL; end_ns = %dL; }%s' \
				$i $((i * 1000000000)) \
				$((i * 1000000000 + 500000000)) \
				"$([ $i = 1 ] && echo ,)"
		done
		echo ' );'
	} >res/result.cfg
	cat >res/job.cfg <<-CFG
		testcase = "test";
		params = { nr_task = "100%"; mode = "thread"; };
		command = "true";
		iterations = 2;
		primary = [ "test.ops" ];
		extract = ( { name = "ops"; regex = "^ops ([0-9.]+)";
			unit = "ops/s"; better = "higher"; } );
	CFG
	printf '#!/bin/sh\necho do it again\n' >res/reproduce.sh
	echo 'Linux version 6.1 (a@b) (gcc (Debian 12.2.0-14) 12.2.0, ld) #1' \
		>res/meta/version
	mkdir -p res/profile
	cp "$FIXTURES/$(if [ "$1" = v6.1 ]; then echo unix_socket; else
		echo open_close; fi).profile" res/profile/report.txt
	for i in 001 002; do
		echo "ops $ops" >res/iter/$i/stdout
		ops=$(awk "BEGIN { print $ops * 1.0005 }")
	done
	[ "${LOST:-$SERIAL}" = "$SERIAL" ] || [ -n "$TOLD" ] || tell_crash
	pack_result res "$file"
}

# What pstore kept of the lost run, brought by the next one.
tell_crash() {
	TOLD=1
	mkdir res/meta/crash
	printf '%s\n' "<5>[ 8.0] ironrig: box box1: lease $(printf '%032x' "$LOST") job lock1" \
		'<1>[ 9.0] BUG: unable to handle page fault for address: 0' \
		'<4>[ 9.1] RIP: 0010:net_dm_packet+0x1/0x2' \
		'<4>[ 9.2] ---[ end trace 0 ]---' '<6>[ 9.9] no more' \
		>res/meta/crash/dmesg-ramoops-0
}

# block EXPERIMENT NUMBER OPS OPS: a boot of either kernel, in turn
block() {
	local luck=$((($2 * 7) % 5))

	if [ $(($2 % 2)) = 0 ]; then
		run v6.1 "$1" "$2" 1 $(($3 + luck))
		run v6.1-patch "$1" "$2" 2 $(($4 + luck))
	else
		run v6.1-patch "$1" "$2" 1 $(($4 + luck))
		run v6.1 "$1" "$2" 2 $(($3 + luck))
	fi
}

# $OUT without its line breaks
flat() {
	printf '%s' "$OUT" | tr -s '\n ' '  '
}

json() { # perl expression on $j
	printf '%s' "$OUT" | perl -MJSON::PP -0777 -ne \
		'my $j = decode_json($_); my $v = '"$1"'; print $v // "null"'
}

# register NAME DEBIAN_ABI TEXT...: a kernel with an excerpt of a real System.map
register() {
	local dir=$IRONRIG_HOME/kernels/$1

	mkdir -p "$dir"
	cp "$FIXTURES/6.1.0-$2.map" "$dir/System.map"
	printf '%s\n' CONFIG_NET_DROP_MONITOR=m "${@:3}" >"$dir/config"
	cat >"$dir/kernel.cfg" <<-CFG
		name = "$1"; id = "$(printf %064d 1)"; release = "6.1.0-$2";
		version = "#1"; image_sha256 = "$(printf %064d 2)";
		modules_sha256 = "$(printf %064d 3)";
		system_map = true; config = true; added = 1796097488;
	CFG
}
register v6.1 54 CONFIG_SLUB=y
register v6.1-patch 57 '# CONFIG_SLUB is not set' CONFIG_SLAB=y

block x1 0 1000 10
for j in 1 2 3 4 5 6; do
	block x1 $j 1000 950
done
run v6.1-patch x1 7 1 0 crashed
LOST=$SERIAL
run v6.1 x1 7 2 1000
ok 'collect' ironrig collect -q
is "$(ls "$IRONRIG_HOME/quarantine/box1" 2>/dev/null)" '' 'all are results'

OUT=$(ironrig compare v6.1 v6.1-patch 2>&1)
is $? 10 'a regression'
like "$OUT" 'test/1/test' 'the group'
like "$OUT" '1002\.2 +−4\.990% +952\.2 +test\.ops' 'the table'
like "$OUT" 'REGRESSION' 'the verdict'
like "$OUT" '0:8 +\+12% +1:8 +crashed .*on head alone' 'the crash'
like "${OUT%%REGRESSION*}" crashed 'first'
like "$(flat)" 'A change of 1\.0[0-9]* % would have been found with a chance of 80 % \(rough' \
	'how small could have been seen'
like "$(flat)" 'the iterations of a boot vary by 0\.0[0-9]* %, boots by 0\.[0-9]+ % besides' \
	'where the noise comes from'
like "$(flat)" '6 blocks of one boot a side, 2 iterations each' 'the line under it'
like "$(flat)" '1 block left out' 'says what is left out'
is "$(printf '%s\n' "$OUT" | perl -CS -ne 'chomp; print "$_\n" if length > 80')" '' \
	'80 columns'

OUT=$(ironrig compare v6.1 v6.1-p --json 2>&1)
is $? 10 'a unique prefix will do'
is "$(json '$j->{comparisons}[0]{verdict}')" REGRESSION 'json: verdict'
is "$(json '$j->{comparisons}[0]{n_base}')" 6 'json: blocks kept'
is "$(json '$j->{comparisons}[0]{group}')" test/1/test 'json: group'
is "$(json '$j->{comparisons}[0]{unit}')" ops/s 'json: unit'
is "$(json '$j->{comparisons}[0]{method}')" 'paired t' 'json: method'
is "$(json '$j->{failures}[0]{head_alone} ? "yes" : "no"')" yes 'json: the crash'

# the same boots without their blocks
OUT=$(ironrig compare v6.1 v6.1-patch --independent --json 2>&1)
is "$(json '$j->{comparisons}[0]{method}')" 'Welch t' '--independent: unpaired'
is "$(json '$j->{comparisons}[0]{n_base}')" 7 'with every good boot'
OUT=$(ironrig compare v6.1 v6.1-patch --stat 'test.ops' --json 2>&1)
is "$(json 'scalar @{$j->{comparisons}}')" 1 '--stat: that one'
OUT=$(ironrig compare v6.1 --aa 2>&1)
is $? 11 'A/A with four boots a side: not settled'
like "$(flat)" 'A/A: both sides are one kernel' 'says so'

# an experiment whose boots were looked at on the way
mkdir -p "$IRONRIG_HOME/conf/experiments"
cat >"$IRONRIG_HOME/conf/experiments/x1.cfg" <<-CFG
	kind = "ab"; boxes = [ "box1" ]; kernels = [ "v6.1", "v6.1-patch" ];
	jobs = [ "lock1" ]; until_decided = true; delta = 0.02;
CFG
OUT=$(ironrig compare v6.1 v6.1-patch --json 2>&1)
is "$(json '$j->{comparisons}[0]{method}')" 'sequential t' 'until decided: looks'
is "$(json '$j->{comparisons}[0]{p}')" null 'p is null then'
is "$(json '$j->{delta}')" 0.02 "the experiment's delta"
OUT=$(ironrig compare v6.1 v6.1-patch --delta 3% --json 2>&1)
is "$(json '$j->{delta}')" 0.03 'unless one is given'
rm "$IRONRIG_HOME/conf/experiments/x1.cfg"

OUT=$(ironrig report v6.1 v6.1-patch --mail --reply-to '<1@example.org>' \
	--to a@example.org --reported-by 'rig <r@example.org>' 2>&1)
is $? 10 'report: the same exit status'
like "$OUT" 'Subject: \[v6.1-patch\]: crashed; test.ops -4\.990% ' 'mail: subject'
like "$OUT" 'In-Reply-To: <1@example.org>' 'mail: thread'
like "$(flat)" '288 threads Test CPU @ 1.50GHz with 80G memory' 'mail: machine'
like "$OUT" 'nr_task: 100%' 'mail: parameters'
like "$OUT" 'echo do it again' 'mail: steps'
like "$(flat)" 'build-id b[0-9a-f]*, gcc \(Debian 12.2.0-14\) 12.2.0' 'mail: build and compiler'
like "$OUT" 'store/box1/box1\.' 'mail: where the results are'
like "$OUT" 'Reported-by: rig <r@example.org>' 'mail: tag'
like "$OUT" ' UTC' 'mail: UTC'
like "${OUT%%base:*}" 'On head alone, 1 of 8 runs: crashed' 'mail: the crash before all'
like "${OUT%%base:*}" 'REGRESSION +test.ops' 'mail: what changed at the top'
like "$(flat)" 'On head alone: crashed, in 1 of 8 runs \(store/box1/box1\.0+f\.tar\.lz4\)\. From store/box1/box1\.[0-9a-f]+\.tar\.lz4 \(meta/crash/\):' \
	'mail: where the crash is told'
like "$OUT" $'\t\\[ 9\\.0\\] BUG: unable to handle page fault' "mail: the kernel's own words"
unlike "$OUT" 'no more|ironrig: box box1: lease' 'mail: no more than those'
like "$OUT" 'CONFIG_SLAB=n -> y' 'mail: what the configs differ in'
like "$(flat)" 'The configs differ in 2 options' 'mail: how many'
unlike "$OUT" 'CONFIG_NET_DROP_MONITOR' 'mail: not what they share'
like "$(flat)" 'ironrig ab v6.1 v6.1-patch --box box1 --job lock1 --blocks [0-9]+' \
	'mail: the experiment again'
like "$OUT" '4\.75% +−2\.67% +__memcg_slab_post_alloc_hook' 'mail: a real profile'
like "$OUT" '  +\+5\.80%  path_openat' 'mail: a symbol that the base never showed'
like "$(flat)" 'Where the time went \(cpu-clock, each symbol itself; mean of 7 and 6 profiles\)' \
	'mail: which event, how many'
like "$(flat)" '17 of 75 per-CPU symbols have another address modulo 64' \
	'mail: layout of real maps'
like "$OUT" '32 ->  0  batched_entropy_u64' 'mail: a per-CPU symbol that moved'
like "$OUT" ' 0 -> 32  _raw_spin_lock' 'mail: a function of the profile that moved'
like "$OUT" 'percpu +212992 +212992 +\+0' 'mail: sizes of sections'
like "$OUT" 'rodata +8540160 +8548352 +\+8192' 'mail: one that grew'
like "$(flat)" 'in the profile: unix_stream_read_generic' 'mail: what the change touched of it'

OUT=$(ironrig report v6.1 v6.1-patch --html 2>&1)
is $? 10 'html: the same exit status'
like "$OUT" '^<!DOCTYPE html>' 'html: a page'
like "$OUT" 'BUG: unable to handle page fault' 'html: the crash'
like "$OUT" '<td>test.ops</td>' 'html: the table'
is "$(grep -c '<svg ' <<<"$OUT")" 2 'html: the figures'
is "$(grep -c '<circle class="base"' <<<"$OUT")" 6 'html: a dot for each kept boot'
OUT=$(ironrig report v6.1 v6.1-patch --ascii 2>&1)
unlike "$OUT" Subject: 'text: no headers'
is "$(printf '%s' "$OUT" | LC_ALL=C tr -d '\0-\177')" '' 'text: ascii'
OUT=$(ironrig report v6.1 v6.1-patch --json 2>&1)
is "$(json '$j->{evidence}[0]{cpus}')" 288 'json: evidence'
is "$(json '$j->{evidence}[0]{parameters}{mode}')" thread 'json: parameters'
is "$(json 'join "; ", @{$j->{evidence}[0]{config_diff}}')" \
	'CONFIG_SLAB=n -> y; CONFIG_SLUB=y -> n' 'json: what the configs differ in'
like "$(json '$j->{failures}[0]{result}')" '^box1/box1\.0+f\.tar\.lz4$' \
	'json: a run that shows the failure'

# ---- what earlier experiments tell of the spread --------------------------------

for j in 1 2 3; do
	block x2 $j 1000 951
done
ok 'collect another experiment' ironrig collect -q
OUT=$(ironrig compare v6.1 v6.1-patch --experiment x2 2>&1)
like "$(flat)" 'with a chance of 80 % \(spread pooled with 1 earlier experiment\)' \
	'three blocks, and six of before'
unlike "$OUT" 'rough' 'are not rough'
OUT=$(ironrig compare v6.1 v6.1-patch --experiment x2 --json 2>&1)
is "$(json '$j->{comparisons}[0]{mde_experiments}')" 1 'json: from how many'
OUT=$(ironrig compare v6.1 v6.1-patch --experiment x1 --json 2>&1)
is "$(json '$j->{comparisons}[0]{mde_experiments}')" 0 'later ones do not count'

# ---- several builds of one commit ---------------------------------------------

for k in v7 v7.b2 v7.b3 v7-patch; do
	mkdir -p "$IRONRIG_HOME/kernels/$k"
	sed "s/^name = \"v6.1\"/name = \"$k\"/; s/system_map = true; config = true;//" \
		"$IRONRIG_HOME/kernels/v6.1/kernel.cfg" >"$IRONRIG_HOME/kernels/$k/kernel.cfg"
done
for k in v7.b2 v7.b3; do
	echo 'build_of = "v7";' >>"$IRONRIG_HOME/kernels/$k/kernel.cfg"
done
j=0
for k in v7:1000 v7.b2:1030 v7.b3:970 v7.b3:971 v7:1001 v7.b2:1031 v7.b2:1030 v7:1000 v7.b3:970; do
	j=$((j + 1))
	run "${k%:*}" x7 $j 1 "${k#*:}"
	run v7-patch x7 $j 2 $((1040 + j % 3))
done
ok 'collect builds' ironrig collect -q
OUT=$(ironrig compare v7 v7-patch 2>&1)
is $? 0 '4 % between kernels, 3 % between builds: no regression'
like "$(flat)" 'EQUIVALENT: the 90 % interval lies inside ±δ = 1[56]\.[0-9]+ % \(the layout floor\); real, but below δ' \
	'no more than layout does, and said so'
like "$(flat)" '9 blocks of one boot a side' 'boots of every build count'
like "$(flat)" 'builds: 3 of base, 1 of head; test.ops: layout floor 1[56] %, so over other layouts' \
	'how many builds, and what they differ by'
unlike "$(flat)" 'one build: layout not ruled out' 'not one build'
like "$(flat)" 'δ = 1[56]\.[0-9]+ % \(the layout floor\)' 'delta is raised to it'
OUT=$(ironrig compare v7 v7-patch --json 2>&1)
is "$(json 'join " ", @{$j->{comparisons}[0]{builds}}')" '3 1' 'json: builds'
like "$(json '$j->{comparisons}[0]{layout_floor}')" '^1[56]\.' 'json: the floor'
OUT=$(ironrig compare v7 v7-patch --layout-floor 2% 2>&1)
like "$(flat)" 'layout floor 2 %' 'a floor by hand wins'
OUT=$(ironrig compare v7 v7.b2 --independent --json 2>&1)
is "$(json '$j->{comparisons}[0]{n_base}')" 3 'two builds against each other: one each'
is "$(json '$j->{comparisons}[0]{builds} // "none"')" none 'and no floor'

# ---- other people's numbers: the mail's six files -----------------------------

for i in 1 2 3; do
	for k in before after; do
		ok "import $k$i.csv" ironrig import --kernel $k --box idosch \
			--job lock1 --extract will-it-scale \
			"$TOP/tests/fixtures/mail2/$k$i.csv"
	done
done
OUT=$(ironrig compare before after --independent --json \
	--stat will-it-scale.4.threads 2>&1)
is $? 11 'nothing settled'
is "$(json 'sprintf "%.6f", $j->{comparisons}[0]{change}')" 0.635781 'the change'
is "$(json 'sprintf "%.6f", $j->{comparisons}[0]{t}')" 1.452592 't'
is "$(json '$j->{comparisons}[0]{n_base}')" 3 'three boots a side'
OUT=$(ironrig compare before after --all 2>&1)
like "$OUT" 'will-it-scale.4.threads' '--all shows every column'
is "$(printf '%s\n' "$OUT" | perl -CS -ne 'chomp; print "$_\n" if length > 80 || / $/')" \
	'' '80 columns, no trailing blanks'

# ---- what cannot be compared ------------------------------------------------

fails() { # status regex description arguments
	OUT=$(ironrig "${@:4}" 2>&1)
	is $? "$1" "$3: status"
	like "$OUT" "$2" "$3"
}
fails 1 'v9' 'an unknown kernel' compare v6.1 v9
fails 1 'v6' 'a prefix of two' compare v6 v6.1-patch
fails 1 'one kernel: --aa' 'one kernel twice' compare v6.1 v6.1
fails 1 'no test was run with both' 'no such job' compare v6.1 v6.1-patch --job nojob
fails 2 'two kernels' 'one kernel' compare v6.1
fails 2 'one of --mail' 'two forms' report v6.1 v6.1-patch --mail --html
fails 2 'go with --mail' 'recipients of no mail' report v6.1 v6.1-patch --to a@b
fails 2 '--ascii goes with' 'ASCII HTML' report v6.1 v6.1-patch --html --ascii
fails 2 '--all is for compare' 'report --all' report v6.1 v6.1-patch --all
fails 2 'do not go with --json' 'tags in JSON' \
	report v6.1 v6.1-patch --json --closes http://x
fails 2 '--delta in units' 'delta in units of ratio stats' \
	compare v6.1 v6.1-patch --delta 5
fails 2 'by ratio, and there is none' 'a percentage of percentages' \
	compare v6.1 v6.1-patch --delta 5% --stat perf-profile.self.cpu-clock._raw_spin_lock
OUT=$(ironrig compare v6.1 v6.1-patch --delta 5 --delta 2% 2>&1)
is $? 10 'deltas of both kinds suit any store'
fails 2 'no store to choose' '--values with --box' compare --values a b --box c
fails 2 'control characters' 'a header by the back door' \
	report v6.1 v6.1-patch --mail --to $'a\nBcc: b'
IRONRIG_HOME=$T/none fails 1 'none' 'no home' compare v6.1 v6.1-patch

# ---- a job that is edited while its experiment runs --------------------------------

new_home "$T/edited"
old=$(printf 'a%.0s' {1..64})
new=$(printf 'b%.0s' {1..64})
for i in 0 1 2 3 4 5 6; do
	JOB_ID=$old block ex "$i" 1000 1000
done
# in the middle of block 7: half as fast by what is run, not by the kernel
JOB_ID=$old run v6.1 ex 7 1 1000
JOB_ID=$new run v6.1-patch ex 7 2 500
JOB_ID=$new run v6.1-patch ex 8 1 500
run v6.1-patch ex 10 1 0 lost # the controller's word: of no version
ironrig collect >/dev/null
OUT=$(ironrig compare v6.1 v6.1-patch)
unlike "$OUT" REGRESSION "an edited job is no slower kernel"
like "$(flat)" "6 blocks of one boot a side.*job lock1 was edited between runs: only those of version a{12} are compared" \
	"its two versions are told apart"
JOB_ID=$new run v6.1 ex 9 1 500
JOB_ID=$new run v6.1-patch ex 9 2 500
ironrig collect >/dev/null
OUT=$(ironrig compare v6.1 v6.1-patch)
is "$(grep -oE 'version [ab]{12}' <<<"$(flat)" | sort | xargs)" \
	"version aaaaaaaaaaaa version bbbbbbbbbbbb" "and compared each for itself"
like "$(ironrig compare v6.1 v6.1-patch)" 'lost' "a lost run counts with one"

done_testing
