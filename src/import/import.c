/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which importer knows a file, the recording that it fills, formats by the kernel's number. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/fd.h"
#include "import/convert.h"
#include "import/import.h"
#include "sym/event_layout.h"

enum { CPUS_MOST = 4096 }; /* a recording has buffers for each */

const struct importer *const importers[] = {
#define X(name) &import_##name,
#include "import/index.h"
#undef X
	NULL,
};

/* ---- for importers */

void import_begin(struct importing *to, const struct file_head *head)
{
	if (!to->writer)
		to->writer = store_writer_new(to->fd, head);
}

void import_damage(struct importing *to, const char *fmt, ...)
{
	va_list ap;

	if (to->damage[0])
		return;
	va_start(ap, fmt);
	vsnprintf(to->damage, sizeof to->damage, fmt, ap);
	va_end(ap);
}

/* What follows "KEY: " at the beginning of a line, up to its end. NULL: no line has it. */
static const char *value_of(struct arena *a, const char *text, const char *key)
{
	for (const char *s = text; *s; s += strcspn(s, "\n") + (s[strcspn(s, "\n")] == '\n'))
		if (starts_with(s, key)) {
			s += strlen(key);
			return arena_strndup(a, s, strcspn(s, "\n"));
		}
	return NULL;
}

void import_add_format(struct importing *to, const char *system, const char *bytes, size_t len)
{
	struct arena *a = &to->arena;
	char *text = arena_strndup(a, bytes, len);
	struct tp_format *f = tracefs_parse_format(a, text, strlen(text));
	const char *name = value_of(a, text, "name: "), *id = value_of(a, text, "ID: ");
	const char *full = name ? arena_printf(a, "%s:%s", system, name) : NULL;
	struct import_format *made;
	u32 number = id ? (u32)strtoul(id, NULL, 10) : 0;

	if (!f || !full || strlen(full) > NAME_MOST || !*system || strchr(system, ':') || !number ||
	    number > 0xffff || to->n_formats > 0xffff || import_find_format(to, number))
		return;
	made = arena_new(a, struct import_format);
	f->category = system;
	f->name = name;
	*made = (struct import_format){ number, to->n_formats++, event_layout(a, f) };
	hash_put(&to->formats, &made->id, sizeof made->id, made);
	store_format(to->writer, made->number, full, text);
}

const struct import_format *import_find_format(const struct importing *to, u32 id)
{
	return hash_get(&to->formats, &id, sizeof id);
}

bool import_event(struct importing *to, const struct store_event *who, const void *record, u32 len)
{
	const u32 common = sizeof(struct common_fields);
	const struct import_format *f;
	struct store_event e = *who;
	u16 type;

	if (len < common || e.cpu >= CPUS_MOST)
		return false;
	memcpy(&type, record, sizeof type);
	f = import_find_format(to, type);
	if (!f)
		return false;
	e.format = f->number;
	e.type = type;
	e.fields = (const u8 *)record + common;
	e.len = event_length(f->format, record, MIN(len, 65000u));
	e.len -= MIN(e.len, common);
	store_event(to->writer, &e);
	return true;
}

/* ---- from a file to a recording */

static int end_writer(struct importing *to, struct err *err)
{
	int ret = to->writer ? store_writer_end(to->writer) : 0;

	store_writer_free(to->writer);
	return ret ? err_set(err, ret, "write the events of %s to a temporary file: %s", to->name,
			     strerror(-ret)) :
		     0;
}

struct store *import_bytes(const struct importer *x, const u8 *bytes, size_t len, const char *name,
			   struct buf *damage, struct err *err)
{
	struct importing to = { .name = name, .fd = convert_file(err) };
	struct store *s = NULL;

	if (to.fd < 0)
		return NULL;
	arena_init(&to.arena);
	x->run(&to, bytes, len, err);
	if (end_writer(&to, err) == 0 && !err->code) {
		s = store_open_fd(to.fd, name, err);
		to.fd = -1;
	}
	if (to.damage[0])
		buf_puts(damage, to.damage);
	hash_release(&to.formats);
	arena_release(&to.arena);
	fd_close(&to.fd);
	return s;
}

