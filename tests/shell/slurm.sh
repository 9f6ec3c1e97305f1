# The commands for jobs of several nodes that the pages print, with a stand-in for srun.
. "${srcdir:-.}/tests/lib.sh"
mkdir "$work/bin"

for rank in 0 1; do
	tracegen --steps 2 --layers 2 --stacks 0 --rank $rank --world 2 -o "$work/rank$rank.json"
done

# A task for each of two nodes, each of its own name where that is allowed, and an endpoint of its own
rename=
unshare -u true 2>/dev/null && rename='unshare -u sh -c "hostname node\$SLURM_PROCID && exec \"\$@\"" sh'
cat >"$work/bin/srun" <<END
[ "\$1" != --overlap ] || shift
tasks=
for task in 0 1; do
	SLURM_JOB_ID=77 SLURM_PROCID=\$task KINETO_IPC_SOCKET_DIR=$work/node\$task $rename "\$@" &
	tasks="\$tasks \$!"
done
for task in \$tasks; do wait \$task || exit; done
END
# Where processes did not get to poll in time, as the machine has other work, they get longer.
cat >"$work/bin/strata" <<END
[ "\$1" != attach ] || set -- "\$@" --within \$WITHIN
exec ${TEST_WRAPPER-} "$builddir/strata" "\$@"
END
for program in srun strata; do
	sed -i '1i #!/bin/sh' "$work/bin/$program"
	chmod +x "$work/bin/$program"
done
ln -s "$builddir/tests/attach/attach_client" "$work/bin/client"
export PATH="$work/bin:$PATH" KINETO_ONDEMAND_TRACE_DIR="$work/asked" KINETO_USE_DAEMON=1

# commands FILE FIRST: the lines of a page from the first that holds FIRST to the end of its example
commands() { sed -n "/^ *$2/,/^\$\|^\.Ed/p" "$srcdir/$1" | sed '/^\./d; /^$/d; s/^ *//; s/\\-/-/g'; }

# run_lines FILE FIRST: all but the last, which opens the run; in a folder of their own
run_lines()
{
	rm -rf "$work/run"
	mkdir -p "$work/run/traces" "$work/asked" "$work/node0" "$work/node1"
	for rank in 0 1; do
		cp "$work/rank$rank.json" "$work/run/traces"
		gzip -f "$work/run/traces/rank$rank.json"
		cp "$work/run/traces/rank$rank.json.gz" "$work/run/trace-$rank.json.gz"
	done
	commands "$1" "$2" | sed '/^strata run.strsum$/d' >"$work/commands"
	[ "$(wc -l <"$work/commands")" -ge 2 ] || fail "no commands in $1"
	(cd "$work/run" && sh -e "$work/commands") >"$work/log" 2>&1 || {
		cat "$work/log" >&2
		return 1
	}
	assert_exit 0 strata query -q -f csv 'SELECT count(*) FROM ranks' "$work/run/run.strsum"
	assert_equal "ranks after the commands of $1" 2 "$(tail -n 1 "$work/out" | tr -d '\r')"
}

run_lines man/strata.1 'srun sh' || fail "the commands of the manual"
run_lines doc/summaries.md 'srun sh' || fail "the commands for summaries"
for WITHIN in 6s 60s; do
	export WITHIN
	mkdir -p "$work/node0" "$work/node1" "$work/asked"
	clients=
	for rank in 0 1; do
		KINETO_IPC_SOCKET_DIR="$work/node$rank" client "$work/rank$rank.json" &
		clients="$clients $!"
	done
	! run_lines doc/attach.md 'srun --overlap' || break
	kill $clients 2>/dev/null || :
	[ $WITHIN = 6s ] || fail "the commands for running jobs"
done
for client in $clients; do wait $client || fail "a client failed: $?"; done
[ ! "$rename" ] || assert_equal "a folder for each node" 'node0 node1' "$(ls "$work/run/sums" | tr '\n' ' ' | sed 's/ $//')"
