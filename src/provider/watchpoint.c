/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchpoint:ADDRESS:LENGTH:MODE, watchpoint:SYMBOL[+OFFSET]:LENGTH:MODE: the processor's debug
 * registers (include/uapi/linux/hw_breakpoint.h). x86 can watch writes, reads and writes, and
 * execution, but not reads alone.
 */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include "provider/internal.h"
#include "sym/btf.h"
#include "sym/kallsyms.h"

static int bad(struct provider_env *env, const struct spec *spec, const char *why)
{
	struct diag *d = probe_report(env, spec, D_BAD_WATCHPOINT, why);

	probe_help(env, d, "for example watchpoint:0x7f0000001000:8:w");
	return -EINVAL;
}

static int bad_mode(struct provider_env *env, const struct spec *spec)
{
	const char *mode = spec->part[3];
	struct diag *d =
		probe_report(env, spec, D_BAD_WATCHPOINT,
			     strspn(mode, "rwx") == strlen(mode) ?
				     arena_printf(env->arena, "invalid watchpoint mode: %s", mode) :
				     "watchpoint mode must be combination of (r,w,x)");

	probe_help(env, d,
		   arch_native->watch_rw_only ? "supported modes: x,w,rw" :
						"supported modes: r,w,rw,x");
	return -EINVAL;
}

/* In any order: "rw" is "wr". Zero: not a mode. */
static u32 parse_mode(const char *s)
{
	u32 mode = 0;

	for (; *s; s++) {
		u32 bit = *s == 'r' ? HW_BREAKPOINT_R :
			  *s == 'w' ? HW_BREAKPOINT_W :
			  *s == 'x' ? HW_BREAKPOINT_X :
				      0;

		if (!bit || mode & bit)
			return 0;
		mode |= bit;
	}
	return mode;
}

/* Offsets from 0 on x86 until 6.15, addresses within the image since, which are not used either. */
static bool is_per_cpu(struct provider_env *env, u64 address)
{
	struct ksym from, to;

	return !(address >> 63) ||
	       (kallsyms_find(env_ksyms(env), "__per_cpu_start", NULL, &from) &&
		address >= from.address &&
		kallsyms_find(env_ksyms(env), "__per_cpu_end", NULL, &to) && address < to.address);
}

/* Parses a number, or a kernel symbol with or without an offset. NULL: valid. */
static const char *parse_address(struct provider_env *env, const char *text, u64 *address)
{
	const char *plus = strchr(text, '+');
	u64 offset = 0;
	struct ksym sym;

	if (text_number(text, address))
		return NULL;
	if (plus && !text_number(plus + 1, &offset))
		return arena_printf(env->arena, "Invalid offset: %s",
				    text_fault(env->arena, plus + 1));
	if (env->request->compile.any_kernel) {
		*address = 1ull << 63;
		return NULL;
	}
	text = plus ? arena_strndup(env->arena, text, (size_t)(plus - text)) : text;
	if (!kallsyms_find(env_ksyms(env), text, NULL, &sym))
		return arena_printf(
			env->arena,
			"Invalid function/address argument: %s, and not a symbol of the kernel",
			text_fault(env->arena, text));
	if (!sym.address)
		return "the kernel hides the addresses of its symbols";
	if (is_per_cpu(env, sym.address))
		return "each CPU has its own variable of that name: percpu_kaddr() returns their addresses";
	*address = sym.address + offset;
	return NULL;
}

