/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clocks: nsecs, elapsed, strftime(). */
#include "builtin/builtin.h"
#include "type/agg.h"

/* The value of the map that replaces all clocks (env->clock_map), or O_NONE. */
static struct opnd dummy_clock(struct lower *l)
{
	const char *name = l->env->clock_map;
	struct map *map = name ? hash_gets(&l->lang->maps, name) : NULL;
	struct node n = { .kind = N_MAP, .span = l->span, .name = name, .map = map };

	if (!map || map->is_keyed || !map->value || map->value->kind != TY_INT)
		return (struct opnd){ .kind = O_NONE };
	n.type = map->value;
	return lower_map_read(l, &n).o;
}

struct opnd boot_clock(struct lower *l)
{
	struct opnd dummy = dummy_clock(l);

	if (dummy.kind != O_NONE)
		return dummy;
	bool boot = feature_has(l->features, FEAT_BOOT_NS);

	return ir_call(l, boot ? BPF_FUNC_ktime_get_boot_ns : BPF_FUNC_ktime_get_ns, false, 0);
}

static const struct {
	const char *name;
	enum timestamp_mode mode;
} clocks[] = {
	{ "boot", TS_BOOT },
	{ "monotonic", TS_MONOTONIC },
	{ "tai", TS_TAI },
	{ "sw_tai", TS_REAL },
};

/* The clock named by argument i: an identifier or nothing. */
static int clock_arg(const struct node *call, u32 i)
{
	struct node *n = call_arg(call, i);

	if (!n)
		return TS_BOOT;
	for (u32 k = 0; n->name && k < ARRAY_SIZE(clocks); k++)
		if (streq(n->name, clocks[k].name))
			return (int)clocks[k].mode;
	return -1;
}

static const struct type *check_nsecs(struct check *c, struct node *call)
{
	int mode = clock_arg(call, 0);

	if (mode < 0)
		return diag_type(c, call_arg(call, 0)->span, D_BAD_CLOCK,
				 call_arg(call, 0)->name ? call_arg(call, 0)->name : "?");
	call->aux = (u32)mode;
	return &ty_u64;
}

static struct ir_val lower_nsecs(struct lower *l, struct node *call)
{
	if (l->env->clock_map)
		return val_scalar(&ty_u64, boot_clock(l));
	switch ((enum timestamp_mode)call->aux) {
	case TS_MONOTONIC: return val_scalar(&ty_u64, ir_call(l, BPF_FUNC_ktime_get_ns, false, 0));
	case TS_TAI:
	case TS_REAL:
		if (feature_has(l->features, FEAT_TAI))
			return val_scalar(&ty_u64, ir_call(l, BPF_FUNC_ktime_get_tai_ns, false, 0));
		return val_scalar(&ty_u64, ir_op2(l, IR_ADD, boot_clock(l),
						  lower_own_word(l, DATA_BOOT_TO_TAI)));
	case TS_BOOT: break;
	}
	return val_scalar(&ty_u64, boot_clock(l));
}

static struct ir_val lower_elapsed(struct lower *l, struct node *call)
{
	if (l->env->clock_map)
		return val_scalar(&ty_u64, boot_clock(l));
	return val_scalar(&ty_u64,
			  ir_op2(l, IR_SUB, boot_clock(l), lower_own_word(l, DATA_START_NS)));
}

/* The clock of the argument: that of a direct nsecs() call, else the boot clock. */
static const struct type *check_strftime(struct check *c, struct node *call)
{
	const struct node *ns = call_arg(call, 1);

	call->aux = TS_BOOT;
	if (ns->is_const && ns->type->is_signed && ns->value < 0)
		return diag_type(c, ns->span, D_STRFTIME_NEGATIVE);
	if (ns->kind != N_CALL || !ns->builtin || ns->builtin->lower != lower_nsecs)
		return &ty_timestamp;
	if (ns->aux == TS_MONOTONIC)
		return diag_type(c, ns->span, D_STRFTIME_CLOCK);
	call->aux = ns->aux;
	return &ty_timestamp;
}

static struct ir_val lower_strftime(struct lower *l, struct node *call)
{
	bool canonical;
	struct opnd dst = lower_dest(l, &ty_timestamp, &canonical);
	struct opnd ns = lower_scalar(l, call_arg(call, 1));
	u64 tail = call->aux | (u64)lower_string_index(l, call_str(call, 0)) << 32;

	ir_store(l, dst, 8, ns);
	ir_store(l, opnd_plus(dst, 8), 8, o_imm((s64)tail));
	return val_memory(&ty_timestamp, dst);
}

static const struct builtin rows[] = {
	{
		.name = "nsecs",
		.sig = "nsecs(clock: name = boot) -> uint64",
		.brief = "nanoseconds since boot",
		.doc = "The boot clock in nanoseconds, suspend included. nsecs(monotonic), "
		       "nsecs(tai) and nsecs(sw_tai) read other clocks.",
		.example = "begin { print(nsecs); }",
		.output = "2434714952537",
		.varies = true,
		.flags = BI_VARIABLE | BI_NOTED_ARGS,
		.engines = ON_ALL,
		.check = check_nsecs,
		.lower = lower_nsecs,
	},
	{
		.name = "elapsed",
		.sig = "elapsed() -> uint64",
		.brief = "nanoseconds since sonde started",
		.doc = "Nanoseconds since the start of the run.",
		.example = "begin { print(elapsed); }",
		.output = "41809",
		.varies = true,
		.flags = BI_PREFIXED | BI_VARIABLE,
		.engines = ON_ALL,
		.lower = lower_elapsed,
	},
	{
		.name = "strftime",
		.sig = "strftime(format: lit string, ns: int) -> timestamp",
		.brief = "a timestamp as text",
		.doc = "Prints a time from nsecs() in a strftime(3) format; also %f for "
		       "microseconds, %k nanoseconds, %l milliseconds.",
		.example = "begin { print(strftime(\"%H:%M:%S\", nsecs)); }",
		.output = "07:05:13",
		.varies = true,
		.engines = ON_ALL,
		.check = check_strftime,
		.lower = lower_strftime,
	},
};

const struct builtin_theme builtin_time = THEME("Time", rows);
