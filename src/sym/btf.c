/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTF files: opening, type offsets, name lookup. Format: Documentation/bpf/btf.rst.
 *
 *	header | types: struct btf_type and data by kind, ids from 1 | strings, first and last \0
 *
 * Opening maps the file and walks the types once to record their offsets; this walk also validates
 * the file, which makes every later access safe. The first name lookups use no index: the string
 * table is searched for the text and then the types for its offset (pahole stores each string
 * once), which is cheaper than hashing all names for a few lookups. After SEARCHES_BEFORE_INDEX
 * lookups a table of all names is built.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "base/buf.h"
#include "base/fd.h"
#include "base/hash.h"
#include "sym/btf_file.h"

enum { SEARCHES_BEFORE_INDEX = 12 };

static const u8 fixed_data[N_BTF_KINDS] = {
	[BTF_KIND_INT] = sizeof(u32),
	[BTF_KIND_ARRAY] = sizeof(struct btf_array),
	[BTF_KIND_VAR] = sizeof(u32),
	[BTF_KIND_DECL_TAG] = sizeof(u32),
};
static const u8 member_data[N_BTF_KINDS] = {
	[BTF_KIND_STRUCT] = sizeof(struct btf_member),
	[BTF_KIND_UNION] = sizeof(struct btf_member),
	[BTF_KIND_ENUM] = sizeof(struct btf_enum),
	[BTF_KIND_FUNC_PROTO] = sizeof(struct raw_param),
	[BTF_KIND_DATASEC] = sizeof(struct btf_var_secinfo),
	[BTF_KIND_ENUM64] = sizeof(struct raw_enum64),
};

/* ---- reading */

static int check_header(struct btf *b, struct err *err)
{
	const struct btf_header *h = (const void *)b->bytes;
	size_t body;

	if (b->len < sizeof *h || h->magic != BTF_MAGIC || h->version != BTF_VERSION)
		return err_set(err, -EINVAL, "BTF not in this machine's byte order");
	if (h->hdr_len < sizeof *h || h->hdr_len > b->len)
		return err_set(err, -EINVAL, "BTF header of %u bytes", h->hdr_len);
	body = b->len - h->hdr_len;
	if (h->type_off > body || h->type_len > body - h->type_off || h->str_off > body ||
	    h->str_len > body - h->str_off || (h->hdr_len + h->type_off) % 4)
		return err_set(err, -EINVAL, "BTF sections outside of the file");
	b->types = b->bytes + h->hdr_len + h->type_off;
	b->types_len = h->type_len;
	b->strings = (const char *)b->bytes + h->hdr_len + h->str_off;
	b->strings_len = h->str_len;
	if (!b->strings_len || b->strings[b->strings_len - 1] || (!b->base && b->strings[0]))
		return err_set(err, -EINVAL, "BTF strings do not begin and end with NUL");
	return 0;
}

/* No type is shorter than its header: that bounds the size of the table. Pages past its end are
 * never touched. */
static int walk(struct btf *b, struct err *err)
{
	u32 at = 0, n = 0, max = b->types_len / sizeof(struct btf_type);
	u32 *offset = xmalloc(sizeof *offset * (max + 1));

	b->offset = offset;
	while (b->types_len - at >= sizeof(struct btf_type)) {
		const struct btf_type *t = (const void *)(b->types + at);
		u32 kind = raw_kind(t), more;

		if (!kind || kind >= N_BTF_KINDS)
			return err_set(err, -EINVAL, "BTF type %u of unknown kind %u",
				       b->start_id + n, kind);
		more = sizeof *t + fixed_data[kind] + member_data[kind] * raw_vlen(t);
		if (more > b->types_len - at)
			break;
		offset[n++] = at;
		at += more;
	}
	if (at != b->types_len)
		return err_set(err, -EINVAL, "BTF type %u is cut off", b->start_id + n);
	b->n = n;
	return 0;
}

static struct btf *new_btf(struct arena *a, struct btf *base)
{
	struct btf *b = xcalloc(1, sizeof *b);

	b->arena = a;
	b->base = base;
	b->start_id = base ? base->start_id + base->n : 1;
	b->start_str = base ? base->start_str + base->strings_len : 0;
	return b;
}

static struct btf *finish(struct btf *b, struct err *err)
{
	if (check_header(b, err) < 0 || (!b->index_map && walk(b, err) < 0)) {
		btf_close(b);
		return NULL;
	}
	b->made = xcalloc(b->n + 1, sizeof *b->made);
	return b;
}

/*
 * sysfs BTF files can be mapped since 6.16; older kernels return ENODEV; there the copy in the
 * cache is faster than reading the file (5 MB take 4 ms).
 */
