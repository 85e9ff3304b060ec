/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usdt:BINARY:[PROVIDER:]NAME: static probes of a program (sys/sdt.h). Each is a nop whose address,
 * argument locations and semaphore are in an ELF note; one name may have several addresses, each
 * with its own locations.
 */
#include <errno.h>
#include "base/glob.h"
#include "provider/internal.h"
#include "provider/ufile.h"
#include "provider/upoint.h"
#include "provider/usdt_args.h"
#include "object/elf.h"

struct match {
	struct provider_env *env;
	const struct spec *spec;
	const char *binary, *provider, *name;
	const char *path, *shown_path; /* as found; and as shown in names of probes */
	const char *open_path;         /* where it can be opened now, if that is different */
	int unread;                    /* the errno if it cannot; 0 */
	struct elf *elf;
	u32 n_files;
	bool many, verbose;
	struct targets ts;
	struct near near;
	u32 n_probes; /* seen */
	list_fn list;
	void *list_ctx;
};

static bool symbol_address(void *ctx, const char *name, u64 *address)
{
	struct match *m = ctx;
	struct elf_symbol s;

	if (!elf_find(m->elf, name, &s))
		return false;
	*address = s.value;
	return true;
}

/* In files that appear later the same argument may be wider, but maps are created before. */
static void widen(struct profile *p)
{
	for (u32 i = 0; i < p->argn.n; i++)
		if (p->argn.v[i].type->kind == TY_INT)
			p->argn.v[i].type = type_int(8, p->argn.v[i].type->is_signed);
}

/* Types that the note of the operands does not distinguish from integers. */
static void type_args(struct provider_env *env, struct profile *p, u64 kinds)
{
	for (u32 i = 0; i < p->argn.n; i++) {
		enum usdt_kind kind = usdt_kind(kinds, i);

		if (kind == USDT_BOOL)
			p->argn.v[i].type = &ty_bool;
		if (kind == USDT_POINTER)
			p->argn.v[i].type = type_pointer(env->arena, &ty_void, SPACE_USER);
		if (kind == USDT_STRING) {
			p->argn.v[i].type =
				ctype_scalar(env, "char *", 8, false, false, SPACE_USER);
			p->argn.v[i].text =
				arena_printf(env->arena, "char * %s", p->argn.v[i].name);
		}
	}
}

static struct profile *new_profile(struct match *m, const struct elf_usdt *u)
{
	struct profile *p = profile_new(m->env, PROFILE_PT_REGS, BPF_PROG_TYPE_KPROBE);
	struct usdt_point point = { .arch = arch_of(elf_machine(m->elf)),
				    .arena = m->env->arena,
				    .address = u->address,
				    .kinds = u->kinds,
				    .symbol = symbol_address,
				    .ctx = m };

	p->regs.are_users = true;
	p->default_space = SPACE_USER;
	p->func.is_known = true;
	p->argn.v = arena_array(m->env->arena, struct arg_desc, USDT_MAX_ARGS);
	p->argn.n = usdt_parse_args(&point, u->args, p->argn.v, USDT_MAX_ARGS);
	if (m->many && !m->list)
		widen(p);
	else
		type_args(m->env, p, u->kinds);
	return p;
}

/* Sites with the same argument locations share a program. */
static struct profile *shared_profile(struct match *m, const struct elf_usdt *u)
{
	struct profile *p = new_profile(m, u);

	for (u32 i = 0; i < m->ts.list.n; i++) {
		struct profile *other = m->ts.list.v[i]->profile;

		if (profile_equal(p, other))
			return other;
	}
	return p;
}

static const char *site_name(struct match *m, const struct elf_usdt *u)
{
	return arena_printf(m->env->arena, "usdt:%s:%s:%s", m->shown_path, u->provider, u->name);
}

static bool matches(const struct match *m, const struct elf_usdt *u)
{
	return glob_match(m->provider, u->provider) && glob_match(m->name, u->name);
}

static const char *path_to_open(const struct match *m)
{
	return m->open_path ? m->open_path : ufile_open_path(m->env, m->path);
}

