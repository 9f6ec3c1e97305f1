# What strata serve answers: all tools with all their arguments, errors and limits, over a few small profiles, held in
# answers/GROUP.txt (held.sh). A text is a request with its answer.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/sweep/held.sh"

tracegen --steps 4 --layers 2 --stacks 3 --seed 5 -o one.json
tracegen --steps 4 --layers 2 --stacks 3 --seed 6 --slow layer1.0:3 -o slow.json
mkdir ranks
for rank in 0 1; do
	tracegen --steps 3 --layers 2 --stacks 2 --rank $rank --world 2 --straggler 1:1.4 -o ranks/rank$rank.json
done

# served ARGUMENT...: the requests in the file of that name, of which each is answered; messages are a text of their own
served()
{
	strata serve --stdio "$@" <requests >answers 2>messages || echo "status $?" >>messages
	next_text "$ serve --stdio $*"
	cat messages >>"$text"
	LC_ALL=C awk -v first=$texts '
		{ text = sprintf("told/%04d", first + FNR) }
		FILENAME == ARGV[1] { sub(/.*"(method|name)":/, ""); print > text; close(text); next }
		{
			match($0, /^{"jsonrpc": "2.0", "id": [^ ]*, /)
			answer = substr($0, RLENGTH + 1) "\n" substr($0, 1, RLENGTH)
			gsub(/\\n/, "\n", answer); gsub(/\\"/, "\"", answer); gsub(/, "/, ",\n\"", answer)
			print answer >> text
			close(text)
		}' requests answers
	texts=$((texts + $(wc -l <requests)))
	count=0
}

# asks METHOD [PARAMS]
asks() { printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$((count += 1)),\"method\":\"$1\"${2+,\"params\":$2}}"; }
count=0

# calls TOOL [ARGUMENTS]
calls() { asks tools/call "{\"name\":\"$1\"${2+,\"arguments\":{$2\}}}"; }

protocol()
{
	{
		asks tools/list
		asks initialize '{"protocolVersion":"2025-06-18","capabilities":{}}'
		asks initialize '{"protocolVersion":"2024-11-05"}'
		asks initialize '{"protocolVersion":"1.0"}'
		asks initialize '{"protocolVersion":3}'
		asks initialize '[]'
		asks initialize
		asks ping
		asks ping '{}'
		asks tools/list '{"cursor":"x"}'
		asks resources/list
		asks resources/templates/list
		asks server/discover
		asks prompts/list
		for name in $(cd "$srcdir/man/agent" && find . -name '*.prompt' | sed 's|.*/||; s|\.prompt$||' | sort) nothing; do
			asks prompts/get "{\"name\":\"$name\"}"
			asks prompts/get "{\"name\":\"$name\",\"arguments\":{\"x\":\"y\"}}"
		done
		asks prompts/get
		asks prompts/get '{"name":1}'
		asks prompts/get '{"name":"../x"}'
		for uri in strata://overview strata://findings strata://manual strata://nothing file:///etc/passwd ''; do
			asks resources/read "{\"uri\":\"$uri\"}"
		done
		asks resources/read
		asks resources/read '{"uri":1}'
		asks logging/setLevel '{"level":"info"}'
		asks nothing
		asks ''
		asks tools/call
		asks tools/call '[]'
		asks tools/call '{"name":1}'
		asks tools/call '{"name":"views","arguments":1}'
		asks tools/call '{"name":"views","arguments":[]}'
		asks tools/call '{"name":"views","arguments":{}}'
		asks tools/call '{"arguments":{}}'
		printf '%s\n' '{"jsonrpc":"2.0","id":"text","method":"ping"}'
		printf '%s\n' '{"jsonrpc":"2.0","id":1.5,"method":"ping"}'
		printf '%s\n' '{"jsonrpc":"2.0","id":-3,"method":"ping"}'
		printf '%s\n' '{"jsonrpc":"2.0","id":null,"method":"ping"}'
		printf '%s\n' '{"jsonrpc":"2.0","id":[1],"method":"ping"}'
		printf '%s\n' '{"jsonrpc":"2.0","id":true,"method":"ping"}'
		printf '%s\n' '{"jsonrpc":"1.0","id":1,"method":"ping"}'
		printf '%s\n' '{"id":1,"method":"ping"}'
		printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":2}'
		printf '%s\n' '{"jsonrpc":"2.0","id":1}'
		printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{}}'
		printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"ping"} x'
		printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"ping"'
		printf '%s\n' '[{"jsonrpc":"2.0","id":1,"method":"ping"}]'
		printf '%s\n' '[]'
		printf '%s\n' 'null'
		printf '%s\n' '"text"'
		printf '%s\n' '{}'
		printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"p\u0069ng"}'
		printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"ping","method":"nothing"}'
		printf '{"jsonrpc":"2.0","id":1,"method":"\377"}\n'
		printf '%s\n' '{"jsonrpc":"2.0","id":"\ud83d\ude00\u0000\n","method":"ping"}'
		echo "{\"jsonrpc\":\"2.0\",\"id\":\"$(printf %0300d 1)\",\"method\":\"ping\"}"
	} >requests
	served one.json
	for profile in nothing.json "$srcdir/configure.ac" ''; do
		asks ping >requests
		served ${profile:+"$profile"}
	done
	# none of these is answered
	printf '%s\n' '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","method":"ping"}' '' \
		'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}' >requests
	served one.json
}