static int parse(struct provider_env *env, const struct spec *spec, struct site *s)
{
	const char *why = parse_address(env, spec->part[1], &s->watch.address);
	u64 len;

	if (why)
		return bad(env, spec, why);
	if (!s->watch.address)
		return bad(env, spec, "watchpoint must be attached to a non-zero address");
	if (!text_number(spec->part[2], &len))
		return bad(env, spec,
			   arena_printf(env->arena, "Invalid length argument: %s",
					text_fault(env->arena, spec->part[2])));
	if (len != 1 && len != 2 && len != 4 && len != 8)
		return bad(env, spec, "watchpoint length must be one of (1,2,4,8)");
	s->watch.len = (u32)len;
	s->watch.type = parse_mode(spec->part[3]);
	if (!s->watch.type || (s->watch.type & HW_BREAKPOINT_X && s->watch.type != HW_BREAKPOINT_X))
		return bad_mode(env, spec);
	if (s->watch.type == HW_BREAKPOINT_R && arch_native->watch_rw_only)
		return bad_mode(env, spec);
	if (s->watch.type == HW_BREAKPOINT_X) {
		if (s->watch.address % arch_native->insn_align)
			return bad(
				env, spec,
				"no instruction begins at this address: instructions are words of 4 bytes");
		s->watch.len = arch_native->watch_code_len;
	} else if (s->watch.address % len) {
		return bad(env, spec, "the address must be a multiple of the length");
	}
	return 0;
}

/*
 * Before a program's first instruction exec clears and fills its memory, byte by byte, which hits a
 * watchpoint as well: current->in_execve (include/linux/sched.h) distinguishes these.
 */
static void skip_loading(struct provider_env *env, struct profile *p)
{
	struct btf *btf = env_btf(env);
	const struct type *task = btf ? btf_type_by_name(btf, 's', "task_struct") : NULL;
	const struct field *f = task ? type_field(task, "in_execve", &p->loading.offset) : NULL;

	if (!f || !f->bit_size)
		return;
	p->loading.size = f->type->size;
	p->loading.mask = ((1ull << f->bit_size) - 1) << f->bit_offset;
}

static bool is_never_hit(struct provider_env *env, const struct spec *spec)
{
	if (env_has(env, FEAT_WATCHPOINT, true))
		return false;
	probe_help(env,
		   probe_report(env, spec, D_PROBE_REFUSED, spec->text,
				"hardware breakpoints do not work on this machine"),
		   "some hypervisors accept a breakpoint and never report a hit: "
		   "sonde tested one with a write of its own");
	return true;
}

static int resolve(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx)
{
	struct profile *p = profile_new(env, PROFILE_PERF_EVENT, BPF_PROG_TYPE_PERF_EVENT);
	struct site parsed = { 0 };
	struct targets ts = { 0 };
	struct site *s;
	int ret = parse(env, spec, &parsed);

	if (ret < 0)
		return ret;
	if (is_never_hit(env, spec))
		return -EOPNOTSUPP;
	p->default_space = parsed.watch.address >> 63 ? SPACE_KERNEL : SPACE_USER;
	if (p->default_space == SPACE_USER) {
		skip_loading(env, p);
		p->only_child = env->request->traced.command &&
				!traced_by_set(&env->request->traced);
	}
	s = &targets_add(env, &ts, SITE_WATCHPOINT, spec_name(env, spec),
			 profile_for_site(env, p, false, true))
		     ->site;
	s->watch.address = parsed.watch.address;
	s->watch.len = parsed.watch.len;
	s->watch.type = parsed.watch.type;
	s->pid = env_pid(env);
	return targets_give(env, spec, &ts, NULL, f, ctx);
}

static int list(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		void *ctx)
{
	return 0;
}

const struct provider provider_watchpoint = {
	.name = "watchpoint",
	.aliases = "w",
	.syntax = "watchpoint:ADDRESS:LENGTH:MODE or watchpoint:SYMBOL[+OFFSET]:LENGTH:MODE",
	.brief = "a memory access",
	.doc = "Runs after a write (w), a read or write (rw) of 1, 2, 4 or 8 bytes, or before "
	       "execution (x). With -p or -c, in all threads of the process, including accesses "
	       "by the kernel on its behalf (read(2) into the memory), except by exec. Kernel "
	       "addresses and symbols are watched on all CPUs. A CPU has four watchpoints.",
	.example = "watchpoint:0x10000000:4:w { printf(\"%d\\n\", *(int32 *)0x10000000); }",
	.work = "sonde-example",
	.output = "2\n"
		  "4\n"
		  "7",
	.min_parts = 4,
	.max_parts = 4,
	.takes = "3",
	.feature = FEAT_WATCHPOINT + 1,
	.resolve = resolve,
	.list = list, /* -p also filters: before 5.13 a process's children inherit its watchpoints */
};
