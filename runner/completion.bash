# SPDX-License-Identifier: GPL-3.0-or-later
# bash completion for ironrig: commands and options come from the program's own
# help, names from the home's folders.

_ironrig_names() { # FOLDER SUFFIX
	local home=${IRONRIG_HOME:-$HOME/ironrig} f

	for f in "$home/$1"/*"$2"; do
		[ -e "$f" ] || continue
		f=${f##*/}
		printf '%s\n' "${f%"$2"}"
	done
}

_ironrig() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command='' words='' i

	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--home) ((i++)) ;;
		-*) ;;
		*)
			command=${COMP_WORDS[i]}
			break
			;;
		esac
	done
	COMPREPLY=()
	if [ -z "$command" ]; then
		words=$(ironrig -h 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p')
	elif [[ $cur == -* ]]; then
		words=$(ironrig "$command" -h 2>/dev/null |
			grep -o -- '--[a-z][a-z-]*' | sort -u)
	else
		case $prev in
		--box) words=$(_ironrig_names conf/hosts .cfg) ;;
		--job) words=$(_ironrig_names conf/jobs .cfg) ;;
		--kernel | --like | --build-of | --good-kernel) words=$(_ironrig_names kernels '') ;;
		--experiment) words=$(_ironrig_names conf/experiments .cfg) ;;
		*)
			case $command in
			enroll | tail | power | receive | queue)
				words=$(_ironrig_names conf/hosts .cfg)
				[ "$command" = queue ] && [ "$prev" != queue ] &&
					words=$(_ironrig_names conf/jobs .cfg)
				;;
			compare | report | ab) words=$(_ironrig_names kernels '') ;;
			kernel) words='add ls show rm' ;;
			image) words='base bundle overlay list sbom' ;;
			extract) words=$(ironrig extract --list 2>/dev/null | awk '{ print $1 }') ;;
			esac
			;;
		esac
	fi
	while IFS= read -r i; do
		COMPREPLY+=("$i")
	done < <(compgen -W "$words" -- "$cur")
	((${#COMPREPLY[@]})) || compopt -o default 2>/dev/null
	return 0
}
complete -F _ironrig ironrig
