/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.data of perf record -z -> the same without compression. A record of type COMPRESSED holds a
 * piece of one stream of Zstandard, whose content is records; one may begin in a piece and end in
 * the next one (tools/perf/util/tool.c: perf_session__process_compressed_event). libzstd is loaded
 * when it is needed.
 *
 * Out: the old file, then all records, then the table of features, which must follow them.
 */
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/cursor.h"
#include "base/fd.h"
#include "import/convert.h"
#include "import/perf_records.h"
#include "import/perf_zstd.h"

enum {
	DATA_AT = 40, /* struct perf_file_header: offset and size of the records, */
	BITS_AT = 72, /* bits of the features */
	FILE_HEADER = BITS_AT + N_FEATURES / 8,
	SECTION_SIZE = 16,
	PIECE = 1 << 16,
	MOST_TIMES = 1000, /* larger than its piece: no stream of records is so regular */
};

/* zstd.h: ZSTD_inBuffer, ZSTD_outBuffer. */
struct zstd_in {
	const void *src;
	size_t size, pos;
};
struct zstd_out {
	void *dst;
	size_t size, pos;
};
struct zstd {
	void *(*create)(void);
	size_t (*step)(void *stream, struct zstd_out *out, struct zstd_in *in);
	unsigned (*is_error)(size_t code);
	size_t (*release)(void *stream);
	void *stream;
};

static bool load(struct zstd *z)
{
#if SONDE_STATIC
	return false; /* a static program cannot load libraries */
#else
	void *lib = dlopen("libzstd.so.1", RTLD_LAZY | RTLD_LOCAL);

	if (!lib)
		return false;
	*(void **)&z->create = dlsym(lib, "ZSTD_createDStream");
	*(void **)&z->step = dlsym(lib, "ZSTD_decompressStream");
	*(void **)&z->is_error = dlsym(lib, "ZSTD_isError");
	*(void **)&z->release = dlsym(lib, "ZSTD_freeDStream");
	if (!z->create || !z->step || !z->is_error || !z->release)
		return false;
	z->stream = z->create();
	return z->stream;
#endif
}

struct output {
	int fd;
	u64 len;
	bool failed;
};

static void put(struct output *o, const void *bytes, size_t len)
{
	o->failed |= len && write_all(o->fd, bytes, len) < 0;
	o->len += len;
}

/* Writes the complete records of `pending`, and leaves the beginning of the next one. What is no
 * record is written, too: the importer reports it. */
static void put_records(struct output *o, struct buf *pending)
{
	size_t at = 0;
	struct perf_event_header h;

	while (pending->len - at >= sizeof h) {
		memcpy(&h, pending->s + at, sizeof h);
		if (h.size >= sizeof h && h.size > pending->len - at)
			break;
		at = h.size < sizeof h ? pending->len : at + h.size;
	}
	if (!at)
		return;
	put(o, pending->s, at);
	buf_cut(pending, 0, at);
}

/* Appends what a piece holds. False: it is damaged. */
static bool unpack(struct zstd *z, struct cursor c, struct buf *pending)
{
	struct zstd_in in = { c.at, cursor_left(&c), 0 };
	size_t most = MAX(in.size, (size_t)PIECE) * MOST_TIMES, before = pending->len;
	u8 *room = xmalloc(PIECE);
	bool good = true, full = true;

	while (good && (in.pos < in.size || full) && pending->len - before < most) {
		struct zstd_out out = { room, PIECE, 0 };
		size_t was = in.pos;

		good = !z->is_error(z->step(z->stream, &out, &in));
		full = out.pos == PIECE;
		buf_add(pending, (const char *)room, out.pos);
		if (in.pos == was && !out.pos)
			break;
	}
	free(room);
	return good && in.pos == in.size;
}

/* The stream's piece in a record. */
static struct cursor piece_of(u32 type, struct cursor body)
{
	u64 len = type == RECORD_COMPRESSED2 ? take_u64(&body) : cursor_left(&body);

	return cursor_part(body.at, cursor_left(&body), 0, len); /* without the padding */
}

