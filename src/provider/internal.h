/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of this room. Others include provider/provider.h. */
#ifndef SONDE_PROVIDER_INTERNAL_H
#define SONDE_PROVIDER_INTERNAL_H

#include <linux/bpf.h>
#include "arch/arch.h"
#include "provider/provider.h"

struct tp_field;
struct tp_format;

#define P(name) extern const struct provider provider_##name;
#include "provider/index.h"
#undef P

/* index.c: also by alias and old name; *old_name: set if the name is an old one (needs a note). */
const struct provider *provider_lookup(const char *name, bool *old_name);
const char *provider_near(const char *name);

/* ---- tp_class.c: the hint if a class of events is named instead of an event; NULL: not a
 * class. */
const char *event_class_help(struct provider_env *env, const char *category, const char *name);

/* ---- events.c: like the functions of sym/tracefs.h, or for the recording if there is one. */
int events_categories(const struct provider_env *env, const char ***names, u32 *n, struct err *err);
int events_of(const struct provider_env *env, const char *category, const char ***names, u32 *n,
	      struct err *err);
int event_id(const struct provider_env *env, const char *category, const char *event,
	     struct err *err);
const struct tp_format *event_format(const struct provider_env *env, const char *category,
				     const char *event, struct err *err);
/* Whether the recording has the raw event for the event of a single call. */
bool events_have_raw_calls(const struct provider_env *env, const char *event);
/* recorded_raw.c: rawtracepoint probes of the recording. */
int recorded_raw_resolve(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx);
/* Summary of the recording's events, for messages. */
const char *events_recorded(const struct provider_env *env);

/*
 * ---- report.c: an error of the script, at the attach point. NULL while listing, which help
 * accepts.
 */
struct diag *probe_report(struct provider_env *env, const struct spec *spec, enum diag_id id, ...);
/* A wrong number of parts; another error in the spelling of the probe. Both return -EINVAL. */
int probe_bad_parts(struct provider_env *env, const struct spec *spec);
int probe_bad_syntax(struct provider_env *env, const struct spec *spec, const char *why);
/*
 * The features lack what the probe needs; what: a plural noun. Then the help for a kernel that
 * lacks it, a format; NULL: none. Returns -EOPNOTSUPP.
 */
int probe_lacks(struct provider_env *env, const struct spec *spec, const char *what,
		const char *fmt, ...) FORMAT(4, 5);
void probe_help(struct provider_env *env, struct diag *d, const char *fmt, ...) FORMAT(3, 4);
/* The system refused: text and help of err. Returns err->code. */
int probe_refused(struct provider_env *env, const struct spec *spec, const struct err *err);
/* Reports that the kernel has no type information for it. */
void probe_untyped(struct provider_env *env, const struct spec *spec);
/* Reports that sysfs is not mounted, if that is why `what` are missing. */
bool probe_lacks_sysfs(struct provider_env *env, const struct spec *spec, const char *what);
/* Whether the kernel has the feature; returns `unknown` if that is not known (no features
 * given). */
bool env_has(struct provider_env *env, enum feature id, bool unknown);
/* NULL: the kernel has no BTF. */
struct btf *env_btf(struct provider_env *env);
struct kallsyms *env_ksyms(struct provider_env *env);
u32 env_strlen(const struct provider_env *env);
/* Whether args.NAME is read, not only argN and retval. */
bool env_reads_args(const struct provider_env *env);

/* ---- targets.c: collected first, passed on if everything succeeds. */
struct targets {
	VEC(struct target *) list;
	const char *help; /* help if there are no targets and no similar name; or NULL */
};
struct target *targets_add(struct provider_env *env, struct targets *ts, enum site_kind kind,
			   const char *probe, struct profile *p);
/* Passes each to f until one fails. Returns how many f accepted, or its error. */
int targets_hand_out(const struct targets *ts, target_fn f, void *ctx);
/* The same, but reports an error if there are none (`near`: the suggestion, or NULL) or too
 * many. */
int targets_give(struct provider_env *env, const struct spec *spec, struct targets *ts,
		 const char *near, target_fn f, void *ctx);
/* Whether a listing of the spec has any entry. */
bool lists_something(struct provider_env *env, const struct spec *spec);
/*
 * Whether a missing probe is an error: the script names it, and nothing permits it to be missing.
 */
