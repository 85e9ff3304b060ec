/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/fd.h"
#include "base/visible.h"
#include "cli/tui/terminal.h"

#define ENTER "\033[?1049h\033[?25l\033[?7l\033[2J" /* the other screen, no cursor, no wrapping */
#define LEAVE "\033[0m\033[?7h\033[?25h\033[?1049l"

enum { ESCAPE_MS = 50 }; /* from ESC to the rest of a key's sequence */

static volatile sig_atomic_t was_resized, has_ended;

static void on_resize(int sig)
{
	was_resized = 1;
}

static void on_end(int sig)
{
	has_ended = 1;
}

/* ---- the screen */

static void forget(struct terminal *t)
{
	for (u32 i = 0; i < t->n_shown; i++)
		buf_release(&t->shown[i]);
	free(t->shown);
	t->shown = NULL;
	t->n_shown = 0;
}

static void window_size(const struct terminal *t, u32 *rows, u32 *columns)
{
	struct winsize w = { 0 };

	if (ioctl(t->out, TIOCGWINSZ, &w) || !w.ws_row || !w.ws_col)
		w = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	*rows = MIN(w.ws_row, 1000u);
	*columns = MIN(w.ws_col, 1000u);
}

static void measure(struct terminal *t)
{
	forget(t);
	window_size(t, &t->rows, &t->columns);
	t->n_shown = t->rows;
	t->shown = xcalloc(t->n_shown, sizeof *t->shown);
	buf_puts(&t->to_write, "\033[2J");
}

bool terminal_fit(struct terminal *t)
{
	u32 rows, columns;

	window_size(t, &rows, &columns);
	if (rows == t->rows && columns == t->columns)
		return false;
	measure(t);
	return true;
}

static void enter(struct terminal *t)
{
	struct termios raw = t->before;

	raw.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IXON | ISTRIP | BRKINT);
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(t->in, TCSAFLUSH, &raw);
	write_all(t->out, ENTER, strlen(ENTER));
	t->is_open = true;
	measure(t);
}

static void leave(struct terminal *t)
{
	write_all(t->out, LEAVE, strlen(LEAVE));
	tcsetattr(t->in, TCSAFLUSH, &t->before);
	t->is_open = false;
}

static bool is_utf8(void)
{
	const char *all = getenv("LC_ALL"), *type = getenv("LC_CTYPE"), *lang = getenv("LANG"),
		   *name = all && *all   ? all :
			   type && *type ? type :
			   lang          ? lang :
					   "";

	return strcasestr(name, "utf-8") || strcasestr(name, "utf8");
}

int terminal_open(struct terminal *t, bool color, struct err *err)
{
	const char *kind = getenv("TERM");
	struct sigaction resize = { .sa_handler = on_resize }, end = { .sa_handler = on_end };

	*t = (struct terminal){
		.in = STDIN_FILENO, .out = STDOUT_FILENO, .has_color = color, .has_utf8 = is_utf8()
	};
	if (!isatty(t->in) || !isatty(t->out) || tcgetattr(t->in, &t->before)) {
		err_set(err, -ENOTTY, "standard input and output are not a terminal");
		err_help(err, "sonde script prints the events, sonde report their sums");
		return err->code;
	}
	if (!kind || !*kind || streq(kind, "dumb")) {
		err_set(err, -ENOTTY, "this terminal cannot move its cursor: TERM is %s",
			kind && *kind ? kind : "not set");
		err_help(err, "sonde script prints the events, sonde report their sums");
		return err->code;
	}
	sigaction(SIGWINCH, &resize, NULL);
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGHUP, &end, NULL);
	sigaction(SIGINT, &end, NULL);
	enter(t);
	return 0;
}

void terminal_close(struct terminal *t)
{
	if (t->is_open)
		leave(t);
	forget(t);
	buf_release(&t->line);
	buf_release(&t->to_write);
}

/* ---- lines */

static const char *sequence_of(const struct terminal *t, enum style style)
{
	static const char *const colors[N_STYLES] = { "0", "1", "7", "2", "32", "31" };

	return t->has_color || style < STYLE_DIM ? colors[style] : "0";
}

void terminal_line(struct terminal *t, u32 row)
{
	buf_clear(&t->line);
	t->row = row;
	t->column = 0;
}

/* A character is one column; those that are wider are cut at the edge by the terminal. */
static size_t fitting(const struct terminal *t, const char *s, u32 *n)
{
	size_t i = 0, len = strlen(s);

	for (*n = 0; i < len && t->column + *n < t->columns; (*n)++) {
		size_t more = (u8)s[i] < 0x80 ? 1 : utf8_len((const u8 *)s + i, len - i);

		i += MAX(more, (size_t)1);
	}
	return i;
}

void terminal_put(struct terminal *t, enum style style, const char *text)
{
	u32 n;
	size_t len = fitting(t, text, &n);

	if (!len)
		return;
	if (style)
		buf_printf(&t->line, "\033[%sm", sequence_of(t, style));
	for (size_t i = 0; i < len; i++) /* a tab would move the cursor */
		buf_putc(&t->line, text[i] == '\t' ? ' ' : text[i]);
	if (style)
		buf_puts(&t->line, "\033[0m");
	t->column += n;
}

