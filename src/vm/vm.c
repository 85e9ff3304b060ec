/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interpreter's interface: made from a program (its maps, its data), it runs functions and
 * serves maps, stacks and counters as the kernel engine does. Relocations are applied to a copy of
 * a function when it first runs: map references, addresses in map values and callbacks become
 * machine addresses.
 */
#include <errno.h>
#include <stdlib.h>

#include "type/agg.h"
#include "type/thread_slot.h"
#include "vm/vm_impl.h"

struct vm *vm_new(struct program *prog, const struct vm_world *world)
{
	struct vm *vm = xcalloc(1, sizeof *vm);

	vm->prog = prog;
	vm->world = *world;
	vm->limit = VM_MAX_STEPS;
	vm->random = 0x9e3779b97f4a7c15;
	vm->stack_region = vm_region(vm, (struct region){ .kind = RG_STACK,
							  .host = vm->stack,
							  .size = sizeof vm->stack,
							  .len = VM_STACK });
	vm->ctx_region = vm_region(vm, (struct region){ .kind = RG_CTX });
	vm->index_region = vm_region(
		vm, (struct region){
			    .kind = RG_KEYS, .host = (u8 *)&vm->index_key, .size = 4, .len = 4 });
	vm->n_maps = prog->maps.n;
	vm->map = xcalloc(MAX(vm->n_maps, 1u), sizeof *vm->map);
	for (u32 i = 0; i < vm->n_maps; i++)
		vm_map_init(vm, &vm->map[i], &prog->maps.v[i], i);
	return vm;
}

void vm_free(struct vm *vm)
{
	if (!vm)
		return;
	for (u32 i = 0; i < vm->n_maps; i++)
		vm_map_release(vm, &vm->map[i]);
	for (u32 i = 0; i < vm->n_regions; i++)
		if (vm->region[i].kind >= RG_KEYS && i != vm->index_region &&
		    !vm->region[i].is_shared)
			free(vm->region[i].host);
	for (u32 i = 0; i < vm->n_code; i++)
		free(vm->code[i]);
	free(vm->code);
	free(vm->region);
	free(vm->map);
	free(vm->signals);
	err_release(&vm->fault);
	free(vm);
}

/* ---- code */

static void set_imm64(struct bpf_insn *insn, u64 v)
{
	insn[0].src_reg = 0;
	insn[0].imm = (s32)(u32)v;
	insn[1].imm = (s32)(u32)(v >> 32);
}

static int relocate(struct vm *vm, const struct bpf_func *f, struct bpf_insn *code,
		    const struct reloc *r)
{
	struct vm_map *m = r->index < vm->n_maps ? &vm->map[r->index] : NULL;
	bool wide = r->kind == RELOC_MAP || r->kind == RELOC_MAP_VALUE;

	vm->pc = r->insn;
	if (r->insn + wide >= f->n_insns || (wide && !m))
		return vm_fault(vm, -EINVAL, "relocation of something that is not there");
	switch (r->kind) {
	case RELOC_MAP: set_imm64(&code[r->insn], vm_ref(VM_REGION_MAP, r->index)); return 0;
	case RELOC_MAP_VALUE:
		if (m->type != BPF_MAP_TYPE_ARRAY || !m->n_chunks)
			return vm_fault(vm, -EINVAL, "map %s has no fixed address", m->desc->name);
		set_imm64(&code[r->insn], vm_map_value_addr(vm, m, 0, 0) + r->add);
		return 0;
	case RELOC_FUNC:
	case RELOC_BOUND:
	case RELOC_KFUNC: return 0;
	}
	return vm_fault(vm, -EINVAL, "unknown relocation %d", (int)r->kind);
}

static void relocate_callbacks(const struct bpf_func *f, struct bpf_insn *code)
{
	for (u32 i = 0; i + 1 < f->n_insns; i++) {
		if (code[i].code != (BPF_LD | BPF_IMM | BPF_DW))
			continue;
		if (code[i].src_reg == BPF_PSEUDO_FUNC)
			set_imm64(&code[i], vm_ref(VM_REGION_FUNC, i + 1 + (u32)code[i].imm));
		i++;
	}
}