bool env_insists(const struct provider_env *env, const struct spec *spec);
bool env_demands(const struct provider_env *env, const struct spec *spec);
/* Whether a missing probe is reported, so searching for a similar name is worthwhile. */
bool env_tells_missing(const struct provider_env *env);
struct profile *profile_new(struct provider_env *env, enum profile_kind kind, u32 prog_type);
/* The profile for one more site: base itself if they can share a program, else a copy. cookies:
 * this kind of site can have one; many: several sites will follow. */
struct profile *profile_for_site(struct provider_env *env, struct profile *base, bool many,
				 bool cookies);
/* Keeps the arguments of these names alone. */
void profile_keep_args(struct profile *p, const char *const *names, u32 n);
/* For many matches, keeps only the arguments that are used, so that more layouts are equal. */
void profile_trim_args(const struct provider_env *env, struct profile *p, bool many);
/* arg0... of a traced function from its registers; for a return probe, retval instead. */
void profile_function(struct provider_env *env, struct profile *p, bool is_return, bool is_user);

/* spec.c: "tracepoint:sched:x" from the provider's name and the parts after the first. */
const char *spec_name(struct provider_env *env, const struct spec *spec);
/* The text from that part on, as written, because C++ names contain colons. */
const char *spec_rest(struct arena *a, const struct spec *spec, u32 from);
bool spec_has_wildcard(const struct spec *spec, u32 from);
/* A pattern for listing: part i or "*". */
const char *spec_pattern(const struct spec *spec, u32 i);
struct spec *spec_split(struct provider_env *env, const char *text);
/* Parses a number of the language: 10, 0x10, 1_000, 1e6, 5ms; false unless the whole text is
 * one. */
bool text_number(const char *s, u64 *out);
/* Why the text is not a number. */
const char *text_fault(struct arena *a, const char *s);
/* The same for hexadecimal digits without a prefix. */
bool text_number_hex(const char *s, u64 *out);

/* ctype.c: C text of a tracepoint's field to a type. */
const struct type *ctype_scalar(struct provider_env *env, const char *text, u32 size,
				bool is_signed, bool natural, enum space space);
const struct type *ctype_field(struct provider_env *env, const struct tp_field *f, bool is_syscall);

/* tp_format.c: a record's fields as arguments. */
void format_args(struct provider_env *env, struct profile *p, const struct tp_format *f,
		 bool is_syscall);

/* Sets the memory that argstr copies. */
void format_whole(struct provider_env *env, struct profile *p, const struct tp_format *f);

/* syscalls.c */
bool syscalls_raw_usable(const struct provider_env *env);
/* site.event.call of "sys_enter_read" or "sys_exit_read"; 0: newer than the table. */
s32 syscalls_event_call(const char *event);
/* Events of category syscalls ("sys_enter_openat"). Those that have no number remain for the perf
 * path: they are moved to the front of events. Returns their number. */
u32 syscalls_resolve(struct provider_env *env, const struct spec *spec, const char **events, u32 n,
		     struct targets *ts);
/* Adds calls by number, with decoded arguments (sym/calls.h): one target for all that look the
 * same. */
void syscalls_add_decoded(struct provider_env *env, const struct spec *spec, const u32 *numbers,
			  u32 n, bool is_return, struct targets *ts);
struct profile *syscalls_decoded(struct provider_env *env, u32 nr, bool is_return);
/* Event names from the table of this machine, for systems without tracefs. Sorted by number. */
void syscalls_events(struct arena *a, const char ***names, u32 *n);
/* The number of a call by its name; that of its equivalent if this machine lacks the call;
 * negative: none. */
int syscalls_number(struct arena *a, const char *call);
/* The event for a call's name: "sys_enter_newstat" for "sys_enter_stat"; the event of its
 * equivalent if this machine lacks the call; NULL: none. */
const char *syscalls_event_of_call(struct arena *a, const char *event);

/* kernfuncs.c: kernel functions that can be probed. */
struct kernel_function {
	const char *name, *module; /* module NULL: the kernel itself */
	bool ambiguous;            /* several functions have the name */
};
/* Calls f once for each (name, module). A nonzero return of f stops the walk and is returned.
 * Negative: no source is readable. */
int kernel_functions_each(struct provider_env *env,
			  int (*f)(void *ctx, const struct kernel_function *fn), void *ctx);
/* Whether a function of that name exists; module NULL: in any. */
bool kernel_function_exists(struct provider_env *env, const char *module, const char *name);
/* Whether the compiler made clones or parts of the function (name.isra.0, name.constprop.0); true
 * also if the symbols are hidden. */
