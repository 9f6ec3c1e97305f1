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
	"$(sed -n 's|</nav>.*||p; /<nav /,/<\/nav>/p' run.html | grep -o 'href="#[^"]*"' | cut -d'#' -f2 | tr -d '"' | sort -u)"
! grep -qE '<img|<script>document.title|<script src|<link|url\(|@import' run.html || fail "a name is markup, or the page loads something"
! LC_ALL=C grep -q "$(printf '[\001-\011\013-\037\177]')" run.html || fail "control characters in the page"
assert_equal "scripts" 1 "$(grep -o '<script' run.html | wc -l)"
! grep -oE 'https?://[^"]*' run.html | grep -v '^http://www.w3.org/2000/svg$' || fail "the page names another host"
# ---- size and access ----
[ "$(wc -c <run.html)" -le 1048576 ] || fail "the page has $(wc -c <run.html) bytes"
assert_equal "the first sections" "dashboard advice" \
	"$(grep -o '<section id="[^"]*"' run.html | cut -d'"' -f2 | head -n 2 | tr '\n' ' ' | sed 's/ $//')"
grep -q '<html lang="en">' run.html || fail "the page has no language"
for landmark in header main 'nav aria-label="Sections"'; do
	assert_equal "landmarks $landmark" 1 "$(grep -o "<$landmark>" run.html | wc -l)"
done
assert_equal "levels of headings" "1 2 " "$(grep -o '<h[1-9]>' run.html | uniq | tr -dc '1-9\n' | tr '\n' ' ')"
assert_equal "tab order" "" "$(grep -o 'tabindex="[^0"][^"]*"' run.html)"
assert_equal "parts that scroll and are reached by the keyboard" "$(grep -o 'class="wide"' run.html | wc -l)" \
	"$(grep -o 'class="wide" tabindex="0"' run.html | wc -l)"
assert_equal "ids used twice" "" "$(grep -o ' id="[^"]*"' run.html | sort | uniq -d)"
assert_equal "tables that are folded" "$(($(grep -o '<table>' run.html | wc -l) - 1))" \
	"$(grep -o '<details><summary>[0-9]' run.html | wc -l)"
grep -o '<a href="#[^"]*">[^<]*</a>\|<th [^>]*>[^<]*</th>\|<summary>[^<]*</summary>' run.html | grep '><' &&
	fail "a link, heading or fold has no text"
# WCAG 2: texts have a contrast of 4.5 to their background, in light and in dark.
tr -d "\n" <run.html | grep -o ":root{[^}]*--back[^}]*}" | awk '
function part(hex) { hex = (index(digits, substr(hex, 1, 1)) - 1) * 16 + index(digits, substr(hex, 2, 1)) - 1
	hex /= 255; return hex <= .03928 ? hex / 12.92 : ((hex + .055) / 1.055) ^ 2.4 }
function luminance(color) {
	if (length(color) == 3) gsub(/./, "&&", color)
	return .2126 * part(substr(color, 1)) + .7152 * part(substr(color, 3)) + .0722 * part(substr(color, 5))
}
function contrast(a, b) { a = luminance(a); b = luminance(b); return a > b ? (a + .05) / (b + .05) : (b + .05) / (a + .05) }
BEGIN { digits = "0123456789abcdef" }
{
	for (line = $0; match(line, /--[a-z]*:#[0-9a-f]*/); line = substr(line, RSTART + RLENGTH)) {
		split(substr(line, RSTART + 2, RLENGTH - 2), pair, ":#")
		color[pair[1]] = pair[2]
	}
	for (i = split("text dim link", front, " "); i; i--)
		for (j = split("back head", back, " "); j; j--)
			if (contrast(color[front[i]], color[back[j]]) < 4.5)
				print front[i] " on " back[j] ": " contrast(color[front[i]], color[back[j]])
}
END { if (NR != 3) print NR " schemes" }' >faint
[ ! -s faint ] || fail "contrast: $(cat faint)"

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
strata report operators -f html -q -n 3 plain.json | grep -q '<summary>3 of [0-9]* rows' || fail "rows left out are not counted"
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

# AXE=FILE, axe.min.js of axe-core: no finding of it at two widths
[ "${AXE-}" ] || exit 0
sed '/^<meta http-equiv="Content-Security-Policy"/d; s|</body></html>||' run.html >accessible.html
{
	printf '<script>'
	cat "$AXE"
	echo '</script><script>axe.run().then(r=>document.title="found "+r.violations.map(v=>v.impact+" "+v.id).join(", "))</script></body></html>'
} >>accessible.html
for width in 1280 400; do
	browser --window-size=$width,900 --virtual-time-budget=300000 --dump-dom "file://$work/accessible.html" >dom.html
	assert_equal "findings of axe at $width" "found " "$(sed -n 's|.*<title>\(found .*\)</title>.*|\1|p' dom.html)"
done