/* The bits of floating-point numbers are read like registers. */
static struct loc word_of_record(struct provider_env *env, const struct type *t, u32 i)
{
	u32 at = RECORD_WORDS + 8 * i;
	struct loc_step *bits;

	if (t->kind != TY_FLOAT)
		return (struct loc){ .kind = LOC_CTX,
				     .offset = at,
				     .size = (u8)t->size,
				     .is_signed = t->is_signed };
	bits = arena_new(env->arena, struct loc_step);
	*bits = (struct loc_step){ .op = LOP_REG, .size = 8, .value = at };
	return (struct loc){
		.kind = LOC_EXPR, .size = (u8)t->size, .step = bits, .n = 1, .is_value = true
	};
}

/* The words of struct sonde_record; their types are in the note of the operands. */
static struct profile *record_profile(struct match *m, const struct profile *operands)
{
	struct profile *p = profile_new(m->env, PROFILE_TRACEPOINT, BPF_PROG_TYPE_TRACEPOINT);

	p->default_space = SPACE_USER;
	p->argn.n = operands->argn.n;
	p->argn.v = arena_dup(m->env->arena, operands->argn.v, p->argn.n * sizeof *p->argn.v);
	for (u32 i = 0; i < p->argn.n; i++)
		p->argn.v[i].loc = word_of_record(m->env, p->argn.v[i].type, i);
	for (u32 i = 0; i < m->ts.list.n; i++)
		if (profile_equal(p, m->ts.list.v[i]->profile))
			return m->ts.list.v[i]->profile;
	return p;
}

struct record_sites {
	struct arena *arena;
	const struct elf_usdt *of;
	VEC(u64) list;
};

static int add_record_site(void *ctx, const struct elf_usdt *u)
{
	struct record_sites *s = ctx;

	if (streq(u->provider, s->of->provider) && streq(u->name, s->of->name))
		vec_push(s->arena, &s->list, u->address);
	return 0;
}

static const struct loc *operands_of(struct match *m, const struct profile *p)
{
	struct loc *v = arena_array(m->env->arena, struct loc, p->argn.n + 1);

	for (u32 i = 0; i < p->argn.n; i++)
		v[i] = p->argn.v[i].loc;
	return v;
}

static void add_record(struct match *m, const struct elf_usdt *u)
{
	struct record_sites sites = { .arena = m->env->arena, .of = u };
	const struct profile *operands = new_profile(m, u);
	struct target *t =
		targets_add(m->env, &m->ts, SITE_RECORD, site_name(m, u),
			    profile_for_site(m->env, record_profile(m, operands), true, true));

	elf_each_record_site(m->elf, add_record_site, &sites);
	t->site.record.path = path_to_open(m);
	t->site.record.sites = sites.list.v;
	t->site.record.n_sites = sites.list.n;
	for (u32 i = 0; i < USDT_MAX_ARGS; i++)
		if (usdt_kind(u->kinds, i) == USDT_STRING)
			t->site.record.strings |= 1ull << i;
	t->site.record.operands = operands_of(m, operands);
	t->site.record.n_operands = operands->argn.n;
	t->site.record.offset = u->offset;
	t->site.record.address = u->address;
	t->site.record.cold_path = u->cold_path;
	t->site.record.module = u->module;
	t->site.record.semaphore = u->semaphore;
	env_bind(m->env, &t->site);
}

static int add(void *ctx, const struct elf_usdt *u)
{
	struct match *m = ctx;
	struct elf_symbol s;
	struct target *t;
	const char *why;
	u64 shift;

	m->n_probes++;
	near_try(&m->near, u->name);
	if (!matches(m, u))
		return 0;
	if (m->env->attach.records && u->cold_path) {
		add_record(m, u);
		return 0;
	}
	shift = upoint_exact(m->env, m->elf, u->address, &why) - u->address;
	if (why) {
		probe_report(m->env, m->spec, D_BAD_OFFSET,
			     arena_printf(m->env->arena, "%s: %s", site_name(m, u), why));
		return 0;
	}
	t = targets_add(m->env, &m->ts, SITE_UPROBE, site_name(m, u),
			profile_for_site(m->env, shared_profile(m, u), true, true));
	t->site.func = elf_symbol_at(m->elf, u->address, &s) ? arena_strdup(m->env->arena, s.name) :
							       NULL;
	t->site.user.path = path_to_open(m);
	t->site.user.offset = u->offset + shift;
	t->site.user.ref_ctr_offset = u->semaphore_offset;
	env_bind(m->env, &t->site);
	return 0;
}

