/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads one function: descriptors into its instructions, the gate in front, BTF for callbacks and
 * shared functions. The first attempt requests no log (a log makes verification several times
 * slower); a refused program is loaded again as compiled, without the gate, so that the log has the
 * compiler's instruction numbers.
 *
 * The gate goes in front of programs whose attachments are slow to undo (release.c):
 *
 *	r0 = &data[gate_off] ll
 *	r0 = *(u32 *)(r0 + 0)
 *	if r0 != 0 goto +2
 *	r0 = 0 (1 on tracepoints)
 *	exit
 *	...the program; r1 is still the context
 *
 * All jumps and calls are relative and nothing jumps back to before the first instruction, so the
 * shift changes no offset.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/fd.h"
#include "engine/kernel/insn.h"
#include "engine/kernel/internal.h"
#include "sym/bpfprogs.h"
#include "sym/btf.h"

enum { HALVINGS = 2, MOST_HALVINGS = 12 }; /* of loop bounds, at each attempt and in total */
enum { GATE_SLOTS = 6, LOG_DEFAULT = 1 << 20, LOG_LEVEL = 1, BTF_KIND_FUNC_ID = 12 };

static bool is_trampoline(const struct bpf_func *f)
{
	return f->load.prog_type == BPF_PROG_TYPE_TRACING &&
	       (f->load.attach_type == BPF_TRACE_FENTRY || f->load.attach_type == BPF_TRACE_FEXIT ||
		f->load.attach_type == ATTACH_TRACE_FSESSION);
}

static bool wants_gate(const struct kernel *k, const struct bpf_func *f)
{
	return k->data_fd >= 0 &&
	       (f->load.prog_type == BPF_PROG_TYPE_KPROBE ||
		f->load.prog_type == BPF_PROG_TYPE_TRACEPOINT ||
		f->load.prog_type == BPF_PROG_TYPE_PERF_EVENT || is_trampoline(f));
}

static void put_gate(const struct kernel *k, const struct bpf_func *f, struct bpf_insn *to)
{
	const struct bpf_insn gate[GATE_SLOTS] = {
		I_LD_VALUE(0, k->data_fd, (s32)k->gate_off),
		I_LDX(BPF_W, 0, 0, 0),
		I_JMPI(BPF_JNE, 0, 0, 2),
		I_MOVI(0,
		       f->load.prog_type ==
			       BPF_PROG_TYPE_TRACEPOINT), /* 0 hides the event from perf's users */
		I_EXIT(),
	};

	memcpy(to, gate, sizeof gate);
}

static int map_fd_of(const struct kernel *k, u32 map)
{
	return k->prog->maps.v[map].role == MAP_DATA ? k->data_fd : k->map_fd[map];
}

static int relocate_kfunc(struct kernel *k, struct bpf_insn *insn, u32 index, struct err *err)
{
	const char *name = k->prog->kfuncs.v[index];
	struct btf *btf = kernel_btf(k, err);
	u32 id;

	if (!btf)
		return err_wrap(err, "find kernel function %s", name);
	id = btf_find(btf, name, BTF_KIND_FUNC_ID);
	if (!id)
		return err_set(err, -ENOENT, "this kernel has no function %s for programs to call",
			       name);
	insn->src_reg = BPF_PSEUDO_KFUNC_CALL;
	insn->off = 0;
	insn->imm = (s32)id;
	return 0;
}

static int relocate(struct kernel *k, const struct bpf_func *f, struct bpf_insn *insns,
		    struct err *err)
{
	for (u32 i = 0; i < f->n_relocs; i++) {
		const struct reloc *r = &f->relocs[i];
		struct bpf_insn *insn = &insns[r->insn];
		int ret;

		switch (r->kind) {
		case RELOC_MAP:
			insn->src_reg = BPF_PSEUDO_MAP_FD;
			insn->imm = map_fd_of(k, r->index);
			break;
		case RELOC_MAP_VALUE:
			insn->src_reg = BPF_PSEUDO_MAP_VALUE;
			insn->imm = map_fd_of(k, r->index);
			insn[1].imm = (s32)r->add;
			break;
		case RELOC_FUNC:
		case RELOC_BOUND: break;
		case RELOC_KFUNC:
			ret = relocate_kfunc(k, insn, r->index, err);
			if (ret < 0)
				return ret;
			break;
		}
	}
	return 0;
}

