/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The consumer of a BPF ring buffer (kernel/bpf/ringbuf.c). Three mappings of its descriptor:
 *
 *	page 0   consumer position (ours to write)
 *	page 1   producer position (read only)
 *	page 2.. the data, mapped twice in a row, so a record never wraps
 *
 * A record is a u32 length whose top bits say busy and discarded, a u32 the kernel keeps, and the
 * bytes, rounded up to 8. Records are passed to the caller in place; space is released to the
 * kernel a quarter of the ring at a time and at the end. The last store of the consumer position is
 * a full barrier before the producer position is read again: a producer that saw the old one sends
 * no wake-up.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include "engine/kernel/internal.h"

#define RING_MOST (1ull << 31) /* u32 in bpf(2), and a power of two */

enum { RECORD_HEAD = 8, RING_MIN = 256 << 10, RING_MAX = 16 << 20, RING_FOR_CPU = 512 << 10 };

/* Half a megabyte for each processor, at most a thousandth of memory. Not more: the kernel
 * allocates all of it at once, 0.2 ms for each megabyte. */
u64 kernel_ring_size(void)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE), pages = (u64)sysconf(_SC_PHYS_PAGES);
	u64 want = MIN((u64)cpus_online(NULL, 0) * RING_FOR_CPU, pages * page / 1000),
	    size = RING_MIN;

	while (size < RING_MAX && size * 2 <= want)
		size *= 2;
	return MAX(size, page);
}

/* The size of these pages, or more: the kernel accepts only powers of two. */
u64 kernel_ring_pages(u64 pages)
{
	u64 size = (u64)sysconf(_SC_PAGESIZE), want = MIN(pages, RING_MOST / size) * size;

	while (size < want)
		size *= 2;
	return size;
}

int ring_map(struct kernel *k, int fd, u64 size, struct err *err)
{
	struct ring *r = &k->ring;
	void *at;

	r->page = (size_t)sysconf(_SC_PAGESIZE);
	r->size = size;
	at = mmap(NULL, r->page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return refused(err, TRIED_MAP, "map the ring buffer");
	r->consumer = at;
	at = mmap(NULL, r->page + 2 * size, PROT_READ, MAP_SHARED, fd, (off_t)r->page);
	if (at == MAP_FAILED) {
		refused(err, TRIED_MAP, "map the ring buffer's %llu bytes",
			(unsigned long long)size);
		munmap((void *)(uintptr_t)r->consumer, r->page);
		r->consumer = NULL;
		return err->code;
	}
	r->producer = at;
	r->data = (u8 *)at + r->page;
	r->fd = fd;
	return 0;
}

void ring_unmap(struct kernel *k)
{
	struct ring *r = &k->ring;

	if (r->consumer)
		munmap((void *)(uintptr_t)r->consumer, r->page);
	if (r->producer)
		munmap((void *)(uintptr_t)r->producer, r->page + 2 * r->size);
	r->consumer = r->producer = NULL;
	r->fd = -1;
	if (k->bell.consumer) {
		munmap(k->bell.consumer, r->page);
		munmap((void *)(uintptr_t)k->bell.producer, r->page);
	}
	k->bell = (struct bell){ 0 };
}

int bell_create(struct kernel *k, struct err *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "bell", 0, 0, (u32)page, 0);
	void *ours, *theirs;

	if (fd < 0)
		return refused(err, TRIED_MAP, "create a ring buffer of a page");
	ours = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	theirs = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, (off_t)page);
	if (ours != MAP_FAILED && theirs != MAP_FAILED)
		k->bell = (struct bell){ fd, ours, theirs };
	return fd;
}

bool kernel_drained_much(const struct kernel *k)
{
	const struct ring *r = &k->ring;

	return r->consumer && *r->consumer - r->drained_from > r->size / 4;
}

bool kernel_drained_all(const struct kernel *k)
{
	return k->ring.has_all;
}

u32 kernel_fill(const struct kernel *k)
{
	const struct ring *r = &k->ring;
	u64 from = r->consumer ? __atomic_load_n(r->consumer, __ATOMIC_ACQUIRE) : 0;

	return r->consumer ? (u32)((__atomic_load_n(r->producer, __ATOMIC_ACQUIRE) - from) * 256 /
				   r->size) :
			     0;
}

int kernel_event_fd(const struct kernel *k)
{
	return k->ring.fd;
}

/* The head of the record at a position, or 0 if no complete record is there. */
static u32 ready_head(const struct ring *r, u64 at, u64 end)
{
	const u32 *head = (const u32 *)(const void *)(r->data + (at & (r->size - 1)));
	u32 len;

	if (at >= end)
		return 0;
	len = __atomic_load_n(head, __ATOMIC_ACQUIRE);
	return len & BPF_RINGBUF_BUSY_BIT ? 0 : len;
}

/* One pass over the available records. Returns whether f requests to stop. */
static bool drain_pass(struct ring *r, u64 *at, record_fn f, void *ctx, int *n)
{
	u64 end = __atomic_load_n(r->producer, __ATOMIC_ACQUIRE), given = *at;
	bool stop = false;
	u32 head;

	while (!stop && (head = ready_head(r, *at, end))) {
		u32 len = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (!(head & BPF_RINGBUF_DISCARD_BIT)) {
			stop = f(ctx, r->data + (*at & (r->size - 1)) + RECORD_HEAD, len) != 0;
			++*n;
		}
		*at += ALIGN_UP(len, 8u) + RECORD_HEAD;
		if (*at - given >= r->size / 4) {
			__atomic_store_n(r->consumer, *at, __ATOMIC_RELEASE);
			given = *at;
		}
	}
	__atomic_store_n(r->consumer, *at, __ATOMIC_SEQ_CST);
	return stop;
}

int kernel_drain(struct kernel *k, record_fn f, void *ctx)
{
	struct ring *r = &k->ring;
	u64 at, before, start, first_end;
	int n = 0;

	r->has_all = true;
	if (!r->consumer)
		return 0;
	first_end = __atomic_load_n(r->producer, __ATOMIC_ACQUIRE);
	start = at = r->drained_from = *r->consumer;
	do { /* until no new record has arrived, but a flood must not keep the caller here forever */
		before = at;
		if (drain_pass(r, &at, f, ctx, &n))
			break;
	} while (at != before && at - start < r->size);
	r->has_all = at >= first_end; /* a record that is not complete keeps those after it */
	return n;
}
