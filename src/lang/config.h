/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration variables: the config block of a script, and BPFTRACE_NAME and SONDE_NAME of the environment. Each is a row
 * of the table in config.c, with its help.
 */
#ifndef SONDE_LANG_CONFIG_H
#define SONDE_LANG_CONFIG_H

#include "type/program.h"

/* Places in config.unstable: 0 error, 1 warn, 2 enable. */
enum unstable {
	UNSTABLE_import_statement,
	UNSTABLE_typeinfo,
	UNSTABLE_tseries,
	UNSTABLE_dw_ustack,
};

struct config { /* the environment wins over the block */
	u64 max_map_keys, max_strlen, max_probes, max_bpf_progs, max_cat_bytes, on_stack_limit,
		log_size, perf_rb_pages;
	bool cpp_demangle, exact_uprobes, lazy_symbolication, print_maps_on_exit, show_debug_info;
	enum { MISSING_ERROR, MISSING_WARN, MISSING_IGNORE } missing_probes;
	enum stack_mode stack_mode;
	const char *str_trunc_trailer, *license, *cache_user_symbols;
	u8 unstable[8]; /* by enum unstable */
};

/* A variable, for help. */
struct config_topic {
	const char *key, *values, *dflt; /* dflt may be "" */
	const char *brief;
	const char *note; /* why setting it changes nothing; NULL: it does */
};

void config_defaults(struct config *cfg);
/* Sets one key; false: unknown key or bad value (*why says which, static text). When true, *why is
 * NULL or a warning: the key is an old name, or has no effect. value must live as long as cfg. */
bool config_set(struct config *cfg, const char *key, const char *value, const char **why);
/* The nearest known key, or NULL. */
const char *config_near(const char *key);
struct config_error {
	char name[64];   /* BPFTRACE_MAX_STRLEN */
	const char *why; /* static text */
};
/* False: one of them has a bad value, and is left alone. */
bool config_from_environment(struct config *cfg, struct config_error *e);
/* The i-th variable, in order of name; false: there are no more. *dflt is malloc'ed by a. */
bool config_topic(struct arena *a, u32 i, struct config_topic *topic);

#endif
