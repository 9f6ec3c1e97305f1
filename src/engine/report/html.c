#include "report/html.h"

#include "base/text.h"
#include "report/format.h"

#include <string.h>

enum { LONG_TEXT = 60 }; /* bytes; longer texts are wrapped */

static const char style_sheet[] =
	":root{color-scheme:light dark;--back:#fff;--text:#1c1c1c;--dim:#666;--line:#ddd;"
	"--head:#f4f4f4;--link:#0057b8}"
	"@media(prefers-color-scheme:dark){:root{--back:#161616;--text:#e6e6e6;--dim:#9a9a9a;"
	"--line:#3a3a3a;--head:#242424;--link:#7ab7ff}"
	"svg{filter:invert(.91) hue-rotate(180deg)}}"
	"body{margin:0 auto;padding:1em;max-width:90em;background:var(--back);color:var(--text);"
	"font:14px/1.4 system-ui,sans-serif}"
	"h1{font-size:1.4em;overflow-wrap:anywhere}h2{font-size:1.15em;margin:1.6em 0 .2em}"
	"p{margin:.2em 0 .6em;color:var(--dim)}"
	"nav{display:flex;flex-wrap:wrap;gap:.2em 1em}nav a{white-space:nowrap}"
	"a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}"
	"summary{cursor:pointer;color:var(--link)}.wide{overflow-x:auto}table{border-collapse:collapse;font-size:13px}"
	"th,td{padding:.15em .6em;border-bottom:1px solid var(--line);text-align:left;"
	"white-space:nowrap;max-width:40em;overflow:hidden;text-overflow:ellipsis}"
	"thead th{background:var(--head);cursor:pointer}"
	"th:focus-visible{outline:2px solid var(--link);outline-offset:-2px}"
	"tbody tr:hover{background:var(--head)}"
	"th[aria-sort=ascending]::after{content:' \\25b2'}"
	"th[aria-sort=descending]::after{content:' \\25bc'}"
	".l{white-space:normal;min-width:24em;overflow-wrap:anywhere}"
	".n{text-align:right;font-variant-numeric:tabular-nums}"
	"svg{display:block;max-width:100%;min-width:44em;height:auto}"
	"@media print{:root{color-scheme:light;--back:#fff;--text:#000;--dim:#444;--line:#bbb;"
	"--head:#eee;--link:#0057b8}nav{display:none}.wide{overflow:visible}"
	"svg{min-width:0;filter:none}h2{break-after:avoid}"
	"th,td{font-size:9px;max-width:none;padding:.1em .3em}th{white-space:normal}"
	"td:not(.n){white-space:normal}.l{min-width:0}"
	"section{break-inside:auto}tr,svg{break-inside:avoid}}";

/* Opens a section that a link leads to, and all for printing. Sorts the rows of a table by the
 * chosen column, by mouse or keyboard: numbers by data-v, texts by their content. */
static const char script[] =
	"const sort=e=>{const h=e.target.closest('thead th');if(!h)return;"
	"if(e.key){if(e.key!=='Enter'&&e.key!==' ')return;e.preventDefault()}"
	"const t=h.closest('table'),i=h.cellIndex,b=t.tBodies[0];"
	"const down=h.getAttribute('aria-sort')!=='descending';"
	"for(const o of t.tHead.rows[0].cells)o.removeAttribute('aria-sort');"
	"h.setAttribute('aria-sort',down?'descending':'ascending');"
	"const key=r=>{const c=r.cells[i],v=c.dataset.v;"
	"return c.textContent===''?null:v===undefined?c.textContent:Number(v)};"
	"const rows=[...b.rows].map(r=>[key(r),r]);"
	"rows.sort((x,y)=>{const p=x[0],q=y[0];if(p===null||q===null)return(p===null)-(q===null);"
	"const d=typeof p==='number'&&typeof q==='number'?p-q:String(p).localeCompare(String(q));"
	"return down?-d:d});b.append(...rows.map(x=>x[1]))};"
	"for(const event of['click','keydown'])document.addEventListener(event,sort);"
	"const open=(within)=>document.querySelectorAll(within+' details').forEach(d=>d.open=true);"
	"addEventListener('hashchange',()=>open(location.hash));"
	"addEventListener('beforeprint',()=>open('main'));";

static void html_add_text(struct buffer *out, const char *text)
{
	text_escape_markup(out, text, strlen(text));
}