static bool wants_btf(const struct bpf_func *f)
{
	for (u32 i = 0; i < f->n_subprogs; i++)
		if (f->subprogs[i].callback || f->subprogs[i].shared)
			return true;
	return false;
}

static bool calls_helper(const struct bpf_func *f, s32 helper)
{
	for (u32 i = 0; i < f->n_insns; i++) {
		const struct bpf_insn *insn = &f->insns[i];

		if (insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == 0 && insn->imm == helper)
			return true;
		if (insn->code == (BPF_LD | BPF_DW | BPF_IMM))
			i++;
	}
	return false;
}

/* Descriptor of the object that load.btf_id refers to; the last one is kept, because patterns load
 * many programs for one module. -1 with errno. */
static int attach_fd(struct kernel *k, const struct bpf_func *f)
{
	if (!f->load.module && !f->load.bpf_prog)
		return 0;
	if (k->btf_of.fd > 0 && k->btf_of.module == f->load.module &&
	    k->btf_of.prog == f->load.bpf_prog)
		return k->btf_of.fd;
	if (k->btf_of.fd > 0)
		close(k->btf_of.fd);
	k->btf_of.module = f->load.module;
	k->btf_of.prog = f->load.bpf_prog;
	return k->btf_of.fd = f->load.bpf_prog ? bpf_prog_open(f->load.bpf_prog) :
						 bpf_module_btf_fd(f->load.module);
}

struct attempt {
	const struct bpf_func *f;
	struct bpf_insn *insns; /* gate slots, then the program, relocated */
	u32 attach_type;
	bool gate;
	char *log;
	u32 log_size;
};

static int load_attempt(struct kernel *k, const struct attempt *a)
{
	const struct bpf_func *f = a->f;
	u32 shift = a->gate ? GATE_SLOTS : 0;
	char name[BPF_OBJ_NAME_LEN];
	struct bpf_load l = {
		.prog_type = f->load.prog_type,
		.attach_type = a->attach_type,
		.attach_btf_id = f->load.btf_id,
		.flags = f->prog_flags,
		.insns = a->insns + GATE_SLOTS - shift,
		.n_insns = f->n_insns + shift,
		.license = k->o.license ? k->o.license : "GPL",
		.name = name,
		.log = a->log,
		.log_size = a->log_size,
		.log_level = LOG_LEVEL,
	};
	struct bpf_func_info *info = NULL;
	int fd;

	l.attach_fd = attach_fd(k, f);
	if (l.attach_fd < 0)
		return -1;
	object_name(name, f->name ? f->name : "sonde");
	if (wants_btf(f)) {
		info = xcalloc(f->n_subprogs, sizeof *info);
		l.btf_fd = btf_blob_load(f, shift, info);
		if (l.btf_fd < 0) {
			free(info);
			return -1;
		}
		l.func_info = info;
		l.n_func_info = f->n_subprogs;
	}
	fd = bpf_prog_load(&l);
	if (info) {
		int saved = errno;

		close(l.btf_fd);
		free(info);
		errno = saved;
	}
	return fd;
}

/* A kernel that is locked down for confidentiality no longer offers these helpers, and its verifier
 * does not report this reason. */
static bool may_not_read_kernel(struct kernel *k, const struct bpf_func *f)
{
	static const s32 readers[] = { BPF_FUNC_probe_read_kernel, BPF_FUNC_probe_read_kernel_str,
				       BPF_FUNC_probe_read, BPF_FUNC_probe_read_str };

	for (u32 i = 0; i < ARRAY_SIZE(readers); i++)
		if (calls_helper(f, readers[i]))
			return !feature_has(k->features, FEAT_READ_KERNEL);
	return false;
}

static int refuse_kernel_memory(const struct bpf_func *f, struct err *err)
{
	const char *state = kernel_lockdown();

	err_set(err, -EPERM, "%s reads kernel memory, which this kernel refuses%s%s%s", f->name,
		is_locked_down() ? ": lockdown is \"" : "", is_locked_down() ? state : "",
		is_locked_down() ? "\"" : "");
	err_help(
		err,
		"numbers read through typed pointers (args of rawtracepoint, fentry, lsm and iter, "
		"curtask), counts and "
		"memory of programs are still available; others need a boot with lockdown=integrity or none");
	return err->code;
}

