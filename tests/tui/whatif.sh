# What if in the explorer: w asks for an edit of a finding or of rows, Enter draws the prediction.
. "${srcdir:-.}/tests/tui/lib.sh"

play 140x45 "$builddir/demo.trace.json.gz" <<END
:view advice
:search Synchronization stalls
w
:save-screen asked
<Enter>
:save-screen drawn
R
:save-screen reread
:view kernels
<Space><Space>w
<Enter>
:save-screen rows
:whatif nonsense
:save-screen refused
:whatif
:save-screen listed
END
shows asked '^:whatif nosync'
shows drawn 'demo.trace.json.gz against whatif:nosync|against demo.trace.json.gz'
shows drawn '^   base '
shows drawn 'what-if: step [0-9.]+ ms -> [0-9.]+ ms \(-[0-9.]+ %, -[0-9.]+ to -[0-9.]+ %\), next limit: '
shows reread '^   base '
shows rows 'what-if: step [0-9.]+ ms -> [0-9.]+ ms'
shows refused 'unknown edit "nonsense"'
shows listed 'kernels x0.5'
