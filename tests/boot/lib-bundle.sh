# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# Helpers for boot tests of the shipped jobs, to be sourced behind lib-boot.sh:
# bundles that are built once, jobs made short, stats of a result.

BUNDLES=$TOP/build/bundles

# What a bundle's file depends on, as a hash: two tests with the same get the
# same bundle, and building one takes 5 to 30 s.
bundle_key() {
	{
		cat "$TOP/initramfs/stage-bundle" "$TOP/initramfs/fetch-deb" \
			"$TOP/runner/bundlemake.c" "$TOP"/runner/cpio*.c \
			"$TOP/initramfs/bundles/$1"
		find "$TOP/initramfs/bundles/$1.d" -type f -print0 \
			2>/dev/null | sort -z | xargs -0 cat
	} | sha256sum | cut -c 1-16
}

# bundle NAME...: into the home, from build/bundles when they are there.
bundle() {
	local name dir tmp

	mkdir -p "$IRONRIG_HOME/bundles" "$DEBS"
	[ -e "$IRONRIG_HOME/bundles/.debs" ] ||
		ln -s "$DEBS" "$IRONRIG_HOME/bundles/.debs"
	for name; do
		dir=$BUNDLES/$name-$(bundle_key "$name")
		if [ ! -d "$dir" ]; then
			ironrig image bundle "$name" >"$T/bundle.log" 2>&1 ||
				skip_all "bundle $name: $(tail -n 1 "$T/bundle.log")"
			mkdir -p "$BUNDLES"
			tmp=$(mktemp -d "$BUNDLES/.$name.XXXXXX")
			cp "$IRONRIG_HOME/bundles/$name".* "$tmp"
			mv -T "$tmp" "$dir" 2>/dev/null || rm -r "$tmp"
		fi
		cp "$dir/$name".* "$IRONRIG_HOME/bundles/"
	done
}

# short JOB [SED...]: the shipped job with one iteration and other parameters:
# `runtime 2s' sets params.runtime, anything else is sed's.
short() {
	local job=$1 edit=(-e 's/^iterations = .*/iterations = 1;/'
		-e 's/^warmup = .*//')

	shift
	while [ $# -gt 0 ]; do
		case $1 in
		*/*) edit+=(-e "$1") ;;
		*) edit+=(-e "s/\\<${1%% *} = [^;]*;/${1%% *} = \"${1#* }\";/") ;;
		esac
		shift
	done
	sed "${edit[@]}" "$TOP/conf/jobs/$job.cfg" \
		>"$IRONRIG_HOME/conf/jobs/$job.cfg"
	grep -q '^iterations' "$IRONRIG_HOME/conf/jobs/$job.cfg" ||
		echo 'iterations = 1;' >>"$IRONRIG_HOME/conf/jobs/$job.cfg"
}

# queue_jobs NAME BOX JOB...: one run of each, in one boot.
queue_jobs() {
	local list

	list=$(printf '"%s", ' "${@:3}")
	cat >"$IRONRIG_HOME/conf/experiments/$1.cfg" <<-CFG
		kind = "queue";
		boxes = [ "$2" ];
		kernels = [ "v6.1" ];
		jobs = [ ${list%, } ];
		count = 1;
		attempts = 1;
		jobs_share_boot = true;
	CFG
}

# result_of BOX JOB: the file of that job's result.
result_of() {
	local f

	for f in $(results "$1"); do
		[ "$(result_file "$f" result.cfg |
			sed -n 's/^job = "\(.*\)";/\1/p')" = "$2" ] && echo "$f"
	done | head -n 1
}

# lease_of JOB: of the newest result of that job in the store.
lease_of() {
	ironrig ls --job "$1" --limit 1 | awk 'NR == 2 { print $1 }'
}

# stat_of JOB STAT: its mean, as the index has it; nothing when it is missing.
stat_of() {
	ironrig show --stat "$2" "$(lease_of "$1")" 2>/dev/null |
		awk -v s="$2" '$NF == s { print $1; exit }'
}
