# Bash completion offers the program's commands, views, options, columns and groupings.
. "${srcdir:-.}/tests/lib.sh"
need_command bash
mkdir "$work/bin"
printf '#!/bin/sh\nexec %s "%s/strata" "$@"\n' "${TEST_WRAPPER-}" "$builddir" >"$work/bin/strata"
chmod +x "$work/bin/strata"
export PATH="$work/bin:$PATH"

# complete WORD...: candidates for the last word
complete()
{
	bash -c '
		. "$0/man/completion/strata.bash"
		compopt() { :; }
		COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
		_strata
		printf "%s\n" "${COMPREPLY[@]}"' "$srcdir" "$@" | sort | tr '\n' ' '
}

assert_equal "commands" "report baseline " "$(complete strata rep)$(complete strata base)"
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
assert_equal "groupings" "properties " "$(complete strata report kernels -g p)"
case $(complete strata report kernels --gr) in
*--group-by*) ;;
*) fail "--group-by is not offered to report" ;;
esac
case $(complete strata info --gr) in
*--group-by*) fail "--group-by is offered to info" ;;
esac
