/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The format of stand-alone tools: see bundle.h. ELF header fields: elf(5). */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include "cli/bundle.h"
#include "session/import.h"

enum { MARK_MAGIC_LEN = 16, MARK_VERSION_LEN = 24 };

struct bundle_mark {
	char magic[MARK_MAGIC_LEN];
	char version[MARK_VERSION_LEN]; /* of the sonde that runs the payload */
	u64 at, len;                    /* of the payload in the file; 0: this is no tool */
	u64 sum;                        /* of the whole file, this number taken as 0 */
};

/* volatile: the bytes of the file count, not what the compiler knows of them. */
static const volatile struct bundle_mark mark = { .magic = "sonde-tool-mark",
						  .version = SONDE_VERSION };

/* The running tool: the import hook has no context argument. */
static const struct bundle *running;

/* ---- sums */

/* Four sums side by side: a megabyte takes a tenth of a millisecond. */
static u64 sum_of(const char *bytes, size_t len)
{
	enum { LANES = 4 };
	const u64 prime = 0x100000001b3; /* FNV-1a's, over words */
	u64 lane[LANES] = { 1, 2, 3, 4 }, word[LANES], sum = len;
	size_t i = 0;

	for (; i + sizeof word <= len; i += sizeof word) {
		memcpy(word, bytes + i, sizeof word);
		for (u32 k = 0; k < LANES; k++)
			lane[k] = (lane[k] ^ word[k]) * prime;
	}
	for (u32 k = 0; k < LANES; k++)
		sum = (sum ^ lane[k] ^ (lane[k] >> 32)) * prime;
	for (; i < len; i++)
		sum = (sum ^ (u8)bytes[i]) * prime;
	return sum;
}

/* ---- reading */

bool bundle_is(void)
{
	return mark.len != 0;
}

struct reader {
	const char *at, *end;
	bool bad;
};

static u32 read_u32(struct reader *r)
{
	u32 v = 0;

	if (r->end - r->at < 4) {
		r->bad = true;
		return 0;
	}
	for (u32 i = 0; i < 4; i++)
		v |= (u32)(u8)r->at[i] << (8 * i);
	r->at += 4;
	return v;
}

/* Followed by a NUL, which the length does not count. */
static const char *read_text(struct reader *r, size_t *len)
{
	u32 n = read_u32(r);
	const char *s = r->at;

	if (r->bad || (size_t)(r->end - r->at) < (size_t)n + 1 || s[n] || memchr(s, 0, n)) {
		r->bad = true;
		return "";
	}
	r->at += n + 1;
	*len = n;
	return s;
}

int bundle_parse(struct bundle *t, const char *bytes, size_t len)
{
	struct reader r = { bytes, bytes + len, false };
	size_t n;

	for (u32 left = read_u32(&r); left && !r.bad; left--)
		vec_push(&t->arena, &t->words, read_text(&r, &n));
	for (u32 left = read_u32(&r); left && !r.bad; left--) {
		struct bundle_file f = { 0 };

		f.name = read_text(&r, &n);
		f.text = read_text(&r, &f.len);
		vec_push(&t->arena, &t->files, f);
	}
	return r.bad || r.at != r.end || !t->files.n ? -EBADMSG : 0;
}

static int refuse(struct bundle *t, struct err *err, const char *why)
{
	err_set(err, -EBADMSG, "this tool is damaged: %s", why);
	err_help(err, "copy or build it again; strip and similar programs remove a tool's script");
	return -EBADMSG;
}

/* Compares with the sum in the mark; the file's own copy of the sum counts as 0. */
static bool is_whole(char *bytes, size_t len)
{
	char *m = memmem(bytes, len, (const char *)(uintptr_t)mark.magic, MARK_MAGIC_LEN);

	if (!m || (size_t)(bytes + len - m) < sizeof mark)
		return false;
	memset(m + offsetof(struct bundle_mark, sum), 0, sizeof(u64));
	return sum_of(bytes, len) == mark.sum;
}

int bundle_open(struct bundle *t, struct err *err)
{
	struct buf file = { 0 };
	char *payload;
	int ret;

	*t = (struct bundle){ .name = program_invocation_short_name };
	arena_init(&t->arena);
	ret = buf_read_file(&file, "/proc/self/exe");
	if (ret < 0) {
		errno = -ret;
		ret = err_sys(err, "read this tool's own file");
	} else if (mark.at > file.len || mark.len != file.len - mark.at) {
		ret = refuse(t, err, "its end is missing, or something follows it");
	} else if (!is_whole(file.s, file.len)) {
		ret = refuse(t, err, "its bytes are not those that were written");
	} else {
		payload = arena_alloc(&t->arena, mark.len);
		memcpy(payload, file.s + mark.at, mark.len);
		if (bundle_parse(t, payload, mark.len) < 0)
			ret = refuse(t, err, "its parts do not fit together");
		running = t;
	}
	buf_release(&file);
	return ret < 0 ? ret : 0;
}

