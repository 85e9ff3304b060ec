/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/kallsyms -> a sorted table. One line is "ffffffff81000000 T name" and, for modules,
 * "\t[module]"; see kernel/kallsyms.c, s_show(). The text is read in full and split in place: names
 * and modules become strings in it, the table holds offsets. Lines are in order of addresses except
 * for per-CPU variables and modules, so sorting merges a few runs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include "base/buf.h"
#include "base/fd.h"
#include "base/hash.h"
#include "sym/kallsyms.h"

struct entry {
	u64 address;
	u32 name;   /* offset in text */
	u32 module; /* offset in text, 0: the kernel itself */
};

struct kallsyms {
	char *path;
	struct buf text;
	struct entry *v;
	u32 n, cap;
	u32 *names;               /* open addressing: index + 1 */
	u32 names_cap, n_asked;   /* n_asked: name lookups before the hash was built */
	int loaded;               /* 1; 0: not yet; or -errno */
	bool hidden;              /* all addresses are zero */
	u64 image_from, image_to; /* the kernel without its modules; 0: not determined yet */
};

struct kallsyms *kallsyms_new(const char *path)
{
	struct kallsyms *k = xcalloc(1, sizeof *k);

	k->path = xstrdup(path ? path : "/proc/kallsyms");
	return k;
}

void kallsyms_free(struct kallsyms *k)
{
	if (!k)
		return;
	buf_release(&k->text);
	free(k->path);
	free(k->v);
	free(k->names);
	free(k);
}

/* ---- reading */