static int load_file(struct btf *b, const char *path, struct err *err)
{
	_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct buf text = { 0 };
	struct stat st;
	int r;

	if (fd < 0)
		return err_sys(err, "open %s", path);
	if (fstat(fd, &st) == 0 && st.st_size > 0) {
		void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (map != MAP_FAILED) {
			b->bytes = map;
			b->len = (size_t)st.st_size;
			b->mapped = true;
			if (b->is_vmlinux)
				btf_cache_load(b);
			return 0;
		}
		if (b->is_vmlinux && btf_cache_load(b))
			return 0;
		buf_reserve(&text, (size_t)st.st_size + 1);
	}
	r = buf_read_file(&text, path);
	if (r < 0) {
		buf_release(&text);
		return err_set(err, r, "read %s: %s", path, strerror(-r));
	}
	b->len = text.len;
	b->bytes = (u8 *)buf_steal(&text);
	b->owned = true;
	return 0;
}

static const char running_kernel[] = "/sys/kernel/btf/vmlinux";

static struct btf *open_file(struct arena *a, const char *path, struct btf *base, struct err *err)
{
	struct btf *b = new_btf(a, base);

	b->is_vmlinux = streq(path, running_kernel);
	if (load_file(b, path, err) < 0) {
		btf_close(b);
		return NULL;
	}
	b = finish(b, err);
	if (!b)
		err_wrap(err, "%s", path);
	return b;
}

struct btf *btf_open(struct arena *a, const char *path, struct err *err)
{
	const char *from_env = getenv("BPFTRACE_BTF");
	struct btf *b;

	if (!path)
		path = from_env && *from_env ? from_env : running_kernel;
	b = open_file(a, path, NULL, err);
	if (!b && err->code == -ENOENT)
		err_help(err, "this kernel was built without CONFIG_DEBUG_INFO_BTF; "
			      "set BPFTRACE_BTF to a BTF file of the same kernel");
	return b;
}

struct btf *btf_from_bytes(struct arena *a, const void *bytes, size_t len, struct btf *base,
			   struct err *err)
{
	struct btf *b = new_btf(a, base);

	b->bytes = bytes;
	b->len = len;
	return finish(b, err);
}

struct btf *btf_module(struct btf *base, const char *module)
{
	struct btf_module_entry entry;
	struct err err = { 0 };
	char *path;

	for (u32 i = 0; i < base->modules.n; i++)
		if (streq(base->modules.v[i].name, module))
			return base->modules.v[i].btf;
	if (strchr(module, '/') || module[0] == '.')
		return NULL;
	path = xasprintf("/sys/kernel/btf/%s", module);
	entry.name = arena_strdup(base->arena, module);
	entry.btf = open_file(base->arena, path, base, &err);
	vec_push(base->arena, &base->modules, entry);
	free(path);
	err_release(&err);
	return entry.btf;
}

bool btf_modules_each(bool (*f)(void *ctx, const char *module), void *ctx)
{
	DIR *dir = opendir("/sys/kernel/btf");
	struct dirent *e;
	bool go_on = true;

	while (go_on && dir && (e = readdir(dir)))
		if (e->d_name[0] != '.' && !streq(e->d_name, "vmlinux"))
			go_on = f(ctx, e->d_name);
	if (dir)
		closedir(dir);
	return go_on;
}

static void build_names(struct btf *b);

/* Called after the run, when nothing waits for it; not at opening. */
static void keep_index(struct btf *b)
{
	if (!b->is_vmlinux || b->index_map || !b->n)
		return;
	if (!b->names)
		build_names(b);
	btf_cache_store(b);
}

static void release_index(struct btf *b)
{
	if (b->index_map) {
		munmap(b->index_map, b->index_len);
		return;
	}
	free(b->offset);
	free(b->names);
}

void btf_close(struct btf *b)
{
	if (!b)
		return;
	keep_index(b);
	for (u32 i = 0; i < b->modules.n; i++)
		btf_close(b->modules.v[i].btf);
	if (b->mapped)
		munmap((void *)(uintptr_t)b->bytes, b->len);
	else if (b->owned)
		free((void *)(uintptr_t)b->bytes);
	release_index(b);
	free(b->made);
	free(b);
}

/* ---- access by id */

const struct btf_type *btf_raw(const struct btf *b, u32 id)
{
	while (b && id < b->start_id)
		b = b->base;
	if (!b || id - b->start_id >= b->n)
		return NULL;
	return (const void *)(b->types + b->offset[id - b->start_id]);
}