void bundle_release(struct bundle *t)
{
	if (running == t)
		running = NULL;
	arena_release(&t->arena);
}

/* The file of that name with that ending, 0 for none. */
static const struct bundle_file *find_file(const char *name, char ending)
{
	size_t len = strlen(name);

	for (u32 i = 1; running && i < running->files.n; i++) {
		const char *have = running->files.v[i].name;

		if (!strncmp(have, name, len) && have[len] == ending && (!ending || !have[len + 1]))
			return &running->files.v[i];
	}
	return NULL;
}

static char **split_lines(const char *text, size_t len)
{
	char **lines = xcalloc(1, sizeof *lines);
	size_t n = 0;

	for (const char *end; len && (end = memchr(text, '\n', len));) {
		lines = xrealloc(lines, (n + 2) * sizeof *lines);
		lines[n++] = xstrndup(text, (size_t)(end - text));
		lines[n] = NULL;
		len -= (size_t)(end + 1 - text);
		text = end + 1;
	}
	return lines;
}

void bundle_read_import(struct env *env, const char *from, const char *path,
			struct import_source *found)
{
	char *full = from ? import_join_path(from, path) : xstrdup(path);
	const struct bundle_file *alias = find_file(full, BUNDLE_ALIAS),
				 *folder = find_file(full, BUNDLE_FOLDER);
	const struct bundle_file *file = find_file(alias ? alias->text : full, 0);

	*found = (struct import_source){ .path = full, .why = "this tool was built without it" };
	if (folder)
		found->entries = split_lines(folder->text, folder->len);
	else if (file)
		found->text = xstrndup(file->text, file->len);
	if (folder || file)
		found->id = xstrdup(file ? file->name : full);
}

/* ---- writing */

void bundle_put_count(struct buf *payload, u32 n)
{
	for (u32 i = 0; i < 4; i++)
		buf_putc(payload, (char)(n >> (8 * i)));
}

void bundle_put_text(struct buf *payload, const char *s, size_t len)
{
	bundle_put_count(payload, (u32)len);
	buf_add(payload, s, len);
	buf_putc(payload, '\0');
}

/* Sections and symbols are for debuggers: only what a segment covers remains. 0: no such file. */
static size_t loaded_len(char *bytes, size_t len)
{
	Elf64_Ehdr *e = (void *)bytes;
	size_t end = sizeof *e;

	if (len < sizeof *e || memcmp(e->e_ident, ELFMAG, SELFMAG) ||
	    e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_phoff > len ||
	    (len - e->e_phoff) / sizeof(Elf64_Phdr) < e->e_phnum)
		return 0;
	for (u32 i = 0; i < e->e_phnum; i++) {
		Elf64_Phdr p;

		memcpy(&p, bytes + e->e_phoff + i * sizeof p, sizeof p);
		if (p.p_offset > len || len - p.p_offset < p.p_filesz)
			return 0;
		end = MAX(end, p.p_offset + p.p_filesz);
	}
	e->e_shoff = 0;
	e->e_shnum = e->e_shstrndx = 0;
	return MAX(end, e->e_phoff + e->e_phnum * sizeof(Elf64_Phdr));
}

int bundle_join(struct buf *executable, const struct buf *payload, struct err *err)
{
	struct bundle_mark m;
	size_t keep = loaded_len(executable->s, executable->len), where;
	char *at = keep ? memmem(executable->s, keep, (const char *)(uintptr_t)mark.magic,
				 MARK_MAGIC_LEN) :
			  NULL;

	if (!at || (size_t)(executable->s + keep - at) < sizeof m)
		return err_set(err, -EINVAL, "not an executable of sonde");
	where = (size_t)(at - executable->s);
	memcpy(&m, at, sizeof m);
	if (m.len)
		return err_set(err, -EINVAL, "this is a tool already, built from a script");
	if (strncmp(m.version, SONDE_VERSION, sizeof m.version))
		return err_set(err, -EINVAL, "an executable of sonde %.*s, this is " SONDE_VERSION,
			       MARK_VERSION_LEN, m.version);
	executable->len = keep;
	buf_pad(executable, 0, ALIGN_UP(keep, 8u) - keep);
	m.at = executable->len;
	m.len = payload->len;
	m.sum = 0;
	buf_add(executable, payload->s, payload->len);
	memcpy(executable->s + where, &m, sizeof m);
	m.sum = sum_of(executable->s, executable->len);
	memcpy(executable->s + where, &m, sizeof m);
	return 0;
}