views()
{
	names=$(strata --list reports | grep -Ev '^(info|.*-all|all)$')
	for view in $names; do
		calls views "\"view\":\"$view\""
	done >requests
	served one.json
	for view in $names; do
		calls report "\"view\":\"$view\",\"limit\":3"
	done >requests
	served ranks
	for view in $names; do
		calls report "\"view\":\"$view\",\"limit\":2,\"offset\":1"
	done >requests
	served --base slow.json one.json
}

arguments()
{
	{
		for given in '' '"view":1' '"view":""' '"view":"nothing"' '"view":"kernel"' '"view":"steps","x":1' \
			'"view":"steps","view":"kernels"' '"view":null'; do
			calls report "$given"
			calls views "$given"
		done
		for given in '"columns":"name"' '"columns":"+name"' '"columns":"nothing"' '"columns":""' '"columns":1' \
			'"sort":"name"' '"sort":"name:desc"' '"sort":"nothing"' '"sort":"name:up"' '"sort":2' \
			'"group_by":"name"' '"group_by":"nothing"' '"group_by":""' '"limit":0' '"limit":1' '"limit":-1' \
			'"limit":"2"' '"limit":"x"' '"limit":1.5' '"limit":1e9' '"limit":99999999999999999999' '"limit":null' \
			'"offset":3' '"offset":-1' '"offset":9999' '"offset":"1"' '"offset":0' '"steps":"4..5"' '"steps":"x"' \
			'"steps":"99"' '"steps":4' '"phase":"decode"' '"phase":"x"' '"time":"1ms..2ms"' '"time":"x"' \
			'"time":"2ms..1ms"' '"rank":"0"' '"rank":0' '"rank":"5"' '"rank":"all"' '"rank":"x"' '"device":"0"' \
			'"device":"9"' '"device":"x"' '"stream":"7"' '"stream":"x"' '"thread":"1"' '"thread":"x"' \
			'"under":"ResNet_0"' '"under":"nothing"' '"filter":"conv"' '"filter":"("' '"filter":""' \
			'"filter":"!conv"' '"path":"slow.json"' '"path":"nothing.json"' '"path":"/etc/passwd"' '"path":""' \
			'"path":"ranks"' '"path":"../one.json"' '"path":1' '"steps":"4","filter":"a"' '"limit":2,"offset":2'; do
			calls report "\"view\":\"operators\",$given"
			calls report "\"view\":\"steps\",\"limit\":2,$given"
			calls advice "$given"
			calls query "\"sql\":\"SELECT name, calls FROM operators ORDER BY name\",$given"
			calls diff "$given"
			calls whatif "$given"
		done
	} >requests
	served --base slow.json one.json
	{
		for given in '"view":"operators"' '"view":"operators","rank":"all"' '"view":"operators","rank":"1"' \
			'"view":"ranks"' '"view":"steps","rank":"0,1"' '"view":"steps","rank":"7"'; do
			calls report "$given"
		done
		calls diff
		calls diff '"limit":1'
		calls whatif '"edits":"straggler"'
		calls advice '"rank":"1"'
	} >requests
	served ranks
}