/* The relocated instructions of a function, or NULL with a fault. */
static const struct bpf_insn *code_of(struct vm *vm, u32 func)
{
	const struct bpf_func *f = vm->prog->funcs.v[func];
	struct bpf_insn *code;

	if (func >= vm->n_code) {
		u32 n = vm->prog->funcs.n;

		vm->code = xrealloc(vm->code, n * sizeof *vm->code);
		memset(vm->code + vm->n_code, 0, (n - vm->n_code) * sizeof *vm->code);
		vm->n_code = n;
	}
	if (vm->code[func])
		return vm->code[func];
	code = xcalloc(f->n_insns + 1, sizeof *code);
	memcpy(code, f->insns, f->n_insns * sizeof *code);
	for (u32 i = 0; i < f->n_relocs; i++)
		if (relocate(vm, f, code, &f->relocs[i]) < 0) {
			free(code);
			return NULL;
		}
	relocate_callbacks(f, code);
	return vm->code[func] = code;
}

u32 vm_program_at(const struct vm *vm, u32 map, u32 index)
{
	for (u32 i = 0; i < vm->prog->funcs.n; i++) {
		const struct bpf_func *f = vm->prog->funcs.v[i];

		for (u32 k = 0; f->dispatcher && f->jump_map == map && k < f->n_slots; k++)
			if (f->slots[k] == index)
				return i;
	}
	return NO_INDEX;
}

void vm_enter_program(struct vm *vm, u32 func)
{
	const struct bpf_insn *insns = code_of(vm, func);

	if (!insns)
		return;
	vm->func = vm->prog->funcs.v[func];
	vm->insns = insns;
	vm->pc = ~0u; /* so that the next instruction is the first */
}

static void set_ctx(struct vm *vm, void *ctx, u32 len)
{
	struct region *r = &vm->region[vm->ctx_region];

	r->host = ctx;
	r->size = r->len = len;
}

int vm_run(struct vm *vm, u32 func, void *ctx, u32 len, u64 *ret, struct err *err)
{
	u64 arg[5] = { vm_addr(vm->ctx_region, 0) }, result = 0;
	int r = 0;

	vm->fault.code = 0;
	vm->pc = 0;
	if (func >= vm->prog->funcs.n)
		return err_set(err, -EINVAL, "there is no function %u", func);
	vm->func = vm->prog->funcs.v[func];
	vm->insns = code_of(vm, func);
	vm->n_frames = vm->n_tail_calls = 0;
	vm->max_steps = vm->steps + vm->limit;
	set_ctx(vm, ctx, len);
	if (vm->insns)
		r = vm_exec(vm, 0, arg, &result);
	if (!r && !vm->fault.code && vm_ring_held(vm))
		vm_fault(vm, -EINVAL, "exits while a ring record is reserved");
	set_ctx(vm, NULL, 0);
	vm_ring_drop_held(vm);
	if (vm->fault.code)
		return err_set(err, vm->fault.code, "%s", vm->fault.text);
	if (ret)
		*ret = result;
	return 0;
}

int vm_interrupt(struct vm *vm, u32 func)
{
	const struct bpf_func *outer = vm->func;
	const struct bpf_insn *insns = vm->insns;
	u64 arg[5] = { vm_addr(vm->ctx_region, 0) }, result;
	u32 pc = vm->pc;

	vm->func = vm->prog->funcs.v[func];
	vm->insns = code_of(vm, func);
	if (vm->insns)
		vm_exec(vm, 0, arg, &result);
	vm->func = outer;
	vm->insns = insns;
	vm->pc = pc;
	return vm->fault.code;
}

struct vm_world *vm_world(struct vm *vm)
{
	return &vm->world;
}

void vm_set_limit(struct vm *vm, u64 steps)
{
	vm->limit = steps;
}

