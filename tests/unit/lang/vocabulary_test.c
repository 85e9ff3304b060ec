/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The index of builtin rows and the table of configuration variables. */
#include "check_kit.h"
#include "tap.h"

static void test_rows(void)
{
	struct env env = { .themes = kit_themes };

	env_init(&env);
	ok(env_builtin(&env, "pid") == &kit_rows[0], "a row by its name");
	ok(!env_builtin(&env, "nothing"), "no row");
	const struct builtin *arg = env_builtin(&env, "arg12");

	ok(arg && streq(arg->name, "argN"), "a numbered row");
	is_int(env_builtin_number(arg, "arg12"), 12, "its number");
	is_int(env_builtin_number(env_builtin(&env, "pid"), "pid"), -1, "pid has none");
	ok(!env_builtin(&env, "arg"), "no number, no row");
	ok(!env_builtin(&env, "pid3"), "pid is not numbered");
	ok(!env_builtin(&env, "1234567890123456789012345678901234567890"), "digits only");
	env_release(&env);
}

static bool set(struct config *cfg, const char *key, const char *value, const char *want_why)
{
	const char *why = NULL;
	bool good = config_set(cfg, key, value, &why);

	is_str(why ? why : "", want_why, "%s = %s", key, value);
	return good;
}

static void test_config(void)
{
	struct config cfg;

	config_defaults(&cfg);
	is_int(cfg.max_strlen, 1024, "default of a number");
	ok(cfg.print_maps_on_exit, "default of a boolean");
	is_str(cfg.license, "GPL", "default of a text");
	is_int(cfg.unstable[UNSTABLE_typeinfo], 0, "default of an unstable feature");
	is_int(cfg.unstable[UNSTABLE_tseries], 1, "another");
	ok(set(&cfg, "max_strlen", "200", ""), "a number");
	is_int(cfg.max_strlen, 200, "is set");
	ok(!set(&cfg, "max_strlen", "20x", "expecting a number"), "not a number");
	is_int(cfg.max_strlen, 200, "is not set");
	ok(set(&cfg, "stack_mode", "raw", ""), "a choice");
	is_int(cfg.stack_mode, STACK_MODE_RAW, "is set");
	ok(set(&cfg, "missing_probes", "ignore", ""), "another choice");
	is_int(cfg.missing_probes, MISSING_IGNORE, "is set");
	ok(!set(&cfg, "missing_probes", "perhaps",
		"Invalid value for missing_probes: valid values are ignore, warn, and error."),
	   "no choice");
	ok(set(&cfg, "no_cpp_demangle", "1",
	       "has been renamed, please use cpp_demangle, which is the opposite"),
	   "inverted");
	ok(!cfg.cpp_demangle, "is turned around");
	ok(set(&cfg, "strlen", "64", "has been renamed, please use max_strlen"), "renamed");
	is_int(cfg.max_strlen, 64, "is set all the same");
	ok(set(&cfg, "symbol_source", "x", "is deprecated and has no effect"), "deprecated");
	ok(!set(&cfg, "btf", "x", "can only be set as an environment variable"),
	   "environment only");
	ok(!set(&cfg, "max_strln", "1", "not a known configuration option"), "unknown");
	is_str(config_near("max_strln"), "max_strlen", "the nearest");
	ok(set(&cfg, "unstable_typeinfo", "enable", ""), "unstable");
	is_int(cfg.unstable[UNSTABLE_typeinfo], 2, "is set");
}

static void test_environment(void)
{
	struct config cfg;

	setenv("BPFTRACE_MAX_STRLEN", "100", 1);
	setenv("SONDE_MAX_STRLEN", "101", 1);
	setenv("BPFTRACE_MAP_KEYS_MAX", "7", 1);
	config_defaults(&cfg);
	config_from_environment(&cfg, &(struct config_error){ 0 });
	is_int(cfg.max_strlen, 101, "our own prefix wins");
	is_int(cfg.max_map_keys, 7, "old names work there too");
	unsetenv("BPFTRACE_MAX_STRLEN");
	unsetenv("SONDE_MAX_STRLEN");
	unsetenv("BPFTRACE_MAP_KEYS_MAX");
}

int main(void)
{
	test_rows();
	test_config();
	test_environment();
	kit_end();
	return done();
}
