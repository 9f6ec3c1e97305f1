# bash completion for strata: the candidates are those of the script complete

_strata()
{
	local word=${COMP_WORDS[COMP_CWORD]} line folder=${BASH_SOURCE%/*} IFS=$'\n'
	local -a words=("${COMP_WORDS[@]:1:COMP_CWORD}")
	[[ $folder == "$BASH_SOURCE" ]] && folder=.
	[[ -e $folder/complete ]] || folder=$folder/../../strata
	# bash splits --option=value at the sign
	if [[ $word == = ]]; then
		words=("${COMP_WORDS[@]:1:COMP_CWORD-2}" "${COMP_WORDS[COMP_CWORD-1]}=") word=
	elif [[ ${COMP_WORDS[COMP_CWORD-1]} == = && $COMP_CWORD -gt 2 ]]; then
		words=("${COMP_WORDS[@]:1:COMP_CWORD-3}" "${COMP_WORDS[COMP_CWORD-2]}=$word")
	fi
	COMPREPLY=()
	for line in $(sh "$folder/complete" "${words[@]}"); do
		if [[ $line == :files ]]; then
			COMPREPLY+=($(compgen -f -- "$word"))
			compopt -o filenames
			continue
		fi
		line=${line%%$'\t'*}
		[[ $line == --*=* && $word != --*=* ]] && line=${line#*=}
		COMPREPLY+=("$line")
	done
	[[ ${COMPREPLY[0]} == *,* ]] && compopt -o nospace
	return 0
}

complete -F _strata strata
