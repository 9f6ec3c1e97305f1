# bash, zsh and fish offer the same: commands, views, options, columns, groupings and baselines.
. "${srcdir:-.}/tests/lib.sh"
seldom 4
need_command bash
mkdir "$work/bin"
printf '#!/bin/sh\nexec %s "%s/strata" "$@"\n' "${TEST_WRAPPER-}" "$builddir" >"$work/bin/strata"
chmod +x "$work/bin/strata"
export PATH="$work/bin:$PATH"
mkdir "$work/empty"
cd "$work/empty"

# complete WORD...: candidates for the last word
complete() { complete_bash "$@" | sort | tr '\n' ' '; }
complete_bash()
{
	bash -c '
		. "$0/man/completion/strata.bash"
		compopt() { :; }
		COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
		_strata
		printf "%s\n" "${COMPREPLY[@]}"' "$srcdir" "$@"
}
complete_zsh()
{
	zsh -fc '
		fpath=($0/man/completion $fpath)
		autoload -Uz _strata
		compadd() { shift; print -rl -- "$@"; }
		_describe() { local -a all=("${(P@)2}"); print -rl -- "${all[@]%%:*}"; }
		_files() { :; }
		compset() { :; }
		words=("$@") CURRENT=$#
		_strata' "$srcdir" "$@"
}
complete_fish()
{
	fish --no-config -c 'source $argv[1]/man/completion/strata.fish
		complete -C "$argv[2]"' "$srcdir" "$*" | sed 's/\t.*//'
}

assert_equal "commands" "report baseline " "$(complete strata rep)$(complete strata base)"
# every command of --help is offered, and nothing else
strata --help | sed -n 's/^strata \([a-z][a-z]*\) .*/\1/p; s/^strata \([a-z][a-z]*\)$/\1/p' | sort -u >commands
complete_words=$(sh "$srcdir/man/completion/complete" "" | sed '/^:files$/d; s/	.*//' | sort)
assert_equal "all commands" "$(cat commands)" "$complete_words"
assert_equal "groupings of bisect" "$(complete strata diff -g "")" "$(complete strata bisect -g "")"
assert_equal "views" "launches layers " "$(complete strata report la)"
assert_equal "presets" "dlprof-kernel key-averages " \
	"$(complete strata report dlprof-k)$(complete strata report key-)"
assert_equal "plots and pictures" "plot-memory timeline " \
	"$(complete strata report plot-m)$(complete strata report timel)"
assert_equal "themes" "dark default " "$(complete strata --theme d)"
assert_equal "GPUs" "RTX 4090 " "$(complete strata --gpu "RTX 409")"
assert_equal "lists" "reports " "$(complete strata --list r)"
strata --list themes | while read -r theme; do
	[ -e "$srcdir/themes/$theme.theme" ] || fail "there is no theme $theme"
done
assert_exit 2 strata --list nosuch
assert_line "$work/err" "commands, config, detectors, gpus, guidance, reports or themes"
# every candidate is accepted by report
strata --list reports | while read -r name; do
	case $name in
	all) ;;
	*-all) assert_exit 4 strata report "$name" -o "$work/all" /nonexistent ;;
	*) assert_exit 4 strata report "$name" /nonexistent ;;
	esac
done
assert_equal "pictures" "timeline " "$(complete strata report timel)"
assert_equal "formats" "json " "$(complete strata report kernels -f js)"
assert_equal "columns" "gpu_avg_ns gpu_max_ns gpu_min_ns gpu_self_ns gpu_total_ns " \
	"$(complete strata report layers -c gpu_)"
assert_equal "more columns" "name,gpu_avg_ns name,gpu_max_ns name,gpu_min_ns name,gpu_self_ns name,gpu_total_ns " \
	"$(complete strata report layers -c name,gpu_)"
assert_equal "groupings" "properties " "$(complete strata report kernels -g pr)"
case $(complete strata report kernels --gr) in
*--group-by*) ;;
*) fail "--group-by is not offered to report" ;;
esac
case $(complete strata info --gr) in
*--group-by*) fail "--group-by is offered to info" ;;
esac

# ---- the three shells offer the same ----
tracegen -o "$work/run.json"
assert_exit 0 strata baseline add before "$work/run.json"
same() # EXPECTED WORD...
{
	expected=$1
	shift
	for shell in bash zsh fish; do
		if ! command -v $shell >/dev/null; then
			echo "SKIP: no $shell here" >&2
			continue
		fi
		found=$(complete_$shell "$@" | grep -v '^$' | sort | tr '\n' ' ')
		assert_equal "$shell: $*" "$expected" "$found"
	done
}
same "report " strata rep
same "launches layers " strata report la
same "plot-memory " strata report plot-m
same "properties " strata report kernels -g pr
same "curve " strata report plot-memory -g cu
same "kernels " strata diff -g ker
same "kernels " strata diff --view ker
same "before " strata diff bef
same "before " strata report kernels --base bef
same "before " strata baseline remove b
same "always auto " strata report kernels --color a
same "--group-by --group-by-input-shape --group-by-stack " strata report kernels --group
same "name,gpu_avg_ns name,gpu_max_ns name,gpu_min_ns name,gpu_self_ns name,gpu_total_ns " strata report layers -c name,gpu_
for shell in zsh fish; do
	command -v $shell >/dev/null || continue
	assert_equal "$shell: --opt=VALUE" "--group-by=properties " "$(complete_$shell strata report kernels --group-by=pr | tr '\n' ' ')"
done
assert_equal "bash: --opt=VALUE" "properties " "$(complete strata report kernels --group-by = pr)"
