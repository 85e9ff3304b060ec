/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes in code: kprobes and uprobes, as multi links where the kernel has them (one link for any
 * number of addresses; kernel/trace/bpf_trace.c), else as events of the kprobe and uprobe PMUs
 * (kernel/events/core.c: perf_kprobe, perf_uprobe), which every supported kernel has.
 *
 * The two need programs loaded with different attach types; load_variant() loads the other kind if
 * the profile guessed wrong. Links are also cheaper for a single address: a uprobe link detaches in
 * 28 ms, its event in 105.
 *
 * tracefs (kprobe_events) is never written: what is defined there outlives a killed tracer, and
 * every kernel with it also has the PMUs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/buf.h"
#include "engine/kernel/internal.h"
#include "sym/kallsyms.h"

static int open_probe(const char *pmu, const struct site *s, struct perf_event_attr *attr)
{
	attr->size = sizeof *attr;
	if (pmu_probe(attr, pmu, s) < 0)
		return -1;
	if (s->pid > 0 && s->kind == SITE_UPROBE)
		return perf_event_open(attr, s->pid, -1, -1, 0);
	return perf_event_open(attr, -1, 0, -1, 0);
}

/* ---- kprobes */

/* "module:function" if the module is given, the form of the kernel's symbol lookup. */
static const char *kprobe_symbol(struct kernel *k, const struct site *s)
{
	if (!s->kernel.symbol || !s->kernel.module)
		return s->kernel.symbol;
	return arena_printf(&k->arena, "%s:%s", s->kernel.module, s->kernel.symbol);
}

static int no_kprobes(struct err *err, const struct site *s)
{
	err_set(err, -ENOENT, "attach to %s: this kernel has no kprobes", s->probe);
	err_help(err, "it was built without CONFIG_KPROBES (sonde info shows what it has): use a "
		      "tracepoint, rawtracepoint or uprobe");
	return -ENOENT;
}

/* EILSEQ: arch/x86/kernel/kprobes/core.c, can_probe(), which decodes the function from its
 * start. */
static int bad_kprobe(struct err *err, const struct site *s)
{
	if (errno == EINVAL && s->kernel.symbol &&
	    !s->kernel.offset) { /* the blacklist, or noinstr */
		err_set(err, -EINVAL, "attach to %s: the kernel forbids probes in this function",
			s->probe);
		err_help(
			err,
			"probes themselves run through it, or nothing may interrupt it: probe its callers or callees");
		return -EINVAL;
	}
	if (errno != EILSEQ)
		return refused(err, TRIED_KPROBE, "attach to %s", s->probe);
	err_set(err, -EILSEQ, "attach to %s: no instruction begins at this offset", s->probe);
	err_help(err, "a probe must be at the start of an instruction; "
		      "a function begins with endbr64 (4 bytes) or not, "
		      "and a call or nop of 5 bytes for the function tracer");
	return -EILSEQ;
}

static int attach_kprobe_event(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	struct perf_event_attr attr = { 0 };
	int prog = load_variant(k, func, 0, err), event;

	if (prog < 0)
		return prog;
	if (file_number("/sys/bus/event_source/devices/kprobe/type") < 0)
		return errno == ENOENT ? no_kprobes(err, s) :
					 refused(err, TRIED_KPROBE, "attach to %s", s->probe);
	if (s->kernel.address &&
	    !s->kernel
		     .module) { /* unnamed, not the only one of its name, or one of many: see session/attach.c */
		attr.probe_offset = s->kernel.address + s->kernel.offset;
	} else {
		attr.kprobe_func = (u64)(uintptr_t)kprobe_symbol(k, s);
		attr.probe_offset = s->kernel.offset;
	}
	event = open_probe("kprobe", s, &attr);
	if (event < 0 || attach_perf_event(k, prog, event, site_cookie(k, func, s), true) < 0)
		return bad_kprobe(err, s);
	return kernel_note(k, func, 1, "%s: %s event", s->probe,
			   s->is_return ? "kretprobe" : "kprobe");
}

/* A session has one cookie for both sites. */
static u64 kprobe_cookie(struct kernel *k, u32 func, const struct site *s, bool session)
{
	u64 cookie = site_cookie(k, func, s);

	return session ? cookie | (u64)s->twin->index << 32 : cookie;
}

static int link_kprobes(struct kernel *k, u32 func, u32 attach_type, const struct site *const *s,
			u32 n, struct err *err)
{
	bool session = attach_type == ATTACH_KPROBE_SESSION;
	int prog_fd = session ? k->loaded[func].session_fd :
				load_variant(k, func, attach_type, err);
	const char **syms = xcalloc(n, sizeof *syms);
	u64 *cookies = xcalloc(n, sizeof *cookies), *addrs = xcalloc(n, sizeof *addrs);
	struct bpf_multi_link l = { .attach_type = attach_type,
				    .prog_fd = prog_fd,
				    .is_return = s[0]->is_return,
				    .n = n,
				    .syms = s[0]->kernel.address ? NULL : syms,
				    .addrs = s[0]->kernel.address ? addrs : NULL,
				    .cookies = k->loaded[func].uses_cookie ? cookies : NULL };
	int fd = prog_fd;

	for (u32 i = 0; i < n; i++) {
		syms[i] = s[i]->kernel.symbol;
		addrs[i] = s[i]->kernel.address;
		cookies[i] = kprobe_cookie(k, func, s[i], session);
	}
	if (prog_fd >= 0)
		fd = bpf_link_multi(&l);
	if (prog_fd >= 0 && fd < 0)
		fd = refused(err, TRIED_KPROBE, "attach to %s%s", s[0]->probe,
			     n > 1 ? " and others" : "");
	free(syms);
	free(addrs);
	free(cookies);
	return fd;
}

