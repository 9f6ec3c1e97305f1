# strata doctor: bare, with a stand-in for each tool, and what the system itself says.
. "${srcdir:-.}/tests/lib.sh"

# say CHECK: state, found and remedy of a line of $work/out, separated by blanks
say()
{
	awk -F '\t' -v check="$1" '$1 == check { print $2 "|" $3 "|" $5; found = 1 }
		END { if (!found) print "no line" }' "$work/out"
}
doctor() { assert_exit 0 env "$@" "$builddir/strata" doctor -f tsv; tr -d '\r' <"$work/out" >"$work/plain"; mv "$work/plain" "$work/out"; }

# ---- bare ----
mkdir "$work/bin"
doctor PATH="$work/bin" TERM= LC_ALL=C KINETO_USE_DAEMON=
assert_equal "nsys" 'missing||https://developer.nvidia.com/nsight-systems' "$(say nsys)"
assert_equal "ncu" 'missing||https://developer.nvidia.com/nsight-compute' "$(say ncu)"
assert_equal "rocprofv3" 'missing||https://rocm.docs.amd.com/projects/rocprofiler-sdk' "$(say rocprofv3)"
assert_equal "py-spy" 'missing||pip install py-spy' "$(say py-spy)"
assert_equal "terminal" 'missing||export TERM=xterm-256color' "$(say terminal)"
assert_equal "colors" '||' "$(say colors)"
assert_equal "charset" 'limited' "$(say 'character set' | cut -d '|' -f 1)"
assert_equal "daemon" 'missing||export KINETO_USE_DAEMON=1' "$(unset KINETO_USE_DAEMON; doctor PATH="$work/bin"; say KINETO_USE_DAEMON)"

# ---- stand-ins print what the tools print ----
stand_in() # NAME: its answer on standard input
{
	{ printf '#!/bin/sh\n[ "$*" = --version ] || exit 1\ncat <<"E"\n'; cat; echo E; } >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}
echo 'NVIDIA Nsight Systems version 2024.5.1.113-245134619542v0' | stand_in nsys
printf '%s\n' 'NVIDIA (R) Nsight Compute Command Line Profiler' 'Copyright (c) 2018-2024 NVIDIA Corporation' \
	'Version 2024.3.2.0 (build 34861637) (public-release)' | stand_in ncu
printf '%s\n' '             version: 0.6.0' '        git_revision: abc1234' | stand_in rocprofv3
echo 'py-spy 0.4.0' | stand_in py-spy
export TERM=xterm-256color KINETO_USE_DAEMON=1
doctor PATH="$work/bin:$PATH"
assert_equal "nsys" 'ok|2024.5.1.113|' "$(say nsys)"
assert_equal "ncu" 'ok|2024.3.2.0|' "$(say ncu)"
assert_equal "rocprofv3" 'ok|0.6.0|' "$(say rocprofv3)"
assert_equal "py-spy" 'ok|0.4.0|' "$(say py-spy)"
assert_equal "daemon" 'ok|1|' "$(say KINETO_USE_DAEMON)"
assert_equal "terminal" 'ok|xterm-256color|' "$(say terminal)"
assert_equal "colors" 'ok|256|' "$(say colors)"
assert_equal "charset" 'ok|UTF-8|' "$(say 'character set')"
doctor TERM=vt100 PATH="$PATH"
assert_equal "a terminal without colors" 'limited|vt100|export TERM=xterm-256color' "$(say terminal)"

# A tool that says nothing, and one that hangs
printf '#!/bin/sh\n' >"$work/bin/nsys"
printf '#!/bin/sh\nexec sleep 100\n' >"$work/bin/ncu"
doctor PATH="$work/bin:$PATH"
assert_equal "says nothing" 'limited|it does not say its version' "$(say nsys | cut -d '|' -f 1,2)"
assert_equal "hangs" 'limited|it does not say its version' "$(say ncu | cut -d '|' -f 1,2)"

# ---- the system ----
for check in perf_event_paranoid:/proc/sys/kernel/perf_event_paranoid ptrace_scope:/proc/sys/kernel/yama/ptrace_scope; do
	assert_equal "$check" "$(cat "${check#*:}" 2>/dev/null || :)" "$(say "${check%%:*}" | cut -d '|' -f 2)"
done
[ -e /dev/kfd ] || [ -e /proc/driver/nvidia/params ] || assert_equal "no GPU" '||' "$(say 'GPU counters')"
# Counters, where namespaces allow to play a driver: of NVIDIA for root and for others, of AMD
status=0
unshare -rm sh -c 'mount -t tmpfs none /proc/driver && mkdir /proc/driver/nvidia || exit 77
	other() { unshare -U --map-user=1000 "$@"; }
	other true || exit 77
	echo "RmProfilingAdminOnly: 0" >/proc/driver/nvidia/params
	other "$1" doctor -f tsv >"$2/open"
	echo "RmProfilingAdminOnly: 1" >/proc/driver/nvidia/params
	"$1" doctor -f tsv >"$2/root"
	other "$1" doctor -f tsv >"$2/user"
	mount -t tmpfs none /dev && : >/dev/kfd || exit 77
	"$1" doctor -f tsv >"$2/amd"
	chmod 0 /dev/kfd
	other "$1" doctor -f tsv >"$2/closed"' sh "$builddir/strata" "$work" 2>/dev/null || status=$?
[ $status != 0 ] || for counters in 'open:ok|0|' 'root:ok|1|' 'user:limited|1|echo options nvidia' 'amd:ok|/dev/kfd|' \
	'closed:missing|/dev/kfd|sudo usermod'; do
	tr -d '\r' <"$work/${counters%%:*}" >"$work/out"
	case "$(say 'GPU counters')" in
	"${counters#*:}"*) ;;
	*) fail "counters, ${counters%%:*}: $(say 'GPU counters')" ;;
	esac
