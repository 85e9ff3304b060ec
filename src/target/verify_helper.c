/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of helpers. A row describes the arguments and the result of a helper (struct bpf_func_proto
 * of kernel/bpf/helpers.c, ringbuf.c and kernel/trace/bpf_trace.c), with a letter for each
 * argument:
 *
 *	m  map with keys          k  its key, readable       v  its value, readable
 *	g  ring                   d  ring record: released   l  constant size to reserve
 *	t  stack-trace map        c  context                 n  any number
 *	r  readable memory        w  memory written          a  anything: a foreign address
 *	s  its size, not 0        z  its size, maybe 0       s and z follow r and w
 *	f  callback               p  stack address or 0      C  constant string
 *	M  per-CPU map with keys  P  programs to jump to
 */
#include "target/verify.h"

enum ret {
	RET_NUMBER,
	RET_LENGTH, /* number: bytes of the memory argument, or a small negative error */
	RET_VALUE,  /* value of the map, or NULL */
	RET_RECORD, /* ring record, or NULL: must be submitted or discarded */
	RET_NOTHING,
	RET_BTF, /* trusted kernel pointer */
};

enum where {                /* where a helper is not allowed */
	     NOT_RAW = 1,   /* raw tracepoints */
	     SLEEPABLE = 2, /* only in programs that may sleep */
	     NOWHERE = 4,   /* in no tracing program */
};

struct helper {
	const char *name, *args; /* no name: unknown helper */
	enum ret ret;
	u32 where;
};

/* clang-format off */
#define H(name, ...) [BPF_FUNC_##name] = { #name, __VA_ARGS__ }
static const struct helper helpers[] = {
	H(map_lookup_elem, "mk", RET_VALUE, 0),
	H(map_update_elem, "mkvn", RET_NUMBER, 0),
	H(map_delete_elem, "mk", RET_NUMBER, 0),
	H(probe_read, "wza", RET_NUMBER, 0),
	H(ktime_get_ns, "", RET_NUMBER, 0),
	H(trace_printk, "rsaaa", RET_NUMBER, 0),
	H(get_prandom_u32, "", RET_NUMBER, 0),
	H(tail_call, "cPn", RET_NOTHING, 0),
	H(get_smp_processor_id, "", RET_NUMBER, 0),
	H(get_current_pid_tgid, "", RET_NUMBER, 0),
	H(get_current_uid_gid, "", RET_NUMBER, 0),
	H(get_current_comm, "ws", RET_NUMBER, 0),
	H(get_stackid, "ctn", RET_NUMBER, 0),
	H(get_current_task, "", RET_NUMBER, 0),
	H(probe_write_user, "ars", RET_NUMBER, 0),
	H(get_numa_node_id, "", RET_NUMBER, 0),
	H(probe_read_str, "wza", RET_LENGTH, 0),
	H(get_socket_cookie, "a", RET_NUMBER, NOT_RAW),
	H(override_return, "cn", RET_NUMBER, NOT_RAW),
	H(get_stack, "cwzn", RET_LENGTH, 0),
	H(get_current_cgroup_id, "", RET_NUMBER, 0),
	H(get_current_ancestor_cgroup_id, "n", RET_NUMBER, 0),
	H(send_signal, "n", RET_NUMBER, 0),
	H(probe_read_user, "wza", RET_NUMBER, 0),
	H(probe_read_kernel, "wza", RET_NUMBER, 0),
	H(probe_read_user_str, "wza", RET_LENGTH, 0),
	H(probe_read_kernel_str, "wza", RET_LENGTH, 0),
	H(send_signal_thread, "n", RET_NUMBER, 0),
	H(jiffies64, "", RET_NUMBER, 0),
	H(get_ns_current_pid_tgid, "nnws", RET_NUMBER, 0),
	H(ktime_get_boot_ns, "", RET_NUMBER, 0),
	H(seq_printf, "arsrz", RET_NUMBER, NOT_RAW),
	H(seq_write, "arz", RET_NUMBER, NOT_RAW),
	H(ringbuf_output, "grzn", RET_NUMBER, 0),
	H(ringbuf_reserve, "gln", RET_RECORD, 0),
	H(ringbuf_submit, "dn", RET_NOTHING, 0),
	H(ringbuf_discard, "dn", RET_NOTHING, 0),
	H(ringbuf_query, "gn", RET_NUMBER, 0),
	H(d_path, "aws", RET_NUMBER, 0),
	H(copy_from_user, "wza", RET_NUMBER, SLEEPABLE),
	H(get_current_task_btf, "", RET_BTF, 0),
	H(ktime_get_coarse_ns, "", RET_NUMBER, NOWHERE),
	H(for_each_map_elem, "mfpn", RET_NUMBER, 0),
	H(snprintf, "wzCrz", RET_NUMBER, 0),
	H(task_pt_regs, "a", RET_BTF, 0),
	H(get_func_ip, "c", RET_NUMBER, NOT_RAW),
	H(get_attach_cookie, "c", RET_NUMBER, 0), /* raw: FEAT_RAW_COOKIE */
	H(loop, "nfpn", RET_NUMBER, 0),
	H(strncmp, "rsC", RET_NUMBER, 0),
	H(map_lookup_percpu_elem, "Mkn", RET_VALUE, 0),
	H(ktime_get_tai_ns, "", RET_NUMBER, 0),
	H(get_leader_comm, "ws", RET_NUMBER, 0),
};
#undef H
/* clang-format on */

