/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of configuration variables: a row is a member of struct config with its default, its
 * values and its help. config_set() serves the config block and the environment (config_env.c) and
 * also accepts the names of older bpftrace releases.
 */
#include <ctype.h>
#include <strings.h>
#include <stdlib.h>

#include "lang/config.h"
#include "lang/number.h"

enum config_kind {
	CFG_U64,
	CFG_BOOL,
	CFG_TEXT,
	CFG_LICENSE,
	CFG_MISSING,
	CFG_STACK_MODE,
	CFG_USER_STACKS,
	CFG_CACHE,
	CFG_UNSTABLE
};

static const struct config_row {
	const char *key;
	enum config_kind kind;
	u32 offset;
	s64 dflt;
	const char *text; /* default of texts; a number's unit is in its name */
	const char *brief;
	const char *note; /* why a value other than the default has no effect */
} config_rows[] = {
#define ROW(member, kind, ...)                                                                     \
	{                                                                                          \
#member, kind, offsetof(struct config, member), __VA_ARGS__                        \
	}
#define UNSTABLE(what, dflt, ...)                                                                  \
	{                                                                                          \
		"unstable_" #what, CFG_UNSTABLE,                                                   \
			offsetof(struct config, unstable) + UNSTABLE_##what, dflt, NULL,           \
			__VA_ARGS__                                                                \
	}
	ROW(argstr_bytes, CFG_U64, 32, NULL,
	    "bytes of data and of strings that argstr of a system call shows", NULL),
	ROW(argstr_hex, CFG_U64, 0, NULL,
	    "1: strings of argstr with other than printable characters are shown in hex; 2: all strings",
	    NULL),
	ROW(argstr_rest, CFG_U64, 0, NULL,
	    "1: argstr of a return has only what its entry could not have, for a reader that joins both",
	    NULL),
	ROW(argstr_whole, CFG_U64, 0, NULL,
	    "1: argstr of a system call copies the strings of the environment, and longer arrays",
	    NULL),
	ROW(buf_empty, CFG_U64, 0, NULL,
	    "1: buf() of memory that cannot be read has no bytes, instead of zeros", NULL),
	ROW(cache_user_symbols, CFG_CACHE, 0, "PER_PID", "where user symbols are kept",
	    "has no effect: a file is read once for all processes, "
	    "the maps of a process whenever they change"),
	ROW(cpp_demangle, CFG_BOOL, true, NULL, "C++ names of user functions are demangled", NULL),
	ROW(exact_uprobes, CFG_BOOL, false, NULL,
	    "user-space probes sit at the first instruction of a function, "
	    "even where a later one costs a tenth",
	    NULL),
	ROW(lazy_symbolication, CFG_BOOL, true, NULL, "when symbols are looked up",
	    "has no effect: names are looked up when they are printed, "
	    "those of processes that have ended too"),
	ROW(license, CFG_LICENSE, 0, "GPL", "license of the programs; many helpers require GPL",
	    NULL),
	ROW(log_size, CFG_U64, 1000000, NULL, "bytes for the verifier's log", NULL),
	ROW(max_bpf_progs, CFG_U64, 1024, NULL, "BPF programs of a script",
	    "has no effect: probes with the same arguments share a program"),
	ROW(max_cat_bytes, CFG_U64, 10240, NULL,
	    "number of bytes of a file that cat() prints at most", NULL),
	ROW(max_map_keys, CFG_U64, 4096, NULL, "keys of a map that is not declared", NULL),
	ROW(max_probes, CFG_U64, 1024, NULL, "probes of a script; more are an error", NULL),
	ROW(max_strlen, CFG_U64, 1024, NULL, "capacity of str() and buf(), in bytes", NULL),
	ROW(missing_probes, CFG_MISSING, MISSING_ERROR, NULL,
	    "whether a probe that does not exist is an error, a warning, or ignored", NULL),
	ROW(on_stack_limit, CFG_U64, 32, NULL, "bytes of values on the stack of a program",
	    "has no effect: what does not fit the stack is automatically stored elsewhere"),
	ROW(perf_rb_pages, CFG_U64, 0, NULL,
	    "pages of the ring buffer, rounded up to a power of two; 0: chosen from the free memory",
	    NULL),
	ROW(print_maps_on_exit, CFG_BOOL, true, NULL, "maps are printed at the end", NULL),
	ROW(show_debug_info, CFG_BOOL, true, NULL,
	    "stacks show source lines and inlined functions of files with debug information", NULL),
	ROW(stack_lines, CFG_BOOL, false, NULL,
	    "flame graphs, trees and folded stacks keep the source lines of a function apart",
	    NULL),
	ROW(stack_mode, CFG_STACK_MODE, STACK_MODE_SONDE, NULL, "how stacks are printed", NULL),
	ROW(str_trunc_trailer, CFG_TEXT, 0, "..", "appended to a truncated string", NULL),
	UNSTABLE(dw_ustack, 1, "dw_ustack: allowed, allowed with a warning, or refused", NULL),
	UNSTABLE(import_statement, 0,
		 "import of files inside a block: allowed, allowed with a warning, or refused",
		 NULL),
	UNSTABLE(tseries, 1, "tseries(): allowed, allowed with a warning, or refused", NULL),
	UNSTABLE(typeinfo, 0, "typeinfo(), likewise", NULL),
	ROW(user_stacks, CFG_USER_STACKS, USER_STACKS_AUTO, NULL,
	    "how user stacks are unwound: by call frame information where that is possible, "
	    "or by frame pointers",
	    NULL),
#undef ROW
#undef UNSTABLE
};