done
kilobytes=$(df -kP /tmp | awk 'END { print $4 }')
state=ok
[ "$kilobytes" -ge 1048576 ] || state=limited
assert_equal "space" $state "$(say 'space for traces' | cut -d '|' -f 1)"
doctor KINETO_ONDEMAND_TRACE_DIR="$work/nothing"
assert_equal "space where nothing is" '||' "$(say 'space for traces')"
# The folder of indexes, else where it will be
for variables in "XDG_CACHE_HOME=$work" "XDG_CACHE_HOME=$work/nothing" 'XDG_CACHE_HOME=' "-u HOME XDG_CACHE_HOME=$work/full"; do
	mkdir -p "$work/full/strata"
	doctor $variables
	assert_equal "space with $variables" $state "$(say 'space for indexes' | cut -d '|' -f 1)"
done
doctor -u HOME -u XDG_CACHE_HOME
assert_equal "space without a home" '||' "$(say 'space for indexes')"
# A full directory, and the remedy
mkdir "$work/small"
status=0
unshare -rm sh -c 'mount -t tmpfs -o size=64k none "$1" || exit 77
	mkdir "$1/strata"
	XDG_CACHE_HOME=$1 KINETO_ONDEMAND_TRACE_DIR=$1 "$2/strata" doctor -f tsv' sh "$work/small" "$builddir" >"$work/out" 2>"$work/err" || status=$?
[ $status != 0 ] || {
	tr -d '\r' <"$work/out" >"$work/plain"
	mv "$work/plain" "$work/out"
	assert_equal "little space" 'limited|64.00 KiB|export KINETO_ONDEMAND_TRACE_DIR=$HOME' "$(say 'space for traces')"
	assert_equal "little space for indexes" 'limited|64.00 KiB' "$(say 'space for indexes' | cut -d '|' -f 1,2)"
	doctor KINETO_ONDEMAND_TRACE_DIR="$HOME"
	assert_equal "mended" $state "$(say 'space for traces' | cut -d '|' -f 1)"
}

# ---- every remedy that is a command works as printed, with a stand-in for what needs root or a network ----
mkdir "$work/fake"
for name in pip reboot usermod sysctl; do
	printf '#!/bin/sh\necho %s "$*" >>"%s/calls"\n' $name "$work" >"$work/fake/$name"
done
printf '#!/bin/sh\nexec "$@"\n' >"$work/fake/sudo"
printf '#!/bin/sh\necho "$1: $(cat)" >>"%s/calls"\n' "$work" >"$work/fake/tee"
printf '#!/bin/sh\nexec %s "%s/strata" "$@"\n' "${TEST_WRAPPER-}" "$builddir" >"$work/fake/strata"
chmod +x "$work/fake"/*
# The remedies of all checks, of which some are not shown here
sed '/^#/d' "$srcdir/src/cli/doctor_checks.txt" | tr '\n' ' ' | sed 's/check_[a-z_]* | /\n&/g; s/\\|/\r/g' |
	awk -F '[|]' 'NF > 5 { gsub(/ +/, " ", $6); gsub(/\r/, "|", $6); gsub(/^ | $/, "", $6); print $6 }' >"$work/remedies"
assert_equal "checks with a remedy" "$(grep -c '^check_' "$srcdir/src/cli/doctor_checks.txt")" "$(grep -c . "$work/remedies")"
doctor PATH="$work/nothing" TERM= LC_ALL=C
cut -f 5 "$work/out" | sed 1d | grep . | while IFS= read -r remedy; do
	grep -Fqx -- "$remedy" "$work/remedies" || fail "another remedy is printed: $remedy"
done
grep -v '^https://[a-z.]*/[a-z/-]*$' "$work/remedies" | while IFS= read -r remedy; do
	printf '%s\nexport -p\n' "$remedy" >"$work/remedy"
	env -u TERM -u KINETO_USE_DAEMON -u KINETO_ONDEMAND_TRACE_DIR USER=ada PATH="$work/fake:$PATH" \
		sh -e "$work/remedy" >"$work/exported" 2>"$work/err" || { cat "$work/err" >&2; fail "fails: $remedy"; }
	case $remedy in
	export*)
		name=${remedy#export }
		grep -q "^export ${name%%=*}=." "$work/exported" || fail "exports nothing: $remedy" ;;
	esac
done
sort "$work/calls" >"$work/called"
sort >"$work/expected" <<'END'
pip install py-spy
sysctl kernel.perf_event_paranoid=2
sysctl kernel.yama.ptrace_scope=0
usermod -aG render,video ada
/etc/modprobe.d/nvidia-profiling.conf: options nvidia NVreg_RestrictProfilingToAdminUsers=0
reboot 
END
diff "$work/expected" "$work/called" || fail "commands of the remedies"
(export TERM=xterm-256color LC_ALL=C.UTF-8; doctor PATH="$PATH"; assert_equal "mended" 'ok ok' \
	"$(say terminal | cut -d '|' -f 1) $(say 'character set' | cut -d '|' -f 1)")
assert_exit 2 strata doctor now
