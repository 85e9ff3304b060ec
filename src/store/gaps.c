/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Losses are added up by their reasons. */
#include "base/buf.h"
#include "store/gaps.h"

/* Of all rows with the reason of row i; 0: an earlier row has it. */
static u64 sum_of_reason(const struct store_tables *t, u32 i)
{
	u64 sum = 0;

	for (u32 k = 0; k < t->losses.n; k++) {
		if (!streq(t->losses.v[k].why, t->losses.v[i].why))
			continue;
		if (k < i)
			return 0;
		sum += t->losses.v[k].count;
	}
	return sum;
}

void store_tell_gaps(const struct store *s, const char *path,
		     void (*tell)(void *ctx, const char *line), void *ctx)
{
	const struct store_tables *t = store_tables(s);
	struct buf b = { 0 };

	if (store_damage(s)) {
		buf_printf(&b, "%s is damaged: %s; everything readable was read", path,
			   store_damage(s));
		tell(ctx, b.s);
	}
	for (u32 i = 0; i < t->losses.n; i++) {
		u64 sum = sum_of_reason(t, i);

		buf_clear(&b);
		buf_printf(&b, "%s lacks %llu events that were lost (%s)", path,
			   (unsigned long long)sum, t->losses.v[i].why);
		if (sum)
			tell(ctx, b.s);
	}
	buf_release(&b);
}
