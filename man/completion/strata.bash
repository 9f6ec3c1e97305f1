# bash completion for strata

_strata_options()
{
	# "  -f, --format FORMAT  ..." -> -f --format
	strata ${1:+"$1"} --help 2>/dev/null |
		sed -n 's/^  \(-.\)\{0,1\},\{0,1\} *\(--[a-z0-9-]*\).*/\1 \2/p'
}

_strata_views()
{
	strata views -f csv 2>/dev/null | sed '1d; s/,.*//'
	# pictures and plots, listed last
	strata views 2>/dev/null | sed -n '/^P[il].*s (text/,$s/^  \([a-z-]*\): .*/\1/p'
}

_strata_list() { strata --list "$1" 2>/dev/null; }

_strata_groups()
{
	strata views -f ndjson 2>/dev/null |
		sed -n "s/.*\"view\": *\"$1\".*\"group_by\": *\"\([^\"]*\)\".*/\1/p" | tr , ' '
}

_strata_columns() { strata report "$1" -c help -f csv 2>/dev/null | sed '1d; s/,.*//'; }

# The column after the last comma of a list.
_strata_column_list()
{
	local before=
	case $2 in *,*) before=${2%,*}, ;; +*) before=+ ;; esac
	COMPREPLY=($(compgen -P "$before" -W "$(_strata_columns "$1")" -- "${2#"$before"}"))
	compopt -o nospace
}

_strata()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local commands='report diff query export info summarize merge serve agent views baseline doctor cache' command= view=${COMP_WORDS[2]}
	case " $commands " in *" ${COMP_WORDS[1]} "*) command=${COMP_WORDS[1]} ;; esac

	case $before in
	-f | --format)
		COMPREPLY=($(compgen -W 'table csv tsv json ndjson markdown html svg' -- "$word")); return ;;
	-c | --columns | -s | --sort)
		[[ $command == diff ]] && view=diff
		_strata_column_list "$view" "$word"; return ;;
	-g | --group-by)
		[[ $command == diff ]] && view=diff
		COMPREPLY=($(compgen -W "$(_strata_groups "$view")" -- "$word")); return ;;
	--view)
		if [[ $command == diff ]]; then
			COMPREPLY=($(compgen -W "diff $(_strata_groups diff)" -- "$word")); return
		fi
		COMPREPLY=($(compgen -W "$(_strata_views)" -- "$word")); return ;;
	--theme)
		COMPREPLY=($(compgen -W "$(_strata_list themes)" -- "$word")); return ;;
	--gpu)
		local IFS=$'\n'
		COMPREPLY=($(compgen -W "$(_strata_list gpus)" -- "$word")); compopt -o filenames; return ;;
	--list)
		COMPREPLY=($(compgen -W 'commands config detectors gpus guidance reports themes' -- "$word")); return ;;
	--color)
		COMPREPLY=($(compgen -W 'auto never always' -- "$word")); return ;;
	--by)
		COMPREPLY=($(compgen -W 'launch execution' -- "$word")); return ;;
	-n | --limit | -w | --width | --filter | --steps | --time | --rank | --device | --stream | \
	--thread | --under | --step-name | --size | --height | --search | --fail-above)
		return ;;
	esac
	if [[ $word == -* && $before != -o ]]; then
		COMPREPLY=($(compgen -W "$(_strata_options "$command")" -- "$word"))
	elif [[ $command == report && $COMP_CWORD == 2 ]]; then
		COMPREPLY=($(compgen -W "$(_strata_list reports)" -- "$word"))
	else
		[[ $COMP_CWORD == 1 ]] && COMPREPLY=($(compgen -W "$commands" -- "$word"))
		COMPREPLY+=($(compgen -f -- "$word"))
		compopt -o filenames
	fi
}

complete -F _strata strata