u32 vm_signals(const struct vm *vm, const u32 **signals)
{
	*signals = vm->signals;
	return vm->n_signals;
}

/* ---- data, sets, stacks */

static u8 *data(struct vm *vm, u32 *size)
{
	if (vm->prog->data_map >= vm->n_maps || !vm->map[vm->prog->data_map].n_chunks)
		return NULL;
	*size = vm->map[vm->prog->data_map].value_size;
	return vm_map_value(vm, &vm->map[vm->prog->data_map], 0, 0);
}

u64 vm_data_u64(struct vm *vm, u32 offset)
{
	u32 size = 0;
	u8 *p = data(vm, &size);
	u64 v = 0;

	if (p && offset + sizeof v <= size)
		memcpy(&v, p + offset, sizeof v);
	return v;
}

void vm_set_data_u64(struct vm *vm, u32 offset, u64 v)
{
	u32 size = 0;
	u8 *p = data(vm, &size);

	if (p && offset + sizeof v <= size)
		memcpy(p + offset, &v, sizeof v);
}

/* NULL: the map has no thread slots. */
static struct thread_slot *threads_of(struct vm *vm, const struct map_desc *d)
{
	u32 size = 0;
	u8 *p = data(vm, &size);

	return d->threads_off && p ? (struct thread_slot *)(void *)(p + d->threads_off) : NULL;
}

/* 0, or -errno: the key does not exist. */
static int delete_key(struct vm *vm, struct vm_map *m, const void *key)
{
	struct thread_slot *slots = threads_of(vm, m->desc),
			   *s = slots ? thread_slot_of(slots, key) : NULL;

	if (s)
		return thread_slot_delete(s) ? 0 : -ENOENT;
	return (int)vm_map_delete(vm, m, key);
}

int vm_set_add(struct vm *vm, u32 map, const void *key, const void *value)
{
	if (map >= vm->n_maps || (!vm->map[map].n_chunks && !vm->map[map].bucket))
		return -EINVAL;
	if (!value)
		return delete_key(vm, &vm->map[map], key);
	return (int)vm_map_update(vm, &vm->map[map], key, value, BPF_ANY);
}

u32 vm_stack(struct vm *vm, const struct stack_value *v, u32 limit, u64 *ips, u64 *time)
{
	for (u32 i = 0; i < vm->n_maps; i++) {
		struct vm_map *m = &vm->map[i];
		const u64 *frames;
		u32 at, n;

		if (m->desc->role != MAP_STACKS || !m->bucket || m->key_size != sizeof v->hash)
			continue;
		at = vm_map_find(vm, m, &v->hash);
		if (!at)
			continue;
		n = MIN(MIN(v->n, limit), m->value_size / 8);
		frames = (const u64 *)(const void *)vm_map_value(vm, m, at - 1, vm_cpu(vm));
		memcpy(ips, frames, n * sizeof *ips);
		*time = frames[m->value_size / 8 - 1];
		return n;
	}
	return 0;
}

/* ---- tables */

/* Of one value: n at a distance of stride bytes, each of size bytes (at least those of its
 * type). */
struct copies {
	const u8 *first;
	u32 n, stride, size;
};

/* Their sum; zeroes if none was ever updated. */
static void *merge(struct arena *a, const struct type *t, struct copies c, bool *set)
{
	u8 *sum = arena_alloc(a, ALIGN_UP(MAX(c.size, agg_size(t)), 8u));
	const u8 *copy = c.first;

	*set = false;
	for (u32 i = 0; i < c.n; i++, copy += c.stride) {
		if (!agg_is_set(t, copy))
			continue;
		if (*set)
			agg_merge(t, sum, copy);
		else
			memcpy(sum, copy, agg_size(t));
		*set = true;
	}
	return sum;
}

