/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the engine for each site: the cheapest one that serves it. Each engine has its own maps,
 * which the session merges when it reads them. So clauses may run in different engines if they
 * share only aggregations that no clause reads:
 *
 *	@n[comm] = count()	print(@n)	may differ: each engine counts, the sum is shown
 *	@s[tid] = nsecs		nsecs - @s[tid]	one engine: the cheapest that serves all their sites
 */
#include <errno.h>
#include "session/choose.h"
#include "session/compile.h"
#include "sym/tracefs.h"

struct choice {
	struct compiled *c;
	/* by instance, then by site: another one of its group; the last one of the chain leads */
	u32 *leader;
	bool *is_together;        /* by leader of instances: their sites are all in one engine */
	u32 *first, *next;        /* sites of a group: by leader, by site; numbers from 1 */
	struct hash users;        /* by what is shared: the first instance with it, + 1 */
	u32 instance;             /* the one looked at */
	const struct node *apart; /* a use of a map that requires no common engine */
};

/* ---- available engines */

static const struct engine *named(const char *name)
{
	const struct engine *e = engine_find(name);

	if (!e)
		BUG("no engine is called \"%s\"", name);
	return e;
}

/* What --engine=auto prefers: an engine that changes the one process that the user names. */
static const struct engine *preferred(const struct traced *t, const char **why_not)
{
	*why_not = t->scope == SCOPE_TREE        ? "it does not follow children" :
		   t->n_pids + !!t->command != 1 ? "neither -p nor -c names one process" :
						   NULL;
	for (u32 i = 0; !*why_not && engines[i]; i++)
		if (engines[i]->has_substitute)
			return engines[i];
	return engines[0];
}

const struct engine *choose_first(const struct request *q, const struct session_host *h)
{
	const char *why_not;

	if (h->engines)
		return h->engines[0];
	if (q->engine.is_auto)
		return preferred(&q->traced, &why_not);
	return q->engine.name ? named(q->engine.name) : engines[0];
}

static bool may_be_used(const struct compiled *c, const struct engine *e)
{
	const char *name = c->request->engine.name;

	if (c->host->engines)
		return true;
	if (!name)
		return !e->by_name_only;
	return e == named(name) || (named(name)->has_substitute && !e->by_name_only);
}

static enum feature_answer common_feature(struct features *f, enum feature id)
{
	const struct compiled *c = f->ctx;
	enum feature_answer answer = FEATURE_YES;

	for (u32 i = 0; i < c->n_engines && answer != FEATURE_NO; i++) {
		enum feature_answer one = feature_answer(c->engines[i]->features(), id);

		answer = one == FEATURE_YES ? answer : one;
	}
	return answer;
}

static bool common_may_call(struct features *f, u32 func_id, u32 prog_type, u32 attach_type,
			    u32 attach_id)
{
	const struct compiled *c = f->ctx;
	bool may = true;

	for (u32 i = 0; i < c->n_engines && may; i++) {
		struct features *one = c->engines[i]->features();

		may = one->may_call &&
		      one->may_call(one, func_id, prog_type, attach_type, attach_id);
	}
	return may;
}

void choose_init(struct compiled *c)
{
	const struct engine *const *from = c->host->engines ? c->host->engines : engines;
	const struct engine *first = choose_first(c->request, c->host), **list;
	u32 n = 0;

	while (from[n])
		n++;
	list = arena_array(&c->arena, const struct engine *, n + 1);
	list[c->n_engines++] = first;
	for (u32 i = 0; i < n; i++)
		if (from[i] != first && may_be_used(c, from[i]))
			list[c->n_engines++] = from[i];
	c->engines = list;
	c->features = c->env.features = list[0]->features();
	c->recorded = list[0]->formats ? list[0]->formats() : NULL;
	c->env.is_replay = c->recorded;
	c->env.recorded_cpid = c->recorded ? c->recorded->cpid : 0;
	c->env.recorded_cpus = c->recorded ? c->recorded->n_cpus : 0;
	c->env.has_past = list[0]->has_past;
	if (c->n_engines > 1) {
		c->env.features = arena_new(&c->arena, struct features);
		*c->env.features = (struct features){ .probe = common_feature,
						      .may_call = common_may_call,
						      .ctx = c };
	}
}

static bool is_elsewhere(const struct compiled *c, const struct target_site *t)
{
	return instance_is_elsewhere(c, c->instances.v[t->func]);
}

/* ---- instances that must share an engine */

/* Chains become half as long at each look. */
static u32 leader_of(const struct choice *ch, u32 instance)
{
	while (ch->leader[instance] != instance)
		instance = ch->leader[instance] = ch->leader[ch->leader[instance]];
	return instance;
}