int attach_kprobes(struct kernel *k, u32 func, const struct site *const *s, u32 n, struct err *err)
{
	int fd;

	if (!feature_has(k->features, FEAT_KPROBE_MULTI))
		return -EOPNOTSUPP;
	for (u32 i = 0; i < n; i++)
		if (!is_multi_kprobe(s[i]))
			return -EOPNOTSUPP;
	fd = link_kprobes(k, func, ATTACH_KPROBE_MULTI, s, n, err);
	if (fd < 0)
		return fd;
	kernel_keep(k, fd, true);
	return kernel_note(k, func, n, "%s%s: one %s multi link for %u function%s", s[0]->probe,
			   n > 1 ? " ..." : "", s[0]->is_return ? "kretprobe" : "kprobe", n,
			   n > 1 ? "s" : "");
}

int attach_kprobe_sessions(struct kernel *k, u32 func, const struct site *const *s, u32 n,
			   struct err *err)
{
	int fd = link_kprobes(k, func, ATTACH_KPROBE_SESSION, s, n, err);

	if (fd < 0)
		return fd;
	kernel_keep(k, fd, true);
	return kernel_note(k, func, n,
			   "%s%s: one kprobe session link for entry and return of %u function%s",
			   s[0]->probe, n > 1 ? " ..." : "", n, n > 1 ? "s" : "");
}

/* A function that the function tracer does not know may still take a breakpoint. */
static int attach_function(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	int ret = attach_kprobes(k, func, &s, 1, err);

	if (ret >= 0)
		return ret;
	err_release(err);
	*err = (struct err){ 0 };
	return attach_kprobe_event(k, func, s, err);
}

/* ---- a name that several functions have: static ones of different files */

struct namesakes {
	const char *name;
	struct arena *arena;
	VEC(u64) address;
};

static int add_namesake(void *ctx, const struct ksym *s)
{
	struct namesakes *all = ctx;

	if (s->address && !s->module && ksym_is_text(s) && streq(s->name, all->name))
		vec_push(all->arena, &all->address, s->address);
	return 0;
}

static void find_namesakes(struct kernel *k, const char *name, struct namesakes *all)
{
	struct kallsyms *ksyms = kallsyms_new(NULL);

	*all = (struct namesakes){ .name = name, .arena = &k->arena };
	if (kallsyms_count(ksyms))
		kallsyms_each(ksyms, add_namesake, all);
	kallsyms_free(ksyms);
}

/*
 * Whether the kernel has several symbols of the name, which links do not report: they take the
 * first. An event at an impossible offset tests only that (kernel/trace/trace_kprobe.c:
 * create_local_trace_kprobe; 6.7, and earlier in stable kernels). struct kprobe stores 32 bits of
 * the offset: with a smaller offset the kernel would insert the probe and remove it again, which
 * waits for all processors.
 */
static bool has_namesakes(const char *name)
{
	struct perf_event_attr attr = { .kprobe_func = (u64)(uintptr_t)name,
					.probe_offset = UINT32_MAX - 15 };
	int event = open_probe("kprobe", &(struct site){ .pid = -1 }, &attr);

	if (event >= 0)
		close(event);
	return event < 0 && errno == EADDRNOTAVAIL;
}

bool kprobe_has_namesakes(const struct site *s)
{
	return s->kernel.named && s->kernel.symbol && !s->kernel.address && !s->kernel.module &&
	       has_namesakes(s->kernel.symbol);
}

static int which_one(struct err *err, const struct site *s, const struct namesakes *all)
{
	u64 first = all->address.v[0] + s->kernel.offset;

	err_set(err, -EADDRNOTAVAIL, "attach to %s: %u functions have this name", s->probe,
		all->address.n);
	err_help(err, "an offset is of one of them: kprobe:0x%llx, with --unsafe, is the first",
		 (unsigned long long)first);
	return -EADDRNOTAVAIL;
}

/* Attaches to all of them; those that cannot be probed are skipped unless none can. */
static int attach_namesakes(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	struct namesakes all;
	int ret = -EADDRNOTAVAIL, done = 0;

	find_namesakes(k, s->kernel.symbol, &all);
	if (s->kernel.offset && all.address.n > 1)
		return which_one(err, s, &all);
	for (u32 i = 0; i < all.address.n; i++) {
		struct site at = *s;

		err_release(err);
		*err = (struct err){ 0 };
		at.kernel.address = all.address.v[i];
		ret = attach_function(k, func, &at, err);
		done += ret >= 0;
	}
	if (!all.address.n)
		return errno = EADDRNOTAVAIL, refused(err, TRIED_KPROBE, "attach to %s", s->probe);
	if (!done)
		return ret;
	err_release(err);
	*err = (struct err){ 0 };
	return 0;
}

