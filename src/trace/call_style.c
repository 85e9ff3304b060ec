/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include "trace/call_style.h"

static void put_styled_number(struct buf *b, enum call_number how, u64 v)
{
	switch (how) {
	case CALL_AS_SIGNED: buf_s64(b, (s64)v); break;
	case CALL_AS_UNSIGNED: buf_u64(b, v); break;
	case CALL_AS_OCTAL: buf_printf(b, "%#03llo", (unsigned long long)v); break;
	case CALL_AS_HEX: buf_printf(b, "%#llx", (unsigned long long)v); break;
	}
}

/* In verbose style, a number that has no name has a comment already. */
void call_restyle(struct buf *b, const struct call_style *style, size_t start, enum call_number how,
		  u64 v)
{
	size_t len = b->len - start;
	char name[512];

	if (!style || style->constants == CALL_ABBREV || len >= sizeof name)
		return;
	memcpy(name, b->s + start, len);
	name[len] = '\0';
	if (style->constants == CALL_VERBOSE && strstr(name, "/*"))
		return;
	b->len = start;
	put_styled_number(b, how, v);
	if (style->constants == CALL_VERBOSE &&
	    (b->len - start != len || memcmp(b->s + start, name, len)))
		buf_printf(b, " /* %s */", name);
}
