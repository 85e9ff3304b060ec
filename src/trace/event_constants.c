/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/event_constants.h"
#include <ctype.h>
#include "base/buf.h"

enum { WORD_MOST = 128 };

static bool is_word_char(char c)
{
	return isalnum((u8)c) || c == '_';
}

static size_t quoted_length(const char *s)
{
	size_t n = 1;

	while (s[n] && s[n] != *s)
		n += s[n] == '\\' && s[n + 1] ? 2 : 1;
	return n + (s[n] != '\0');
}

/* Words of nearly all formats. What a kernel calls so is not asked: that may read all of its types,
 * while events wait. */
static bool is_plain_c(const char *s, size_t n)
{
	return lists_word("REC unsigned signed long int short char const void struct size_t sizeof "
			  "u8 u16 u32 u64 s8 s16 s32 s64 pid_t uid_t gid_t umode_t loff_t dev_t",
			  s, n);
}

/* Whether the word may be an enumerator: it is not a member, a function or the field of
 * __get_str(FIELD). */
static bool may_be_constant(const char *text, const char *s, size_t n)
{
	const char *after = s + n + strspn(s + n, " \t"), *before = s;

	while (before > text && (before[-1] == ' ' || before[-1] == '\t'))
		before--;
	if (*after == '(' || isdigit((u8)*s) || n >= WORD_MOST || is_plain_c(s, n))
		return false;
	if (before == text || before[-1] == '>' || before[-1] == '.')
		return false;
	if (before[-1] != '(')
		return true;
	for (before--; before > text && is_word_char(before[-1]);)
		before--;
	return !starts_with(before, "__get_");
}

static void put_word(struct buf *b, const char *s, size_t n, const struct names *names)
{
	char word[WORD_MOST];
	s64 value;

	memcpy(word, s, n);
	word[n] = '\0';
	if (names->constant(names->ctx, word, &value))
		buf_printf(b, "%lld", (long long)value);
	else
		buf_add(b, s, n);
}

static void put_constants(struct buf *b, const char *print, const struct names *names)
{
	for (const char *s = print; *s;) {
		size_t n = 0;

		while (is_word_char(s[n]))
			n++;
		if (n && may_be_constant(print, s, n)) {
			put_word(b, s, n, names);
		} else {
			n = n ? n : *s == '"' || *s == '\'' ? quoted_length(s) : 1;
			buf_add(b, s, n);
		}
		s += n;
	}
}

void event_set_constants(struct arena *a, struct event_format *f, const struct names *names)
{
	static const char head[] = "\nprint fmt: ";
	const char *print = f->text ? strstr(f->text, head) : NULL;
	struct buf b = { 0 };

	if (!names || !names->constant)
		return;
	put_constants(&b, f->print_fmt, names);
	buf_puts(&b, "");
	if (!streq(b.s, f->print_fmt)) {
		f->print_fmt = arena_strndup(a, b.s, b.len);
		if (print)
			f->text = arena_printf(a, "%.*s%s%s\n", (int)(print - f->text), f->text,
					       head, f->print_fmt);
	}
	buf_release(&b);
}