bool is_one_of_several(struct kernel *k, const char *name)
{
	struct namesakes all = { 0 };

	if (has_namesakes(name))
		find_namesakes(k, name, &all);
	return all.address.n > 1;
}

int attach_kprobe(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	bool by_name = s->kernel.symbol && !s->kernel.address && !s->kernel.module;
	int ret;

	if (by_name && feature_has(k->features, FEAT_KPROBE_MULTI) &&
	    has_namesakes(s->kernel.symbol))
		return attach_namesakes(k, func, s, err);
	ret = attach_function(k, func, s, err);
	if (ret != -EADDRNOTAVAIL || !by_name)
		return ret;
	err_release(err);
	*err = (struct err){ 0 };
	return attach_namesakes(k, func, s, err);
}

/* For a name of several functions, links would take only the first. */
int attach_kprobe_session(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	if (!s->kernel.address && has_namesakes(s->kernel.symbol))
		return err_set(err, -EADDRNOTAVAIL,
			       "attach to %s: several functions have this name", s->probe);
	return attach_kprobe_sessions(k, func, &s, 1, err);
}

/* ---- uprobes */

static void note_file(struct kernel *k, const char *path)
{
	if (!k->probed.n || !streq(k->probed.v[k->probed.n - 1], path))
		vec_push(&k->arena, &k->probed, arena_strdup(&k->arena, path));
}

static int attach_uprobe_event(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	struct perf_event_attr attr = { 0 };
	int prog = load_variant(k, func, 0, err), event;

	if (prog < 0)
		return prog;
	attr.uprobe_path = (u64)(uintptr_t)s->user.path;
	attr.probe_offset = s->user.offset;
	event = open_probe("uprobe", s, &attr);
	if (event < 0 || attach_perf_event(k, prog, event, site_cookie(k, func, s), true) < 0)
		return refused(err, TRIED_UPROBE, "attach to %s (%s + 0x%llx)", s->probe,
			       s->user.path, (unsigned long long)s->user.offset);
	note_file(k, s->user.path);
	return kernel_note(k, func, 1, "%s: %s event at %s + 0x%llx", s->probe,
			   s->is_return ? "uretprobe" : "uprobe", s->user.path,
			   (unsigned long long)s->user.offset);
}

static int link_uprobes(struct kernel *k, u32 func, const struct site *const *s, u32 n,
			struct err *err)
{
	u64 *words = xcalloc((size_t)n * 3, sizeof *words);
	u64 *offsets = words, *ref_ctrs = words + n, *cookies = words + 2 * (size_t)n;
	struct bpf_multi_link l = { .attach_type = ATTACH_UPROBE_MULTI,
				    .is_return = s[0]->is_return,
				    .n = n,
				    .path = s[0]->user.path,
				    .addrs = offsets };
	int fd = load_variant(k, func, ATTACH_UPROBE_MULTI, err);

	l.prog_fd = fd;
	l.pid = s[0]->pid > 0 ? (u32)s[0]->pid : 0;
	for (u32 i = 0; i < n; i++) {
		offsets[i] = s[i]->user.offset;
		ref_ctrs[i] = s[i]->user.ref_ctr_offset;
		cookies[i] = s[i]->index;
		if (ref_ctrs[i])
			l.ref_ctrs = ref_ctrs;
	}
	l.cookies = k->loaded[func].uses_cookie ? cookies : NULL;
	if (fd >= 0) {
		fd = bpf_link_multi(&l);
		if (fd < 0)
			refused(err, TRIED_UPROBE, "attach to %s%s (%s + 0x%llx)", s[0]->probe,
				n > 1 ? " and others" : "", s[0]->user.path,
				(unsigned long long)s[0]->user.offset);
	}
	free(words);
	return fd < 0 ? err->code : fd;
}

int attach_uprobes(struct kernel *k, u32 func, const struct site *const *s, u32 n, struct err *err)
{
	int fd;

	if (!has_uprobe_links(k, s[0]))
		return -EOPNOTSUPP;
	fd = link_uprobes(k, func, s, n, err);
	if (fd < 0)
		return fd;
	kernel_keep(k, fd, true);
	note_file(k, s[0]->user.path);
	return kernel_note(k, func, n, "%s%s: one %s multi link for %u address%s in %s",
			   s[0]->probe, n > 1 ? " ..." : "",
			   s[0]->is_return ? "uretprobe" : "uprobe", n, n > 1 ? "es" : "",
			   s[0]->user.path);
}

int attach_uprobe(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	if (multi_attach_type(k, s, 0) == ATTACH_UPROBE_MULTI)
		return attach_uprobes(k, func, &s, 1, err);
	return attach_uprobe_event(k, func, s, err);
}
