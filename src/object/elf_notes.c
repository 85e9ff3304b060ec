/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notes of an ELF file: build id, USDT probes; and the debug file that a build id or debug link
 * refers to.
 *
 * A note: u32 name length, u32 data length, u32 type, name, data, both padded to 4. A USDT note
 * (.note.stapsdt, type 3, name "stapsdt"; systemtap's sdt.h) holds
 *
 *	u64 pc | u64 base | u64 semaphore | provider \0 name \0 arguments \0
 *
 * base is the address of .stapsdt.base when the object was linked: prelink moves sections but not
 * notes, so all addresses shift by the section's current address minus base.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "base/buf.h"
#include "object/debuginfod.h"
#include "object/elf_file.h"

#define NT_STAPSDT 3

struct note {
	u32 type;
	const char *name;
	u32 name_len;
	const u8 *data;
	u32 data_len;
};

struct notes {
	const u8 *at, *end;
};

static bool next_note(struct notes *n, struct note *out)
{
	u32 head[3];
	u64 left = (u64)(n->end - n->at), name_len, data_len;

	if (left < sizeof head)
		return false;
	memcpy(head, n->at, sizeof head);
	left -= sizeof head;
	name_len = ALIGN_UP((u64)head[0], 4);
	data_len = ALIGN_UP((u64)head[1], 4);
	if (name_len > left || head[1] > left - name_len)
		return false;
	out->type = head[2];
	out->name = (const char *)n->at + sizeof head;
	out->name_len = head[0];
	out->data = (const u8 *)out->name + name_len;
	out->data_len = head[1];
	n->at = out->data + MIN(data_len, left - name_len);
	return true;
}

static bool note_is(const struct note *n, const char *name, u32 type)
{
	return n->type == type && n->name_len == strlen(name) + 1 &&
	       !memcmp(n->name, name, n->name_len);
}

/* ---- build id and debug link */

const u8 *elf_notes_build_id(const void *notes, u64 len, u32 *id_len)
{
	struct notes left = { notes, (const u8 *)notes + len };
	struct note n;

	while (next_note(&left, &n)) {
		if (note_is(&n, "GNU", NT_GNU_BUILD_ID) && n.data_len) {
			*id_len = n.data_len;
			return n.data;
		}
	}
	return NULL;
}

const u8 *elf_build_id(const struct elf *e, u32 *len)
{
	const u8 *id = NULL;
	struct elf_section s;

	if (elf_section(e, ".note.gnu.build-id", &s) && s.bytes)
		id = elf_notes_build_id(s.bytes, s.size, len);
	for (u32 i = 0; i < e->n_segments && !id; i++) {
		const Elf64_Phdr *p = &e->segment[i];
		const void *bytes = p->p_type == PT_NOTE ? elf_at(e, p->p_offset, p->p_filesz) :
							   NULL;

		if (bytes)
			id = elf_notes_build_id(bytes, p->p_filesz, len);
	}
	return id;
}

const char *elf_debuglink(const struct elf *e, u32 *crc)
{
	struct elf_section s;
	const char *name;
	u64 at;

	if (!elf_section(e, ".gnu_debuglink", &s) || !s.bytes)
		return NULL;
	name = elf_string(s.bytes, s.size, 0);
	if (!name || !*name || strchr(name, '/'))
		return NULL;
	at = ALIGN_UP((u64)strlen(name) + 1, 4);
	if (at > s.size || s.size - at < sizeof *crc)
		return NULL;
	memcpy(crc, (const u8 *)s.bytes + at, sizeof *crc);
	return name;
}

/* ---- debug file */

static const char *debug_dirs = "/usr/lib/debug";

void elf_debug_dirs(const char *dirs)
{
	debug_dirs = dirs ? dirs : "/usr/lib/debug";
}

static bool same_build_id(const struct elf *a, const struct elf *b)
{
	u32 an, bn;
	const u8 *x = elf_build_id(a, &an), *y = elf_build_id(b, &bn);

	return x && y && an == bn && !memcmp(x, y, an);
}

/* CRC-32 of the whole file, as gdb computes it for debug links. */
static u32 file_crc(const struct elf *e)
{
	u32 table[256], crc = ~0u;

	for (u32 i = 0; i < 256; i++) {
		table[i] = i;
		for (u32 j = 0; j < 8; j++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
	}
	for (u64 i = 0; i < e->len; i++)
		crc = crc >> 8 ^ table[(crc ^ e->bytes[i]) & 0xff];
	return ~crc;
}

/*
 * Opens path (freed here, may be NULL) if it is the debug file of e: by build id or, if e has none,
 * by checksum.
 */
static struct elf *open_debug(const struct elf *e, char *path)
{
	struct err err = { 0 };
	struct elf *debug = path ? elf_open(path, &err) : NULL;
	u32 len, crc;
	bool good;

	free(path);
	err_release(&err);
	if (!debug)
		return NULL;
	if (elf_build_id(e, &len))
		good = same_build_id(e, debug);
	else
		good = elf_debuglink(e, &crc) && file_crc(debug) == crc;
	if (good && debug->table[0].n)
		return debug;
	elf_close(debug);
	return NULL;
}

static char *build_id_path(const struct elf *e, const char *dir, int dir_len)
{
	struct buf b = { 0 };
	u32 len;
	const u8 *id = elf_build_id(e, &len);

	if (!id || len < 2)
		return NULL;
	buf_printf(&b, "%.*s/.build-id/%02x/", dir_len, dir, id[0]);
	for (u32 i = 1; i < len; i++)
		buf_printf(&b, "%02x", id[i]);
	buf_puts(&b, ".debug");
	return buf_steal(&b);
}

/* link in dir/a/b, dir/b, dir for a file /a/b/name. */
static struct elf *search_below(const struct elf *e, const char *dir, int len, const char *link)
{
	const char *end = strrchr(e->mapped.path, '/'), *at = e->mapped.path;
	struct elf *debug =
		open_debug(e, xasprintf("%.*s%.*s/%s", len, dir, (int)(end - at), at, link));

	while (!debug && at < end) {
		at = strchrnul(at + 1, '/');
		debug = open_debug(e,
				   xasprintf("%.*s%.*s/%s", len, dir, (int)(end - at), at, link));
	}
	return debug;
}

/*
 * Like libdwfl's dwfl_standard_find_debuginfo(): "+" and "-" before a directory (checksum
 * verification) have no effect, because checksums are always verified; a relative directory is
 * relative to the file.
 */
static struct elf *search_dir(const struct elf *e, const char *dir, int len)
{
	u32 crc;
	const char *link = elf_debuglink(e, &crc);
	const char *slash = e->mapped.path ? strrchr(e->mapped.path, '/') : NULL;
	struct elf *debug = NULL;

	if (*dir == '+' || *dir == '-') {
		dir++;
		len--;
	}
	if (link && slash && *dir != '/')
		debug = open_debug(e, xasprintf("%.*s/%.*s/%s", (int)(slash - e->mapped.path),
						e->mapped.path, len, dir, link));
	if (!debug)
		debug = open_debug(e, build_id_path(e, dir, len));
	if (!debug && link && slash)
		debug = search_below(e, dir, len, link);
	return debug;
}

/* Beside the file, in its .debug, then in each directory. */
static struct elf *search(const struct elf *e)
{
	u32 crc;
	const char *link = elf_debuglink(e, &crc), *dir = debug_dirs, *colon;
	const char *slash = e->mapped.path ? strrchr(e->mapped.path, '/') : NULL;
	struct elf *debug = NULL;

	for (; *dir && !debug; dir = *colon ? colon + 1 : colon) {
		colon = strchrnul(dir, ':');
		if (colon > dir)
			debug = search_dir(e, dir, (int)(colon - dir));
	}
	if (debug || !link || !slash)
		return debug;
	debug = open_debug(e, xasprintf("%.*s/.debug/%s", (int)(slash - e->mapped.path),
					e->mapped.path, link));
	if (!debug)
		debug = open_debug(e, xasprintf("%.*s/%s", (int)(slash - e->mapped.path),
						e->mapped.path, link));
	return debug;
}

/* by: debuginfod_cached or debuginfod_fetch. */
static struct elf *from_debuginfod(const struct elf *e, char *(*by)(const u8 *id, u32 len))
{
	u32 len;
	const u8 *id = elf_build_id(e, &len);
	char *path = id ? by(id, len) : NULL;

	return path ? open_debug(e, path) : NULL;
}

struct elf *elf_debug_file(struct elf *e)
{
	if (!e->debug_tried) {
		e->debug_tried = true;
		e->debug = search(e);
		if (!e->debug)
			e->debug = from_debuginfod(e, debuginfod_cached);
	}
	return e->debug;
}

struct elf *elf_fetch_debug_file(struct elf *e)
{
	if (!elf_debug_file(e) && !e->fetch_tried) {
		e->fetch_tried = true;
		e->debug = from_debuginfod(e, debuginfod_fetch);
	}
	return e->debug;
}

/* ---- USDT */

/* Notes of include/sonde/sonde.h: of a tracepoint, and of the code that writes its records. Those
 * of tracepoints are in the order of their USDT notes: the note of a probe is the next one, or it
 * has none. */
struct sonde_note {
	u64 address, base;
	u32 kinds[2];
};
enum { SONDE_TRACEPOINT = 1, SONDE_RECORD_SITE };

static bool parse_sonde(const struct note *n, u32 type, struct elf_usdt *u)
{
	struct sonde_note note;

	if (!note_is(n, "sonde", type) || n->data_len < sizeof note)
		return false;
	memcpy(&note, n->data, sizeof note);
	u->address = note.address;
	u->kinds = note.kinds[0] | (u64)note.kinds[1] << 24;
	return true;
}

static bool next_sonde(struct notes *notes, u32 type, struct note *n, struct elf_usdt *u)
{
	while (next_note(notes, n))
		if (parse_sonde(n, type, u))
			return true;
	return false;
}

static void add_types(struct elf_usdt *u, struct notes *types, u64 address, u64 shift)
{
	struct notes next = *types;
	struct elf_usdt t;
	struct note n;
	u64 more[2];

	if (!next_sonde(&next, SONDE_TRACEPOINT, &n, &t) || t.address != address)
		return;
	*types = next;
	u->kinds = t.kinds;
	if (n.data_len < sizeof(struct sonde_note) + sizeof more)
		return;
	memcpy(more, n.data + sizeof(struct sonde_note), sizeof more);
	u->cold_path = more[0] + shift;
	u->module = more[1] + shift;
}

static struct notes notes_of(struct elf *e, const char *name)
{
	struct elf_section s;

	if (!elf_section(e, name, &s) || !s.bytes)
		return (struct notes){ 0 };
	return (struct notes){ s.bytes, (const u8 *)s.bytes + s.size };
}

static bool parse_usdt(const struct elf *e, const struct note *n, u64 base_now, struct notes *types,
		       struct elf_usdt *u)
{
	u64 word[3] = { 0 }, shift;
	u32 word_size = e->own_header ? 4 : 8;
	const char *text = (const char *)n->data + 3 * (size_t)word_size;
	u64 len = n->data_len - 3 * (u64)word_size;

	if (!note_is(n, "stapsdt", NT_STAPSDT) || n->data_len < 3 * word_size + 3)
		return false;
	for (u32 i = 0; i < 3; i++)
		memcpy(&word[i], n->data + i * word_size, word_size);
	u->provider = elf_string(text, len, 0);
	u->name = u->provider ? elf_string(text, len, strlen(u->provider) + 1) : NULL;
	if (!u->name || !*u->name)
		return false;
	u->args = elf_string(text, len, (u64)(u->name - text) + strlen(u->name) + 1);
	if (!u->args)
		u->args = "";
	shift = base_now && word[1] ? base_now - word[1] : 0;
	u->address = word[0] + shift;
	u->semaphore = word[2] ? word[2] + shift : 0;
	u->semaphore_offset = u->kinds = u->cold_path = u->module = 0;
	add_types(u, types, word[0], shift);
	if (u->semaphore && !elf_address_to_offset(e, u->semaphore, &u->semaphore_offset))
		return false;
	return elf_address_to_offset(e, u->address, &u->offset);
}

int elf_each_usdt(struct elf *e, int (*f)(void *ctx, const struct elf_usdt *u), void *ctx)
{
	struct elf_section base;
	u64 base_now = elf_section(e, ".stapsdt.base", &base) ? base.address : 0;
	struct notes notes = notes_of(e, ".note.stapsdt"), types = notes_of(e, ".note.sonde");
	struct note n;
	struct elf_usdt u;
	int r = 0;

	while (!r && next_note(&notes, &n))
		if (parse_usdt(e, &n, base_now, &types, &u))
			r = f(ctx, &u);
	return r;
}

int elf_each_record_site(struct elf *e, int (*f)(void *ctx, const struct elf_usdt *u), void *ctx)
{
	struct notes notes = notes_of(e, ".note.sonde");
	struct note n;
	struct elf_usdt u = { 0 };
	int r = 0;

	while (!r && next_sonde(&notes, SONDE_RECORD_SITE, &n, &u)) {
		const char *text = (const char *)n.data + sizeof(struct sonde_note);
		u64 len = n.data_len - sizeof(struct sonde_note);

		u.provider = elf_string(text, len, 0);
		u.name = u.provider ? elf_string(text, len, strlen(u.provider) + 1) : NULL;
		if (u.name)
			r = f(ctx, &u);
	}
	return r;
}