bool kernel_has_clones(struct provider_env *env, const char *name);
/* False if the kernel has a list of traceable functions and this one is not in it. */
bool kernel_function_is_traceable(struct provider_env *env, const char *name, const char *module);
/* Fills in the address of a module's function: multi links take functions of the kernel itself by
 * name and those of modules by address. */
void kernel_function_address(struct provider_env *env, const char *module, struct site *s);
/* All functions of that name and module (NULL: the kernel itself) that the function tracer knows,
 * or all if it has no such list. */
void kernel_function_addresses(struct provider_env *env, const char *module, const char *name,
			       void (*f)(void *ctx, u64 address), void *ctx);
/* Another name of the same function that has a type: a system call without arguments is
 * __x64_sys_getuid and __do_sys_getuid, and only the latter is in BTF. NULL: none. */
const char *kernel_function_alias(struct provider_env *env, struct btf *btf, const char *module,
				  const char *name);
/*
 * This kernel's function for a system call, by the function's name on another architecture or
 * before 4.17 (sys_open); that of the equivalent if this machine lacks the call; NULL: none.
 */
const char *kernel_function_of_call(struct provider_env *env, const char *name);

/* ---- hazards.c: what tracing itself executes */

/* Why no trampoline may be attached there; why none may replace a kprobe, which is safer; or
 * NULL. */
const char *trampoline_hazard(const char *name, bool is_return);
const char *substitute_hazard(const char *name, bool is_return);
/* Why no kretprobe may be attached there, or NULL. */
const char *kretprobe_hazard(const char *name);
/* Whether programs of patterns run it at each event, and hardly anything else does. */
bool kernel_function_is_of_programs(const char *name);
/* Whether helpers that programs call may run it, judged by its name. */
bool kernel_function_is_in_helpers(const char *name);
/* Helpers of the compiler and the tracer, which patterns exclude. */
bool kernel_function_is_hidden(const char *name);

/* kcode.c: why no probe can be at that offset of a kernel function; NULL: it can, or the kernel
 * decides. */
const char *kernel_offset_refused(struct provider_env *env, const char *module, const char *name,
				  u64 offset);
/* Whether an instruction of x86 begins at the offset, as far as is known; else stores those before
 * and after it. */
bool kernel_code_boundary(const u8 *code, u32 len, u32 offset, u32 *before, u32 *after);

/* modules.c: type information of the kernel ("vmlinux") or of a module. */
struct module_btf {
	struct btf *btf;
	const char *module;
};
/* module NULL or "vmlinux": the kernel itself. NULL: none. */
struct module_btf *module_btf(struct provider_env *env, const char *module);
/* Calls f for each, the kernel first, until f returns false. */
void module_btf_each(struct provider_env *env, const char *pattern,
		     bool (*f)(void *ctx, struct module_btf *p), void *ctx);
/* Why functions of that module are not found; NULL: it is loaded, or the name is a pattern. */
const char *module_missing(struct provider_env *env, const char *module);
/* Whose BTF the btf_id of a profile belongs to. */
static inline const char *module_btf_name(const struct module_btf *p)
{
	return streq(p->module, "vmlinux") ? NULL : p->module;
}

/* fentry.c: the profile of a trampoline on that function; NULL: it cannot have one. */
struct profile *trampoline_profile(struct provider_env *env, const struct module_btf *mod,
				   const char *func, bool is_return);

/* bpfprog.c: fentry:bpf:PROGRAM, fentry:bpf:ID:PROGRAM. */
int bpfprog_resolve(struct provider_env *env, const struct spec *spec, bool is_return, target_fn f,
		    void *ctx);
int bpfprog_list(struct provider_env *env, const struct spec *spec, bool is_return, list_fn f,
		 void *ctx);

/* btfargs.c: typed arguments. */
struct btf_named_param;
/* Parameters at a function's entry, by the calling convention (kprobe); at its return, the type of
 * the result. */
void btf_register_args(struct provider_env *env, struct profile *p, struct btf *btf,
		       const char *func);
/* Words of ctx (BTF tracepoints and trampolines) of a function or event; returns their number of
 * words. */
u32 btf_word_args(struct provider_env *env, struct profile *p, const char *of,
		  const struct btf_named_param *params, u32 n, bool is_trampoline);
/* Sets how verifiers require a word of that type to be read. */
void btf_word_loc(const struct profile *p, const struct type *t, struct loc *loc);
/* "struct file * file" for listings. */
const char *declaration_text(struct arena *a, const struct type *t, const char *name);

#endif
