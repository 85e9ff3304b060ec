/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of other tools as recordings: an importer writes the events to a recording without a name,
 * and the reader of recordings opens that. So what reads a recording reads these files, too.
 */
#ifndef SONDE_IMPORT_IMPORT_H
#define SONDE_IMPORT_IMPORT_H

#include "base/buf.h"
#include "base/cursor.h"
#include "base/err.h"
#include "base/hash.h"
#include "store/read.h"
#include "store/write.h"
#include "type/event_format.h"

/* The results of an importer. */
struct importing {
	const char *name; /* of the file, for messages */
	int fd;           /* of the recording */
	struct arena arena;
	struct store_writer *writer; /* NULL until import_begin() */
	struct hash formats;         /* the kernel's number -> struct import_format * */
	u32 n_formats;
	char damage[256]; /* what of the file cannot be read; "": nothing */
};

struct importer {
	const char *name, *brief;
	/* By the first bytes, of which there are at least 16. */
	bool (*knows)(const u8 *bytes, size_t len);
	/*
	 * The bytes are not trusted. What is before a damage is imported, and the damage is noted.
	 * -errno with err set if nothing is.
	 */
	int (*run)(struct importing *to, const u8 *bytes, size_t len, struct err *err);
	/* A descriptor of the same in a form that run() reads, if it does not read that of this
	 * one. -1: it does, or there is no such form. NULL: it reads all. */
	int (*convert)(const u8 *bytes, size_t len, int fd);
};

#define X(name) extern const struct importer import_##name;
#include "import/index.h"
#undef X
extern const struct importer *const importers[]; /* NULL-terminated */

/*
 * A recording, or a file of another tool; "-": standard input. NULL with err set: neither. damage:
 * is set to what could not be read of the file of another tool, if anything; the caller releases
 * it.
 */
struct store *import_open(const char *path, struct buf *damage, struct err *err);
/* From now on import_open() of that path opens the file of s again, with that damage: it may have
 * been standard input, or converted, or another file has the path now. s stays open. */
void import_remember(const char *path, const struct store *s, const char *damage);
/* The same of bytes in memory that an importer knows. */
struct store *import_bytes(const struct importer *x, const u8 *bytes, size_t len, const char *name,
			   struct buf *damage, struct err *err);

/* ---- for importers */

void import_begin(struct importing *to, const struct file_head *head);
/* Only the first one is kept. */
FORMAT(2, 3) void import_damage(struct importing *to, const char *fmt, ...);

struct import_format {
	u32 id;     /* the kernel's number */
	u32 number; /* in the recording */
	struct event_format *format;
};

/* The text of a format file; one that cannot be parsed, or whose number is taken, is left out. */
void import_add_format(struct importing *to, const char *system, const char *text, size_t len);
/* NULL: there is none of that number. */
const struct import_format *import_find_format(const struct importing *to, u32 id);
/* record: as the kernel made it, with its common fields. False: it has no format, or is too
 * short. */
bool import_event(struct importing *to, const struct store_event *who, const void *record, u32 len);

#endif
