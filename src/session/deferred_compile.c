/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiles a clause for a layout of arguments that none of its programs has, because a file that
 * appeared during the run was compiled differently. In: the clause and the target. Out: one more
 * function of the program. It shares the existing maps and loss counters, and uses the spare room
 * of the data map (program.spare_data). What does not fit, such as a key that is wider than the
 * map's, is refused with the reason, and the program stays as it was.
 */
#include <errno.h>
#include "ir/lower.h"
#include "session/compile.h"

enum { MAX_DEFERRED_LAYOUTS = 512 };

/* The state that a refused instance must restore. */
struct before {
	struct map *maps; /* of the script, by map_list */
	struct diags diags;
	u32 n_maps, n_instances, n_funcs, n_units, data_size, data_init_len, scratch, huge_scratch,
		n_losses, loss_head[LOSS_BUCKETS];
};

static u32 scratch_size(const struct program *p, u32 index)
{
	return index == NO_INDEX ? 0 : p->maps.v[index].value_size;
}

static void remember(struct compiled *c, struct before *b)
{
	const struct program *p = &c->prog;

	*b = (struct before){ .diags = c->diags,
			      .n_maps = p->maps.n,
			      .n_instances = c->instances.n,
			      .n_funcs = p->funcs.n,
			      .n_losses = p->losses.n,
			      .n_units = c->units.n,
			      .data_size = p->data_size,
			      .data_init_len = p->data_init_len,
			      .scratch = scratch_size(p, p->scratch_map),
			      .huge_scratch = scratch_size(p, p->huge_scratch_map) };
	memcpy(b->loss_head, p->loss_head, sizeof b->loss_head);
	b->maps = arena_array(&c->arena, struct map, c->lang.map_list.n + 1);
	for (u32 i = 0; i < c->lang.map_list.n; i++)
		b->maps[i] = *c->lang.map_list.v[i];
}

static void put_back(struct compiled *c, const struct before *b)
{
	struct program *p = &c->prog;

	for (u32 i = 0; i < c->lang.map_list.n; i++)
		*c->lang.map_list.v[i] = b->maps[i];
	if (p->scratch_map != NO_INDEX && p->scratch_map >= b->n_maps)
		p->scratch_map = NO_INDEX;
	if (p->huge_scratch_map != NO_INDEX && p->huge_scratch_map >= b->n_maps)
		p->huge_scratch_map = NO_INDEX;
	if (p->scratch_map != NO_INDEX)
		p->maps.v[p->scratch_map].value_size = b->scratch;
	if (p->huge_scratch_map != NO_INDEX)
		p->maps.v[p->huge_scratch_map].value_size = b->huge_scratch;
	p->maps.n = b->n_maps;
	p->funcs.n = b->n_funcs;
	p->data_size = b->data_size;
	p->data_init_len = b->data_init_len;
	c->instances.n = b->n_instances;
	c->units.n = b->n_units;
	p->losses.n = b->n_losses; /* their words are free again */
	memcpy(p->loss_head, b->loss_head, sizeof p->loss_head);
}

/* Sizes decide: the kernel's maps cannot grow. */
static const char *outgrows(const struct compiled *c, const struct before *b)
{
	for (u32 i = 0; i < c->lang.map_list.n; i++) {
		const struct map *was = &b->maps[i], *now = c->lang.map_list.v[i];

		if (now->other_uses && now->index && c->prog.maps.v[now->index - 1].threads_off)
			return arena_printf(
				c->prog.arena,
				"with them %s is used in a way that no other clause uses it",
				now->name);
		if ((was->key && was->key->size != now->key->size) ||
		    was->value->size != now->value->size)
			return arena_printf(c->prog.arena,
					    "its arguments are wider than what %s holds",
					    now->name);
	}
	return NULL;
}

static const char *first_error(const struct compiled *c)
{
	for (u32 i = 0; i < c->diags.list.n; i++)
		if (c->diags.list.v[i]->severity == SEV_ERROR)
			return c->diags.list.v[i]->text;
	return "its arguments are of another kind";
}

static const char *needs_more(const struct compiled *c, const struct before *b)
{
	const struct program *p = &c->prog;

	if (p->maps.n != b->n_maps || scratch_size(p, p->scratch_map) != b->scratch ||
	    scratch_size(p, p->huge_scratch_map) != b->huge_scratch)
		return "its arguments need more memory than the others'";
	if (p->data_map != NO_INDEX &&
	    ALIGN_UP(p->data_size, 8u) > p->maps.v[p->data_map].value_size)
		return "the room for programs of files that appear later is used up";
	return NULL;
}

/* NULL, or why not. */
static const char *try(struct compiled *c, const struct deferred_probe *l, const struct target *t,
		       const struct before *b, struct err *err)
{
	struct instance *in = resolve_instance(c, l->clause, l->spec->provider, t);
	const char *why;

	vec_push(&c->arena, &in->sites, t->site.index);
	if (l->reads_file) { /* it has no other site */
		in->profile->site =
			(struct profile_site){ .index = t->site.index, .file = t->site.user.path };
	}
	diags_init(&c->diags, &c->arena, &c->sources);
	c->diags.no_warnings = true;
	if (!lang_check(&c->lang, &in, 1))
		return first_error(c);
	if ((why = outgrows(c, b)))
		return why;
	if (compile_instance(c, in, err))
		return err->code ? err->text : first_error(c);
	return needs_more(c, b);
}

int deferred_compile(struct compiled *c, const struct deferred_probe *l, const struct target *t,
		     struct err *err)
{
	struct err inner = { 0 };
	struct before b;
	const char *why;

	if (l->more.n >= MAX_DEFERRED_LAYOUTS)
		return err_set(err, -E2BIG, "more than %d layouts of arguments appeared",
			       MAX_DEFERRED_LAYOUTS);
	remember(c, &b);
	why = try(c, l, t, &b, &inner);
	if (why) {
		err_set(err, -EINVAL, "%s", why);
		put_back(c, &b);
	}
	c->diags = b.diags;
	err_release(&inner);
	return why ? err->code : (int)c->instances.n - 1;
}