static void tie(struct choice *ch, u32 a, u32 b)
{
	u32 x = leader_of(ch, a), y = leader_of(ch, b);

	ch->leader[x] = y;
	ch->is_together[y] = true;
}

/* The instance shares this with all others that do. */
static void share(struct choice *ch, const char *what, size_t len)
{
	void *first = hash_get(&ch->users, what, len);

	if (!first)
		hash_put(&ch->users, what, len, (void *)(uintptr_t)(ch->instance + 1));
	tie(ch, ch->instance, first ? (u32)(uintptr_t)first - 1 : ch->instance);
}

/* The mention in @m = count() and in print(@m): the map is written only, or read by session. */
static const struct node *apart_in(const struct node *n)
{
	const struct node *m = n->a;

	if (!m || m->kind != N_MAP || !m->map || !type_is_agg(m->map->value))
		return NULL;
	if (n->kind == N_ASSIGN && n->op == OP_NONE)
		return m;
	return n->kind == N_CALL && n->builtin && n->builtin->action && !m->a ? m : NULL;
}

static bool see_node(struct node *n, void *ctx)
{
	struct choice *ch = ctx;
	const struct node *apart = apart_in(n);

	if (apart)
		ch->apart = apart;
	if (n->kind == N_MAP && n->map && n != ch->apart)
		share(ch, n->map->name, strlen(n->map->name));
	if (n->kind == N_CALL && !n->builtin) /* a function of the script, which may use any map */
		share(ch, "fn", 2);
	if (n->kind == N_CALL && n->builtin &&
	    n->builtin->flags & BI_SPECULATES) /* numbers that the engine assigns */
		share(ch, "speculation", 11);
	return true;
}

/* Internal clauses maintain what other clauses read: followed processes, arguments. */
static bool has_internal(const struct compiled *c)
{
	for (u32 i = 0; i < c->instances.n; i++)
		if (c->instances.v[i]->internal)
			return true;
	return false;
}

static u32 node_of_site(const struct choice *ch, u32 site)
{
	return ch->c->instances.n + site;
}

/* Clauses that share no map have each function where it is cheapest. A jump and a breakpoint cannot
 * be in one function of a program. */
static void tie_functions(struct choice *ch)
{
	for (u32 i = 0; i < ch->c->sites.n; i++) {
		const struct target_site *t = &ch->c->sites.v[i];
		const char *key;
		void *first;

		if (t->site.kind != SITE_UPROBE || !t->site.func || is_elsewhere(ch->c, t))
			continue;
		key = arena_printf(&ch->c->arena, "%s:%s", t->site.user.path, t->site.func);
		first = hash_gets(&ch->users, key);
		if (!first)
			hash_puts(&ch->users, key, (void *)(uintptr_t)(i + 1));
		else
			ch->leader[leader_of(ch, node_of_site(ch, i))] =
				leader_of(ch, node_of_site(ch, (u32)(uintptr_t)first - 1));
	}
}

static void group_sites(struct choice *ch)
{
	u32 n = ch->c->sites.n;

	for (u32 i = 0; i < n; i++) {
		u32 of = leader_of(ch, ch->c->sites.v[i].func);

		if (ch->is_together[of])
			ch->leader[node_of_site(ch, i)] = of;
	}
	tie_functions(ch);
	for (u32 i = n; i-- > 0;) {
		u32 group = leader_of(ch, node_of_site(ch, i));

		ch->next[i] = ch->first[group];
		ch->first[group] = i + 1;
	}
}

static void find_ties(struct choice *ch)
{
	struct compiled *c = ch->c;
	bool all = has_internal(c);

	for (u32 i = 0; i < c->instances.n; i++) {
		struct instance *in = c->instances.v[i];

		ch->instance = i;
		ast_walk(in->predicate, see_node, ch);
		ast_walk(in->body, see_node, ch);
		if (all)
			tie(ch, i, 0);
		if (in->partner != NO_INDEX)
			tie(ch, i, in->partner);
	}
}

/* ---- prices */

static bool is_served(const struct compiled *c, const struct engine *e, const struct target_site *t,
		      struct engine_answer *a)
{
	*a = (struct engine_answer){ 0 };
	if (e->has_substitute && is_elsewhere(c, t)) {
		a->why_not = "it is for processes that execute the program";
		return false;
	}
	if (!e->serves(&t->site, a))
		return false;
	if (e->cannot_run && t->func < c->prog.funcs.n)
		a->why_not = e->cannot_run(c->prog.funcs.v[t->func], &t->site);
	return !a->why_not;
}

