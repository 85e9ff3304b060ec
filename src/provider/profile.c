/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether two targets can share one program: the same kind of context, the same arguments at the
 * same locations, the same way to identify the site.
 */
#include "provider/internal.h"
#include "sym/callviews.h"
#include "type/noted.h"

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && streq(a, b));
}

static bool same_loc(const struct loc *a, const struct loc *b);

static bool same_steps(const struct loc *a, const struct loc *b)
{
	for (u32 i = 0; i < a->n; i++) {
		const struct loc_step *x = &a->step[i], *y = &b->step[i];

		if (x->op != y->op || x->size != y->size || x->is_signed != y->is_signed ||
		    x->value != y->value)
			return false;
	}
	return true;
}

static bool same_pieces(const struct loc *a, const struct loc *b)
{
	for (u32 i = 0; i < a->n; i++)
		if (a->piece[i].size != b->piece[i].size ||
		    !same_loc(&a->piece[i].loc, &b->piece[i].loc))
			return false;
	return true;
}

static bool same_loc(const struct loc *a, const struct loc *b)
{
	if (a->kind != b->kind || a->offset != b->offset || a->inner != b->inner ||
	    a->size != b->size || a->is_signed != b->is_signed || a->value != b->value ||
	    a->is_value != b->is_value || a->nullable != b->nullable || a->opaque != b->opaque ||
	    a->known != b->known || a->n != b->n)
		return false;
	return a->kind == LOC_EXPR   ? same_steps(a, b) :
	       a->kind == LOC_PIECES ? same_pieces(a, b) :
				       true;
}

static bool same_arg(const struct arg_desc *a, const struct arg_desc *b)
{
	if (!a->type || !b->type)
		return a->type == b->type;
	return same_text(a->name, b->name) && a->kept == b->kept && same_loc(&a->loc, &b->loc) &&
	       type_equal(a->type, b->type);
}

static bool same_args(const struct arg_list *a, const struct arg_list *b)
{
	if (a->n != b->n)
		return false;
	for (u32 i = 0; i < a->n; i++)
		if (!same_arg(&a->v[i], &b->v[i]))
			return false;
	return true;
}

static bool same_load(const struct load_kind *a, const struct load_kind *b)
{
	return a->prog_type == b->prog_type && a->attach_type == b->attach_type &&
	       a->btf_id == b->btf_id && a->bpf_prog == b->bpf_prog &&
	       same_text(a->module, b->module);
}

static bool same_kind(const struct profile *a, const struct profile *b)
{
	return a->kind == b->kind && same_load(&a->load, &b->load) &&
	       a->loading.mask == b->loading.mask && a->only_child == b->only_child &&
	       a->default_space == b->default_space && a->regs.are_users == b->regs.are_users &&
	       a->func.is_known == b->func.is_known && a->func.is_return == b->func.is_return &&
	       a->func.ip_delta == b->func.ip_delta && a->func.return_at == b->func.return_at &&
	       same_loc(&a->func.caller, &b->func.caller);
}

static bool same_set(const u64 *a, const u64 *b)
{
	if (!a || !b)
		return a == b;
	return !memcmp(a, b, SYSCALL_SET_BITS / 8);
}

/* The identity of a site is not compared: a cookie has it, or no clause reads it, unless it is
 * compiled in. */
static bool same_sites(const struct profile *a, const struct profile *b)
{
	return !a->site.own && !b->site.own && a->syscall.site == b->syscall.site &&
	       a->syscall.enter == b->syscall.enter && a->syscall.exit == b->syscall.exit &&
	       same_set(a->syscall.set, b->syscall.set);
}

/* Equal rows count as one. */
static bool same_noted(const struct noted_reads *a, const struct noted_reads *b)
{
	return a == b || (a && b && a->v == b->v && a->clause == b->clause);
}

bool profile_equal(const struct profile *a, const struct profile *b)
{
	if (a == b)
		return true;
	return same_kind(a, b) && same_sites(a, b) && same_noted(a->noted, b->noted) &&
	       a->syscall.i386 == b->syscall.i386 && a->syscall.either == b->syscall.either &&
	       same_text(a->kept.map, b->kept.map) &&
	       snapshot_equal(a->snapshot.what, b->snapshot.what) &&
	       a->record.type == b->record.type && a->types == b->types &&
	       a->fixed_address == b->fixed_address && same_args(&a->args, &b->args) &&
	       same_loc(&a->goid.loc, &b->goid.loc) && same_args(&a->vars, &b->vars) &&
	       same_args(&a->argn, &b->argn) &&
	       (a->regs.list.v == b->regs.list.v || same_args(&a->regs.list, &b->regs.list)) &&
	       same_arg(&a->retval, &b->retval);
}