enum { RECORDS = 1u << 31 }; /* numbers of records are above all ids */
enum { MAX_ITERATIONS = 1 << 23 /* BPF_MAX_LOOPS */, MAX_ERRNO = 4095, RDONLY_PROG = 1 << 7 };

struct call { /* state that one argument passes to the next */
	const struct helper *h;
	u32 map, ref;
	u64 size; /* of the memory argument or the record */
	u32 callback;
	struct reg arg[6];
};

static const struct helper *find(u32 number)
{
	return number < ARRAY_SIZE(helpers) && helpers[number].name ? &helpers[number] : NULL;
}

const char *verify_helper_args(u32 number)
{
	const struct helper *h = find(number);

	return h ? h->args : "";
}

static bool has_keys(u32 type)
{
	switch (type) {
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_ARRAY:
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_PERCPU_ARRAY:
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH: return true;
	}
	return false;
}

static bool takes(char kind, u32 type)
{
	switch (kind) {
	case 'g': return type == BPF_MAP_TYPE_RINGBUF;
	case 't': return type == BPF_MAP_TYPE_STACK_TRACE;
	case 'P': return type == BPF_MAP_TYPE_PROG_ARRAY;
	case 'M':
		return type == BPF_MAP_TYPE_PERCPU_HASH || type == BPF_MAP_TYPE_PERCPU_ARRAY ||
		       type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
	}
	return has_keys(type);
}

static int arg_map(struct verifier *c, struct call *k, const struct reg *r, char kind, u32 n)
{
	u32 type;

	if (r->kind != R_MAP)
		return verify_fail(c, "argument %u of %s is no map", n, k->h->name);
	type = c->prog->maps.v[r->map].bpf_type;
	if (!takes(kind, type))
		return verify_fail(c, "map %s is not of a kind that %s takes",
				   verify_map_name(c, r->map), k->h->name);
	k->map = r->map;
	return 0;
}

/* Keys and values are on the stack or in map values; 5.10 accepts no ring records here. */
static int arg_key(struct verifier *c, struct state *s, struct call *k, const struct reg *r,
		   char kind)
{
	u32 size = kind == 'k' ? c->prog->maps.v[k->map].key_size : verify_value_size(c, k->map);

	if (r->kind == R_RECORD)
		return verify_fail(c, "a ring record is given to %s as the map's %s", k->h->name,
				   kind == 'k' ? "key" : "value");
	return verify_memory(c, s, r, size, false, false);
}