static const struct old_key {
	const char *old, *key; /* key NULL: it no longer has an effect */
	bool inverted;
	const char *why;
} old_keys[] = {
	{ "strlen", "max_strlen", false, "has been renamed, please use max_strlen" },
	{ "no_cpp_demangle", "cpp_demangle", true,
	  "has been renamed, please use cpp_demangle, which is the opposite" },
	{ "cat_bytes_max", "max_cat_bytes", false, "has been renamed, please use max_cat_bytes" },
	{ "map_keys_max", "max_map_keys", false, "has been renamed, please use max_map_keys" },
	{ "symbol_source", NULL, false, "is deprecated and has no effect" },
	{ "max_type_res_iterations", NULL, false, "is deprecated and has no effect" },
	{ "use_blazesym", NULL, false, "is deprecated and has no effect" },
	{ "unstable_addr", NULL, false, "is deprecated and has no effect" },
	{ "unstable_import", NULL, false, "is deprecated and has no effect" },
	{ "unstable_macro", NULL, false, "is deprecated and has no effect" },
	{ "unstable_map_decl", NULL, false, "is deprecated and has no effect" },
};

static const char *const environment_only[] = { "btf", "kernel_build", "kernel_source", "vmlinux" };

struct choice {
	const char *text;
	s64 value;
};
static const struct choice bools[] = { { "true", 1 }, { "1", 1 },     { "yes", 1 },
				       { "on", 1 },   { "false", 0 }, { "0", 0 },
				       { "no", 0 },   { "off", 0 },   {} };
static const struct choice missing[] = {
	{ "error", MISSING_ERROR }, { "warn", MISSING_WARN }, { "ignore", MISSING_IGNORE }, {}
};
#define M(id, name) { #name, STACK_MODE_##id },
static const struct choice stack_modes[] = { STACK_MODES(M){ "sonde", STACK_MODE_SONDE }, {} };
#undef M
static const struct choice user_stacks[] = { { "auto", USER_STACKS_AUTO },
					     { "frame_pointers", USER_STACKS_FP },
					     {} };
static const struct choice unstables[] = { { "error", 0 }, { "false", 0 },  { "0", 0 },
					   { "warn", 1 },  { "enable", 2 }, { "true", 2 },
					   { "1", 2 },     { "no", 0 },     { "off", 0 },
					   { "yes", 2 },   { "on", 2 },     {} };
