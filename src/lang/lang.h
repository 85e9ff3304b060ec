/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text to typed tree. The order of calls in a compilation (session/compile.c):
 *
 *	script = parse_script(...)                 lexer.c parse*.c
 *	lang_prepare(...)                          C text, config, imports, macros
 *	  providers resolve each attach point; one struct instance for each distinct layout
 *	lang_check(...)                            types to a fixpoint over all instances, then reports
 */
#ifndef SONDE_LANG_H
#define SONDE_LANG_H

#include "lang/env.h"

struct lang { /* one compilation's front half */
	struct arena *arena;
	struct intern *names;
	struct sources *sources;
	struct diags *diags;
	struct env *env;
	struct script *script;
	struct hash
		types; /* user struct/union/enum definitions: "struct foo" -> const struct type */
	struct hash constants; /* user #define and enumerators: name -> struct node (expression) */
	struct hash maps;      /* name -> struct map */
	struct hash patterns;  /* of glob() and its like, as written -> table: builtin/pattern.c */
	VEC(struct map *) map_list; /* in order of first mention */
};

/* An instance that is one of several on the tracepoint of all system calls: see session/dispatch.c. */
struct jump {
	u32 map; /* program.maps index: programs by layer * SYSCALL_SET_BITS + number of the call */
	u32 dispatcher; /* index of the instance that is attached for all of them, which may be this one */
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
	bool once;           /* begin, end: run by hand, in order */
	bool internal;       /* sonde's own clause, not the script's */
	bool is_one_of_many; /* a pattern's: the kernel may refuse it */
	bool unseen; /* of a clause without a probe here: only what it does to maps counts, nothing is reported */
	bool follows; /* --follow applies */
	bool compact; /* verifiers would follow too much: what makes them follow less, whatever it costs */
	bool guarded; /* does not run within another program of the run (ir/lower_guard.c) */
	u64 pid_ns
		[2]; /* device and inode of the pid namespace that only_pid and the set speak of; 0: the first */
	u32 only_pid;   /* events of other processes are ignored; 0: none are */
	u32 follow_map; /* program.maps index of the set of followed processes, ~0u: none */
	u32 partner; /* index of the entry for a return, and of the return for an entry, that may be one program
			   * with this; ~0u: none */
	struct jump *jump; /* NULL: it is attached itself */
	u32 index;
};

void lang_init(struct lang *l, struct arena *arena, struct intern *names, struct sources *sources,
	       struct diags *diags, struct env *env);
void lang_release(struct lang *l);

/* Parses one source into l->script. Errors go to diags; false when there were any. */
bool parse_script(struct lang *l, struct source *src);

/* C text -> types and constants, config block -> env->config, imports, map declarations. */
bool lang_prepare(struct lang *l);
/* Clones the clause's body into the instance. */
void instance_init(struct lang *l, struct instance *in, struct clause *clause);
/* Expands macros in an instance, resolves names, infers types; false when errors were reported. */
bool lang_check(struct lang *l, struct instance **instances, u32 n);

/* sonde fmt: the script again, in canonical layout, comments kept. false on syntax errors. */
bool format_script(struct lang *l, struct source *src, struct buf *out);

#endif