/* What all sites of a group cost in an engine; false: one of them is not served. */
static bool price_of_group(const struct choice *ch, u32 group, const struct engine *e, u64 *price)
{
	*price = 0;
	for (u32 i = ch->first[group]; i; i = ch->next[i - 1]) {
		struct engine_answer a = { 0 };

		if (!is_served(ch->c, e, &ch->c->sites.v[i - 1], &a))
			return false;
		*price += a.price_ns;
	}
	return true;
}

static int refuse(const struct compiled *c, const struct target_site *t, bool is_together,
		  struct err *err)
{
	struct buf why = { 0 };

	for (u32 i = 0; i < c->n_engines; i++) {
		struct engine_answer a = { 0 };

		if (!is_served(c, c->engines[i], t, &a))
			buf_printf(&why, "%s%s: %s", why.len ? "; " : "", c->engines[i]->name,
				   a.why_not);
	}
	err_set(err, c->engines[0]->instead ? CHOOSE_ANOTHER : -EOPNOTSUPP, "no engine serves %s%s",
		t->site.probe,
		is_together ? " and all probes that its clause shares maps with" : "");
	if (why.len)
		err_help(err, "%.300s", why.s);
	buf_release(&why);
	return err->code;
}

/* The engine for all sites of a group, of which t is the first; -errno. */
static int cheapest(const struct choice *ch, u32 group, const struct target_site *t,
		    struct err *err)
{
	const struct compiled *c = ch->c;
	u64 least = 0, price;
	int best = -1;

	for (u32 e = 0; e < c->n_engines; e++) {
		if (!price_of_group(ch, group, c->engines[e], &price) ||
		    (best >= 0 && price >= least))
			continue;
		best = (int)e;
		least = price;
	}
	return best >= 0 ? best : refuse(c, t, ch->next[ch->first[group] - 1] != 0, err);
}

static int choose(struct choice *ch, struct err *err)
{
	struct compiled *c = ch->c;
	int ret = 0;

	for (u32 i = 0; i < c->sites.n && ret >= 0; i++) {
		u32 group = leader_of(ch, node_of_site(ch, i)), k = ch->first[group];

		if (k != i + 1)
			continue;
		ret = cheapest(ch, group, &c->sites.v[i], err);
		for (; k && ret >= 0; k = ch->next[k - 1])
			c->sites.v[k - 1].engine = (u32)ret;
	}
	return ret < 0 ? ret : 0;
}

static int serve_all(const struct compiled *c, struct err *err)
{
	for (u32 i = 0; i < c->sites.n; i++) {
		struct engine_answer a = { 0 };

		if (!is_served(c, c->engines[0], &c->sites.v[i], &a))
			return refuse(c, &c->sites.v[i], false, err);
	}
	return 0;
}

int choose_engines(struct compiled *c, struct err *err)
{
	struct choice ch = { .c = c };
	u32 n;
	int ret;

	if (c->request->compile.any_kernel)
		return 0;
	if (c->n_engines == 1)
		return serve_all(c, err);
	n = c->instances.n + c->sites.n;
	ch.leader = arena_array(&c->arena, u32, n + 1);
	ch.first = arena_array(&c->arena, u32, n + 1);
	ch.next = arena_array(&c->arena, u32, c->sites.n + 1);
	ch.is_together = arena_array(&c->arena, bool, c->instances.n + 1);
	for (u32 i = 0; i < n; i++)
		ch.leader[i] = i;
	find_ties(&ch);
	group_sites(&ch);
	ret = choose(&ch, err);
	hash_release(&ch.users);
	return ret;
}

/* ---- -v */

void choose_tell(const struct compiled *c, struct buf *to)
{
	const char *why = NULL;

	if (c->request->engine.is_auto)
		preferred(&c->request->traced, &why);
	if (why)
		buf_printf(to, "  engine: %s; not one in the process: %s\n", c->engines[0]->name,
			   why);
	for (u32 i = 0; c->n_engines > 1 && i < c->sites.n; i++) {
		const struct target_site *t = &c->sites.v[i];

		buf_printf(to, "  %s: %s", t->site.probe, c->engines[t->engine]->name);
		for (u32 e = 0; e < c->n_engines; e++) {
			struct engine_answer a = { 0 };

			if (!is_served(c, c->engines[e], t, &a))
				buf_printf(to, "; not %s: %s", c->engines[e]->name, a.why_not);
			else if (e < t->engine)
				buf_printf(
					to,
					"; not %s: it does not serve all probes of the function, or "
					"all that share a map",
					c->engines[e]->name);
		}
		buf_puts(to, "\n");
	}
}
