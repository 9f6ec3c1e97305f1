# fish completion for strata: the candidates are those of the script complete

set -g __strata_folder (status dirname)
test -e $__strata_folder/complete; or set -g __strata_folder (status dirname)/../../strata

function __strata_candidates
	set -l words (commandline -opc) (commandline -ct)
	set -l current (commandline -ct)
	for line in (sh $__strata_folder/complete $words[2..-1])
		if test "$line" = :files
			set -l option (string match -r '^--[a-z-]*=' -- $current)
			for file in (__fish_complete_path (string replace -r '^--[a-z-]*=' '' -- $current))
				echo $option$file
			end
		else
			echo $line
		end
	end
end

complete -c strata -f -a '(__strata_candidates)'