void terminal_printf(struct terminal *t, enum style style, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	terminal_put(t, style, b.s);
	buf_release(&b);
}

void terminal_pad(struct terminal *t, enum style style, u32 column)
{
	if (column > t->column)
		terminal_printf(t, style, "%*s", (int)(column - t->column), "");
}

void terminal_end_line(struct terminal *t)
{
	struct buf *shown = t->row < t->n_shown ? &t->shown[t->row] : NULL;

	buf_puts(&t->line, "");
	if (!shown || (shown->s && streq(shown->s, t->line.s)))
		return;
	buf_printf(&t->to_write, "\033[%u;1H%s\033[K", t->row + 1, t->line.s);
	buf_clear(shown);
	buf_add(shown, t->line.s, t->line.len);
}

void terminal_clear_from(struct terminal *t, u32 row)
{
	for (; row < t->rows; row++) {
		terminal_line(t, row);
		terminal_end_line(t);
	}
}

void terminal_flush(struct terminal *t)
{
	if (t->to_write.len)
		write_all(t->out, t->to_write.s, t->to_write.len);
	buf_clear(&t->to_write);
}

/* ---- keys */

static const struct {
	u32 number; /* of "ESC [ NUMBER ~" */
	char letter;
	enum key key;
} sequences[] = {
	{ 0, 'A', KEY_UP },         { 0, 'B', KEY_DOWN },    { 0, 'C', KEY_RIGHT },
	{ 0, 'D', KEY_LEFT },       { 1, 'H', KEY_HOME },    { 4, 'F', KEY_END },
	{ 7, '\0', KEY_HOME },      { 8, '\0', KEY_END },    { 5, '\0', KEY_PAGE_UP },
	{ 6, '\0', KEY_PAGE_DOWN }, { 3, '\0', KEY_DELETE },
};

static u32 key_of(u32 number, char letter)
{
	for (u32 i = 0; i < ARRAY_SIZE(sequences); i++)
		if (letter == '~' ? sequences[i].number == number : sequences[i].letter == letter)
			return sequences[i].key;
	return KEY_OTHER;
}

/* False: it is not complete. *used: bytes of it. */
static bool take_sequence(const u8 *s, u32 n, u32 *used, u32 *key)
{
	u32 i = 2, number = 0;

	if (n < 3)
		return false;
	while (i < n && s[i] < 0x40)
		i++;
	if (i == n && n < sizeof((struct terminal *)NULL)->typed / 2)
		return false;
	for (u32 k = 2; k < i && s[k] >= '0' && s[k] <= '9'; k++)
		number = number * 10 + s[k] - '0';
	*used = MIN(i + 1, n);
	*key = i < n ? key_of(number, (char)s[i]) : KEY_OTHER;
	return true;
}

/* Between a key and what the terminal sends for it; is_late: nothing follows an ESC. 0: not
 * complete. */
static u32 take_key(struct terminal *t, bool is_late)
{
	u32 used = 1, key = t->n_typed ? t->typed[0] : 0;
	size_t len;

	if (!key)
		used = t->n_typed;
	if (key == KEY_ESCAPE && t->n_typed > 1 && strchr("[O", t->typed[1])) {
		if (!take_sequence(t->typed, t->n_typed, &used, &key) && !is_late)
			return 0;
	} else if (key == KEY_ESCAPE && t->n_typed < 2 && !is_late) {
		return 0;
	} else if (key >= 0x80) {
		len = utf8_len(t->typed, t->n_typed);
		if (!len && t->n_typed < 4 && !is_late)
			return 0;
		key = len ? utf8_code(t->typed, len) : KEY_OTHER;
		used = MAX((u32)len, 1u);
	} else if (key == '\n' || key == '\b') {
		key = key == '\n' ? KEY_ENTER : KEY_BACKSPACE;
	}
	t->n_typed -= used;
	memmove(t->typed, t->typed + used, t->n_typed);
	return key;
}

/* False: there is nothing after that time. */
static bool receive(struct terminal *t, int ms)
{
	struct pollfd p = { .fd = t->in, .events = POLLIN };
	int ret = has_ended || was_resized ? 0 : poll(&p, 1, ms);
	ssize_t n;

	if (ret <= 0)
		return false;
	n = read(t->in, t->typed + t->n_typed, sizeof t->typed - t->n_typed);
	if (!n || (n < 0 && errno != EINTR && errno != EAGAIN))
		has_ended = 1;
	t->n_typed += n > 0 ? (u32)n : 0;
	return n > 0;
}

static void suspend(struct terminal *t)
{
	leave(t);
	raise(SIGTSTP);
	enter(t);
}

u32 terminal_key(struct terminal *t, int ms)
{
	u32 key = take_key(t, false);

	if (!key) {
		bool is_there = receive(t, t->n_typed ? ESCAPE_MS : ms);

		key = take_key(t, !is_there);
	}
	if (was_resized) {
		was_resized = 0;
		measure(t);
	}
	if (key == ('Z' & 31)) {
		suspend(t);
		return KEY_NONE;
	}
	return has_ended ? (u32)KEY_CLOSED : key;
}