static const struct choice caches[] = { { "PER_PID", 1 }, { "PER_PROGRAM", 1 }, { "NONE", 1 },
					{ "1", 1 },       { "0", 1 },           {} };

static bool choose(const struct choice *list, const char *text, s64 *value)
{
	for (; list->text; list++)
		if (strcasecmp(list->text, text) == 0) {
			*value = list->value;
			return true;
		}
	return false;
}

static void put(struct config *cfg, const struct config_row *row, s64 value, const char *text)
{
	char *at = (char *)cfg + row->offset;

	switch (row->kind) {
	case CFG_U64: *(u64 *)(void *)at = (u64)value; break;
	case CFG_BOOL: *(bool *)at = value; break;
	case CFG_TEXT:
	case CFG_LICENSE:
	case CFG_CACHE: *(const char **)(void *)at = text; break;
	case CFG_MISSING: cfg->missing_probes = value; break;
	case CFG_STACK_MODE: cfg->stack_mode = (enum stack_mode)value; break;
	case CFG_USER_STACKS: cfg->user_stacks = (enum user_stacks)value; break;
	case CFG_UNSTABLE: *(u8 *)at = (u8)value; break;
	}
}

void config_defaults(struct config *cfg)
{
	*cfg = (struct config){ 0 };
	for (u32 i = 0; i < ARRAY_SIZE(config_rows); i++)
		put(cfg, &config_rows[i], config_rows[i].dflt, config_rows[i].text);
}

static const struct config_row *find_row(const char *key)
{
	for (u32 i = 0; i < ARRAY_SIZE(config_rows); i++)
		if (streq(config_rows[i].key, key))
			return &config_rows[i];
	return NULL;
}

/* In the language's syntax for numbers: 1_000, 0x10, 1e6. */
static bool read_number(const char *text, s64 *value)
{
	struct number n;

	if (!isdigit((u8)*text))
		return false;
	number_scan(text, (u32)strlen(text), &n);
	*value = (s64)n.value;
	return !n.fault && !text[n.len];
}

/* Licenses that allow the helpers of tracing (include/linux/license.h). */
static bool is_license(const char *text)
{
	static const char *const fit[] = {
		"GPL",          "GPL v2",       "GPL and additional rights",
		"Dual BSD/GPL", "Dual MIT/GPL", "Dual MPL/GPL"
	};

	return is_one_of(fit, ARRAY_SIZE(fit), text);
}

static bool set_row(struct config *cfg, const struct config_row *row, const char *text,
		    const char **why)
{
	s64 value = 0;

	switch (row->kind) {
	case CFG_U64:
		*why = "expecting a number";
		if (!read_number(text, &value))
			return false;
		break;
	case CFG_BOOL:
		*why = "Invalid bool value: valid values are true, false, 1 or 0.";
		if (!choose(bools, text, &value) && !read_number(text, &value))
			return false;
		value = !!value;
		break;
	case CFG_MISSING:
		*why = "Invalid value for missing_probes: valid values are ignore, warn, and error.";
		if (!choose(missing, text, &value))
			return false;
		break;
	case CFG_STACK_MODE:
		*why = "Invalid value for stack_mode: valid values are bpftrace, raw, perf, and build_id.";
		if (!choose(stack_modes, text, &value))
			return false;
		break;
	case CFG_USER_STACKS:
		*why = "Invalid value for user_stacks: valid values are auto and frame_pointers.";
		if (!choose(user_stacks, text, &value))
			return false;
		break;
	case CFG_UNSTABLE:
		*why = "Invalid value for unstable config: valid values are enable, warn, and error.";
		if (!choose(unstables, text, &value))
			return false;
		break;
	case CFG_CACHE:
		*why = "Invalid value for cache_user_symbols: valid values are PER_PID, PER_PROGRAM, and NONE.";
		if (!choose(caches, text, &value))
			return false;
		break;
	case CFG_LICENSE:
		*why = "Invalid value for license. Valid values: Dual MIT/GPL, Dual BSD/GPL, Dual MPL/GPL, GPL and additional "
		       "rights, GPL v2, GPL.";
		if (!is_license(text))
			return false;
		break;
	case CFG_TEXT: break;
	}
	*why = row->text && streq(row->text, text) ? NULL :
	       !row->text && row->dflt == value    ? NULL :
						     row->note;
	put(cfg, row, value, text);
	return true;
}

