/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of GFP flags (include/linux/gfp_types.h; the kernel's table of names is in
 * include/trace/events/mmflags.h). Composite masks come first, largest first, then single flags in
 * the order of their bits; the rest is hexadecimal.
 *
 * The bits are those of 5.1 to 6.8. Newer kernels define them by an enum with the same bits up to
 * __GFP_THISNODE; bit 9 was __GFP_ATOMIC until 6.3.
 */
#include "trace/value.h"

enum gfp_bit {
	G_DMA = 1 << 0,
	G_HIGHMEM = 1 << 1,
	G_DMA32 = 1 << 2,
	G_MOVABLE = 1 << 3,
	G_RECLAIMABLE = 1 << 4,
	G_HIGH = 1 << 5,
	G_IO = 1 << 6,
	G_FS = 1 << 7,
	G_ZERO = 1 << 8,
	G_ATOMIC = 1 << 9,
	G_DIRECT_RECLAIM = 1 << 10,
	G_KSWAPD_RECLAIM = 1 << 11,
	G_WRITE = 1 << 12,
	G_NOWARN = 1 << 13,
	G_RETRY_MAYFAIL = 1 << 14,
	G_NOFAIL = 1 << 15,
	G_NORETRY = 1 << 16,
	G_MEMALLOC = 1 << 17,
	G_COMP = 1 << 18,
	G_NOMEMALLOC = 1 << 19,
	G_HARDWALL = 1 << 20,
	G_THISNODE = 1 << 21,
	G_ACCOUNT = 1 << 22,
	G_ZEROTAGS = 1 << 23,
	G_SKIP_ZERO = 1 << 24,
	G_SKIP_KASAN = 1 << 25,
	G_NO_OBJ_EXT = 1 << 26,

	G_RECLAIM = G_DIRECT_RECLAIM | G_KSWAPD_RECLAIM,
	G_USER = G_RECLAIM | G_IO | G_FS | G_HARDWALL,
	G_HIGHUSER_MOVABLE = G_USER | G_HIGHMEM | G_MOVABLE,
	G_THP_LIGHT = (G_HIGHUSER_MOVABLE | G_COMP | G_NOMEMALLOC | G_NOWARN) & ~G_RECLAIM,
};

static const struct {
	u32 mask;
	const char *name;
} names[] = {
	{ G_THP_LIGHT | G_DIRECT_RECLAIM, "GFP_TRANSHUGE" },
	{ G_THP_LIGHT, "GFP_TRANSHUGE_LIGHT" },
	{ G_HIGHUSER_MOVABLE, "GFP_HIGHUSER_MOVABLE" },
	{ G_USER | G_HIGHMEM, "GFP_HIGHUSER" },
	{ G_USER, "GFP_USER" },
	{ G_RECLAIM | G_IO | G_FS | G_ACCOUNT, "GFP_KERNEL_ACCOUNT" },
	{ G_RECLAIM | G_IO | G_FS, "GFP_KERNEL" },
	{ G_RECLAIM | G_IO, "GFP_NOFS" },
	{ G_HIGH | G_KSWAPD_RECLAIM, "GFP_ATOMIC" },
	{ G_RECLAIM, "GFP_NOIO" },
	{ G_KSWAPD_RECLAIM | G_NOWARN, "GFP_NOWAIT" },
	{ G_KSWAPD_RECLAIM, "__GFP_KSWAPD_RECLAIM" },
	{ G_DMA, "GFP_DMA" },
	{ G_HIGHMEM, "__GFP_HIGHMEM" },
	{ G_DMA32, "GFP_DMA32" },
	{ G_MOVABLE, "__GFP_MOVABLE" },
	{ G_RECLAIMABLE, "__GFP_RECLAIMABLE" },
	{ G_HIGH, "__GFP_HIGH" },
	{ G_IO, "__GFP_IO" },
	{ G_FS, "__GFP_FS" },
	{ G_ZERO, "__GFP_ZERO" },
	{ G_ATOMIC, "__GFP_ATOMIC" },
	{ G_DIRECT_RECLAIM, "__GFP_DIRECT_RECLAIM" },
	{ G_WRITE, "__GFP_WRITE" },
	{ G_NOWARN, "__GFP_NOWARN" },
	{ G_RETRY_MAYFAIL, "__GFP_RETRY_MAYFAIL" },
	{ G_NOFAIL, "__GFP_NOFAIL" },
	{ G_NORETRY, "__GFP_NORETRY" },
	{ G_MEMALLOC, "__GFP_MEMALLOC" },
	{ G_COMP, "__GFP_COMP" },
	{ G_NOMEMALLOC, "__GFP_NOMEMALLOC" },
	{ G_HARDWALL, "__GFP_HARDWALL" },
	{ G_THISNODE, "__GFP_THISNODE" },
	{ G_ACCOUNT, "__GFP_ACCOUNT" },
	{ G_ZEROTAGS, "__GFP_ZEROTAGS" },
	{ G_SKIP_ZERO, "__GFP_SKIP_ZERO" },
	{ G_SKIP_KASAN, "__GFP_SKIP_KASAN" },
	{ G_NO_OBJ_EXT, "__GFP_NO_OBJ_EXT" },
};

void gfp_text(struct buf *b, u64 flags)
{
	const char *between = "";

	for (size_t i = 0; i < ARRAY_SIZE(names) && flags; i++) {
		if ((flags & names[i].mask) != names[i].mask)
			continue;
		buf_puts(b, between);
		buf_puts(b, names[i].name);
		flags &= ~(u64)names[i].mask;
		between = "|";
	}
	if (!flags && *between)
		return;
	buf_puts(b, between);
	buf_puts(b, flags ? "0x" : "0");
	if (flags)
		buf_hex(b, flags);
}
