# fish completion for strata

function __strata_options
	set -l words (commandline -opc)
	set -l command
	if set -q words[2]; and contains -- $words[2] report diff query export info summarize merge serve agent views baseline doctor cache
		set command $words[2]
	end
	# "  -f, --format FORMAT  what it does" -> --format<Tab>what it does
	strata $command --help 2>/dev/null | sed -n \
		's/^  \(-.\)\{0,1\},\{0,1\} *\(--[a-z0-9-]*\).*  \(.*\)/\2\t\3/p'
end

function __strata_views
	strata views -f csv 2>/dev/null | sed '1d; s/,.*//'
	strata views 2>/dev/null | sed -n '/^P[il].*s (text/,$s/^  \([a-z-]*\): .*/\1/p'
end

function __strata_columns
	set -l words (commandline -opc)
	test "$words[2]" = report; and strata report $words[3] -c help -f csv 2>/dev/null | sed '1d; s/,.*//'
end

function __strata_after
	set -l words (commandline -opc)
	contains -- $words[-1] $argv
end

complete -c strata -n __fish_use_subcommand -a report -d 'print one view'
complete -c strata -n __fish_use_subcommand -a diff -d 'compare two runs'
complete -c strata -n __fish_use_subcommand -a query -d 'run SQL on the views'
complete -c strata -n __fish_use_subcommand -a export -d 'write a database, Chrome trace or collapsed stacks'
complete -c strata -n __fish_use_subcommand -a agent -d 'print a brief for coding agents'
complete -c strata -n __fish_use_subcommand -a summarize -d 'write summaries of traces'
complete -c strata -n __fish_use_subcommand -a merge -d 'merge summaries of ranks into one file'
complete -c strata -n __fish_use_subcommand -a serve -d 'answer requests of the Model Context Protocol'
complete -c strata -n __fish_use_subcommand -a info -d 'print file format, contents and damage'
complete -c strata -n __fish_use_subcommand -a views -d 'list views and their columns'
complete -c strata -n __fish_use_subcommand -a doctor -d 'check this host'
complete -c strata -n __fish_use_subcommand -a baseline -d 'name runs to compare with'
complete -c strata -n __fish_use_subcommand -a cache -d 'list or remove indexes'
complete -c strata -n '__strata_after report' -a '(strata --list reports 2>/dev/null)'
complete -c strata -n '__strata_after -f --format' -f -a 'table csv tsv json ndjson markdown html svg'
complete -c strata -n '__strata_after -c --columns -s --sort' -f \
	-a '(__fish_complete_list , __strata_columns)'
complete -c strata -n '__strata_after --view' -f -a '(__strata_views)'
complete -c strata -n '__strata_after --theme' -f -a '(strata --list themes 2>/dev/null)'
complete -c strata -n '__strata_after --gpu' -f -a '(strata --list gpus 2>/dev/null)'
complete -c strata -n '__strata_after --list' -f -a 'commands config detectors gpus guidance reports themes'
complete -c strata -n '__strata_after --color' -f -a 'auto never always'
complete -c strata -n '__strata_after --by' -f -a 'launch execution'
complete -c strata -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__strata_options)'
