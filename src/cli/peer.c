/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of peer.def, which are packed: a few runs need them. */
#include "base/packed.h"
#include "cli/peer.h"

extern const struct packed_data peer_rows; /* cli/packed.def */

struct peer_row {
	const char *command; /* of sonde; "": the words are commands of other tools */
	const char *words;
	const char *answer; /* "": without effect */
};

/* The text of a field, which ends with NUL from now on; *at: behind it. */
static const char *take_field(char **at, char end)
{
	char *field = *at, *behind = strchr(field, end);

	*behind = '\0';
	*at = behind + 1;
	return field;
}

static const struct peer_row *all_rows(u32 *n)
{
	static VEC(struct peer_row) rows;
	static struct arena a;

	if (!rows.n) {
		char *at = unpack(&peer_rows);

		arena_init(&a);
		while (*at) {
			struct peer_row row = { .command = take_field(&at, '\t') };

			row.words = take_field(&at, '\t');
			row.answer = take_field(&at, '\n');
			vec_push(&a, &rows, row);
		}
	}
	*n = rows.n;
	return rows.v;
}

static bool is_word(const char *s, size_t n, const char *word, size_t len)
{
	return n == len && !memcmp(s, word, len);
}

static struct peer_word find(const char *command, const char *word, size_t len)
{
	u32 n_rows;
	const struct peer_row *rows = all_rows(&n_rows);

	for (u32 i = 0; i < n_rows; i++) {
		if (!streq(rows[i].command, command))
			continue;
		for (const char *s = rows[i].words; *s;) {
			size_t n = strcspn(s, " "), name = n - (n && s[n - 1] == '=');

			if (is_word(s, name, word, len))
				return (struct peer_word){ true, name != n,
							   *rows[i].answer ? rows[i].answer :
									     NULL };
			s += n + (s[n] == ' ');
		}
	}
	return (struct peer_word){ 0 };
}

struct peer_word peer_command(const char *word)
{
	return find("", word, strlen(word));
}

struct peer_word peer_word(const struct command *cmd, const char *word, size_t len)
{
	return find(cmd->name, word, len);
}

/* The replacement of one of `which`, else the character. */
static void put_char(struct buf *b, char c, const char *which, const char *const *as)
{
	const char *at = strchr(which, c);

	if (at)
		buf_puts(b, as[at - which]);
	else
		buf_putc(b, c);
}

static void put_row(struct buf *b, const struct peer_row *row)
{
	buf_printf(b, "| `%s%s", row->command, *row->command ? " " : "");
	for (const char *s = row->words; *s; s++)
		put_char(b, *s, "= ", (const char *const[]){ "", "`, `" });
	buf_puts(b, "` | ");
	for (const char *s = *row->answer ? row->answer : "taken, without effect"; *s; s++)
		put_char(b, *s, "|*<", (const char *const[]){ "\\|", "\\*", "\\<" });
	buf_puts(b, " |\n");
}

void peer_put_table(struct buf *b)
{
	u32 n;
	const struct peer_row *rows = all_rows(&n);

	buf_puts(
		b,
		"\n## Words of perf, trace-cmd, ltrace, uftrace, LTTng and others\n\n"
		"sonde answers these words with a line, or takes them because it does that anyway.\n\n"
		"| word | answer |\n|---|---|\n");
	for (u32 i = 0; i < n; i++)
		put_row(b, &rows[i]);
}