/* Loads again with a log to get the reason. A program that is accepted without the gate is used
 * without it. */
static int load_with_log(struct kernel *k, struct attempt *a, struct err *err)
{
	int first = errno, fd;

	if (first == EINVAL && may_not_read_kernel(k, a->f))
		return refuse_kernel_memory(a->f, err);
	a->log_size = k->o.log_size ? k->o.log_size : LOG_DEFAULT;
	a->log = xcalloc(1, a->log_size);
	a->gate = false;
	fd = load_attempt(k, a);
	if (fd >= 0) {
		free(a->log);
		return fd;
	}
	errno = first; /* ENOSPC would concern the log */
	refused(err, TRIED_LOAD, "load program %s", a->f->name);
	explain_log(err, a->log);
	free(err->log);
	err->log = a->log;
	return err->code;
}

/* Iterations of a bounded loop after `shift` halvings: at least one. */
static s32 lowered(s32 bound, u32 shift)
{
	return MAX(bound >> shift, 1);
}

static bool lower_bounds(const struct bpf_func *f, struct bpf_insn *insns, u32 shift)
{
	bool any = false;

	for (u32 i = 0; i < f->n_relocs; i++) {
		u32 at = f->relocs[i].insn;

		if (f->relocs[i].kind == RELOC_BOUND) {
			insns[at].imm = lowered(f->insns[at].imm, shift);
			any = true;
		}
	}
	return any;
}

static bool is_too_big(void)
{
	return errno == E2BIG || errno == EFAULT;
}

/*
 * Inline loops have bounds that the compiler expects verifiers to process. If branches do not
 * merge, verifiers need more: the bounds are lowered, and loops that reach their bound are counted.
 */
static int load_attempts(struct kernel *k, struct attempt *a, u32 *shift)
{
	int fd = load_attempt(k, a);

	*shift = 0;
	if (fd < 0 && is_too_big() && k->o.again_if_big)
		return fd;
	for (; fd < 0 && is_too_big() && *shift < MOST_HALVINGS; fd = load_attempt(k, a)) {
		int saved = errno;

		*shift += HALVINGS;
		if (!lower_bounds(a->f, a->insns + GATE_SLOTS, *shift)) {
			errno = saved;
			break;
		}
	}
	return fd;
}

u32 kernel_loop_turns(const struct kernel *k, u32 func, u32 insn)
{
	return (u32)lowered(k->prog->funcs.v[func]->insns[insn].imm, k->loaded[func].bounds_halved);
}

static int load_as(struct kernel *k, const struct bpf_func *f, u32 attach_type, u32 *bounds_halved,
		   struct err *err)
{
	struct attempt a = { .f = f, .attach_type = attach_type, .gate = wants_gate(k, f) };
	int fd;

	a.insns = xcalloc(f->n_insns + GATE_SLOTS, sizeof *a.insns);
	if (a.gate)
		put_gate(k, f, a.insns);
	memcpy(a.insns + GATE_SLOTS, f->insns, f->n_insns * sizeof *a.insns);
	fd = relocate(k, f, a.insns + GATE_SLOTS, err);
	if (fd == 0) {
		fd = load_attempts(k, &a, bounds_halved);
		if (fd < 0 && is_too_big() && k->o.again_if_big)
			fd = err_set(err, -E2BIG, "load program %s", f->name);
		else if (fd < 0)
			fd = load_with_log(k, &a, err);
	}
	free(a.insns);
	return fd;
}

/* Of its kernel object only the maps are needed, and its attach type is known. */
static bool is_plain(const struct bpf_func *f)
{
	if (f->load.prog_type != BPF_PROG_TYPE_RAW_TRACEPOINT &&
	    !(f->load.prog_type == BPF_PROG_TYPE_TRACING &&
	      f->load.attach_type == BPF_TRACE_RAW_TP))
		return false;
	for (u32 i = 0; i < f->n_relocs; i++)
		if (f->relocs[i].kind == RELOC_KFUNC)
			return false;
	return !f->load.module && !f->load.bpf_prog && !wants_btf(f);
}