static int read_global(struct vm *vm, const struct map_desc *d, struct arena *a, struct table *t)
{
	u32 size = 0;
	const u8 *p = data(vm, &size);
	bool set;
	void *v;

	if (!p || d->data_off >= size || !d->value)
		return -EINVAL;
	p += d->data_off;
	if (type_is_agg(d->value)) {
		v = merge(a, d->value, (struct copies){ p, MAX(d->n_slots, 1u), d->slot_size, 0 },
			  &set);
	} else {
		u64 is_set;

		memcpy(&is_set, p, sizeof is_set);
		set = is_set != 0;
		v = arena_dup(a, p + sizeof is_set, ALIGN_UP(MAX(d->value->size, 1u), 8u));
	}
	if (set)
		vec_push(a, &t->rows, (struct table_row){ NULL, v });
	return 0;
}

/* One copy for each CPU in per-CPU maps, or several inside the value. */
static void *merge_copies(struct arena *a, const struct vm_map *m, const u8 *first)
{
	u32 slots = m->desc->n_slots, slot_size = m->desc->slot_size;
	struct copies c = { first, m->n_copies, m->value_stride, m->value_size };
	bool set;

	if (slots > 1)
		c = (struct copies){ first, slots, slot_size, slot_size };
	return merge(a, m->desc->value, c, &set);
}

int vm_map_read(struct vm *vm, u32 map, struct arena *a, struct table *t)
{
	struct vm_map *m = &vm->map[map];
	u32 next;

	if (map >= vm->n_maps)
		return -EINVAL;
	t->map = m->desc;
	if (m->desc->role == MAP_GLOBAL)
		return read_global(vm, m->desc, a, t);
	if (!m->n_chunks && !m->bucket)
		return -EINVAL;
	for (u32 i = 0; (next = vm_map_next(vm, m, i)) != 0; i = next) {
		const u8 *copy = vm_map_value(vm, m, next - 1, 0);
		struct table_row row = { NULL, NULL };
		u32 index = next - 1;

		row.key = vm_map_is_array(m) ? arena_dup(a, &index, sizeof index) :
					       arena_dup(a, vm_map_key(vm, m, index), m->key_size);
		if (m->desc->value && type_is_agg(m->desc->value))
			row.value = merge_copies(a, m, copy);
		else
			row.value = arena_dup(a, copy, m->value_stride);
		vec_push(a, &t->rows, row);
	}
	if (threads_of(vm, m->desc))
		table_add_threads(t, a, threads_of(vm, m->desc));
	return 0;
}

static int wipe_global(struct vm *vm, const struct map_desc *d, bool keep_set)
{
	u32 size = 0;
	u8 *p = data(vm, &size);

	if (!p || d->data_off >= size || !d->value)
		return -EINVAL;
	p += d->data_off;
	if (type_is_agg(d->value))
		memset(p, 0, (size_t)d->slot_size * MAX(d->n_slots, 1u));
	else
		memset(keep_set ? p + 8 : p, 0, d->value->size + (keep_set ? 0 : 8));
	return 0;
}

static int wipe(struct vm *vm, u32 map, bool keep)
{
	struct vm_map *m = &vm->map[map];
	struct thread_slot *slots;
	u32 next;

	if (map >= vm->n_maps)
		return -EINVAL;
	slots = threads_of(vm, m->desc);
	if (m->desc->role == MAP_GLOBAL)
		return wipe_global(vm, m->desc, keep);
	if (!m->n_chunks && !m->bucket)
		return -EINVAL;
	if (slots && keep)
		thread_slots_zero(slots);
	else if (slots)
		thread_slots_delete(slots);
	for (u32 i = 0; (next = vm_map_next(vm, m, i)) != 0; i = next) {
		if (keep || vm_map_is_array(m))
			memset(vm_map_value(vm, m, next - 1, 0), 0,
			       (size_t)m->value_stride * m->n_copies);
		else
			vm_map_delete(vm, m, vm_map_key(vm, m, next - 1));
	}
	return 0;
}

int vm_map_clear(struct vm *vm, u32 map)
{
	return wipe(vm, map, false);
}

int vm_map_zero(struct vm *vm, u32 map)
{
	return wipe(vm, map, true);
}
