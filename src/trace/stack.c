/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks as text. A stack value is a reference: names->stack gives its frames, names->ksym and
 * ->usym their names. The text begins and ends with a newline, so it can be printed as a value and
 * as a key between brackets:
 *
 *	sonde (bpftrace)         vfs_read+5              8 blanks
 *	                         main+5@dir/file.c:12    with debug information
 *	                         inlined@dir/file.c:40   above the function it was inlined into
 *	perf		ffffffff8121 vfs_read+5 (module)     a tab
 *	raw		ffffffff8121
 *	build_id	1f2e3d... 0x1234
 *
 * A user stack may end with the reason why it is not complete, in every form: "[stack page not
 * resident]".
 */
#include "trace/value.h"
#include "type/unwind.h"

static const struct symbol no_symbol;

static struct symbol symbol_of(const struct names *names, bool user, struct process_at of, u64 ip)
{
	struct symbol sym = no_symbol;
	bool known = false;

	if (user && names && names->usym)
		known = names->usym(names->ctx, of, ip, &sym);
	else if (!user && names && names->ksym)
		known = names->ksym(names->ctx, ip, &sym);
	if (!known)
		sym.name = NULL;
	return sym;
}

const char *frame_reason(bool user, u64 ip)
{
	static const char *const text[] = {
#define R(id, text_) [UNWIND_WHY_##id] = text_,
		UNWIND_REASONS(R)
#undef R
	};

	return user && ip < N_UNWIND_REASONS ? text[ip] : NULL;
}

/*
 * The symbol of a frame's address. A return address may be after the last instruction of its
 * function, where that calls one that does not return; then it is at no symbol or at the first byte
 * of another.
 */
static struct symbol frame_symbol(const struct names *names, bool user, struct process_at of,
				  u64 ip, bool is_return)
{
	struct symbol sym = symbol_of(names, user, of, ip);

	if (!is_return || (sym.name && sym.offset))
		return sym;
	sym = symbol_of(names, user, of, ip - 1);
	sym.offset++;
	return sym.name ? sym : symbol_of(names, user, of, ip);
}

static void put_reason(struct buf *b, const char *why)
{
	buf_putc(b, '[');
	buf_puts(b, why);
	buf_putc(b, ']');
}

static void put_address(struct buf *b, u64 ip)
{
	buf_add(b, "0x", 2);
	buf_hex(b, ip);
}

static bool put_name(struct buf *b, const struct names *names, const struct symbol *sym, u64 ip)
{
	if (sym->name)
		put_foreignz(b, names, sym->name);
	else
		put_address(b, ip);
	return sym->name;
}

bool symbol_name(struct buf *b, const struct names *names, bool user, struct process_at of, u64 ip)
{
	struct symbol sym = symbol_of(names, user, of, ip);

	return put_name(b, names, &sym, ip);
}

bool frame_name(struct buf *b, const struct names *names, bool user, struct process_at of, u64 ip,
		bool is_return)
{
	const char *why = frame_reason(user, ip);

	if (why) {
		put_reason(b, why);
		return true;
	}
	struct symbol sym = frame_symbol(names, user, of, ip, is_return);

	return put_name(b, names, &sym, ip);
}

const char *frame_module(const struct names *names, bool user, struct process_at of, u64 ip)
{
	const char *path = symbol_of(names, user, of, ip).module;

	return path ? base_name(path) : user ? "" : "kernel";
}

static void put_symbol(struct buf *b, const struct names *names, const struct symbol *sym, u64 ip)
{
	if (!sym->name) {
		put_address(b, ip);
		return;
	}
	put_foreignz(b, names, sym->name);
	if (!sym->inlined) {
		buf_putc(b, '+');
		buf_u64(b, sym->offset);
	}
	if (!sym->file)
		return;
	buf_putc(b, '@');
	put_foreignz(b, names, sym->file);
	buf_putc(b, ':');
	buf_u64(b, sym->line);
}

static void put_plain_frame(struct buf *b, const struct names *names, const struct symbol *sym,
			    u64 ip)
{
	buf_pad(b, ' ', 8);
	put_symbol(b, names, sym, ip);
}

/* A user frame without a symbol: "7f12 ([unknown])", or "7f12 [unknown] (FILE)" if the file is
 * known. */
static void put_perf_frame(struct buf *b, const struct names *names, const struct symbol *sym,
			   bool user, u64 ip)
{
	const char *module = sym->module;

	buf_putc(b, '\t');
	buf_hex(b, ip);
	if (sym->name || !user) {
		buf_putc(b, ' ');
		put_symbol(b, names, sym, ip);
	} else if (module) {
		buf_puts(b, " [unknown]");
	} else {
		module = "[unknown]";
	}
	if (sym->inlined)
		buf_puts(b, " (inlined)");
	if (module) {
		buf_puts(b, " (");
		put_foreignz(b, names, module);
		buf_putc(b, ')');
	} else if (user) {
		buf_puts(b, " ([unknown])");
	}
}