const char *btf_string(const struct btf *b, u32 offset)
{
	while (b && offset < b->start_str)
		b = b->base;
	if (!b || offset - b->start_str >= b->strings_len)
		return "";
	return b->strings + (offset - b->start_str);
}

u32 btf_n_types(const struct btf *b)
{
	return b->start_id + b->n;
}

const char *btf_name(struct btf *b, u32 id)
{
	const struct btf_type *t = btf_raw(b, id);

	return t ? btf_string(b, t->name_off) : "";
}

u32 btf_kind(struct btf *b, u32 id)
{
	const struct btf_type *t = btf_raw(b, id);

	return t ? raw_kind(t) : BTF_KIND_UNKN;
}

u32 btf_skip(const struct btf *b, u32 id, bool typedefs)
{
	for (u32 i = 0; i < 64; i++) {
		const struct btf_type *t = btf_raw(b, id);

		if (!t)
			return 0;
		switch (raw_kind(t)) {
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG: break;
		case BTF_KIND_TYPEDEF:
			if (typedefs)
				break;
			return id;
		default: return id;
		}
		id = t->type;
	}
	return 0;
}

/* ---- name lookup */

/* Finds s with a NUL on both sides; the table begins with one. */
static u32 find_in_table(const struct btf *b, const char *s, size_t len)
{
	const char *at = b->strings, *end = b->strings + b->strings_len, *hit;

	/*
	 * The search includes the final NUL; the preceding byte tells a whole name from a suffix of
	 * one.
	 */
	while ((hit = memmem(at, (size_t)(end - at), s, len + 1))) {
		if (hit == b->strings || !hit[-1])
			return b->start_str + (u32)(hit - b->strings);
		at = hit + 1;
	}
	return 0;
}

u32 btf_find_string(const struct btf *b, const char *s, size_t len)
{
	u32 off = 0;

	if (!len)
		return 0;
	for (; b && !off; b = b->base)
		off = find_in_table(b, s, len);
	return off;
}

/* First id >= from in this file (not its base) with that name and kind; 0: none. */
static u32 btf_scan(const struct btf *b, u32 name_off, u32 kind, u32 from)
{
	for (u32 i = MAX(from, b->start_id) - b->start_id; i < b->n; i++) {
		const struct btf_type *t = (const void *)(b->types + b->offset[i]);

		if (t->name_off == name_off && raw_kind(t) == kind)
			return b->start_id + i;
	}
	return 0;
}

static u32 name_hash(const char *s, size_t len, u32 kind)
{
	return hash_bytes(s, len) ^ kind * 0x9e3779b1u;
}

static void build_names(struct btf *b)
{
	u32 cap = 64;

	while (cap < b->n * 2)
		cap *= 2;
	b->names = xcalloc(cap, sizeof(u32));
	b->names_cap = cap;
	for (u32 i = 0; i < b->n; i++) {
		const struct btf_type *t = (const void *)(b->types + b->offset[i]);
		const char *s = btf_string(b, t->name_off);
		u32 h;

		if (!*s)
			continue;
		for (h = name_hash(s, strlen(s), raw_kind(t)) & (cap - 1); b->names[h];
		     h = (h + 1) & (cap - 1))
			;
		b->names[h] = b->start_id + i;
	}
}

static u32 find_hashed(struct btf *b, const char *name, size_t len, u32 kind)
{
	u32 mask = b->names_cap - 1;

	for (u32 h = name_hash(name, len, kind) & mask; b->names[h]; h = (h + 1) & mask) {
		const struct btf_type *t = btf_raw(b, b->names[h]);

		if (raw_kind(t) == kind && streq(btf_string(b, t->name_off), name))
			return b->names[h];
	}
	return 0;
}

u32 btf_find_own(struct btf *b, const char *name, u32 kind)
{
	size_t len = strlen(name);
	u32 off;

	if (!len)
		return 0;
	if (!b->names && b->searches++ >= SEARCHES_BEFORE_INDEX)
		build_names(b);
	if (b->names)
		return find_hashed(b, name, len, kind);
	off = btf_find_string(b, name, len);
	return off ? btf_scan(b, off, kind, 0) : 0;
}

u32 btf_find(struct btf *b, const char *name, u32 kind)
{
	u32 id = 0;

	for (; b && !id; b = b->base)
		id = btf_find_own(b, name, kind);
	return id;
}

void btf_each(struct btf *b, u32 kind, bool (*f)(void *ctx, const char *name, u32 id), void *ctx)
{
	for (u32 i = 0; i < b->n; i++) {
		const struct btf_type *t = (const void *)(b->types + b->offset[i]);

		if (raw_kind(t) == kind && t->name_off &&
		    !f(ctx, btf_string(b, t->name_off), b->start_id + i))
			return;
	}
}
