/*
 * Actions: the table of everything keys can do. Bindings, help, footer, completion and --list-keys
 * are generated from it.
 */
#ifndef STRATA_TUI_WIDGET_ACTION_H
#define STRATA_TUI_WIDGET_ACTION_H

#include "tui/term/key.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Contexts of key bindings. Tree extends table; table and text extend all; the rest are
 * independent.
 */
enum context {
	CONTEXT_ALL,
	CONTEXT_TABLE,
	CONTEXT_TREE,
	CONTEXT_TEXT,
	CONTEXT_TIMELINE,
	CONTEXT_PLOT,
	CONTEXT_DASHBOARD,
	CONTEXT_MENU,
	CONTEXT_PROMPT,
	CONTEXT_COUNT
};

enum action_group {
	GROUP_MOVE,
	GROUP_GO,
	GROUP_FIND,
	GROUP_TABLE,
	GROUP_TREE,
	GROUP_TIMELINE,
	GROUP_PLOT,
	GROUP_ROW,
	GROUP_PROGRAM,
	GROUP_MENU,
	GROUP_PROMPT,
	GROUP_COUNT
};

/* id, name, group, keys (a word ending in ':' sets the context of those after it), help */
#define ACTIONS(_)                                                                                 \
	_(MOVE_DOWN, "move-down", MOVE, "<Down> j menu: <Down> j <C-n>", "Move down")              \
	_(MOVE_UP, "move-up", MOVE, "<Up> k menu: <Up> k <C-p>", "Move up")                        \
	_(PAGE_DOWN, "page-down", MOVE, "<PageDown> <C-f> text: <Space> menu: <PageDown> <C-f>",   \
	  "Move down one page")                                                                    \
	_(PAGE_UP, "page-up", MOVE, "<PageUp> <C-b> menu: <PageUp> <C-b>", "Move up one page")     \
	_(HALF_DOWN, "half-page-down", MOVE, "<C-d>", "Move down half a page")                     \
	_(HALF_UP, "half-page-up", MOVE, "<C-u>", "Move up half a page")                           \
	_(FIRST, "first", MOVE, "<Home> g menu: <Home> g", "Go to first row")                      \
	_(LAST, "last", MOVE, "<End> G menu: <End> G", "Go to last row")                           \
	_(WINDOW_TOP, "window-top", MOVE, "", "Go to top of screen")                               \
	_(WINDOW_MIDDLE, "window-middle", MOVE, "", "Go to middle of screen")                      \
	_(WINDOW_BOTTOM, "window-bottom", MOVE, "", "Go to bottom of screen")                      \
	_(SECTION_NEXT, "section-next", MOVE, "table: } J dashboard: } J", "Go to next section")   \
	_(SECTION_PREVIOUS, "section-previous", MOVE, "table: { K dashboard: { K",                 \
	  "Go to previous section")                                                                \
	_(LANE_NEXT, "lane-next", MOVE, "table: .", "Go to next event or sibling")                 \
	_(LANE_PREVIOUS, "lane-previous", MOVE, "table: ,", "Go to previous event or sibling")     \
	_(CENTER, "center", MOVE, "z", "Center row")                                               \
	_(SCROLL_LEFT, "scroll-left", MOVE, "( <S-Left>", "Scroll columns left")                   \
	_(SCROLL_RIGHT, "scroll-right", MOVE, ") <S-Right>", "Scroll columns right")               \
	_(DRILL, "drill", GO, "<Enter> table: l <Right>", "Drill down")                            \
	_(BACK, "back", GO, "<Backspace> table: h <Left>", "Go back")                              \
	_(CANCEL, "cancel", GO, "<Esc> <C-g>", "Cancel, clear search or go back")                  \
	_(CLOSE, "close", GO, "q", "Close view")                                                   \
	_(VIEW_KEY, "view", GO, "1 2 3 4 5 6 7 8 9 0", "Open view by number (0: SQL)")             \
	_(VIEW_NEXT, "view-next", GO, "<Tab>", "Open next view or pane")                           \
	_(VIEW_PREVIOUS, "view-previous", GO, "<S-Tab>", "Open previous view or pane")             \
	_(FOLLOW_FORWARD, "follow-forward", GO, "table: ] timeline: ] dashboard: ]",               \
	  "Follow link to kernel or backward")                                                     \
	_(FOLLOW_BACK, "follow-back", GO, "table: [ timeline: [ dashboard: [",                     \
	  "Follow link to launch or forward")                                                      \
	_(SOURCE, "source", GO, "table: v timeline: v dashboard: v plot: v", "Show source line")   \
	_(EDIT, "edit", GO, "table: V timeline: V dashboard: V plot: V text: V",                   \
	  "Edit source line")                                                                      \
	_(TIMELINE, "timeline", GO, "table: f plot: f dashboard: f", "Show on timeline")           \
	_(PLOT, "plot", GO, "table: P plot: P", "Toggle plot")                                     \
	_(FACTS, "facts", GO, "dashboard: t <F5>", "Show facts as a table")                        \
	_(WHAT_IF, "what-if", GO, "table: w M dashboard: w M timeline: M",                         \
	  "Predict an edit of this")                                                               \
	_(DIFF, "diff", GO, "table: d dashboard: d", "Compare with base run")                      \
	_(JUMP_BACK, "jump-back", GO, "<C-o> <M-Left>", "Jump back")                               \
	_(JUMP_FORWARD, "jump-forward", GO, "<M-Right>", "Jump forward")                           \
	_(SEARCH, "search", FIND, "/ <F3>", "Search (regular expression)")                         \
	_(SEARCH_NEXT, "search-next", FIND, "n", "Go to next match")                               \
	_(SEARCH_PREVIOUS, "search-previous", FIND, "N", "Go to previous match")                   \
	_(SEARCH_NAME, "search-name", FIND, "table: * timeline: *", "Search for this name")        \
	_(FILTER, "filter", FIND, "table: & \\ <F4> timeline: & \\ <F4>", "Filter rows or events") \
	_(SORT_MENU, "sort-menu", TABLE, "table: s <F6>", "Choose sort column")                    \
	_(SORT_LEFT, "sort-left", TABLE, "table: <", "Sort by column to the left")                 \
	_(SORT_RIGHT, "sort-right", TABLE, "table: >", "Sort by column to the right")              \
	_(SORT_INVERT, "sort-invert", TABLE, "table: I plot: I", "Reverse sort; flip flame graph") \
	_(COLUMN_PIN, "pin-column", TABLE, "table: p", "Pin sort column")                          \
	_(COLUMN_WIDEN, "widen-column", TABLE, "table: W", "Toggle wide Name column")              \
	_(COLUMNS, "columns", TABLE, "table: c", "Choose columns")                                 \
	_(GROUP, "group", TABLE, "table: t <F5> plot: t <F5>", "Cycle grouping")                   \
	_(UNITS, "units", TABLE, "table: %", "Cycle units: value, % of total, % of parent, raw")   \
	_(TREE_IN, "tree-in", TREE, "tree: l <Right>", "Expand or go to child")                    \
	_(TREE_OUT, "tree-out", TREE, "tree: h <Left>", "Collapse or go to parent")                \
	_(EXPAND, "expand", TREE, "tree: +", "Expand row")                                         \
	_(COLLAPSE, "collapse", TREE, "tree: -", "Collapse row")                                   \
	_(EXPAND_TOGGLE, "expand-toggle", TREE, "tree: e", "Expand or collapse row")               \
	_(EXPAND_ALL, "expand-all", TREE, "tree: E", "Expand subtree")                             \
	_(COLLAPSE_ALL, "collapse-all", TREE, "tree: C", "Collapse all")                           \
	_(ZOOM_IN, "zoom-in", TIMELINE, "timeline: + = w plot: + =", "Zoom in")                    \
	_(ZOOM_OUT, "zoom-out", TIMELINE, "timeline: - s plot: -", "Zoom out")                     \
	_(PAN_LEFT, "pan-left", TIMELINE, "timeline: <Left> a h", "Pan left")                      \
	_(PAN_RIGHT, "pan-right", TIMELINE, "timeline: <Right> d l", "Pan right")                  \
	_(PAN_PAGE_LEFT, "pan-page-left", TIMELINE, "timeline: A", "Pan left one screen")          \
	_(PAN_PAGE_RIGHT, "pan-page-right", TIMELINE, "timeline: D", "Pan right one screen")       \
	_(CURSOR_LEFT, "cursor-left", TIMELINE,                                                    \
	  "timeline: <S-Left> ( plot: <Left> h dashboard: <Left> h", "Move cursor left")           \
	_(CURSOR_RIGHT, "cursor-right", TIMELINE,                                                  \
	  "timeline: <S-Right> ) plot: <Right> l dashboard: <Right> l", "Move cursor right")       \
	_(EVENT_PREVIOUS, "event-previous", TIMELINE, "timeline: ,", "Go to previous event")       \
	_(EVENT_NEXT, "event-next", TIMELINE, "timeline: .", "Go to next event")                   \
	_(GAP_PREVIOUS, "gap-previous", TIMELINE, "timeline: { <lt>", "Go to previous gap")        \
	_(GAP_NEXT, "gap-next", TIMELINE, "timeline: } >", "Go to next gap")                       \
	_(FIT, "fit", TIMELINE, "timeline: f", "Fit event or marked range")                        \
	_(FIT_STEP, "fit-step", TIMELINE, "timeline: S", "Fit step")                               \
	_(FIT_ALL, "fit-all", TIMELINE, "timeline: F 0 plot: 0", "Fit all")                        \
	_(NARROW, "narrow", TIMELINE, "timeline: r plot: r", "Narrow to markers or screen")        \
	_(MARKERS_CLEAR, "markers-clear", TIMELINE, "timeline: z", "Clear markers")                \
	_(FOLD, "fold", TIMELINE, "timeline: e t", "Cycle folding of thread")                      \
	_(UNFOLD_ALL, "unfold-all", TIMELINE, "timeline: E", "Unfold all lanes")                   \
	_(FOLD_ALL, "fold-all", TIMELINE, "timeline: C", "Fold all lanes")                         \
	_(PIN, "pin", TIMELINE, "timeline: p", "Pin or unpin lane")                                \
	_(HIDE, "hide", TIMELINE, "timeline: H", "Hide lane")                                      \
	_(LANES, "lanes", TIMELINE, "timeline: c", "Choose lanes")                                 \
	_(RANGE, "range", PLOT, "plot: <Space>", "Start or end range")                             \
	_(DETAIL, "detail", ROW, "i", "Toggle detail strip")                                       \
	_(MAXIMIZE, "detail-full", ROW, "table: O timeline: O", "Show full details")               \
	_(SPLIT, "split", ROW, "table: S", "Toggle split")                                         \
	_(ACTION_MENU, "menu", ROW, "x", "Open action menu")                                       \
	_(COPY, "copy", ROW, "y", "Copy name")                                                     \
	_(COPY_ROWS, "copy-rows", ROW, "Y", "Copy row")                                            \
	_(MARK, "mark", ROW, "table: <Space>", "Mark row")                                         \
	_(UNMARK_ALL, "unmark-all", ROW, "table: U", "Clear marks")                                \
	_(POSITION_SET, "position-set", ROW, "m", "Set bookmark")                                  \
	_(POSITION_GO, "position-go", ROW, "'", "Go to bookmark")                                  \
	_(KEY_NODE, "choose-key-node", ROW, "table: T timeline: T",                                \
	  "Set step boundary (range or op)")                                                       \
	_(HELP, "help", PROGRAM, "? <F1>", "Show help")                                            \
	_(COMMAND, "command", PROGRAM, ":", "Enter command")                                       \
	_(SQL, "sql", PROGRAM, ";", "Enter SQL query")                                             \
	_(OPTIONS, "options", PROGRAM, "o <F2>", "Change options")                                 \
	_(REREAD, "reread", PROGRAM, "R", "Reload")                                                \
	_(FROM_TRACE, "from-trace", PROGRAM, "", "Open the trace of a summary")                    \
	_(REDRAW, "redraw", PROGRAM, "<C-l>", "Redraw")                                            \
	_(SUSPEND, "suspend", PROGRAM, "<C-z>", "Suspend")                                         \
	_(INTERRUPT, "interrupt", PROGRAM, "<C-c>", "Cancel; twice: quit")                         \
	_(QUIT, "quit", PROGRAM, "Q <F10>", "Quit")                                                \
	_(MENU_CHOOSE, "menu-choose", MENU, "menu: <Enter> l <Right>", "Choose item")              \
	_(MENU_TOGGLE, "menu-toggle", MENU, "menu: <Space>", "Toggle item")                        \
	_(MENU_EARLIER, "menu-earlier", MENU, "menu: <", "Move item up")                           \
	_(MENU_LATER, "menu-later", MENU, "menu: >", "Move item down")                             \
	_(MENU_CLOSE, "menu-close", MENU, "menu: <Esc> q h <Left> <Backspace> <C-c> <C-g>",        \
	  "Close menu")                                                                            \
	_(PROMPT_ACCEPT, "prompt-accept", PROMPT, "prompt: <Enter>", "Accept line")                \
	_(PROMPT_CANCEL, "prompt-cancel", PROMPT, "prompt: <Esc> <C-c> <C-g>", "Cancel prompt")    \
	_(PROMPT_COMPLETE, "prompt-complete", PROMPT, "prompt: <Tab>", "Complete word")            \
	_(PROMPT_COMPLETE_BACK, "prompt-complete-back", PROMPT, "prompt: <S-Tab>",                 \
	  "Complete backwards")                                                                    \
	_(PROMPT_LEFT, "prompt-left", PROMPT, "prompt: <Left> <C-b>", "Move left")                 \
	_(PROMPT_RIGHT, "prompt-right", PROMPT, "prompt: <Right> <C-f>", "Move right")             \
	_(PROMPT_WORD_LEFT, "prompt-word-left", PROMPT, "prompt: <M-b>", "Move left one word")     \
	_(PROMPT_WORD_RIGHT, "prompt-word-right", PROMPT, "prompt: <M-f>", "Move right one word")  \
	_(PROMPT_BEGIN, "prompt-begin", PROMPT, "prompt: <Home> <C-a>", "Go to start of line")     \
	_(PROMPT_END, "prompt-end", PROMPT, "prompt: <End> <C-e>", "Go to end of line")            \
	_(PROMPT_ERASE, "prompt-erase", PROMPT, "prompt: <Backspace>",                             \
	  "Delete character before cursor")                                                        \
	_(PROMPT_DELETE, "prompt-delete", PROMPT, "prompt: <Delete> <C-d>", "Delete character")    \
	_(PROMPT_ERASE_WORD, "prompt-erase-word", PROMPT, "prompt: <C-w>",                         \
	  "Delete word before cursor")                                                             \
	_(PROMPT_ERASE_BEGIN, "prompt-erase-begin", PROMPT, "prompt: <C-u>",                       \
	  "Delete to start of line")                                                               \
	_(PROMPT_ERASE_END, "prompt-erase-end", PROMPT, "prompt: <C-k>", "Delete to end of line")  \
	_(PROMPT_YANK, "prompt-yank", PROMPT, "prompt: <C-y>", "Yank deleted text")                \
	_(PROMPT_OLDER, "prompt-older", PROMPT, "prompt: <Up> <C-p>", "Recall previous line")      \
	_(PROMPT_NEWER, "prompt-newer", PROMPT, "prompt: <Down> <C-n>", "Recall next line")        \
	_(PROMPT_RECALL, "prompt-recall", PROMPT, "prompt: <C-r>", "Search history")

