/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration variables, set by the config block of a script (prepare.c) or by the environment
 * (config_env.c). Each is a row of the table in config.c.
 */
#ifndef SONDE_LANG_CONFIG_H
#define SONDE_LANG_CONFIG_H

#include "type/program.h"

/* Indexes of config.unstable, whose values are 0 error, 1 warn, 2 enable. */
enum unstable {
	UNSTABLE_import_statement,
	UNSTABLE_typeinfo,
	UNSTABLE_tseries,
	UNSTABLE_dw_ustack,
};

struct config { /* the environment wins over the block */
	u64 argstr_bytes, argstr_hex, max_map_keys, max_strlen, max_probes, max_bpf_progs,
		max_cat_bytes, on_stack_limit, log_size, perf_rb_pages;
	bool cpp_demangle, exact_uprobes, lazy_symbolication, print_maps_on_exit, show_debug_info,
		stack_lines;
	struct { /* what readers of the tool's own scripts want */
		u64 argstr_rest, argstr_whole, buf_empty;
	};
	enum { MISSING_ERROR, MISSING_WARN, MISSING_IGNORE } missing_probes;
	enum stack_mode stack_mode;
	enum user_stacks { USER_STACKS_AUTO, USER_STACKS_FP } user_stacks;
	const char *str_trunc_trailer, *license, *cache_user_symbols;
	u8 unstable[8]; /* by enum unstable */
};

/* A variable, for help. */
struct config_topic {
	const char *key, *values, *dflt; /* dflt may be "" */
	const char *brief;
	const char *note; /* why setting it has no effect; NULL: it has one */
};

void config_defaults(struct config *cfg);
/* Sets one key; false: unknown key or bad value (*why is the reason, static text). When true, *why
 * is NULL or a warning: the key is an old name, or has no effect. value must live as long as
 * cfg. */
bool config_set(struct config *cfg, const char *key, const char *value, const char **why);
/* The i-th key that takes effect, renamed ones first; NULL: there are no more. */
const char *config_key(u32 i);
/* The nearest known key, or NULL. */
const char *config_near(const char *key);
struct config_error {
	char name[64];   /* BPFTRACE_MAX_STRLEN */
	const char *why; /* static text */
};
/* False: a variable has a bad value; *e names the last one. Its key keeps its value. */
bool config_from_environment(struct config *cfg, struct config_error *e);
/* The i-th variable, in order of name; false: there are no more. Allocates in a. */
bool config_topic(struct arena *a, u32 i, struct config_topic *topic);

#endif
