/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/clock.h"
#include "engine/process/compiled.h"

enum { CLOCK_SIZE = 4096, SLEW_NS = 100000000 };

struct compiled {
	const struct program *prog;
	struct shared_maps maps;
	u8 *memory;
	bool has_rdpid, has_clock, waits;
};

static struct jit_clock *clock_of(const struct compiled *c)
{
	return (struct jit_clock *)(void *)c->memory;
}

static bool has_rdpid(void)
{
	struct buf b = { 0 };
	bool yes = buf_read_file(&b, "/proc/cpuinfo") >= 0 && b.s && strstr(b.s, " rdpid");

	buf_release(&b);
	return yes;
}

struct compiled *compiled_new(const struct program *prog, u32 n_cpus, bool waits, struct err *err)
{
	struct compiled *c = xcalloc(1, sizeof *c);

	c->prog = prog;
	c->waits = waits;
	c->has_rdpid = has_rdpid();
	if (shared_layout(prog, n_cpus, &c->maps, err) < 0) {
		free(c);
		return NULL;
	}
	c->memory = mmap(NULL, compiled_size(c), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (c->memory == MAP_FAILED) {
		err_sys(err, "map memory for maps");
		shared_release(&c->maps);
		free(c);
		return NULL;
	}
	shared_init(&c->maps, prog, compiled_block(c));
	return c;
}

void compiled_free(struct compiled *c)
{
	if (!c)
		return;
	munmap(c->memory, compiled_size(c));
	shared_release(&c->maps);
	free(c);
}

const struct shared_maps *compiled_maps(const struct compiled *c)
{
	return &c->maps;
}

u8 *compiled_block(const struct compiled *c)
{
	return c->memory + CLOCK_SIZE;
}

u64 compiled_size(const struct compiled *c)
{
	return CLOCK_SIZE + c->maps.size;
}

static bool is_zero(const u8 *page)
{
	return !page[0] && !memcmp(page, page + 1, 4095);
}

/* Pages of zeros stay holes. */
int compiled_move(struct compiled *c, int fd, u64 offset, struct err *err)
{
	for (u64 at = 0; at < compiled_size(c); at += 4096)
		if (!is_zero(c->memory + at) &&
		    pwrite(fd, c->memory + at, 4096, (off_t)(offset + at)) != 4096)
			return err_sys(err, "write the maps that a process shares");
	if (mmap(c->memory, compiled_size(c), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
		 (off_t)offset) == MAP_FAILED)
		return err_sys(err, "map the maps that a process shares");
	return 0;
}

/* ---- the clock */

/* Nanoseconds << 32 for a tick. */
static u64 rate_of(const struct tsc *t)
{
	u64 ticks = t->tick_2 - t->tick;

	return ticks ? (u64)(((unsigned __int128)(t->ns_2 - t->ns) << 32) / ticks) : 0;
}

/* Time never jumps: a difference is corrected gradually over the next 100 ms. */
void compiled_look(struct compiled *c, const struct tsc *t)
{
	struct jit_clock *clock = clock_of(c);
	const struct jit_clock_slot was = clock->slot[clock->index % ARRAY_SIZE(clock->slot)];
	struct jit_clock_slot now = { .tick = t->tick_2, .ns = t->ns_2, .rate = rate_of(t) };
	s64 off;

	if (c->has_clock) {
		now.ns = was.ns + (u64)((unsigned __int128)(t->tick_2 - was.tick) * was.rate >> 32);
		off = (s64)(t->ns_2 - now.ns);
		off = MAX(MIN(off, SLEW_NS / 2), -SLEW_NS / 2);
		now.rate += (u64)((__int128)(s64)now.rate * off / SLEW_NS);
	}
	now.boot_to_mono = (u64)((s64)clock_mono_ns() - (s64)clock_boot_ns());
	clock->slot[(clock->index + 1) % ARRAY_SIZE(clock->slot)] = now;
	__atomic_store_n(&clock->index, clock->index + 1, __ATOMIC_RELEASE);
	c->has_clock = true;
}

/* ---- code */

void compiled_put_routines(const struct compiled *c, const struct compiled_place *at, struct buf *b)
{
	jit_put_routines(b, &c->maps, at->memory + CLOCK_SIZE);
}

u32 compiled_routines_size(const struct compiled *c)
{
	struct buf b = { 0 };
	u32 size;

	jit_put_routines(&b, &c->maps, 0);
	size = (u32)b.len;
	buf_release(&b);
	return size;
}

static int put(const struct compiled *c, const struct compiled_site *s,
	       const struct compiled_place *at, struct jit_output *out, struct err *err)
{
	const struct jit_site site = { .context = s->is_point ? JIT_WORDS : JIT_REGISTERS,
				       .keeps_flags = true,
				       .is_in_frame = s->is_point,
				       .ip = s->ip,
				       .words = s->words,
				       .n_words = s->n_words };
	const struct jit_world world = { .maps = &c->maps,
					 .block = at->memory + CLOCK_SIZE,
					 .routines = at->routines,
					 .control = at->control,
					 .clock = at->memory,
					 .cookie = s->cookie,
					 .pid = at->pid,
					 .tid = at->tid,
					 .has_tid = at->has_tid,
					 .rseq = at->rseq,
					 .has_rseq = at->has_rseq,
					 .has_rdpid = c->has_rdpid,
					 .waits = c->waits,
					 .rings = at->rings,
					 .n_rings = at->n_rings,
					 .ring_size = at->ring_size,
					 .signature = at->signature };

	return jit_compile(c->prog, c->prog->funcs.v[s->func], &site, &world, out, err);
}

int compiled_put(const struct compiled *c, const struct compiled_site *s,
		 const struct compiled_place *at, u64 address, struct buf *b, struct err *err)
{
	return put(c, s, at, &(struct jit_output){ .address = address, .code = b }, err);
}

u32 compiled_length(const struct compiled *c, const struct compiled_site *site,
		    const struct compiled_place *has, u32 *stack, struct err *err)
{
	const u64 high = 0x7f0000000000;
	enum { ALIGNMENT = 32 }; /* padding that depends on the address, at most once */
	const struct compiled_place at = { .memory = high,
					   .routines = high,
					   .control = high,
					   .pid = 1,
					   .has_tid = has->has_tid,
					   .has_rseq = has->has_rseq,
					   .rings = high,
					   .n_rings = 1 << 16,
					   .ring_size = 1 << 30 };
	struct buf b = { 0 };
	struct jit_output out = { .address = high, .code = &b };
	struct compiled_site far = *site;
	int ret;
	u32 len;

	far.ip = far.cookie = high;
	ret = put(c, &far, &at, &out, err);
	*stack = out.stack;
	len = (u32)b.len;
	buf_release(&b);
	return ret < 0 ? 0 : len + ALIGNMENT;
}