/* Argument n is memory, its size follows. */
static int arg_memory(struct verifier *c, struct state *s, struct call *k, u32 n)
{
	const struct reg *mem = &k->arg[n], *size = mem + 1;
	bool write = k->h->args[n - 1] == 'w';

	if (size->kind != R_SCALAR)
		return verify_fail(c, "the size given to %s is no number", k->h->name);
	if (size->v.smin < 0)
		return verify_fail(c, "the size given to %s may be negative", k->h->name);
	if (size->v.umax >= VERIFY_MAX_VAR_OFF)
		return verify_fail(c, "the size given to %s has no upper bound", k->h->name);
	if (k->h->args[n] == 's' && !size->v.umin)
		return verify_fail(c, "the size given to %s may be 0", k->h->name);
	k->size = size->v.umax;
	if (!k->size && reg_is_zero(mem))
		return 0;
	return verify_memory(c, s, mem, k->size, write, write && scalar_is_const(&size->v));
}

static int arg_record(struct verifier *c, struct call *k, const struct reg *r)
{
	if (r->kind != R_RECORD)
		return verify_fail(c, "%s is given something that is no ring record", k->h->name);
	if (r->maybe_null)
		return verify_fail(c, "%s is given a ring record that may be NULL", k->h->name);
	if (r->off || !scalar_is_const(&r->v) || r->v.umin)
		return verify_fail(c, "%s is not given the start of the record", k->h->name);
	k->ref = r->ref;
	return 0;
}

static int arg_reserve(struct verifier *c, struct call *k, const struct reg *r)
{
	if (r->kind != R_SCALAR || !scalar_is_const(&r->v))
		return verify_fail(c, "the size of a ring record must be constant");
	if (!r->v.umin || r->v.umin >= VERIFY_MAX_VAR_OFF)
		return verify_fail(c, "the size of a ring record is bad: %llu",
				   (unsigned long long)r->v.umin);
	k->size = r->v.umin;
	return 0;
}

static int arg_string(struct verifier *c, struct call *k, const struct reg *r)
{
	if (r->kind != R_VALUE || !(c->prog->maps.v[r->map].flags & RDONLY_PROG))
		return verify_fail(c, "%s wants a string in a read-only map", k->h->name);
	return verify_memory(c, NULL, r, 1, false, false);
}

static int arg_callback(struct verifier *c, struct call *k, const struct reg *r)
{
	if (r->kind != R_FUNC)
		return verify_fail(c, "%s is given no function to call", k->h->name);
	k->callback = r->map;
	return 0;
}

static int verify_arg(struct verifier *c, struct state *s, struct call *k, u32 n)
{
	const char *kind = &k->h->args[n - 1];
	const struct reg *r = &k->arg[n];

	if (verify_readable(c, state_top(s), n))
		return -1;
	switch (*kind) {
	case 'm':
	case 'M':
	case 'g':
	case 'P':
	case 't': return arg_map(c, k, r, *kind, n);
	case 'k':
	case 'v': return arg_key(c, s, k, r, *kind);
	case 's':
	case 'z': verify_want(c, state_top(s), n); return 0;
	case 'r':
	case 'w':
		if (verify_readable(c, state_top(s), n + 1))
			return -1;
		return arg_memory(c, s, k, n);
	case 'd': return arg_record(c, k, r);
	case 'l': return arg_reserve(c, k, r);
	case 'C': return arg_string(c, k, r);
	case 'f': return arg_callback(c, k, r);
	case 'c':
		if (r->kind != R_CTX || r->off || !scalar_is_const(&r->v))
			return verify_fail(c, "argument %u of %s is not the context", n,
					   k->h->name);
		return 0;
	case 'n':
		if (r->kind != R_SCALAR)
			return verify_fail(c, "argument %u of %s is no number", n, k->h->name);
		return 0;
	case 'p':
		if (r->kind != R_STACK && !reg_is_zero(r))
			return verify_fail(c,
					   "what %s hands on must be an address on the stack or 0",
					   k->h->name);
		return 0;
	}
	return 0; /* sizes are verified with their memory; addresses may be anything */
}

void verify_clobber(struct frame *f)
{
	for (u32 i = 1; i <= 5; i++)
		f->r[i] = (struct reg){ .kind = R_UNINIT };
}

/* True for bpf_for_each_map_elem(), false for bpf_loop(). */
static bool is_over_map(const struct helper *looping)
{
	return looping == &helpers[BPF_FUNC_for_each_map_elem];
}

