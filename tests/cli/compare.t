#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# ironrig compare --values: numbers in, verdict out, with no store at all.

. "$(dirname "$0")/../lib.sh"

MAIL=$TOP/tests/fixtures/mail2
cd "$T" || bail "no $T"

# field NAME: of the first comparison in $OUT, which has to be JSON
field() {
	printf '%s' "$OUT" | FIELD=$1 perl -MJSON::PP -0777 -ne '
		my $v = decode_json($_)->{comparisons}[0]{$ENV{FIELD}};
		print !defined $v ? "null" :
			ref $v ? join(" ", map { $_ // "null" } @$v) : $v'
}

# $OUT without its line breaks
flat() {
	printf '%s' "$OUT" | tr -s '\n ' '  '
}

# near GOT WANTED DESCRIPTION: to six digits
near() {
	perl -e 'exit !(abs($ARGV[0] - $ARGV[1]) <= 1e-6 * (1 + abs $ARGV[1]))' \
		-- "$1" "$2"
	tap_result $? "$3" || diag "got $1, expected $2"
}

compare() {
	OUT=$(ironrig compare --values "$@" 2>&1)
	RC=$?
}

# ---- the mail's numbers ------------------------------------------------------

compare "$MAIL/before.values" "$MAIL/after.values" --better higher
is "$RC" 11 'the mail: nothing settled'
like "$OUT" 'changes beyond −0\.9 … \+2\.2 % ruled out \(95 %\)' 'what is ruled out'
like "$OUT" '2325538 +\+0\.6% +2340323 +value' 'means and change'
like "$OUT" 'INCONCLUSIVE +detectable: 2\.0 % \(rough\)' 'verdict and detectable effect'
like "$OUT" 'vouched for' 'says that unpaired values count as vouched for'
like "$OUT" 'one build: layout not ruled out' 'and that one build is one layout'
unlike "$OUT" $'\033' 'no colour into a file'
is "$(printf '%s\n' "$OUT" | perl -CS -ne 'chomp; print "$_\n" if length > 80')" '' \
	'80 columns'

compare "$MAIL/before.values" "$MAIL/after.values" --ascii
like "$OUT" 'changes beyond -0\.9 \.\.\. \+2\.2 % ruled out' 'ascii: the same'
is "$(printf '%s' "$OUT" | LC_ALL=C tr -d '\0-\177')" '' 'ascii: nothing else'

compare "$MAIL/before.values" "$MAIL/after.values" --wide
like "$OUT" '\[−0\.9, \+2\.2\] % +INCONCLUSIVE +2\.0 % \(rough\) +value' 'wide: one row'

compare "$MAIL/before.values" "$MAIL/after.values" --json --better higher
is "$RC" 11 'json: the same exit status'
near "$(field change)" 0.635781 'change'
near "$(field t)" 1.452592 't'
near "$(field df)" 2.461478 'df'
near "$(field p)" 0.260851 'p'
near "$(field p_exact)" 0.3 'exact: 6 of 20'
near "$(field mde)" 2.039825 'detectable effect'
is "$(field method)" 'Welch t' 'method'
is "$(field change_unit)" % 'unit of the change'
is "$(field e_value)" null 'null where a number does not exist'
is "$(field better)" higher 'better'
is "$(field verdict)" INCONCLUSIVE 'verdict'
read -r lo hi <<<"$(field ci95)"
near "$lo" -0.939025 'CI low'
near "$hi" 2.235623 'CI high'

# ---- R's sleep: paired, linear -----------------------------------------------

printf '%s\n' 1.9 .8 1.1 .1 -.1 4.4 5.5 1.6 4.6 3.4 >drug2
printf '%s\n' .7 -1.6 -.2 -1.2 -.1 3.4 3.7 .8 0 2 >drug1
compare --paired --linear drug2 drug1 --json
near "$(field t)" -4.062127683 'sleep: t'
near "$(field p)" .002832890 'sleep: p'
near "$(field p_exact)" .00390625 'sleep: sign-flip 4 of 1024'
near "$(field e_value)" 25.475138 'sleep: e'
read -r lo hi <<<"$(field ci95)"
near "$lo" -2.45988576 'sleep: CI low'
near "$hi" -.70011424 'sleep: CI high'
is "$(field scale)" linear 'differences'
is "$(field verdict)" CHANGED 'no direction given'
is "$RC" 0 'a change without direction is no regression'
compare --paired drug2 drug1 --json
is "$(field scale)" linear 'zeros and negatives choose linear by themselves'
near "$(field t)" -4.062127683 'with the same t'
compare --paired drug2 drug1 --better higher
is "$RC" 10 'fewer hours of sleep: a regression'
like "$OUT" REGRESSION 'by name'
compare --paired drug2 drug1 --better lower
is "$RC" 0 'seen the other way: no regression'
like "$OUT" IMPROVEMENT 'but an improvement'
compare --paired drug2 drug1 --better higher --delta 2
like "$(flat)" 'NEAR δ: p 0\.0028 < 0\.05: worse, size not settled against δ = 2' 'delta in units'
is "$RC" 11 'near delta is not settled'
compare --paired drug2 drug1
like "$(flat)" "of the base's mean −68% \[−148, −34\] %" 'sleep: a percentage by Fieller'
compare --paired drug1 drug2
like "$(flat)" 'no percentage: the base is not clear of zero' 'no percentage without a base'
compare drug2 drug1 --linear --json
near "$(field t)" -1.860813467 'sleep: Welch t'
near "$(field df)" 17.77647352 'sleep: Welch df'

# ---- verdicts ----------------------------------------------------------------

printf '%s\n' 100 101 99 100.5 99.5 100.2 99.8 100 >same
perl -ne 'print $_ * .95, "\n"' same >slower
perl -ne 'print $_ + ($. % 2 ? .1 : -.1), "\n"' same >alike
compare --paired same slower --better higher
is "$RC" 10 '5 % less: regression'
compare --paired same alike --better higher
is "$RC" 0 'alike'
like "$OUT" 'EQUIVALENT' 'is equivalent'
like "$(flat)" 'a slow mode in fewer than 31 % of boots is not excluded' 'speaks of typical boots'
compare --paired same same --json
is "$(field verdict)" EQUIVALENT 'the same file twice'
is "$(field p)" 1 'p = 1'
is "$(field ci95)" null 'exact: no interval'
compare --paired same alike --better higher --delta 0.01% --json
isnt "$(field verdict)" EQUIVALENT 'a smaller delta is harder to meet'
head -n 2 same >two
head -n 2 slower >twoslower
compare --paired two twoslower
is "$RC" 11 'two boots'
like "$OUT" 'NO VERDICT' 'give no verdict'
compare --paired same slower --alpha 0.0000000001 --better higher
isnt "$RC" 10 'alpha is heeded'

# ---- the form of files -------------------------------------------------------

printf '# a comment\n\n1 2 3   # iterations\r\n\t4, 5,\t6,\nNA\n7 8 9\n' >form
printf '1 2\n4 5 6\n7 8 9\n7 8 9' >form2
compare --paired form form2 --json
is "$(field n_base)" 3 'comments, blank lines, tabs, commas, CRLF, no last newline'
is "$(field dropped)" 1 'NA is a lost boot: its block is dropped'
is "$(field iterations)" '2 3' 'unequal iterations'
is "$(field change)" 0 'only iterations that both boots completed count'
printf '1 2 3 4\n1\n1 2 3 4\n1 2\n' >few
compare --paired few few --json
is "$(field n_base)" 3 'fewer than half of the iterations: dropped'

bad() { # contents wanted-message description
	printf '%b' "$1" >bad
	compare bad same
	is "$RC" 1 "$3: fails"
	like "$OUT" "$2" "$3: says where"
}
bad '1 2\n3 x4\n' 'bad:2: "x4" is not a number' 'a word'
bad '1\n\n# c\nnan\n' 'bad:4: "nan" is not a number' 'NaN'
bad 'inf\n' 'bad:1: "inf" is not a number' 'infinity'
bad '1e999\n' 'bad:1: 1e999 is out of range' 'overflow'
bad '1\n1,5\n' 'bad:2: "1,5": decimals take a point' 'a decimal comma'
bad '1,234,567\n' 'bad:1: "1,234,567": decimals' 'thousands'
bad '1 , 2\n' 'bad:1: ","' 'a comma by itself'
bad '1e308\n' 'bad:1: 1e308 is not of a size' 'too large for squares'
bad '4e-320\n' 'bad:1: 4e-320 is not of a size' 'too small for squares'
bad '1e-400\n' 'bad:1: 1e-400 is not of a size' 'not silently zero'
bad '1 0x10\n' 'bad:1: "0x10"' 'hexadecimal'
bad '1 NA\n' 'bad:1: "NA" is not a number' 'NA among numbers'
bad '' 'bad: empty' 'an empty file'
bad '# only\n' 'bad: no numbers' 'a file of comments'
bad '1\00002\n' 'bad: not a text file' 'a zero byte'
compare nofile same
is "$RC" 1 'a missing file'
like "$OUT" 'nofile: No such file' 'is named'
compare --paired same two
is "$RC" 1 'unequal n with --paired'
like "$OUT" 'same has 8 boots, two has 2' 'names both'
compare same two
is "$RC" 11 'is fine without'
OUT=$(ironrig compare --values - slower --better higher <same)
is $? 10 'standard input'
printf '1\n2\n' >a
printf '1\n' >b
compare a b --json
is "$(field t)" null 'one boot on a side: no test'
is "$RC" 11 'and no verdict'

# 10^12 and a change of 10^-6 of it
perl -e 'printf "%.3f\n", 1e12 + $_ * 1000 for 1..8' >big
perl -e 'printf "%.3f\n", 1e12 + $_ * 1000 + 1e6 for 1..8' >bigger
compare --paired big bigger --linear --json
near "$(field change)" 1e6 'large values: change'
compare big bigger --linear --json
near "$(field base_sd)" 2449.489743 'large values: spread'

# ---- a terminal --------------------------------------------------------------

on_tty() { # columns, environment...
	OUT=$(script -qec "stty cols $1; env ${*:2} $BIN/ironrig compare \
		--values same slower --paired --better higher" /dev/null)
}
on_tty 80
like "$OUT" $'\033\\[1;31mREGRESSION\033\\[0m' 'colour on a terminal'
on_tty 80 NO_COLOR=1
unlike "$OUT" $'\033' 'but not with NO_COLOR'
on_tty 140 NO_COLOR=1
like "$OUT" 'REGRESSION +- +value' 'a wide terminal has one row a stat'

# ---- usage -------------------------------------------------------------------

usage() {
	OUT=$(ironrig compare "$@" 2>&1)
	is $? 2 "usage: compare $*"
}
usage --values same
usage --values same same same
usage --values same same --better faster
usage --values same same --delta x
usage --values same same --delta -1%
usage --values same same --delta 0%
usage --values same same --delta 1% --linear
usage --values same same --delta 5
like "$OUT" 'and there is none: --delta N%, or --linear' 'says what would apply'
usage --values drug2 drug1 --delta 5%
like "$OUT" '--delta N, in units' 'says what would apply there'
usage --values drug2 drug1 --layout-floor 5%
usage --values same same --linear --layout-floor 5%
usage --values same same --all
usage --values same same --json --wide
usage --values same same --json --ascii
usage --values same same --alpha 0
usage --values same same --alpha 1
usage --values same same --nonsense
ok 'help' ironrig compare -h
OUT=$(ironrig compare -h)
like "$OUT" 'exit status: 0 no regression; 10' 'tells the exit statuses'


# ---- many boots, far changes -------------------------------------------------

perl -e 'srand 1; print 100 + rand, "\n" for 1 .. 5000' >many
perl -e 'srand 2; print 101 + rand, "\n" for 1 .. 5000' >many2
compare --paired many many2 --json
is "$(field p_exact)" null 'thousands of blocks: no draws'
compare --paired many many2
unlike "$OUT" 'fewer than 0 %' 'a rare slow mode is not one in never'
printf '%s\n' 1e100 1.1e100 1e100 >far
printf '%s\n' 1e-100 9e-150 1e-100 >near
compare near far
is "$(printf '%s\n' "$OUT" | perl -CS -ne 'chomp; print "$_\n" if length > 80')" '' \
	'80 columns whatever the size'

done_testing
