#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The manuals are well-formed and name every command and entry; completion
# offers them; `make install' puts everything where the programs look for it.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

cd "$TOP" || exit 1
if command -v mandoc >/dev/null; then
	for page in runner/ironrig.1 conf/ironrig.conf.5 agent/ironrig-agent.8; do
		is "$(mandoc -T lint -W warning "$page" | grep -v 'operating system')" \
			"" "$page is well-formed mdoc"
	done
else
	skip "no mandoc"
fi

"$BIN/ironrig" --home "$T/home" init >/dev/null || exit 1
text=$(mandoc -T ascii runner/ironrig.1 | sed 's/.\x08//g')
for c in $("$BIN/ironrig" -h | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	ok "ironrig(1) names $c" grep -qw "$c" <<<"$text"
	ok "$c -h tells its usage" sh -c "'$BIN/ironrig' $c -h | grep -q '^usage: .*ironrig'"
	# git bisect run stops at 128 and above alone
	[ "$c" = bisect ] && usage=129 || usage=2
	exits "$usage" "$c with an unknown option is a usage error" \
		"$BIN/ironrig" --home "$T/home" "$c" --no-such-option
done

complete_words() { # WORDS...: what completion offers for the last one
	PATH=$BIN:$PATH IRONRIG_HOME=$T/home bash -c '
		. runner/completion.bash
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		compopt() { :; }
		_ironrig
		printf "%s\n" "${COMPREPLY[@]}"' - "$@"
}
: >"$T/home/conf/hosts/box7.cfg"
is "$(complete_words ironrig coll)" collect "completion of a command"
is "$(complete_words ironrig enroll --rot)" --rotate "of an option"
is "$(complete_words ironrig ls --box b)" box7 "of a box"

ok "make install" make -s install DESTDIR="$T/root" PREFIX=/usr
ok "installed ironrig runs" "$T/root/usr/bin/ironrig" --version
ok "and finds its example jobs" "$T/root/usr/bin/ironrig" --home "$T/h" init
ok "which are in the new home" ls "$T/h/conf/jobs/lock1.cfg"
done_testing
