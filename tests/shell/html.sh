# HTML reports: one self-contained page; hostile names are escaped; in headless Chromium (if it is
# installed) tables sort and nothing else runs.
. "${srcdir:-.}/tests/lib.sh"
cd "$work"
tracegen --steps 2 -o plain.json
sed 's/"name": *"aten::conv2d"/"name":"<script>document.title=1<\/script>\\"><img src=x onerror=document.title=2>\&amp;\\u001b[31m"/g' \
	plain.json >hostile.json
grep -q 'onerror=document.title=2' hostile.json || fail "the name was not replaced"

strata report all -f html -q -o run.html hostile.json
assert_equal "pages" 1 "$(grep -c '^<!DOCTYPE html>' run.html)"
for part in '<section id="timeline">' '<section id="plot-steps">' '<section id="operators">' \
	'<section id="advice">' '<svg ' '@media print' 'prefers-color-scheme:dark' 'data-v="' '</html>'; do
	grep -qF -- "$part" run.html || fail "the page lacks $part"
done
grep -qF '&lt;script&gt;document.title=1&lt;/script&gt;' run.html || fail "the hostile name is missing"
assert_equal "columns that the keyboard reaches" "$(grep -o '<th scope=' run.html | wc -l)" \
	"$(grep -oE '<th scope="col" tabindex="0"' run.html | wc -l)"
assert_equal "links and sections" "$(grep -o '<section id="[^"]*"' run.html | cut -d'"' -f2 | sort)" \
	"$(sed -n 's|</nav>.*||p; /<nav>/,/<\/nav>/p' run.html | grep -o 'href="#[^"]*"' | cut -d'#' -f2 | tr -d '"' | sort -u)"
! grep -qE '<img|<script>document.title|<script src|<link|url\(|@import' run.html || fail "a name is markup, or the page loads something"
! LC_ALL=C grep -q "$(printf '[\001-\011\013-\037\177]')" run.html || fail "control characters in the page"
assert_equal "scripts" 1 "$(grep -o '<script' run.html | wc -l)"
! grep -oE 'https?://[^"]*' run.html | grep -v '^http://www.w3.org/2000/svg$' || fail "the page names another host"
# XML rules hold for the plots
strata report plot-flame -f svg -q hostile.json >flame.svg
! grep -qE '<img|<script' flame.svg || fail "a name is markup in the plot"

# one view, one picture; values as in other formats
strata report kernels -f html -q -c name,total_ns -n 1 plain.json >kernels.html
value=$(strata report kernels -f csv -q -c total_ns -n 1 plain.json | sed -n 2p | tr -d '\r')
grep -qF "data-v=\"$value\"" kernels.html || fail "the page has no cell with $value"
strata report timeline -f html -q plain.json >timeline.html
grep -qE '<svg .*DejaVu' timeline.html || fail "no picture in the page"
grep -qF '>kernel<' timeline.html || fail "the colors of the timeline are not explained"
strata report operators -f html -q -n 3 plain.json | grep -q ' more rows' || fail "rows left out are not counted"
assert_exit 2 strata report timeline -f json plain.json

need_command chromium
# Its sockets are in $TMPDIR, whose path may be too long for them.
browser() { TMPDIR=/tmp chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/browser" "$@" 2>browser.log; }
sed 's|</body>|<script>const t=document.querySelector("#kernels table");const h=[...t.tHead.rows[0].cells].findIndex(c=>c.textContent==="Calls");t.tHead.rows[0].cells[h].dispatchEvent(new KeyboardEvent("keydown",{key:"Enter",bubbles:true}));document.title="calls "+[...t.tBodies[0].rows].map(r=>r.cells[h].dataset.v).join(",")</script></body>|' \
	run.html >sorted.html
browser --dump-dom "file://$work/sorted.html" >dom.html || fail "chromium fails: $(tail -3 browser.log)"
sed -n 's|.*<title>calls \(.*\)</title>.*|\1|p' dom.html | tr , '\n' >calls
[ -s calls ] || fail "the page did not run: $(tail -3 browser.log)"
sort -rnc calls || fail "the rows are not sorted by the column"
browser --dump-dom "file://$work/run.html" | grep -q '<title>[12]</title>' && fail "a name was run as a script"
exit 0