void html_begin(struct buffer *out, const char *title)
{
	buffer_puts(out,
		    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
		    "<title>");
	html_add_text(out, title);
	buffer_printf(out, "</title>\n<style>%s</style></head>\n<body>\n<header><h1>", style_sheet);
	html_add_text(out, title);
	buffer_puts(out, "</h1></header>\n<main>\n");
}

void html_end(struct buffer *out)
{
	buffer_printf(out, "</main>\n<script>%s</script>\n</body></html>\n", script);
}

void html_section(struct buffer *out, struct buffer *links, const char *id, const char *title,
		  const char *summary)
{
	buffer_printf(links, "<a href=\"#%s\">", id);
	html_add_text(links, title);
	buffer_puts(links, "</a>\n");
	buffer_printf(out, "<section id=\"%s\"><h2>", id);
	html_add_text(out, title);
	buffer_puts(out, "</h2>\n");
	if (summary)
		html_note(out, summary);
}

void html_drawing_begin(struct buffer *out, struct buffer *links, const char *id, const char *title)
{
	html_section(out, links, id, title, NULL);
	buffer_puts(out, "<div class=\"wide\" tabindex=\"0\">");
}

void html_drawing_end(struct buffer *out)
{
	buffer_puts(out, "</div>\n");
	html_section_end(out);
}

void html_section_end(struct buffer *out)
{
	buffer_puts(out, "</section>\n");
}

void html_note(struct buffer *out, const char *text)
{
	buffer_puts(out, "<p>");
	html_add_text(out, text);
	buffer_puts(out, "</p>\n");
}

static void add_head(struct buffer *out, const struct extract *extract)
{
	buffer_puts(out, "<div class=\"wide\" tabindex=\"0\"><table><thead><tr>");
	for (size_t i = 0; i < extract->column_count; i++) {
		const struct column *column = extract->table->column[extract->columns[i]];
		buffer_printf(out, "<th scope=\"col\" tabindex=\"0\"%s title=\"",
			      column_is_number(column) ? " class=\"n\"" : "");
		html_add_text(out, column->definition);
		buffer_puts(out, "\">");
		html_add_text(out, column->title);
		buffer_puts(out, "</th>");
	}
	buffer_puts(out, "</tr></thead><tbody>\n");
}

static void add_cell(struct buffer *out, const struct extract *extract, uint32_t row, size_t i)
{
	const struct table *table = extract->table;
	size_t column = (size_t)extract->columns[i];
	struct value value = table_value(table, row, column);
	AUTO_BUFFER struct buffer text = { 0 };
	table_format(&text, table, row, column, false);
	buffer_puts(out, column_is_number(table->column[column]) ? "<td class=\"n\""
			 : text.length > LONG_TEXT               ? "<td class=\"l\""
								 : "<td");
	if (value.kind == VALUE_INT || value.kind == VALUE_REAL) {
		buffer_puts(out, " data-v=\"");
		value_format(out, table->column[column], value, true);
		buffer_putc(out, '"');
	}
	if ((int)column == table_name_column(table) && table->is_tree)
		buffer_printf(out, " style=\"padding-left:%.1fem\"",
			      0.6 + 0.9 * (double)table_depth(table, row));
	buffer_putc(out, '>');
	text_escape_markup(out, buffer_text(&text), text.length);
	buffer_puts(out, "</td>");
}

bool html_table(struct buffer *out, const struct extract *extract, bool folded,
		const struct progress *progress, struct error *error)
{
	buffer_printf(out, "<details%s><summary>%zu of %zu rows</summary>\n", folded ? "" : " open",
		      extract->row_count, extract->row_count + extract->left_out);
	add_head(out, extract);
	for (size_t row = 0; row < extract->row_count; row++) {
		if (!format_go_on(extract, row, progress, error))
			return false;
		buffer_puts(out, "<tr>");
		for (size_t i = 0; i < extract->column_count; i++)
			add_cell(out, extract, extract->rows[row], i);
		buffer_puts(out, "</tr>\n");
	}
	buffer_puts(out, "</tbody></table></div></details>\n");
	return true;
}

FORMAT_WRITER(format_write_html)
{
	const struct view *view = extract->table->view;
	html_begin(&output->text, view ? view->title : "Query");
	bool done = html_table(&output->text, extract, false, progress, error);
	html_end(&output->text);
	return done;
}