static int load_plain(struct kernel *k, const struct bpf_func *f)
{
	struct attempt a = { .f = f, .attach_type = f->load.attach_type };
	int fd;

	a.insns = xcalloc(f->n_insns + GATE_SLOTS, sizeof *a.insns);
	memcpy(a.insns + GATE_SLOTS, f->insns, f->n_insns * sizeof *a.insns);
	relocate(k, f, a.insns + GATE_SLOTS, &(struct err){ 0 });
	fd = load_attempt(k, &a);
	free(a.insns);
	return fd;
}

static const struct ahead_loads plain_loads = { is_plain, load_plain };

/* What a thread has loaded already, or a new load. */
static int load_next(struct kernel *k, u32 func, struct err *err)
{
	const struct bpf_func *f = k->prog->funcs.v[func];
	struct loaded *l = &k->loaded[func];
	int fd = ahead_take(k, func);

	if (fd >= 0 && l->type == f->load.attach_type)
		return fd;
	fd_close(&fd);
	return load_as(k, f, l->type, &l->bounds_halved, err);
}

void kernel_plan(struct kernel *k, u32 func, const struct site *first)
{
	struct loaded *l = &k->loaded[func];

	if (l->fd < 0)
		l->type = multi_attach_type(k, first, k->prog->funcs.v[func]->load.attach_type);
}

int kernel_load(struct kernel *k, u32 func, struct err *err)
{
	const struct bpf_func *f = k->prog->funcs.v[func];
	struct loaded *l = &k->loaded[func];

	if (l->fd >= 0)
		return 0;
	l->uses_cookie |= calls_helper(f, BPF_FUNC_get_attach_cookie) ||
			  (f->in_chain && !f->dispatcher && feature_has(k->features, FEAT_COOKIE));
	kernel_want_files(k, 0);
	ahead_start(k, &plain_loads);
	l->fd = load_next(k, func, err);
	return l->fd < 0 ? err->code : 0;
}

int load_variant(struct kernel *k, u32 func, u32 attach_type, struct err *err)
{
	struct loaded *l = &k->loaded[func];

	if (l->fd >= 0 && l->type == attach_type)
		return l->fd;
	if (l->alt_fd >= 0 && l->alt_type == attach_type)
		return l->alt_fd;
	if (l->alt_fd >= 0)
		kernel_keep(k, l->alt_fd, false); /* attachments hold it anyway */
	l->alt_fd = load_as(k, k->prog->funcs.v[func], attach_type, &l->bounds_halved, err);
	l->alt_type = attach_type;
	return l->alt_fd < 0 ? err->code : l->alt_fd;
}

/* The attach type of one program for both; 0: this kernel has none. */
static u32 session_type(struct kernel *k, const struct site *entry, const struct site *ret)
{
	if (entry->kind == SITE_KPROBE && is_multi_kprobe(entry) && is_multi_kprobe(ret) &&
	    feature_has(k->features, FEAT_KPROBE_SESSION))
		return ATTACH_KPROBE_SESSION;
	if (entry->kind == SITE_TRAMPOLINE && feature_has(k->features, FEAT_FSESSION))
		return ATTACH_TRACE_FSESSION;
	return 0;
}

static const struct bpf_func *session_function(struct kernel *k, u32 entry, u32 ret, u32 type,
					       struct err *err)
{
	struct btf *btf = kernel_btf(k, err);
	u32 is_return = btf ? btf_find(btf, "bpf_session_is_return", BTF_KIND_FUNC_ID) : 0;
	struct bpf_func *f = NULL;

	if (is_return)
		f = join_functions(&k->arena, k->prog->funcs.v[entry], k->prog->funcs.v[ret],
				   (s32)is_return);
	if (f)
		f->load.attach_type = type; /* wants_gate() reads it */
	return f;
}

bool kernel_load_session(struct kernel *k, u32 entry, u32 ret, const struct site *at)
{
	u32 type = session_type(k, at, at->twin), halved = 0;
	struct loaded *l = &k->loaded[entry];
	const struct bpf_func *both;
	struct err err = { 0 };

	both = type ? session_function(k, entry, ret, type, &err) : NULL;
	if (both) {
		l->partner = ret;
		l->uses_cookie = calls_helper(both, BPF_FUNC_get_attach_cookie);
		l->session_fd = load_as(k, both, type, &halved, &err);
	}
	err_release(&err);
	return l->session_fd >= 0;
}