/* seq_file returns about a page per call; the size is unknown before. */
static int read_text(struct kallsyms *k)
{
	_fd int fd = open(k->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	buf_reserve(&k->text, 8 << 20);
	for (;;) {
		ssize_t n;

		buf_reserve(&k->text, 1 << 20);
		n = read(fd, k->text.s + k->text.len, k->text.cap - k->text.len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		k->text.len += (size_t)n;
	}
	k->text.s[k->text.len] = '\0';
	return k->text.len > INT32_MAX ? -EFBIG : 0;
}

static const u8 hex_digit[256] = {
	['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

static void push(struct kallsyms *k, struct entry e)
{
	if (k->n == k->cap) {
		k->cap = k->cap ? k->cap * 2 : 1 << 17;
		k->v = xrealloc(k->v, sizeof *k->v * k->cap);
	}
	k->v[k->n++] = e;
}

/* The type letter is two bytes before the name. */
static char *parse_line(struct kallsyms *k, char *s, char *end)
{
	struct entry e = { 0 };
	char *eol = memchr(s, '\n', (size_t)(end - s)), *tab;
	u8 digit;

	if (!eol)
		eol = end;
	*eol = '\0';
	for (; (digit = hex_digit[(u8)*s]); s++)
		e.address = e.address << 4 | (digit - 1u);
	if (eol - s < 4 || s[0] != ' ' || s[2] != ' ')
		return eol + 1;
	s += 3;
	e.name = (u32)(s - k->text.s);
	tab = memchr(s, '\t', (size_t)(eol - s));
	if (tab) {
		*tab = '\0';
		if (tab[1] == '[' && eol[-1] == ']') {
			eol[-1] = '\0';
			e.module = (u32)(tab + 2 - k->text.s);
		}
	}
	push(k, e);
	return eol + 1;
}

static int by_address(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name; /* keeps the kernel's order */
}

/* Merges v[0..mid) and v[mid..n), both sorted, through tmp. */
static void merge(struct entry *v, u32 mid, u32 n, struct entry *tmp)
{
	u32 i = 0, j = mid, at = 0;

	memcpy(tmp, v, sizeof *v * mid);
	while (i < mid)
		v[at++] = j < n && by_address(&v[j], &tmp[i]) < 0 ? v[j++] : tmp[i++];
}

/* The file is a few long runs (kernel, per-CPU, modules, BPF); many short runs are left to
 * qsort(). */
static void sort(struct kallsyms *k)
{
	struct entry *tmp = NULL;
	u32 runs = 0, start = 0;

	for (u32 i = 1; i < k->n; i++)
		runs += by_address(&k->v[i - 1], &k->v[i]) > 0;
	if (runs > 32) {
		qsort(k->v, k->n, sizeof *k->v, by_address);
		return;
	}
	if (runs)
		tmp = xmalloc(sizeof *tmp * k->n);
	for (u32 i = 1; runs && i <= k->n; i++) {
		if (i < k->n && by_address(&k->v[i - 1], &k->v[i]) <= 0)
			continue;
		if (start)
			merge(k->v, start, i, tmp);
		start = i;
	}
	free(tmp);
}

static int load(struct kallsyms *k)
{
	int r = read_text(k);
	char *s, *end;

	if (r < 0)
		return r;
	end = k->text.s + k->text.len;
	for (s = k->text.s; s < end;)
		s = parse_line(k, s, end);
	k->hidden = true;
	for (u32 i = 0; i < k->n && k->hidden; i++)
		k->hidden = !k->v[i].address;
	if (!k->hidden)
		sort(k);
	return 1;
}

static bool ready(struct kallsyms *k)
{
	if (!k->loaded)
		k->loaded = load(k);
	return k->loaded > 0;
}

int kallsyms_load(struct kallsyms *k, struct err *err)
{
	if (!ready(k))
		return err_set(err, k->loaded, "read %s: %s", k->path, strerror(-k->loaded));
	if (k->hidden) {
		err_set(err, -EPERM, "%s shows no addresses", k->path);
		err_help(err, "needs CAP_SYSLOG, or sysctl kernel.kptr_restrict=0");
		return -EPERM;
	}
	return 0;
}

u32 kallsyms_count(struct kallsyms *k)
{
	return ready(k) ? k->n : 0;
}

/* ---- lookups */

static void fill(const struct kallsyms *k, const struct entry *e, struct ksym *out)
{
	*out = (struct ksym){
		.name = k->text.s + e->name,
		.module = e->module ? k->text.s + e->module : NULL,
		.address = e->address,
		.type = k->text.s[e->name - 2],
	};
}

static bool entry_is_text(const struct kallsyms *k, const struct entry *e)
{
	struct ksym s = { .type = k->text.s[e->name - 2] };

	return ksym_is_text(&s);
}

/*
 * If an address has several names, the first code symbol is shown: the kernel lists the linker's
 * section marks (_stext, __entry_text_start) among the functions, but a function is first or alone.
 */
static u32 first_at(const struct kallsyms *k, u32 i)
{
	u32 first = i;

	while (first && k->v[first - 1].address == k->v[i].address)
		first--;
	for (u32 j = first; j <= i; j++)
		if (entry_is_text(k, &k->v[j]))
			return j;
	return first;
}

bool kallsyms_lookup(struct kallsyms *k, u64 address, struct ksym *out)
{
	u32 lo = 0, hi;

	if (!ready(k) || k->hidden || !k->n || address < k->v[0].address)
		return false;
	for (hi = k->n; hi - lo > 1;) {
		u32 mid = lo + (hi - lo) / 2;

		if (k->v[mid].address <= address)
			lo = mid;
		else
			hi = mid;
	}
	/* Low addresses are per-CPU offsets; an address far past the last symbol has none. */
	if (!k->v[lo].address || (!(k->v[lo].address >> 63) && address >> 63) ||
	    address - k->v[lo].address > 64 << 20)
		return false;
	fill(k, &k->v[first_at(k, lo)], out);
	out->offset = address - out->address;
	return true;
}

/* _stext .. _end (arch/x86/kernel/vmlinux.lds.S), or .. _etext if data symbols are omitted. */
static void find_image(struct kallsyms *k)
{
	for (u32 i = 0; i < k->n; i++) {
		const char *name = k->text.s + k->v[i].name;

		if (name[0] != '_' || k->v[i].module)
			continue;
		if (streq(name, "_stext"))
			k->image_from = k->v[i].address;
		else if (streq(name, "_end") || streq(name, "_etext"))
			k->image_to = MAX(k->image_to, k->v[i].address);
	}
}

bool kallsyms_is_fixed(struct kallsyms *k, u64 address)
{
	if (k->loaded <= 0 || k->hidden)
		return false;
	if (!k->image_to)
		find_image(k);
	return address >= k->image_from && address < k->image_to;
}

static void build_names(struct kallsyms *k)
{
	u32 cap = 1024, mask;

	while (cap < k->n * 2)
		cap *= 2;
	mask = cap - 1;
	k->names = xcalloc(cap, sizeof(u32));
	k->names_cap = cap;
	for (u32 i = 0; i < k->n; i++) {
		const char *s = k->text.s + k->v[i].name;
		u32 h = hash_bytes(s, strlen(s)) & mask;

		while (k->names[h])
			h = (h + 1) & mask;
		k->names[h] = i + 1;
	}
}

static bool in_module(const struct kallsyms *k, const struct entry *e, const char *module)
{
	if (!module)
		return true;
	if (!e->module)
		return streq(module, "vmlinux");
	return streq(k->text.s + e->module, module);
}

/* The state of a search by name: a slot of the hash, or an entry if there is no hash yet. */
struct search {
	u32 at;
	bool by_hash;
};

/* The next entry of that name and module; NULL: no further one. */
static const struct entry *next_named(const struct kallsyms *k, const char *name,
				      const char *module, struct search *s)
{
	while (s->by_hash ? k->names[s->at] : s->at < k->n) {
		const struct entry *e = &k->v[s->by_hash ? k->names[s->at] - 1 : s->at];

		s->at++;
		if (s->by_hash)
			s->at &= k->names_cap - 1;
		if (streq(k->text.s + e->name, name) && in_module(k, e, module))
			return e;
	}
	return NULL;
}

/*
 * Hashing all names costs ten times as much as scanning them, and most scripts look up one or two.
 * False: no symbols.
 */
static bool first_named(struct kallsyms *k, const char *name, struct search *s)
{
	enum { FEW = 4 };

	if (!ready(k) || !k->n)
		return false;
	if (!k->names && k->n_asked++ >= FEW)
		build_names(k);
	*s = (struct search){ .by_hash = k->names };
	if (s->by_hash)
		s->at = hash_bytes(name, strlen(name)) & (k->names_cap - 1);
	return true;
}

/* Counts matches and stores the one with the lowest address in *best. */
static u32 find(struct kallsyms *k, const char *name, const char *module, const struct entry **best,
		bool text_only)
{
	struct search s;
	u32 n = 0;

	if (!first_named(k, name, &s))
		return 0;
	for (const struct entry *e; (e = next_named(k, name, module, &s));) {
		if (text_only && !entry_is_text(k, e))
			continue;
		if (!n++ || e->address < (*best)->address)
			*best = e;
	}
	return n;
}

void kallsyms_each_named(struct kallsyms *k, const char *name, const char *module,
			 int (*f)(void *ctx, const struct ksym *s), void *ctx)
{
	struct search search;
	struct ksym s;

	if (!first_named(k, name, &search))
		return;
	for (const struct entry *e; (e = next_named(k, name, module, &search));) {
		fill(k, e, &s);
		if (f(ctx, &s))
			return;
	}
}

bool kallsyms_find(struct kallsyms *k, const char *name, const char *module, struct ksym *out)
{
	const struct entry *e = NULL;

	if (!find(k, name, module, &e, false))
		return false;
	fill(k, e, out);
	return true;
}

u32 kallsyms_occurrences(struct kallsyms *k, const char *name, const char *module)
{
	const struct entry *e = NULL;

	return find(k, name, module, &e, true);
}

int kallsyms_each(struct kallsyms *k, int (*f)(void *ctx, const struct ksym *s), void *ctx)
{
	struct ksym s;
	int r;

	if (!ready(k))
		return k->loaded;
	for (u32 i = 0; i < k->n; i++) {
		fill(k, &k->v[i], &s);
		r = f(ctx, &s);
		if (r)
			return r;
	}
	return 0;
}
