/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jumps in the code of a process, at nop5s of include/sonde/sonde.h and at entries of functions:
 *
 *	0f 1f 44 00 00	nopl 0(%rax,%rax)	e9 xx xx xx xx	jmp cold_path
 *	55		push %rbp		e9 xx xx xx xx	jmp stub
 *	48 89 e5	mov %rsp, %rbp
 *	53		push %rbx
 *
 * All threads are stopped while /proc/PID/mem is written, which changes this process only. A thread
 * whose instruction pointer is after the first displaced instruction continues in the copy.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <time.h>
#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "engine/process/area.h"
#include "engine/process/internal.h"

enum { JMP = 0xe9, JUMP_LEN = 5, SPAN = 4096 };

/* ---- memory */

static int memory(u32 pid, struct err *err)
{
	char path[32];
	int fd;

	snprintf(path, sizeof path, "/proc/%u/mem", pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd >= 0 ? fd : err_sys(err, "open the memory of process %u", pid);
}

static void make_jump_to(const struct patch *p, u64 to, u8 code[JUMP_LEN])
{
	s32 distance = (s32)(to - p->at - JUMP_LEN);

	code[0] = JMP;
	memcpy(code + 1, &distance, sizeof distance);
}

static void make_jump(const struct patch *p, u8 code[JUMP_LEN])
{
	make_jump_to(p, p->to, code);
}

bool patch_is_in(u32 pid, const struct patch *p)
{
	u8 jump[JUMP_LEN], code[JUMP_LEN];

	make_jump(p, jump);
	return process_read(pid, p->at, code, sizeof code) && !memcmp(code, jump, sizeof code);
}

struct work {
	struct patched *p;
	int fd;
	u64 end; /* of attempts to disable */
	struct err *err;
};

/* ---- code: patches within a page are read and written at once */

static int by_address(const void *a, const void *b)
{
	const struct patch *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* The code may be patched already, by a killed run or for another clause. */
static int put_jump_in(struct patch *p, u8 *code, struct err *err)
{
	u8 jump[JUMP_LEN], before[JUMP_LEN];

	make_jump(p, jump);
	make_jump_to(p, p->before ? p->before : p->to, before);
	if (memcmp(code, p->was, JUMP_LEN) && memcmp(code, jump, JUMP_LEN) &&
	    memcmp(code, before, JUMP_LEN))
		return err_set(err, -EBUSY, "another tracer has changed the code at %#llx",
			       (unsigned long long)p->at);
	p->is_new = !memcmp(code, p->was, JUMP_LEN);
	memcpy(code, jump, JUMP_LEN);
	p->is_enabled = true;
	return 0;
}

/* Code that another tracer has changed in the meantime is left alone. */
static int take_jump_out(struct patch *p, u8 *code, struct err *err)
{
	u8 jump[JUMP_LEN];

	make_jump(p, jump);
	p->is_new = p->is_enabled && !memcmp(code, jump, JUMP_LEN);
	if (p->is_new)
		memcpy(code, p->was, JUMP_LEN);
	p->is_enabled = false;
	return 0;
}

static u32 span_end(const struct patched *p, u32 from)
{
	u32 to = from + 1;

	while (to < p->n && p->v[to].at + JUMP_LEN - p->v[from].at <= SPAN)
		to++;
	return to;
}

static int edit_span(int fd, struct patch *v, u32 n,
		     int (*edit)(struct patch *, u8 *, struct err *), struct err *err)
{
	u64 from = v[0].at;
	size_t size = v[n - 1].at + JUMP_LEN - from;
	u8 code[SPAN];
	int ret = 0;

	if (pread(fd, code, size, (off_t)from) != (ssize_t)size)
		return err_sys(err, "read the code at %#llx", (unsigned long long)from);
	for (u32 i = 0; i < n && ret >= 0; i++)
		ret = edit(&v[i], code + (v[i].at - from), err);
	if (ret >= 0 && pwrite(fd, code, size, (off_t)from) != (ssize_t)size)
		ret = err_sys(err, "write the code at %#llx", (unsigned long long)from);
	return ret;
}

static int edit_all(int fd, struct patched *p, int (*edit)(struct patch *, u8 *, struct err *),
		    struct err *err)
{
	int ret = 0;

	for (u32 i = 0, end; i < p->n; i = end) {
		int one;

		end = span_end(p, i);
		one = edit_span(fd, p->v + i, end - i, edit, err);
		ret = MIN(ret, one);
		if (ret < 0 && edit == put_jump_in)
			return ret;
	}
	return ret;
}

/* ---- semaphores: SONDE_TP_IF_ENABLED() looks at them, as at those that the kernel counts */

static void count_tracer(u32 pid, const struct patch *p, s32 by)
{
	u16 count;

	if (!p->semaphore || !p->is_new || !process_read(pid, p->semaphore, &count, sizeof count))
		return;
	count = (u16)(count + by);
	process_write(pid, p->semaphore, &count, sizeof count);
}

static int put_in_all(struct work *w)
{
	int ret = edit_all(w->fd, w->p, put_jump_in, w->err);

	for (u32 i = 0; i < w->p->n && ret >= 0; i++)
		count_tracer(w->p->pid, &w->p->v[i], 1);
	return ret;
}

static void take_out_all(struct work *w, struct err *err)
{
	edit_all(w->fd, w->p, take_jump_out, err);
	for (u32 i = 0; i < w->p->n; i++)
		count_tracer(w->p->pid, &w->p->v[i], -1);
}

/* ---- threads */

#ifdef __x86_64__
static const struct patch *patch_around(const struct patched *p, u64 ip)
{
	u32 lo = 0, hi = p->n;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (p->v[mid].at < ip)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && ip - p->v[lo - 1].at < JUMP_LEN ? &p->v[lo - 1] : NULL;
}

/* The copy of an instruction, other than the first, that a jump overwrites; 0: not such an
 * instruction. */
static u64 copy_of(const struct patched *p, u64 ip)
{
	const struct patch *in = patch_around(p, ip);

	for (u32 i = 0; in && i < in->n_inner; i++)
		if (ip - in->at == in->inner[i])
			return in->to + in->copy[i];
	return 0;
}

enum { STACK_LOOK = 64 << 10 };

/* Copies the stack of a thread, up to STACK_LOOK bytes, and its address. Returns the number of
 * words. */
static u32 read_stack(const struct patched *p, const struct user_regs_struct *r, u64 *words,
		      u64 *from)
{
	struct iovec here = { words, STACK_LOOK }, there = { .iov_len = STACK_LOOK };
	ssize_t n;

	*from = r->rsp & ~7ull;
	there.iov_base = (void *)(uintptr_t)*from;
	n = process_vm_readv((pid_t)p->pid, &here, 1, &there, 1, 0);
	return n < 0 ? 0 : (u32)n / 8;
}

/* Whether the word of a signal frame is the interrupted address: flags and segments follow (struct
 * sigcontext in asm/sigcontext.h). */
static bool is_interrupted(const u64 *word)
{
	enum { CS = 0x33, FLAGS = 1, SEGMENTS = 2 };

	return (word[SEGMENTS] & 0xffff) == CS && word[FLAGS] < 1u << 22;
}

/* For a thread in a signal handler: changes where the handler returns to. */
static void move_interrupted(const struct patched *p, const struct user_regs_struct *r)
{
	static u64 stack[STACK_LOOK / 8];
	u64 from, to;
	u32 n = read_stack(p, r, stack, &from);

	for (u32 i = 0; i + 2 < n; i++)
		if (is_interrupted(stack + i) && (to = copy_of(p, stack[i])))
			process_write(p->pid, from + i * 8ull, &to, sizeof to);
}

static int move_thread(const struct patched *p, const struct thread *t, struct err *err)
{
	struct user_regs_struct r;
	u64 to;

	if (t->is_gone)
		return 0;
	if (ptrace(PTRACE_GETREGS, t->tid, NULL, &r) < 0)
		return err_sys(err, "read the registers of thread %d", t->tid);
	move_interrupted(p, &r);
	to = copy_of(p, r.rip);
	if (!to)
		return 0;
	r.rip = to;
	return ptrace(PTRACE_SETREGS, t->tid, NULL, &r) < 0 ?
		       err_sys(err, "move thread %d", t->tid) :
		       0;
}

/* Whether all threads have their id where the recorder reads it. */
static int check_thread(const struct patched *p, const struct thread *t, struct err *err)
{
	struct user_regs_struct r;
	s32 tid;

	if (p->tid_offset < 0 || t->is_gone || ptrace(PTRACE_GETREGS, t->tid, NULL, &r) < 0 ||
	    (process_read(p->pid, r.fs_base + (u64)(s64)p->tid_offset, &tid, sizeof tid) &&
	     (tid == t->tid || tid == (s32)thread_inner_id((u32)t->tid))))
		return 0;
	return err_set(err, -ENOTSUP, "thread %d of process %u was not created by its C library",
		       t->tid, p->pid);
}

static int each_thread(const struct patched *p, const struct stopped *s,
		       int (*f)(const struct patched *, const struct thread *, struct err *),
		       struct err *err)
{
	int ret = 0;

	for (u32 i = 0; i < s->n && ret >= 0; i++)
		ret = f(p, &s->v[i], err);
	return ret;
}
#else
#define move_thread NULL
#define check_thread NULL
static int each_thread(const struct patched *p, const struct stopped *s, void *f, struct err *err)
{
	return 0;
}
#endif

/* ---- enabling */

static int try_to_enable(struct work *w)
{
	struct err ignored = { 0 };
	struct stopped s;
	int ret = threads_stop(&s, w->p->pid, w->err);
	bool is_in;

	if (ret >= 0)
		ret = each_thread(w->p, &s, check_thread, w->err);
	if (ret >= 0)
		ret = put_in_all(w);
	is_in = ret >= 0;
	if (ret >= 0)
		ret = points_map(w->p->points, w->p->n_points, &s, w->err);
	if (ret >= 0)
		ret = each_thread(w->p, &s, move_thread, w->err);
	if (ret < 0 && is_in)
		take_out_all(w, &ignored);
	else if (ret < 0)
		edit_all(w->fd, w->p, take_jump_out, &ignored);
	w->p->stood_ns = threads_resume(&s);
	err_release(&ignored);
	return ret;
}

/* Retries as disable() does, and while another tracer has a breakpoint there, which the kernel may
 * be taking out. Threads run in between. */
static int enable(void *ctx)
{
	enum { TRIES_TO_STOP = 3, TRIES_AT_BREAKPOINT = 20, STEP_NS = 10000000 };
	struct work *w = ctx;
	int ret = try_to_enable(w);

	for (u32 i = 1;
	     (ret == -ETIMEDOUT && i < TRIES_TO_STOP) || (ret == -EBUSY && i < TRIES_AT_BREAKPOINT);
	     i++) {
		if (ret == -EBUSY)
			nanosleep(&(struct timespec){ .tv_nsec = STEP_NS }, NULL);
		err_release(w->err);
		*w->err = (struct err){ 0 };
		ret = try_to_enable(w);
	}
	return ret;
}

int patch_enable(struct patched *p, struct err *err)
{
	_fd int fd = memory(p->pid, err);

	if (fd < 0)
		return fd;
	qsort(p->v, p->n, sizeof *p->v, by_address);
	return survivor_run(enable, &(struct work){ .p = p, .fd = fd, .err = err });
}

/* ---- unused areas */

#ifdef __x86_64__
static bool is_in_areas(const struct patched *p, u64 address)
{
	for (u32 i = 0; i < p->n_areas; i++)
		if (address - p->areas[i].control < AREA_PAGE + p->areas[i].code_size)
			return true;
	return false;
}

/* A signal handler may return to there, too. */
static bool stands_in_areas(const struct patched *p, const struct thread *t)
{
	static u64 stack[STACK_LOOK / 8];
	struct user_regs_struct r;
	u64 from;
	u32 n;

	if (t->is_gone || ptrace(PTRACE_GETREGS, t->tid, NULL, &r) < 0)
		return false;
	n = read_stack(p, &r, stack, &from);
	for (u32 i = 0; i + 2 < n; i++)
		if (is_interrupted(stack + i) && is_in_areas(p, stack[i]))
			return true;
	return is_in_areas(p, r.rip);
}

static void unmap_in(const struct patched *p, struct injector *in)
{
	for (u32 i = 0; i < p->n_areas; i++)
		if (area_is_there(p->pid, &p->areas[i]))
			area_unmap(&p->areas[i], in);
}

/* True: they are unmapped, or all threads have ended. */
static bool unmap_areas(const struct patched *p, const struct stopped *s)
{
	bool is_done = !area_any_is_there(p->pid, p->areas, p->n_areas);
	u32 n_gone = 0;

	for (u32 i = 0; i < s->n; i++)
		if (stands_in_areas(p, &s->v[i]))
			return false;
	for (u32 i = 0; i < s->n && !is_done; i++) {
		struct err err = { 0 };
		struct injector in;

		if (s->v[i].is_gone)
			n_gone++;
		else if (inject_begin(&in, p->pid, s->v[i].tid, &err) >= 0) {
			unmap_in(p, &in);
			inject_end(&in);
			is_done = !area_any_is_there(p->pid, p->areas, p->n_areas);
		}
		err_release(&err);
	}
	return is_done || n_gone == s->n;
}
#else
static bool unmap_areas(const struct patched *p, const struct stopped *s)
{
	return true;
}
#endif

/*
 * All threads are stopped for each attempt. One that is in an area needs the processor to leave it,
 * and on a busy machine waits for it: attempts come less and less often.
 */
static int disable(void *ctx)
{
	enum { FIRST_NS = 1000000, LONGEST_NS = 64000000 };
	struct work *w = ctx;
	struct patched *p = w->p;
	bool is_out = false, is_done = false;
	u64 pause = FIRST_NS;
	int ret;

	for (;;) {
		struct stopped s;

		ret = threads_stop(&s, p->pid, w->err);
		if (ret >= 0 && !is_out) {
			take_out_all(w, w->err);
			is_out = true;
		}
		is_done = ret >= 0 && (!p->n_areas || unmap_areas(p, &s));
		p->stood_ns = threads_resume(&s);
		if (is_done || (ret < 0 && ret != -ETIMEDOUT) || clock_mono_ns() > w->end)
			break;
		nanosleep(&(struct timespec){ .tv_nsec = (long)pause }, NULL);
		pause = MIN(pause * 2, (u64)LONGEST_NS);
	}
	if (is_done || ret == -ENOENT || ret == -ESRCH)
		return 0;
	return is_out ? PATCH_LEFT : ret;
}

int patch_disable(struct patched *p, u32 ms, struct err *err)
{
	_fd int fd = memory(p->pid, err);

	if (fd < 0)
		return err->code == -ENOENT || err->code == -ESRCH ? 0 : fd;
	qsort(p->v, p->n, sizeof *p->v, by_address);
	return survivor_run(disable, &(struct work){ .p = p,
						     .fd = fd,
						     .end = clock_mono_ns() + ms * 1000000ull,
						     .err = err });
}