static const struct importer *importer_of(const u8 *bytes, size_t len)
{
	for (u32 i = 0; importers[i]; i++)
		if (importers[i]->knows(bytes, len))
			return importers[i];
	return NULL;
}

/* NULL without err: no importer knows it. is_converted: what cannot be read in it is damaged. */
static struct store *import_fd(int fd, const char *path, bool is_converted, struct buf *damage,
			       struct err *err)
{
	const struct importer *x;
	struct store *s = NULL;
	struct stat st;
	void *bytes;
	int converted;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size < 16)
		return NULL;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED) {
		err_sys(err, "map %s", path);
		return NULL;
	}
	x = importer_of(bytes, (size_t)st.st_size);
	converted = x && x->convert && !is_converted ? x->convert(bytes, (size_t)st.st_size, fd) :
						       -1;
	if (converted >= 0)
		s = import_fd(converted, path, true, damage, err);
	else if (x)
		s = import_bytes(x, bytes, (size_t)st.st_size, path, damage, err);
	fd_close(&converted);
	munmap(bytes, (size_t)st.st_size);
	return s;
}

/* A pipe is read to its end: what reads recordings goes to and fro in them. */
static int standard_input(struct err *err)
{
	int to = convert_file(err), ret = 0;
	char bytes[1 << 16];
	ssize_t n = 0;

	while (to >= 0 && !ret && (n = read(STDIN_FILENO, bytes, sizeof bytes)) != 0)
		if (n > 0)
			ret = write_all(to, bytes, (size_t)n);
		else if (errno != EINTR)
			ret = -errno;
	if (ret) {
		err_set(err, ret, "keep standard input in a temporary file: %s", strerror(-ret));
		fd_close(&to);
	}
	return to;
}

static int open_input(const char *path, struct err *err)
{
	int fd;

	if (streq(path, "-"))
		return standard_input(err);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err_sys(err, "open %s", path);
	return fd;
}

/* A folder with the file "metadata" is a trace in CTF, of which the folder has its text. */
static int open_folder(int fd, const char *path, struct err *err)
{
	struct buf kernel = { 0 };
	struct stat st;
	int text;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISDIR(st.st_mode))
		return fd;
	buf_printf(&kernel, "%s/kernel", path);
	if (faccessat(fd, "metadata", F_OK, 0) == 0) {
		text = convert_ctf(path, err);
	} else if (faccessat(fd, "kernel/metadata", F_OK, 0) == 0) { /* of a session of LTTng */
		text = convert_ctf(kernel.s, err);
	} else {
		err_set(err, -EISDIR, "%s is a folder without the file metadata", path);
		err_help(err, "a CTF trace is the folder that contains it: "
			      "for LTTng, kernel or ust/uid/ID/64-bit in the session's folder");
		text = -1;
	}
	buf_release(&kernel);
	close(fd);
	return text;
}

static struct {
	char *path, *damage;
	int fd;
} remembered;

void import_remember(const char *path, const struct store *s, const char *damage)
{
	free(remembered.path);
	free(remembered.damage);
	remembered.path = xstrdup(path);
	remembered.damage = xstrdup(damage ? damage : "");
	remembered.fd = store_file(s);
}

/* NULL with err set likewise. */
static struct store *open_remembered(const char *path, struct buf *damage, struct err *err)
{
	int fd = fcntl(remembered.fd, F_DUPFD_CLOEXEC, 3);

	if (fd < 0) {
		err_sys(err, "open %s again", path);
		return NULL;
	}
	buf_puts(damage, remembered.damage);
	return store_open_fd(fd, path, err);
}

struct store *import_open(const char *path, struct buf *damage, struct err *err)
{
	int fd;
	struct store *s;

	if (remembered.path && streq(path, remembered.path))
		return open_remembered(path, damage, err);
	fd = open_folder(open_input(path, err), path, err);
	if (fd < 0)
		return NULL;
	s = import_fd(fd, path, false, damage, err);
	if (!s && !err->code)
		return store_open_fd(fd, path, err);
	close(fd);
	return s;
}