enum action {
	ACTION_NONE,
#define ACTION_ENUM(id, name, group, keys, help) ACTION_##id,
	ACTIONS(ACTION_ENUM)
#undef ACTION_ENUM
		ACTION_COUNT
};

struct action_info {
	const char *name;
	enum action_group group;
	const char *keys;
	const char *help;
};

const struct action_info *action_info(enum action action);
enum action action_find(const char *name);       /* ACTION_NONE if unknown */
const char *context_title(enum context context); /* "in a tree" */
const char *context_name(enum context context);  /* "tree" */
bool context_find(const char *name, size_t length, enum context *context);

/*
 * Bind KEY to ACTION in CONTEXT (ACTION_NONE: no action, even if a parent has one), replacing other
 * bindings of it; CONTEXT_ALL also replaces the default bindings of panes. Global for the process.
 */
void action_bind(enum context context, tui_key key, enum action action);
void action_bindings_reset(void); /* restore the defaults */
/* Binding INDEX of those made by action_bind; false past the end. */
bool action_rebound(size_t index, enum context *context, tui_key *key, enum action *action);

/* Action of KEY in CONTEXT, or ACTION_NONE. */
enum action action_of_key(enum context context, tui_key key);

/* First key of ACTION that works in CONTEXT, or TUI_KEY_NONE. */
tui_key action_key(enum action action, enum context context);

struct buffer;
/* Names of the keys bound to ACTION in exactly CONTEXT, blank-separated. */
void action_keys(struct buffer *out, enum action action, enum context context);

#endif
