/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps keyed by the running thread are exact however programs of one thread interrupt each other:
 * each way to use one is interrupted before each of its instructions by up to three others, and
 * then at two places. What all of them saw and what is left must be as if the outer one had run at
 * one moment before, between or after the inner ones.
 */
#include "builtin/builtin.h"
#include "session/session.h"
#include "tests/unit/tap.h"
#include "type/thread_slot.h"
#include "vm/vm.h"

enum { TID = 77, OLD = 9, INNER = 2, OUTER = 1, MAX_INNER = 4, MAX_STEPS = 200 };
enum act { STORE, DELETE, READ, HAS, N_ACTS };
/* clang-format off */
static const char script[] =
	"begin { @s[tid] = 2; }	begin { @d = (uint64)delete(@s[tid]); }	begin { @v = @s[tid]; }	begin { @h = (uint64)has_key(@s, tid); }"
	"begin { @s[tid] = 1; }	begin { @D = (uint64)delete(@s[tid]); }	begin { @V = @s[tid]; }	begin { @H = (uint64)has_key(@s, tid); }";
/* clang-format on */
static const char *const acts[] = { "a store", "a delete", "a read", "has_key()" };
static const char *const results[2][N_ACTS] = { { NULL, "@d", "@v", "@h" },
						{ NULL, "@D", "@V", "@H" } };

enum start {
	NOBODYS,
	EMPTY,
	FULL,
	OTHERS,
	OTHERS_FULL,
	N_STARTS
}; /* the thread's slot; OTHERS_FULL: it is in the hash */
static const char *const starts[] = { "nobody's slot", "an empty slot", "a slot with a value",
				      "another thread's slot",
				      "another thread's slot, a value in the hash" };

static struct compiled c;
static struct vm *vm;
static u32 map, result_off[2][N_ACTS];

/* Two visits at most: before the step with that number, so many acts. */
static struct visit {
	u32 step, n;
	enum act act[MAX_INNER];
	u64 saw[MAX_INNER];
} visits[2];
static u32 n_visits, step;
static bool is_inner;

static struct map_desc *map_named(const char *name)
{
	for (u32 i = 0; i < c.prog.maps.n; i++)
		if (c.prog.maps.v[i].name && streq(c.prog.maps.v[i].name, name))
			return &c.prog.maps.v[i];
	return NULL;
}

static u64 seen(bool outer, enum act a)
{
	return a == STORE ? 0 : vm_data_u64(vm, result_off[outer][a]);
}

static void interrupt(void *ctx)
{
	(void)ctx;
	if (is_inner)
		return;
	is_inner = true;
	for (u32 v = 0; v < n_visits; v++)
		for (u32 i = 0; visits[v].step == step && i < visits[v].n; i++) {
			vm_interrupt(vm, visits[v].act[i]);
			visits[v].saw[i] = seen(false, visits[v].act[i]);
		}
	step++;
	is_inner = false;
}

/* The offset of the thread's slot in the data. */
static u32 slot_off(void)
{
	return c.prog.maps.v[map].threads_off +
	       thread_slot_index(TID) * (u32)sizeof(struct thread_slot);
}

static void begin_as(enum start s)
{
	u32 at = slot_off(), tid = TID;
	u64 other = TID + THREAD_SLOTS + 1, old = OLD;

	if (s >= OTHERS)
		vm_map_clear(vm, map);
	vm_set_data_u64(vm, at + THREAD_OWNER, s == NOBODYS ? 0 : s >= OTHERS ? other : TID + 1);
	vm_set_data_u64(vm, at + THREAD_STATE, s == NOBODYS ? 0 : s == FULL ? 5 : 4);
	vm_set_data_u64(vm, at + THREAD_VALUE, OLD);
	if (s == OTHERS_FULL)
		vm_set_add(vm, map, &tid, &old);
}

/* ---- the same by the book */

struct model {
	bool there;
	u64 value;
};

/* How many rows the map has, and the value of one. */
static u32 read_map(struct model *m)
{
	struct table t = { 0 };
	struct arena a;
	u32 n;

	arena_init(&a);
	vm_map_read(vm, map, &a, &t);
	n = t.rows.n;
	*m = (struct model){ n != 0, n ? *(u64 *)t.rows.v[0].value : 0 };
	arena_release(&a);
	return n;
}

/* The same where the thread has a slot, which is all that it uses: reading the whole map a million
 * times takes minutes. */
static u32 read_slot(struct model *m)
{
	m->there = vm_data_u64(vm, slot_off() + THREAD_OWNER) == TID + 1 &&
		   vm_data_u64(vm, slot_off() + THREAD_STATE) & 1;
	m->value = vm_data_u64(vm, slot_off() + THREAD_VALUE);
	return m->there;
}