static void put_build_id_frame(struct buf *b, const struct names *names, bool user,
			       struct process_at of, u64 ip)
{
	const char *id = NULL;
	u64 offset = ip;

	if (user && names && names->build_id && names->build_id(names->ctx, of, ip, &id, &offset) &&
	    id) {
		buf_puts(b, id);
		buf_putc(b, ' ');
	} else {
		offset = ip;
	}
	put_address(b, offset);
}

struct frame {
	enum stack_mode mode;
	struct frame_at at;
};

static void put_symbol_frame(struct buf *b, const struct names *names, const struct frame *f,
			     const struct symbol *sym)
{
	if (f->mode == STACK_MODE_PERF)
		put_perf_frame(b, names, sym, f->at.user, f->at.ip);
	else
		put_plain_frame(b, names, sym, f->at.ip);
}

/* A line for each inlined function, then one for the function in the symbol table. */
static void put_source_frames(struct buf *b, const struct names *names, const struct frame *f)
{
	struct symbol sym = frame_symbol(names, f->at.user, f->at.of, f->at.ip, f->at.is_return),
		      source;
	const char *module = sym.module;
	u32 depth = 0;

	while (names && names->source && names->source(names->ctx, &f->at, depth++, &source)) {
		source.module = module;
		if (source.inlined) {
			put_symbol_frame(b, names, f, &source);
			buf_putc(b, '\n');
			continue;
		}
		/* Again, because a name is valid until the next call only. */
		sym = frame_symbol(names, f->at.user, f->at.of, f->at.ip, f->at.is_return);
		sym.file = source.file;
		sym.line = source.line;
		break;
	}
	put_symbol_frame(b, names, f, &sym);
}

static void put_frame(struct buf *b, const struct names *names, const struct frame *f)
{
	const char *why = frame_reason(f->at.user, f->at.ip);

	if (why) {
		if (f->mode == STACK_MODE_PERF)
			buf_putc(b, '\t');
		else if (f->mode == STACK_MODE_SONDE)
			buf_pad(b, ' ', 8);
		put_reason(b, why);
		buf_putc(b, '\n');
		return;
	}
	switch (f->mode) {
	case STACK_MODE_SONDE:
	case STACK_MODE_PERF: put_source_frames(b, names, f); break;
	case STACK_MODE_RAW: buf_hex(b, f->at.ip); break;
	case STACK_MODE_BUILD_ID:
		put_build_id_frame(b, names, f->at.user, f->at.of, f->at.ip);
		break;
	}
	buf_putc(b, '\n');
}

/* Tracer frames: between the event and the BPF program. They depend on how the probe is attached
 * and on what else is attached, so they are not part of the stack. */