/* Takes a record with all that belongs to it. False: it is cut. */
static bool take_record(struct cursor *data, struct perf_event_header *h, struct cursor *body)
{
	const u8 *at;

	take_to(data, h, sizeof *h);
	at = data->at;
	if (data->failed || h->size < sizeof *h || !take_bytes(data, h->size - sizeof *h))
		return false;
	*body = cursor_of(at, h->size - sizeof *h);
	take_bytes(data, perf_trailer(h->type, *body));
	return !data->failed;
}

/* From what cannot be unpacked on, records stay as they are: the importer reports it. */
static void put_all(struct output *o, struct zstd *z, struct cursor data)
{
	struct buf pending = { 0 };
	const u8 *end = data.end;

	while (cursor_left(&data) && !o->failed) {
		const u8 *at = data.at;
		struct perf_event_header h;
		struct cursor body;
		bool good = take_record(&data, &h, &body);

		if (good && (h.type == RECORD_COMPRESSED || h.type == RECORD_COMPRESSED2))
			good = unpack(z, piece_of(h.type, body), &pending);
		else if (good)
			put(o, at, (size_t)(data.at - at));
		put_records(o, &pending);
		if (!good) {
			buf_clear(&pending);
			put(o, at, (size_t)(end - at));
			break;
		}
	}
	put(o, pending.s, pending.len); /* cut */
	buf_release(&pending);
}

/* ---- the file */

static u32 count_bits(const u8 *bits)
{
	u32 n = 0;

	for (u32 i = 0; i < N_FEATURES; i++)
		n += bits[i / 8] >> i % 8 & 1;
	return n;
}

static void put_file(struct output *o, struct zstd *z, const u8 *bytes, size_t len)
{
	struct cursor c = cursor_of(bytes + DATA_AT, len - DATA_AT), data;
	u64 at = take_u64(&c), size = take_u64(&c), section[2];

	data = cursor_part(bytes, len, at, size);
	put(o, bytes, len);
	section[0] = o->len;
	put_all(o, z, data);
	section[1] = o->len - section[0];
	if (!data.failed)
		put(o, data.end,
		    MIN((size_t)count_bits(bytes + BITS_AT) * SECTION_SIZE,
			(size_t)(bytes + len - data.end)));
	o->failed |= pwrite(o->fd, section, sizeof section, DATA_AT) != sizeof section;
}

static void put_pipe(struct output *o, struct zstd *z, const u8 *bytes, size_t len)
{
	put(o, bytes, PIPE_HEADER);
	put_all(o, z, cursor_of(bytes + PIPE_HEADER, len - PIPE_HEADER));
}

static bool any_compressed(struct cursor data)
{
	struct perf_event_header h;
	struct cursor body;

	while (take_record(&data, &h, &body))
		if (h.type == RECORD_COMPRESSED || h.type == RECORD_COMPRESSED2)
			return true;
	return false;
}

static bool is_pipe(const u8 *bytes)
{
	u64 size;

	memcpy(&size, bytes + 8, sizeof size);
	return size == PIPE_HEADER;
}

static bool is_compressed(const u8 *bytes, size_t len)
{
	if (is_pipe(bytes))
		return any_compressed(cursor_of(bytes + PIPE_HEADER, len - PIPE_HEADER));
	return len >= FILE_HEADER &&
	       bytes[BITS_AT + FEATURE_COMPRESSED / 8] >> FEATURE_COMPRESSED % 8 & 1;
}

int perf_unpacked(const u8 *bytes, size_t len, int fd)
{
	struct zstd z = { 0 };
	struct output o = { .fd = -1 };
	struct err err = { 0 };

	if (!is_compressed(bytes, len) || !load(&z))
		return -1;
	o.fd = convert_file(&err);
	err_release(&err);
	o.failed = o.fd < 0;
	if (is_pipe(bytes))
		put_pipe(&o, &z, bytes, len);
	else
		put_file(&o, &z, bytes, len);
	z.release(z.stream);
	if (o.failed)
		fd_close(&o.fd);
	return o.fd;
}