static bool set_old(struct config *cfg, const struct old_key *old, const char *value,
		    const char **why)
{
	s64 on = 0;

	if (old->inverted && choose(bools, value, &on))
		value = on ? "false" : "true";
	if (old->key && !set_row(cfg, find_row(old->key), value, why))
		return false;
	*why = old->why;
	return true;
}

bool config_set(struct config *cfg, const char *key, const char *value, const char **why)
{
	const struct config_row *row;
	char lower[64];

	if (strlen(key) < sizeof lower) { /* also in the spelling of the environment */
		key += strncasecmp(key, "bpftrace_", 9) == 0 ? 9 : 0;
		for (u32 i = 0; i <= strlen(key); i++)
			lower[i] = (char)tolower((u8)key[i]);
		key = lower;
	}
	row = find_row(key);
	if (row)
		return set_row(cfg, row, value, why);
	for (u32 i = 0; i < ARRAY_SIZE(old_keys); i++)
		if (streq(old_keys[i].old, key))
			return set_old(cfg, &old_keys[i], value, why);
	*why = "not a known configuration option";
	for (u32 i = 0; i < ARRAY_SIZE(environment_only); i++)
		if (streq(environment_only[i], key))
			*why = "can only be set as an environment variable";
	return false;
}

const char *config_key(u32 i)
{
	u32 n_old = 0;

	for (u32 o = 0; o < ARRAY_SIZE(old_keys); o++)
		if (old_keys[o].key && n_old++ == i)
			return old_keys[o].old;
	return i - n_old < ARRAY_SIZE(config_rows) ? config_rows[i - n_old].key : NULL;
}

const char *config_near(const char *key)
{
	struct near near;

	near_init(&near, key);
	for (u32 i = 0; i < ARRAY_SIZE(config_rows); i++)
		near_try(&near, config_rows[i].key);
	return near_best(&near);
}

/* ---- help */

static const struct {
	const char *values;
	const struct choice *names; /* of numbers: the first name of the default's value */
} config_kinds[] = {
	[CFG_U64] = { "a number", NULL },
	[CFG_BOOL] = { "true or false", bools },
	[CFG_TEXT] = { "a text", NULL },
	[CFG_LICENSE] = { "GPL, GPL v2, GPL and additional rights, Dual BSD/GPL, Dual MIT/GPL, "
			  "Dual MPL/GPL",
			  NULL },
	[CFG_MISSING] = { "error, warn or ignore", missing },
	[CFG_STACK_MODE] = { "bpftrace, perf, raw or build_id", stack_modes },
	[CFG_USER_STACKS] = { "auto or frame_pointers", user_stacks },
	[CFG_CACHE] = { "PER_PID, PER_PROGRAM or NONE", NULL },
	[CFG_UNSTABLE] = { "enable, warn or error", unstables },
};

bool config_topic(struct arena *a, u32 i, struct config_topic *topic)
{
	const struct config_row *row = &config_rows[i];

	if (i >= ARRAY_SIZE(config_rows))
		return false;
	*topic = (struct config_topic){ .key = row->key,
					.values = config_kinds[row->kind].values,
					.brief = row->brief,
					.note = row->note };
	topic->dflt = row->text ? arena_printf(a, "\"%s\"", row->text) :
				  arena_printf(a, "%lld", (long long)row->dflt);
	for (const struct choice *c = config_kinds[row->kind].names; c && c->text; c++)
		if (c->value == row->dflt) {
			topic->dflt = c->text;
			break;
		}
	return true;
}