bool stack_is_tracer_frame(const char *name)
{
	static const char *const prefixes[] = {
		"bpf_prog_",     "bpf_trace_run",  "__bpf_trace_",   "__traceiter_",
		"bpf_get_stack", "bpf_trampoline", "perf_trace_",    "trace_call_bpf",
		"perf_syscall_", "__bpf_prog_",    "do_perf_trace_", "trace_event_raw_event_",
		"bpf_loop",      "bpf_for_each_",
	};

	for (u32 i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (starts_with(name, prefixes[i]))
			return true;
	return false;
}

static u32 count_tracer_frames(const struct names *names, const u64 *ips, u32 n)
{
	struct symbol sym;
	u32 cut = 0;

	while (cut < n && cut < STACK_SPARE_FRAMES && names->ksym) {
		sym = symbol_of(names, false, (struct process_at){ 0 }, ips[cut]);
		if (!sym.name || !stack_is_tracer_frame(sym.name))
			break;
		cut++;
	}
	return cut;
}

/* Whether ip is the return address of the call at a function's entry (x86: endbr64 and call, 9
 * bytes; arm64: bti, mov, bl, 12). No other call of the function is that early. */
static bool is_entry_call(u64 func, u64 ip)
{
	enum { MAX_ENTRY_CALL = 12 };

	return ip > func && ip - func <= MAX_ENTRY_CALL;
}

static bool is_trampoline(const struct names *names, u64 ip)
{
	struct symbol sym = symbol_of(names, false, (struct process_at){ 0 }, ip);

	return sym.name && starts_with(sym.name, "bpf_trampoline");
}

/* Number of frames down to and including the trampoline's. If the trampoline and its symbol are
 * gone, it is the frame that called the program. */
static u32 count_trampoline(const struct names *names, u64 func, const u64 *ips, u32 n)
{
	u32 some = MIN(n, (u32)STACK_SPARE_FRAMES);

	for (u32 i = 1; func && i < some; i++)
		if (is_entry_call(func, ips[i]))
			return i;
	for (u32 i = 1; i < some; i++)
		if (is_trampoline(names, ips[i]))
			return i + 1;
	return MIN(n, 2u);
}

/*
 * If the function called the trampoline, the function has a frame right after its entry; if it
 * jumped to it, it has none (7.0: ftrace_ops with FTRACE_OPS_FL_JMP). A probe at the entry is in
 * the function, one at the exit is not. Before 5.15 the function is unknown (0), and all
 * trampolines are called.
 *
 * ips[0] is the function. Returns the number of words to remove; if the function's frame is
 * missing, the last of these words becomes that frame.
 */
static u32 trim_trampoline(const struct names *names, enum stack_from from, u64 *ips, u32 n)
{
	u64 func = ips[0];
	u32 cut = 1 + count_trampoline(names, func, ips + 1, n - 1);
	bool called = cut < n && (!func || is_entry_call(func, ips[cut]));

	if (from == STACK_FROM_EXIT)
		return cut + called;
	if (!called && func)
		ips[--cut] = func;
	return cut;
}

static u32 count_cut(const struct names *names, enum stack_from from, u64 *ips, u32 n)
{
	switch (from) {
	case STACK_FROM_REGS: return 0;
	case STACK_FROM_CONTEXT: return count_tracer_frames(names, ips, n);
	case STACK_FROM_ENTRY:
	case STACK_FROM_EXIT: break;
	}
	return trim_trampoline(names, from, ips, n);
}

static u32 kernel_frames(const struct names *names, const struct stack_value *v, u32 limit,
			 u64 *ips)
{
	u64 unused;
	u32 ask = MIN(limit + STACK_SPARE_FRAMES, (u32)STACK_MAX_FRAMES), n, cut;
	enum stack_from from = v->pid & ((1u << STACK_CUT_SHIFT) - 1);
	struct stack_value with_func = *v;

	with_func.n += from == STACK_FROM_ENTRY || from == STACK_FROM_EXIT;
	n = names->stack(names->ctx, &with_func, false, ask, ips, &unused);
	n = MIN(n, ask);
	if (!n)
		return 0;
	cut = count_cut(names, from, ips, n);
	memmove(ips, ips + cut, (n - cut) * sizeof *ips);
	return MIN(n - cut, limit);
}

/* The stack_value of the kernel or the user side; false: there is none. */
static bool side_of(const struct type *t, const void *p, bool user, struct stack_value *v)
{
	if (t->kind != TY_FULLSTACK && user != (t->kind == TY_USTACK))
		return false;
	memcpy(v, (const struct stack_value *)p + (t->kind == TY_FULLSTACK && user), sizeof *v);
	return v->n;
}

u32 stack_frames(const struct names *names, const struct type *t, const void *p, bool user,
		 u64 *ips, struct process_at *of)
{
	u32 limit = t->stack.limit ? MIN(t->stack.limit, STACK_MAX_FRAMES) : STACK_DEFAULT_FRAMES;
	struct process_at kernel;
	struct stack_value v;
	u32 n;

	*of = (struct process_at){ 0 };
	if (!names || !names->stack || !side_of(t, p, user, &v))
		return 0;
	of->pid = user ? v.pid : 0;
	if (!user)
		return kernel_frames(names, &v, limit, ips);
	if (t->kind == TY_FULLSTACK)
		limit -= stack_frames(names, t, p, false, ips, &kernel);
	n = limit ? names->stack(names->ctx, &v, true, limit, ips, &of->time) : 0;
	return MIN(n, limit);
}

u64 stack_identity(const struct names *names, const struct type *t, const void *p)
{
	u64 ips[STACK_MAX_FRAMES], h = 0;
	struct process_at of;

	for (u32 user = 0; user < 2; user++) {
		u32 n = stack_frames(names, t, p, user, ips, &of);

		h += of.pid;
		for (u32 i = 0; i < n; i++) {
			h = (h ^ ips[i]) * 0x9e3779b97f4a7c15ull;
			h ^= h >> 29;
		}
	}
	return h;
}

void stack_text(struct buf *b, const struct names *names, const struct type *t, const void *p)
{
	u64 ips[STACK_MAX_FRAMES];
	struct process_at of;

	buf_putc(b, '\n');
	for (u32 user = 0; user < 2; user++) {
		u32 n = stack_frames(names, t, p, user, ips, &of);

		for (u32 i = 0; i < n; i++)
			put_frame(b, names,
				  &(struct frame){ t->stack.mode, { user, i > 0, of, ips[i] } });
	}
}