tools()
{
	{
		for sql in 'SELECT 1' 'SELECT 1; SELECT 2' 'SELECT' '' 'DELETE FROM kernels' 'SELECT * FROM nothing' \
			'SELECT * FROM kernels' 'SELECT count(*), NULL, 1.5, x'"'00ff'"' FROM launches' 'SELECT zeroblob(10)' \
			'SELECT name, name FROM kernels' 'PRAGMA user_version' 'SELECT * FROM steps WHERE step = 4' \
			'WITH a AS (SELECT 1 AS b) SELECT b FROM a' 'SELECT kind, sum(dur_ns) FROM launches GROUP BY kind' \
			'SELECT hex(1)' 'SELECT load_extension(1)' 'SELECT printf(\"%s\", char(10, 34, 92, 7))'; do
			calls query "\"sql\":\"$sql\""
			calls query "\"sql\":\"$sql\",\"limit\":1,\"offset\":1"
			calls check "\"sql\":\"$sql\",\"sentence\":\"There are 4 steps and 1 of 36 kernels, 12 %.\""
		done
		calls query
		calls query '"sql":1'
		for sentence in 'The run has 4 steps.' 'The run has 5 steps.' 'A step takes 7.46 ms.' 'A step takes 7.5 ms.' \
			'A step takes 7 ms.' 'A step takes 9.34 ms.' 'A step takes 9340 us.' 'A step takes 0.009 s.' \
			'A step takes 9.34 s.' 'Nothing is said.' '' '4' '4 4 4' '1,000 steps' '-4 steps' 'steps 3 to 6' \
			'4.0 steps' '1e3' '50 %' '50.0% of 4' '3 GiB' '12 KiB, 4 MB' '4x' 'v4' 'step4' '4.'; do
			calls check "\"sql\":\"SELECT count(*) AS steps, avg(dur_ns) AS dur_ns, max(dur_ns) AS max_ns FROM steps\",\"sentence\":\"$sentence\""
			calls check "\"sql\":\"SELECT step, dur_ns, kernel_ns FROM steps\",\"sentence\":\"$sentence\""
		done
		calls check '"sql":"SELECT 1"'
		calls check '"sentence":"1"'
		calls check '"sql":"SELECT 1","sentence":1'
		for edits in 'comm x0.5' nosync 'nosync;host x0.5' 'kernels x0.5' nothing '' 'comm x' 'comm x0.5;' \
			'kernel:conv x0.5' 'under:ResNet_0 x0.5' loader overlap; do
			calls whatif "\"edits\":\"$edits\""
			calls whatif "\"edits\":\"$edits\",\"columns\":\"edit,predicted_ns\",\"limit\":2"
		done
		calls whatif '"edits":1'
		for group in all none ''; do
			calls advice "\"group_by\":\"$group\",\"limit\":60"
		done
		for group in layers kernels operators tree modules steps memory; do
			calls diff "\"group_by\":\"$group\",\"limit\":3"
			calls diff "\"group_by\":\"$group\",\"limit\":3,\"path\":\"slow.json\""
		done
		calls nothing
		calls ''
	} >requests
	served --base slow.json one.json
	for limit in '--max-rows 3' '--max-rows 0' '--max-bytes 300' '--max-bytes 1' '--max-rows x' '--max-bytes x' \
		'--max-seconds x' '--max-seconds 0' '--steps 4..5' '--filter conv' '--rank 0' '--rank 9' '--by execution' \
		'--gpu H100' '--strict' '--base one.json' '--base nothing.json' '--no-python' '--under ResNet_0'; do
		{
			calls report '"view":"kernels","limit":500'
			calls query '"sql":"SELECT * FROM launches","limit":5000'
			calls diff '"limit":2'
		} >requests
		served $limit one.json 2>&1
	done
}

sweep answers 4 protocol views arguments tools