static int list_one(void *ctx, const struct elf_usdt *u)
{
	struct match *m = ctx;
	struct profile *p = NULL;

	if (!matches(m, u))
		return 0;
	if (m->verbose) {
		p = new_profile(m, u);
		p->args.v = p->argn.v;
		p->args.n = p->argn.n;
	}
	return m->list(m->list_ctx, site_name(m, u), p);
}

static int no_elf(struct match *m, const char *why)
{
	if (!m->many)
		probe_report(m->env, m->spec, D_BAD_BINARY, why);
	elf_close(m->elf);
	return m->many ? 0 : -ENOEXEC;
}

static int match_file(void *ctx, const char *path)
{
	struct match *m = ctx;
	struct err err = { 0 };
	const char *foreign;
	u32 before;
	int ret;

	m->path = path;
	m->shown_path = ufile_shown(m->binary, path);
	m->elf = elf_open(path_to_open(m), &err);
	if (!m->elf) {
		m->unread = err.code;
		return no_elf(m, err.text);
	}
	foreign = m->list ? NULL : ufile_is_foreign(m->env, m->elf);
	if (foreign)
		return no_elf(m, foreign);
	m->n_files++;
	before = m->n_probes;
	ret = elf_each_usdt(m->elf, m->list ? list_one : add, m);
	if (!m->list && m->n_probes == before)
		m->ts.help = arena_printf(
			m->env->arena,
			"%s was built without static probes (sys/sdt.h); its functions: "
			"sonde list 'uprobe:%s:*'",
			path, path);
	if (!m->list && near_best(&m->near))
		m->near.best = arena_strdup(m->env->arena, m->near.best);
	elf_close(m->elf);
	return ret;
}

/* usdt:NAME and usdt::NAME mean the program of -p; usdt:* means all programs. */
static bool split(struct match *m)
{
	const struct spec *spec = m->spec;
	u32 n = spec->n_parts;

	m->binary = n > 2 && *spec->part[1] ? spec->part[1] : NULL;
	m->provider = n > 3 && *spec->part[2] ? spec->part[2] : "*";
	m->name = n > 1 ? spec->part[n - 1] : "*";
	if (n == 2 && streq(m->name, "*"))
		m->binary = "*";
	m->many = m->binary && glob_has_wildcard(m->binary);
	return m->binary || env_pid(m->env) > 0;
}

static int each_file(struct match *m)
{
	if (m->binary && streq(m->binary, "*"))
		return ufile_each_mapped(m->env, match_file, m);
	return ufile_each(m->env, m->binary, match_file, m);
}

static const char *deferred(struct provider_env *env, const struct spec *spec)
{
	struct match m = { .env = env, .spec = spec };

	return split(&m) ? ufile_later(env, m.binary) : NULL;
}

static int resolve_file(struct provider_env *env, const struct spec *spec, const char *path,
			const char *open_path, target_fn f, void *ctx)
{
	struct match m = { .env = env, .spec = spec, .open_path = open_path };

	split(&m);
	near_init(&m.near, m.name);
	m.many = true;
	match_file(&m, path);
	return m.unread ? m.unread : targets_hand_out(&m.ts, f, ctx);
}

/* Argument locations are known with the file; until then they are words of any type, so that the
 * script can be checked and nothing is folded away. */
static struct profile *any_profile(struct match *m)
{
	struct profile *p = profile_new(m->env, PROFILE_PT_REGS, BPF_PROG_TYPE_KPROBE);