/* bpf_loop()'s iterations are an argument; a walk over a map has one for each element. */
static void note_iterations(struct verifier *c, const struct call *k)
{
	u64 iterations = is_over_map(k->h) ? c->prog->maps.v[k->map].max_entries : k->arg[1].v.umax;

	c->cost->iterations[c->pc] =
		MAX(c->cost->iterations[c->pc], MIN(iterations, (u64)MAX_ITERATIONS));
	c->cost->callback[c->pc] = verify_sub_at(c, k->callback) + 1;
}

static int call_back(struct verifier *c, struct state *s, const struct call *k)
{
	struct reg arg[5] = { k->arg[1], reg_scalar(scalar_between(0, UINT32_MAX)) };

	if (is_over_map(k->h)) {
		arg[1] = (struct reg){ .kind = R_KEY, .map = k->map, .v = scalar_const(0) };
		arg[2] = (struct reg){ .kind = R_VALUE, .map = k->map, .v = scalar_const(0) };
		arg[3] = k->arg[3];
	} else {
		arg[0] = reg_scalar(scalar_between(0, UINT32_MAX));
		arg[1] = k->arg[3];
	}
	if (c->cost)
		note_iterations(c, k);
	return verify_callback(c, s, k->callback, arg);
}

/*
 * A record is identified by the instruction that reserves it, which is the same in each iteration
 * of a loop.
 */
static u32 record_number(struct verifier *c, const struct state *s)
{
	u32 here = RECORDS | c->pc;

	return state_has_ref(s, here) ? ++c->ids : here;
}

static int reserve(struct verifier *c, struct state *s, const struct call *k, struct reg *r)
{
	if (s->n_refs == VERIFY_MAX_REFS)
		return verify_fail(c, "too many ring records are held at once");
	*r = (struct reg){ .kind = R_RECORD,
			   .maybe_null = true,
			   .size = (u32)k->size,
			   .id = ++c->ids,
			   .v = scalar_const(0) };
	r->ref = record_number(c, s);
	s->ref[s->n_refs++] = r->ref;
	return 0;
}

static int returned(struct verifier *c, struct state *s, const struct call *k)
{
	struct reg *r = &state_top(s)->r[0];

	switch (k->h->ret) {
	case RET_NUMBER: *r = reg_scalar(scalar_unknown()); break;
	case RET_LENGTH: *r = reg_scalar(scalar_signed(-MAX_ERRNO, (s64)k->size)); break;
	case RET_NOTHING: *r = (struct reg){ .kind = R_UNINIT }; break;
	case RET_BTF:
		*r = reg_scalar(scalar_unknown());
		r->btf = true;
		break;
	case RET_VALUE:
		*r = (struct reg){ .kind = R_VALUE,
				   .maybe_null = true,
				   .map = k->map,
				   .id = ++c->ids,
				   .v = scalar_const(0) };
		break;
	case RET_RECORD: return reserve(c, s, k, r);
	}
	return 0;
}

/*
 * A record held while the program sleeps blocks all later records: kernels allow that, sonde does
 * not.
 */
static int is_allowed(struct verifier *c, const struct state *s, const struct helper *h)
{
	bool raw = c->f->load.prog_type == BPF_PROG_TYPE_RAW_TRACEPOINT;

	if ((h->where & NOWHERE) || (h->where & NOT_RAW && raw) ||
	    (h->where & SLEEPABLE && !(c->f->prog_flags & BPF_F_SLEEPABLE)))
		return verify_fail(c, "helper %s is not for programs of this kind", h->name);
	if (h->where & SLEEPABLE && s->n_refs)
		return verify_fail(c, "%s may wait while a ring record is held", h->name);
	return 0;
}

int verify_helper(struct verifier *c, struct state *s, const struct bpf_insn *i)
{
	struct call k = { .h = find((u32)i->imm) };

	if (!k.h)
		return verify_fail(c, "helper %d is not known", i->imm);
	if (is_allowed(c, s, k.h))
		return -1;
	memcpy(k.arg, state_top(s)->r, sizeof k.arg);
	for (u32 n = 1; n <= strlen(k.h->args); n++)
		if (verify_arg(c, s, &k, n))
			return -1;
	if (k.ref)
		state_drop_ref(s, k.ref);
	if (k.callback && call_back(c, s, &k))
		return -1;
	verify_clobber(state_top(s));
	return returned(c, s, &k);
}
