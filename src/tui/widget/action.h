/*
 * Actions: everything a key can do, in one table.  From it come the bindings, the help pane, the
 * footer, the prompt's completion and --list-keys.
 */
#ifndef STRATA_TUI_WIDGET_ACTION_H
#define STRATA_TUI_WIDGET_ACTION_H

#include "tui/term/key.h"

#include <stdbool.h>
#include <stddef.h>

/* Where a key means something.  Tree adds to table, table and text to all; the rest stand alone. */
enum context {
	CONTEXT_ALL,
	CONTEXT_TABLE,
	CONTEXT_TREE,
	CONTEXT_TEXT,
	CONTEXT_TIMELINE,
	CONTEXT_PLOT,
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

/* id, name, group, keys (a word that ends in ':' names the context of those after it), help */
#define ACTIONS(_)                                                                                                        \
	_(MOVE_DOWN, "move-down", MOVE, "<Down> j menu: <Down> j <C-n>", "Go to the next row")                            \
	_(MOVE_UP, "move-up", MOVE, "<Up> k menu: <Up> k <C-p>", "Go to the row before")                                  \
	_(PAGE_DOWN, "page-down", MOVE, "<PageDown> <C-f> text: <Space> menu: <PageDown> <C-f>",                          \
	  "Go one screen down")                                                                                           \
	_(PAGE_UP, "page-up", MOVE, "<PageUp> <C-b> menu: <PageUp> <C-b>", "Go one screen up")                            \
	_(HALF_DOWN, "half-page-down", MOVE, "<C-d>", "Go half a screen down")                                            \
	_(HALF_UP, "half-page-up", MOVE, "<C-u>", "Go half a screen up")                                                  \
	_(FIRST, "first", MOVE, "<Home> g menu: <Home> g", "Go to the first row")                                         \
	_(LAST, "last", MOVE, "<End> G menu: <End> G", "Go to the last row")                                              \
	_(WINDOW_TOP, "window-top", MOVE, "", "Go to the first row on the screen")                                        \
	_(WINDOW_MIDDLE, "window-middle", MOVE, "", "Go to the row in the middle of the screen")                          \
	_(WINDOW_BOTTOM, "window-bottom", MOVE, "", "Go to the last row on the screen")                                   \
	_(SECTION_NEXT, "section-next", MOVE, "table: } J",                                                               \
	  "Go to the next section: step, layer, group of facts, device")                                                  \
	_(SECTION_PREVIOUS, "section-previous", MOVE, "table: { K",                                                       \
	  "Go to the begin of the section, or of the one before")                                                         \
	_(LANE_NEXT, "lane-next", MOVE, "table: .",                                                                       \
	  "Go to what came next on the same stream or thread; in a tree to the next of the same parent")                  \
	_(LANE_PREVIOUS, "lane-previous", MOVE, "table: ,",                                                               \
	  "Go to what came before on the same stream or thread; in a tree of the same parent")                            \
	_(CENTER, "center", MOVE, "z", "Scroll until the row is in the middle")                                           \
	_(SCROLL_LEFT, "scroll-left", MOVE, "( <S-Left>", "Show the columns further left")                                \
	_(SCROLL_RIGHT, "scroll-right", MOVE, ") <S-Right>", "Show the columns further right")                            \
	_(DRILL, "drill", GO, "<Enter> table: l <Right>",                                                                 \
	  "Open what is inside of the row: the next finer view, narrowed to it")                                          \
	_(BACK, "back", GO, "<Backspace> table: h <Left>",                                                                \
	  "Go back up one level, to where you were")                                                                      \
	_(CANCEL, "cancel", GO, "<Esc> <C-g>",                                                                            \
	  "Stop the work under way, clear the search, else go up one level; never quits")                                 \
	_(CLOSE, "close", GO, "q", "Close this and go up one level; twice at the top quits")                              \
	_(VIEW_KEY, "view", GO, "1 2 3 4 5 6 7 8 9 0",                                                                    \
	  "Open the view with this number; 0 asks in SQL")                                                                \
	_(VIEW_NEXT, "view-next", GO, "<Tab>",                                                                            \
	  "Open the next view of the tab line; in a split: the other pane")                                               \
	_(VIEW_PREVIOUS, "view-previous", GO, "<S-Tab>",                                                                  \
	  "Open the view before in the tab line; in a split: the other pane")                                             \
	_(FOLLOW_FORWARD, "follow-forward", GO, "table: ] v timeline: ] v",                                               \
	  "Follow the link: launch to kernel, forward to backward; again for the next of several")                        \
	_(FOLLOW_BACK, "follow-back", GO, "table: [ V timeline: [ V",                                                     \
	  "Follow the link back: kernel to launch, backward to forward")                                                  \
	_(TIMELINE, "timeline", GO, "table: f plot: f", "Go to the row's place on the timeline")                          \
	_(PLOT, "plot", GO, "table: P plot: P",                                                                           \
	  "Show the plot of the table, at the row; from the plot, the table")                                             \
	_(DIFF, "diff", GO, "table: d",                                                                                   \
	  "Compare with the base: what strata diff was given, or :base PATH")                                             \
	_(JUMP_BACK, "jump-back", GO, "<C-o> <M-Left>",                                                                   \
	  "Go to where you were before the last jump")                                                                    \
	_(JUMP_FORWARD, "jump-forward", GO, "<M-Right>", "Go forward again in the list of jumps")                         \
	_(SEARCH, "search", FIND, "/", "Search for a regular expression in the columns shown")                            \
	_(SEARCH_NEXT, "search-next", FIND, "n", "Go to the next match")                                                  \
	_(SEARCH_PREVIOUS, "search-previous", FIND, "N", "Go to the match before")                                        \
	_(SEARCH_NAME, "search-name", FIND, "table: * timeline: *",                                                       \
	  "Search for the name of the row")                                                                               \
	_(FILTER, "filter", FIND, "table: & \\ <F4>",                                                                     \
	  "Keep only rows that match: RE, !RE for the others, COLUMN:RE; empty for all")                                  \
	_(SORT_MENU, "sort-menu", TABLE, "table: s <F6>", "Choose the column to sort by")                                 \
	_(SORT_LEFT, "sort-left", TABLE, "table: <", "Sort by the column to the left")                                    \
	_(SORT_RIGHT, "sort-right", TABLE, "table: >", "Sort by the column to the right")                                 \
	_(SORT_INVERT, "sort-invert", TABLE, "table: I plot: I", "Turn the order round")                                  \
	_(COLUMN_PIN, "pin-column", TABLE, "table: p",                                                                    \
	  "Keep the column sorted by at the left when scrolling, or let it go")                                           \
	_(COLUMN_WIDEN, "widen-column", TABLE, "table: W",                                                                \
	  "Give the names all the room they need, or share it with the other columns again")                              \
	_(COLUMNS, "columns", TABLE, "table: c", "Choose the columns and their order")                                    \
	_(GROUP, "group", TABLE, "table: t <F5> plot: t <F5>",                                                            \
	  "Group by the next of the view's groupings; in a tree: as a flat list, then the next; of a plot what it is of") \
	_(UNITS, "units", TABLE, "table: %",                                                                              \
	  "Show values, shares of the total, in a tree of the row above, or plain numbers")                               \
	_(TREE_IN, "tree-in", TREE, "tree: l <Right>", "Expand the row, or go to its first child")                        \
	_(TREE_OUT, "tree-out", TREE, "tree: h <Left>", "Collapse the row, or go to its parent")                          \
	_(EXPAND, "expand", TREE, "tree: +", "Expand the row")                                                            \
	_(COLLAPSE, "collapse", TREE, "tree: -", "Collapse the row")                                                      \
	_(EXPAND_TOGGLE, "expand-toggle", TREE, "tree: e", "Expand or collapse the row")                                  \
	_(EXPAND_ALL, "expand-all", TREE, "tree: E", "Expand everything below the row")                                   \
	_(COLLAPSE_ALL, "collapse-all", TREE, "tree: C", "Collapse everything")                                           \
	_(ZOOM_IN, "zoom-in", TIMELINE, "timeline: + = w plot: + =",                                                      \
	  "See half of the time, around the cursor; of a flame graph the frame alone")                                    \
	_(ZOOM_OUT, "zoom-out", TIMELINE, "timeline: - s plot: -", "See twice the time")                                  \
	_(PAN_LEFT, "pan-left", TIMELINE, "timeline: <Left> a h",                                                         \
	  "Go a quarter of the screen back in time")                                                                      \
	_(PAN_RIGHT, "pan-right", TIMELINE, "timeline: <Right> d l",                                                      \
	  "Go a quarter of the screen on in time")                                                                        \
	_(PAN_PAGE_LEFT, "pan-page-left", TIMELINE, "timeline: A", "Go a screen back in time")                            \
	_(PAN_PAGE_RIGHT, "pan-page-right", TIMELINE, "timeline: D", "Go a screen on in time")                            \
	_(CURSOR_LEFT, "cursor-left", TIMELINE, "timeline: <S-Left> ( plot: <Left> h",                                    \
	  "Go a cell back in time; on a plot to the point or frame to the left")                                          \
	_(CURSOR_RIGHT, "cursor-right", TIMELINE, "timeline: <S-Right> ) plot: <Right> l",                                \
	  "Go a cell on in time; on a plot to the point or frame to the right")                                           \
	_(EVENT_PREVIOUS, "event-previous", TIMELINE, "timeline: ,",                                                      \
	  "Go to the event before on the lane")                                                                           \
	_(EVENT_NEXT, "event-next", TIMELINE, "timeline: .", "Go to the next event of the lane")                          \
	_(GAP_PREVIOUS, "gap-previous", TIMELINE, "timeline: { <lt>",                                                     \
	  "Go to the event after the gap before, of a cell or more; on the line of steps to the step before")             \
	_(GAP_NEXT, "gap-next", TIMELINE, "timeline: } >",                                                                \
	  "Go to the event after the next gap of a cell or more; on the line of steps to the next step")                  \
	_(FIT, "fit", TIMELINE, "timeline: f",                                                                            \
	  "Fit the event to the screen, else the time between the markers")                                               \
	_(FIT_STEP, "fit-step", TIMELINE, "timeline: F",                                                                  \
	  "Fit the step at the cursor to the screen")                                                                     \
	_(FIT_ALL, "fit-all", TIMELINE, "timeline: 0 plot: 0",                                                            \
	  "See all of the time; on a plot all of the axis")                                                               \
	_(NARROW, "narrow", TIMELINE, "timeline: r plot: r",                                                              \
	  "Narrow the scope to the time between the markers, without them to what the screen shows")                      \
	_(MARKERS_CLEAR, "markers-clear", TIMELINE, "timeline: z",                                                        \
	  "Take the markers away; m a and m b set them, ' a and ' b go there")                                            \
	_(FOLD, "fold", TIMELINE, "timeline: e t",                                                                        \
	  "Fold or unfold the thread: one line, operators, Python too")                                                   \
	_(UNFOLD_ALL, "unfold-all", TIMELINE, "timeline: E", "Unfold all threads and streams")                            \
	_(FOLD_ALL, "fold-all", TIMELINE, "timeline: C", "Fold all threads and streams")                                  \
	_(PIN, "pin", TIMELINE, "timeline: p",                                                                            \
	  "Keep the thread or stream at the top, or let it go")                                                           \
	_(HIDE, "hide", TIMELINE, "timeline: H",                                                                          \
	  "Hide the thread or stream; the list of lanes shows it again")                                                  \
	_(LANES, "lanes", TIMELINE, "timeline: c", "Choose the lanes and their order")                                    \
	_(RANGE, "range", PLOT, "plot: <Space>",                                                                          \
	  "Begin a stretch of the axis, or end it; Enter narrows the scope to it")                                        \
	_(DETAIL, "detail", ROW, "i", "Show or fold the detail strip")                                                    \
	_(MAXIMIZE, "detail-full", ROW, "table: O timeline: O",                                                           \
	  "All that is known of the row; in a split: this pane alone")                                                    \
	_(SPLIT, "split", ROW, "table: S",                                                                                \
	  "Show beside the table what is inside of the row the cursor is on")                                             \
	_(ACTION_MENU, "menu", ROW, "x", "Choose among all that can be done here")                                        \
	_(COPY, "copy", ROW, "y", "Copy the name of the row, or of those that are marked")                                \
	_(COPY_ROWS, "copy-rows", ROW, "Y",                                                                               \
	  "Copy the row, or those that are marked, with all cells")                                                       \
	_(MARK, "mark", ROW, "table: <Space>", "Mark the row and go to the next")                                         \
	_(UNMARK_ALL, "unmark-all", ROW, "table: U", "Take all marks away")                                               \
	_(POSITION_SET, "position-set", ROW, "m",                                                                         \
	  "Remember this place under the letter typed next")                                                              \
	_(POSITION_GO, "position-go", ROW, "'", "Go to the place remembered under a letter")                              \
	_(KEY_NODE, "choose-key-node", ROW, "table: T",                                                                   \
	  "Iterate by the operator of the row: steps then end with its runs; on a step: look for one")                    \
	_(HELP, "help", PROGRAM, "? <F1>", "Show this help")                                                              \
	_(COMMAND, "command", PROGRAM, ":", "Type a command; Tab completes")                                              \
	_(SQL, "sql", PROGRAM, ";", "Ask in SQL; every view is a table")                                                  \
	_(OPTIONS, "options", PROGRAM, "o <F2>", "Change the options")                                                    \
	_(REREAD, "reread", PROGRAM, "R", "Read the file again")                                                          \
	_(REDRAW, "redraw", PROGRAM, "<C-l>", "Draw the screen anew")                                                     \
	_(SUSPEND, "suspend", PROGRAM, "<C-z>", "Suspend, back to the shell")                                             \
	_(INTERRUPT, "interrupt", PROGRAM, "<C-c>",                                                                       \
	  "Stop the work under way; twice when idle quits")                                                               \
	_(QUIT, "quit", PROGRAM, "Q", "Quit at once")                                                                     \
	_(MENU_CHOOSE, "menu-choose", MENU, "menu: <Enter> l <Right>", "Take the item")                                   \
	_(MENU_TOGGLE, "menu-toggle", MENU, "menu: <Space>", "Switch the item on or off")                                 \
	_(MENU_EARLIER, "menu-earlier", MENU, "menu: <", "Move the item up")                                              \
	_(MENU_LATER, "menu-later", MENU, "menu: >", "Move the item down")                                                \
	_(MENU_CLOSE, "menu-close", MENU, "menu: <Esc> q h <Left> <Backspace> <C-c> <C-g>",                               \
	  "Close the menu")                                                                                               \
	_(PROMPT_ACCEPT, "prompt-accept", PROMPT, "prompt: <Enter>", "Take the line")                                     \
	_(PROMPT_CANCEL, "prompt-cancel", PROMPT, "prompt: <Esc> <C-c> <C-g>",                                            \
	  "Leave the prompt, with everything as it was")                                                                  \
	_(PROMPT_COMPLETE, "prompt-complete", PROMPT, "prompt: <Tab>", "Complete the word")                               \
	_(PROMPT_COMPLETE_BACK, "prompt-complete-back", PROMPT, "prompt: <S-Tab>",                                        \
	  "The completion before")                                                                                        \
	_(PROMPT_LEFT, "prompt-left", PROMPT, "prompt: <Left> <C-b>", "One character left")                               \
	_(PROMPT_RIGHT, "prompt-right", PROMPT, "prompt: <Right> <C-f>", "One character right")                           \
	_(PROMPT_WORD_LEFT, "prompt-word-left", PROMPT, "prompt: <M-b>", "One word left")                                 \
	_(PROMPT_WORD_RIGHT, "prompt-word-right", PROMPT, "prompt: <M-f>", "One word right")                              \
	_(PROMPT_BEGIN, "prompt-begin", PROMPT, "prompt: <Home> <C-a>",                                                   \
	  "To the begin of the line")                                                                                     \
	_(PROMPT_END, "prompt-end", PROMPT, "prompt: <End> <C-e>", "To the end of the line")                              \
	_(PROMPT_ERASE, "prompt-erase", PROMPT, "prompt: <Backspace>",                                                    \
	  "Erase the character before")                                                                                   \
	_(PROMPT_DELETE, "prompt-delete", PROMPT, "prompt: <Delete> <C-d>",                                               \
	  "Erase the character here")                                                                                     \
	_(PROMPT_ERASE_WORD, "prompt-erase-word", PROMPT, "prompt: <C-w>",                                                \
	  "Erase the word before")                                                                                        \
	_(PROMPT_ERASE_BEGIN, "prompt-erase-begin", PROMPT, "prompt: <C-u>",                                              \
	  "Erase up to the begin of the line")                                                                            \
	_(PROMPT_ERASE_END, "prompt-erase-end", PROMPT, "prompt: <C-k>",                                                  \
	  "Erase up to the end of the line")                                                                              \
	_(PROMPT_YANK, "prompt-yank", PROMPT, "prompt: <C-y>", "Insert what was erased last")                             \
	_(PROMPT_OLDER, "prompt-older", PROMPT, "prompt: <Up> <C-p>",                                                     \
	  "The line before in the history")                                                                               \
	_(PROMPT_NEWER, "prompt-newer", PROMPT, "prompt: <Down> <C-n>",                                                   \
	  "The next line of the history")                                                                                 \
	_(PROMPT_RECALL, "prompt-recall", PROMPT, "prompt: <C-r>",                                                        \
	  "The last line of the history that has this text in it")

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
enum action action_find(const char *name); /* ACTION_NONE when there is none */
const char *action_group_title(enum action_group group);
const char *context_title(enum context context); /* "in a tree" */
const char *context_name(enum context context);  /* "tree" */
bool context_find(const char *name, size_t length, enum context *context);

/*
 * From now on KEY does ACTION in CONTEXT (ACTION_NONE: nothing, whatever it does in a wider one)
 * and nothing else; in CONTEXT_ALL also in those panes where it came with something else to do.
 * There is one keyboard, so this is for the whole process.
 */
void action_bind(enum context context, tui_key key, enum action action);
void action_bindings_reset(void); /* everything as it comes */
/* Binding number INDEX of those that action_bind made; false past the end. */
bool action_rebound(size_t index, enum context *context, tui_key *key, enum action *action);

/* What KEY does in CONTEXT; ACTION_NONE when nothing. */
enum action action_of_key(enum context context, tui_key key);

/* The first key of ACTION that works in CONTEXT, TUI_KEY_NONE when there is none. */
tui_key action_key(enum action action, enum context context);

struct buffer;
/* The keys of ACTION that are bound in exactly CONTEXT, their names blank separated. */
void action_keys(struct buffer *out, enum action action, enum context context);

#endif
