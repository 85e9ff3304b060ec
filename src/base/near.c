/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "Did you mean": the nearest of many candidates by Damerau-Levenshtein distance (insert, delete,
 * replace, swap neighbors; the restricted form, which needs three rows). Case is ignored, but a
 * word that differs only in case has distance 1. A third of the word may differ; a single letter
 * has no near words. On a tie the most frequent kind of mistake wins: letters that are swapped
 * (prinft), then letters that are left out (prinf), then the others. There may be tens of thousands
 * of kernel functions, so a candidate is abandoned when a whole row is worse than the best so far.
 */
#include "base/diag.h"

enum { MAX_WORD = 127 };

void near_init(struct near *n, const char *word)
{
	size_t len = strlen(word);
	u32 allowed = len < 2 || len > MAX_WORD ? 0 : MAX((u32)len / 3, 1u);

	*n = (struct near){ .word = word, .best_cost = allowed + 1 };
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool has_same_letters(const char *a, const char *b)
{
	s32 n[256] = { 0 }, differ = 0;

	for (; *a; a++)
		n[(u8)lower(*a)]++;
	for (; *b; b++)
		n[(u8)lower(*b)]--;
	for (u32 i = 0; i < ARRAY_SIZE(n); i++)
		differ |= n[i];
	return !differ;
}

static bool lacks_letters(const char *word, const char *whole)
{
	for (; *whole; whole++)
		if (lower(*word) == lower(*whole))
			word++;
	return !*word;
}

/* How plausible it is that word was meant to be candidate, at the same distance: 0 is best. */
static u32 rank(const char *word, const char *candidate)
{
	return has_same_letters(word, candidate) ? 0 : lacks_letters(word, candidate) ? 1 : 2;
}

/* The distance, or limit if it is not below limit. */
static u32 distance(const char *a, u32 a_len, const char *b, u32 b_len, u32 limit)
{
	u8 rows[3][MAX_WORD + 1];
	u8 *before = rows[0], *prev = rows[1], *row = rows[2];

	for (u32 j = 0; j <= b_len; j++)
		prev[j] = (u8)j;
	for (u32 i = 1; i <= a_len; i++) {
		char c = lower(a[i - 1]), c_before = i > 1 ? lower(a[i - 2]) : '\0';
		u32 least = row[0] = (u8)i;

		for (u32 j = 1; j <= b_len; j++) {
			char d = lower(b[j - 1]);
			u32 cost = prev[j - 1] + (c != d);

			cost = MIN(cost, MIN(prev[j], row[j - 1]) + 1u);
			if (i > 1 && j > 1 && c_before == d && c == lower(b[j - 2]))
				cost = MIN(cost, before[j - 2] + 1u);
			row[j] = (u8)cost;
			least = MIN(least, cost);
		}
		if (least >= limit)
			return limit;

		u8 *free_row = before;

		before = prev;
		prev = row;
		row = free_row;
	}
	return MIN(prev[b_len], limit);
}

void near_try(struct near *n, const char *candidate)
{
	size_t a = strlen(n->word), b = strnlen(candidate, MAX_WORD + 1);
	size_t gap = a > b ? a - b : b - a;

	u32 limit = n->best_cost + (n->best != NULL);

	if (b > MAX_WORD || gap >= limit)
		return;
	if (streq(n->word, candidate))
		return; /* the exact word was rejected: no suggestion */

	u32 cost = MAX(distance(n->word, (u32)a, candidate, (u32)b, limit), 1u);

	if (cost < n->best_cost ||
	    (cost < limit && rank(n->word, candidate) < rank(n->word, n->best))) {
		n->best = candidate;
		n->best_cost = cost;
	}
}

const char *near_best(const struct near *n)
{
	return n->best;
}