	p->regs.are_users = true;
	p->default_space = SPACE_USER;
	p->func.is_known = true;
	p->argn.n = USDT_MAX_ARGS;
	p->argn.v = arena_array(m->env->arena, struct arg_desc, USDT_MAX_ARGS);
	for (u32 i = 0; i < USDT_MAX_ARGS; i++)
		p->argn.v[i] = (struct arg_desc){
			.name = arena_printf(m->env->arena, "arg%u", i),
			.type = &ty_s64,
			.loc = { .kind = LOC_REG,
				 .offset = arch_native->arg[i % arch_native->n_args],
				 .size = 8,
				 .is_signed = true }
		};
	return p;
}

static void add_deferred(struct match *m)
{
	const char *pattern = deferred(m->env, m->spec);
	struct target *t;

	if (m->ts.list.n || !pattern || !ufile_is_awaited(m->env, pattern) ||
	    !ufile_may_come(m->env, pattern, m->n_files))
		return;
	if (env_demands(m->env, m->spec) || (!m->many && env_tells_missing(m->env)))
		probe_report(m->env, m->spec, D_NO_FILE_YET, pattern);
	t = targets_add(m->env, &m->ts, SITE_UPROBE, m->spec->text,
			profile_for_site(m->env, any_profile(m), true, true));
	t->site.is_deferred = true;
}

static int resolve(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx)
{
	struct match m = { .env = env, .spec = spec };
	const char *near;
	int ret;

	if (spec->n_parts < spec->n_parts_written)
		return probe_bad_parts(env, spec);
	if (!split(&m) && spec->n_parts == 2)
		return probe_bad_parts(env, spec);
	if (!m.binary && env_pid(env) <= 0)
		return probe_bad_syntax(
			env, spec,
			"usdt probe must specify at least path or pid to probe. To target all "
			"paths/pids set the path to '*'.");
	near_init(&m.near, m.name);
	ret = each_file(&m);
	if (ret == -ENOEXEC)
		return ret;
	if (ret < 0 && !m.many && env_demands(env, spec)) {
		ufile_missing(env, spec, m.binary);
		return ret;
	}
	near = near_best(&m.near);
	add_deferred(&m);
	return targets_give(
		env, spec, &m.ts,
		near ? arena_printf(env->arena, "usdt:%s:%s", m.shown_path, near) : NULL, f, ctx);
}

static int list(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		void *ctx)
{
	struct match m = {
		.env = env, .spec = spec, .list = f, .list_ctx = ctx, .verbose = verbose
	};

	if (spec->n_parts < 2 && env_pid(env) <= 0)
		return 0;
	split(&m);
	if (spec->n_parts == 2) { /* usdt:BINARY */
		m.binary = *spec->part[1] ? spec->part[1] : NULL;
		m.name = "*";
	}
	if (!m.binary && env_pid(env) > 0)
		m.binary = "*";
	m.many = true;
	return m.binary ? each_file(&m) : 0;
}

const struct provider provider_usdt = {
	.argn_is_all = true,
	.name = "usdt",
	.aliases = "U",
	.syntax = "usdt:BINARY:[PROVIDER:]NAME",
	.brief = "user statically defined tracepoints (USDT)",
	.doc = "arg0, arg1 ... are the probe's arguments. With -p, the binary may be omitted. "
	       "BINARY may be a pattern of paths, or * for all programs and libraries: files "
	       "executed or loaded later are attached before their first instruction, each with "
	       "its own argument layout. usdt:* examines every opened file, which costs about 20 "
	       "us at the first open of each.",
	.example = "usdt:/usr/bin/python3:python:gc__start { @[arg0] = count(); }",
	.work = "/usr/bin/python3 -ISc \"import gc; gc.collect()\"",
	.output = "@[2]: 5\n"
		  "@[0]: 6",
	.varies = true,
	.min_parts = 2,
	.max_parts = 4,
	.takes = "2 or 3",
	.empty = "usdt probe must have a target function or wildcard",
	.feature = FEAT_UPROBE + 1,
	.feature_instead = FEAT_UPROBE_MULTI + 1,
	.resolve = resolve,
	.deferred = deferred,
	.resolve_file = resolve_file,
	.list = list,
	.in_libraries = true,
	.bound_to_pid = true,
};
