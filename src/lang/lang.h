/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text to typed tree: the front end. The order of calls in a compilation (session/compile.c):
 *
 *	script = parse_script(...)                 lexer.c parse*.c
 *	lang_prepare(...)                          C text, config, imports, macros
 *	  providers resolve each attach point; one struct instance for each distinct layout
 *	lang_check(...)                            types to a fixpoint over all instances, then reports
 */
#ifndef SONDE_LANG_H
#define SONDE_LANG_H

#include "lang/env.h"

struct lang { /* the front end of one compilation */
	struct arena *arena;
	struct intern *names;
	struct sources *sources;
	struct diags *diags;
	struct env *env;
	struct script *script;
	/* user struct/union/enum definitions: "struct foo" -> const struct type */
	struct hash types;
	struct hash constants; /* user #define and enumerators: name -> struct node (expression) */
	struct hash maps;      /* name -> struct map */
	/* of glob() and the like, as written -> table: builtin/pattern.c */
	struct hash patterns;
	VEC(struct map *) map_list; /* in order of first mention */
};

/* An instance that shares the tracepoint of all system calls: see session/dispatch.c. */
struct jump {
	/* program.maps index: programs by layer * SYSCALL_SET_BITS + number of the call; of a
	 * chain: by layer */
	u32 map;
	bool is_chain; /* session/chain.c; else session/dispatch.c */
	/* index of the instance that is attached for all of them; may be this one */
	u32 dispatcher;
	u32 layer;     /* programs on one call are in layers, in the order of the script */
	bool has_next; /* another layer may follow */
	u32 *slots, n_slots;
};

/* A clause with one argument layout: what is checked, lowered and loaded once. */
struct instance {
	struct clause *clause;         /* shared, as parsed */
	struct node *predicate, *body; /* this instance's own clone, typed after lang_check */
	struct profile *profile;
	const char *provider; /* canonical name: "kprobe" (probetype builtin) */
	const char *name;     /* for messages and BPF program names: first attach point */
	VEC(u32) sites;       /* site indexes, the first is profile->site when constant */
	VEC(struct var *) vars;
	u32 mode;            /* enum probe_mode of its provider */
	bool once;           /* begin, end: run explicitly, in order */
	bool internal;       /* a clause of sonde, not of the script */
	bool is_one_of_many; /* a pattern's: the kernel may refuse it */
	/*
	 * of a clause without a probe here: only its effect on the types of maps matters; reports
	 * nothing
	 */
	bool unseen;
	bool follows;         /* --follow applies */
	bool asks_follow;     /* the clause calls followed(): no implicit filter */
	bool follows_threads; /* follow_map has threads, not processes */
	/*
	 * verifiers would process too much: compiled so that they process less, at any run-time
	 * cost
	 */
	bool compact;
	/* No direct loads through arguments: a verifier refused one (session.h, attempt). */
	bool no_direct_loads;
	bool whole;   /* lowered whatever its size: see ENOUGH_JUMPS */
	bool guarded; /* does not run within another program of the run (ir/lower_guard.c) */
	/* device and inode of the pid namespace of only_pid and follow_map; 0: the initial one */
	u64 pid_ns[2];
	u32 only_pid;   /* events of other processes are ignored; 0: no filter */
	u32 follow_map; /* program.maps index of the set of followed processes, ~0u: none */
	/* index of the matching entry or return that may share one program with this; ~0u: none */
	u32 partner;
	/* an entry with a partner: if its filter refuses a call, the return is not seen */
	bool refuses_return;
	struct jump *jump; /* NULL: it is attached directly */
	u32 index;
};

void lang_init(struct lang *l, struct arena *arena, struct intern *names, struct sources *sources,
	       struct diags *diags, struct env *env);
void lang_release(struct lang *l);

/* Parses one source into l->script. Reports errors to diags; false if there were any. */
bool parse_script(struct lang *l, struct source *src);
/* The expression that src consists of; NULL after a report. */
struct node *parse_expression(struct lang *l, struct source *src);

/* C text -> types and constants, config block -> env->config, imports, map declarations. */
bool lang_prepare(struct lang *l);
/* Whether a name is a type of the language, such as uint32. */
bool lang_has_type(const char *name);
/* Clones the clause's body into the instance. */
void instance_init(struct lang *l, struct instance *in, struct clause *clause);
/* Expands macros, resolves names, infers types; false if errors were reported. */
bool lang_check(struct lang *l, struct instance **instances, u32 n);

/* sonde fmt: writes the script in canonical layout with its comments. False on syntax errors. */
bool format_script(struct lang *l, struct source *src, struct buf *out);

#endif