static u64 by_the_book(struct model *m, enum act a, u64 value)
{
	u64 was = m->there;

	switch (a) {
	case STORE: *m = (struct model){ true, value }; return 0;
	case DELETE: m->there = false; return was;
	case READ: return m->there ? m->value : 0;
	default: return was;
	}
}

/* Whether all is as if the outer act had come behind the first `before` inner ones. */
static bool explains(enum start s, enum act outer, u64 outer_saw, const struct model *end,
		     u32 before)
{
	struct model m = { s == FULL || s == OTHERS_FULL, OLD };
	u32 n = 0;

	for (u32 v = 0; v <= n_visits; v++)
		for (u32 i = 0; i < (v < n_visits ? visits[v].n : 1); i++, n++) {
			if (n == before && by_the_book(&m, outer, OUTER) != outer_saw)
				return false;
			if (v < n_visits &&
			    by_the_book(&m, visits[v].act[i], INNER) != visits[v].saw[i])
				return false;
		}
	return m.there == end->there && (!m.there || m.value == end->value);
}

/* False when the outer act was over before its last visit. */
static bool run_one(enum start s, enum act outer, u32 *wrong)
{
	struct err err = { 0 };
	struct model end;
	u32 n = 0, before = 0, rows;

	begin_as(s);
	step = 0;
	if (vm_run(vm, N_ACTS + outer, NULL, 0, NULL, &err))
		tap_text("fault", err.text);
	if (step <= visits[n_visits - 1].step)
		return false;
	rows = s < OTHERS ? read_slot(&end) : read_map(&end);
	for (u32 v = 0; v < n_visits; v++)
		n += visits[v].n;
	while (before <= n && !explains(s, outer, seen(true, outer), &end, before))
		before++;
	*wrong += before > n || rows > 1;
	return true;
}

static void fill(struct visit *v, u32 n, u32 number)
{
	v->n = n;
	for (u32 i = 0; i < n; i++, number /= N_ACTS)
		v->act[i] = number % N_ACTS;
}

/* At one place, all lists of up to three acts. */
static u32 interrupt_once(enum start s, enum act outer, u32 *wrong)
{
	u32 steps = 0;

	n_visits = 1;
	for (u32 n = 1, lists = N_ACTS; n <= 3; n++, lists *= N_ACTS)
		for (u32 list = 0; list < lists; list++) {
			fill(&visits[0], n, list);
			for (visits[0].step = 0; visits[0].step < MAX_STEPS; visits[0].step++)
				if (!run_one(s, outer, wrong))
					break;
			steps = visits[0].step;
		}
	return steps;
}

/* At two places: up to two acts, then one. */
static void interrupt_twice(enum start s, enum act outer, u32 steps, u32 *wrong)
{
	n_visits = 2;
	for (u32 list = 0; list < N_ACTS * (N_ACTS + 1); list++)
		for (u32 last = 0; last < N_ACTS; last++) {
			fill(&visits[0], list < N_ACTS ? 1 : 2, list);
			fill(&visits[1], 1, last);
			for (visits[0].step = 0; visits[0].step < steps; visits[0].step++)
				for (visits[1].step = visits[0].step + 1; visits[1].step < steps;
				     visits[1].step++)
					run_one(s, outer, wrong);
		}
}

int main(void)
{
	struct request q = { .script.name = "threads",
			     .script.text = script,
			     .script.len = sizeof script - 1,
			     .engine.name = "interpreter",
			     .traced.command = "true",
			     .compile.no_warnings = true };
	struct session_host host = { .themes = builtin_themes };
	struct vm_world world = { .pid_tgid = (u64)TID << 32 | TID,
				  .n_cpus = 1,
				  .before_insn = interrupt };
	struct err err = { 0 };

	if (!is_int(session_compile(&c, &q, &host, &err), 0, "the script compiles"))
		return done();
	map = (u32)(map_named("@s") - c.prog.maps.v);
	for (u32 outer = 0; outer < 2; outer++)
		for (u32 a = DELETE; a < N_ACTS; a++)
			result_off[outer][a] = map_named(results[outer][a])->data_off + 8;
	if (!ok(c.prog.maps.v[map].threads_off, "the map has thread slots"))
		return done();
	vm = vm_new(&c.prog, &world);
	for (enum start s = 0; s < N_STARTS; s++)
		for (enum act a = 0; a < N_ACTS; a++) {
			struct model end;
			u32 wrong = 0, steps = interrupt_once(s, a, &wrong);

			if (s < OTHERS)
				interrupt_twice(s, a, steps, &wrong);
			wrong += read_map(&end) > 1;
			is_int(wrong, 0, "%s, %s, interrupted at %u places", starts[s], acts[a],
			       steps);
		}
	vm_free(vm);
	compiled_release(&c);
	return done();
}
