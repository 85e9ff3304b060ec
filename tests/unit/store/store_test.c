/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings written and read back, whole, cut off and damaged. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/crc32.h"
#include "store/lz4.h"
#include "store/compact.h"
#include "store/names.h"
#include "store/read.h"
#include "store/write.h"
#include "tap.h"
#include "type/event_format.h"

static const char format_text[] =
	"name: ping\nID: 77\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"n=%d\", REC->n\n";

struct ping { /* a record of that format */
	u16 type;
	u8 flags, preempt_count;
	s32 tid;
	s32 n;
};

enum { N_EVENTS = 200000, N_CPUS = 3 };

static u64 time_of(u32 i)
{
	return 1000000 + i * 10ull + (i % 7);
}

static void put_event(struct store_writer *w, u32 i, u64 time)
{
	s32 n = (s32)(i % 50);
	struct store_event e = { .time = time,
				 .cpu = i % N_CPUS,
				 .pid = 100,
				 .tid = 100 + i % 5,
				 .type = 77,
				 .comm = "pinger\0\0\0\0\0\0\0\0\0",
				 .fields = &n,
				 .len = sizeof n };

	store_event(w, &e);
}

static int new_file(void)
{
	return memfd_create("recording", MFD_CLOEXEC);
}

static struct store_writer *begin(int fd)
{
	struct file_head head = { .n_cpus = N_CPUS, .start_ns = 5, .to_real = -7 };
	struct store_writer *w = store_writer_new(fd, &head);

	store_text(w, "uname", "Linux", 5);
	store_format(w, 0, "test:ping", format_text);
	return w;
}

static int written(bool whole)
{
	int fd = new_file();
	struct store_writer *w = begin(fd);

	for (u32 i = 0; i < N_EVENTS; i++) {
		put_event(w, i, time_of(i));
		if (i % 10007 == 5000)
			store_tick(w, time_of(i) + CHUNK_NS);
	}
	store_lost(w, 9, 12, "ring full");
	if (whole)
		store_writer_end(w);
	store_writer_free(w);
	return fd;
}

static s32 n_of(const struct trace_event *e)
{
	return ((const struct ping *)e->record)->n;
}

static u64 length(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : (u64)st.st_size;
}

static void whole(void)
{
	int fd = written(true);
	struct err err = { 0 };
	struct store *s = store_open_fd(dup(fd), "test", &err);
	const struct store_tables *t = store_tables(s);
	struct trace_event e;
	u32 n = 0, wrong = 0;

	ok(s && !err.code && t->was_closed, "a closed file has its index");
	is_int(t->n_events, N_EVENTS, "events by the index");
	is_int(t->losses.n, 1, "losses");
	is_int(t->losses.v[0].count, 12, "what was lost");
	is_str(store_find_text(s, "uname")->bytes, "Linux", "a text");
	ok(!store_find_text(s, "none"), "a text that is not there");
	is_int(t->head.to_real, -7, "the head");
	while (store_next(s, &e)) {
		wrong += e.time != time_of(n) || n_of(&e) != (s32)(n % 50) ||
			 e.tid != 100 + n % 5 || e.cpu != n % N_CPUS || e.pid != 100 ||
			 ((const struct ping *)e.record)->type != 77 || strcmp(e.comm, "pinger") ||
			 strcmp(e.format->name, "test:ping");
		n++;
	}
	is_int(n, N_EVENTS, "events read");
	is_int(wrong, 0, "all are as they were written, in the order of time");
	ok(!store_damage(s), "nothing is damaged");
	ok(length(fd) < N_EVENTS * 4ull, "less than 4 bytes an event");
	store_rewind(s);
	store_range(s, time_of(1000), time_of(1999));
	for (n = 0; store_next(s, &e); n++)
		;
	is_int(n, 1000, "events of a range of time");
	store_close(s);
	close(fd);
}

static u32 n_gaps; /* of what count() has read */

static u32 count(int fd, const char **damage)
{
	static char text[256];
	struct err err = { 0 };
	struct store *s = store_open_fd(dup(fd), "test", &err);
	struct trace_event e;
	u32 n = 0;

	if (!s)
		return 0;
	while (store_next(s, &e))
		n++;
	snprintf(text, sizeof text, "%s", store_damage(s) ? store_damage(s) : "");
	*damage = *text ? text : NULL;
	n_gaps = store_tables(s)->gaps.n;
	store_close(s);
	return n;
}

/* A recorder that was killed, and a file that was cut off anywhere. */
static void cut_off(void)
{
	const char *damage;
	int fd = written(false);
	u64 len = length(fd);
	u32 all = count(fd, &damage), n, before = all;

	ok(all > N_EVENTS / 2 && all < N_EVENTS, "the chunks that were closed are there");
	ok(!damage, "a file without an end is not damaged");
	is_int(n_gaps, 1, "what was not written may be missing");
	for (u64 cut = len; cut > len / 40; cut -= len / 40) {
		if (ftruncate(fd, (off_t)cut))
			break;
		n = count(fd, &damage);
		if (n > before)
			break;
		before = n;
	}
	ok(before < all / 4, "the shorter, the fewer, and never more");
	close(fd);
}

static void damaged(void)
{
	int fd = written(true);
	u64 len = length(fd);
	const char *damage = NULL;
	u32 most = 0, silent = 0, smooth = 0;

	for (u64 at = 64; at < len; at += 1 + len / 500) {
		u8 was, now;
		u32 n;

		if (pread(fd, &was, 1, (off_t)at) != 1)
			break;
		now = was ^ 0x40;
		if (pwrite(fd, &now, 1, (off_t)at) != 1)
			break;
		n = count(fd, &damage);
		most = MAX(most, n);
		silent += n != N_EVENTS && !damage;
		smooth += n && n != N_EVENTS && !n_gaps;
		if (pwrite(fd, &was, 1, (off_t)at) != 1)
			break;
	}
	ok(most <= N_EVENTS, "damage makes no events");
	is_int(silent, 0, "no event is missing without a word");
	is_int(smooth, 0, "nor without a gap");
	is_int(count(fd, &damage), N_EVENTS, "repaired, all are there");
	is_int(n_gaps, 0, "and there is no gap");
	close(fd);
}

/* Times that go back within a processor, as of a probe that interrupts another. */
static void backwards(void)
{
	int fd = new_file();
	struct store_writer *w = begin(fd);
	struct err err = { 0 };
	struct trace_event e;
	struct store *s;
	u64 last = 0;
	u32 n = 0, wrong = 0;

	for (u32 i = 0; i < 100; i++)
		put_event(w, i * N_CPUS, 1000 + 10 * (i % 10 == 3 ? i - 2 : i));
	store_writer_end(w);
	store_writer_free(w);
	s = store_open_fd(fd, "test", &err);
	for (; store_next(s, &e); n++, last = e.time)
		wrong += e.time < last;
	is_int(n, 100, "events with times that go back");
	is_int(wrong, 0, "are read in order");
	store_close(s);
}

/* A killed recorder has written what is older than CHUNK_NS. */
static void ticks(void)
{
	int fd = new_file();
	struct store_writer *w = begin(fd);
	const char *damage;

	put_event(w, 0, 1000);
	store_tick(w, 1000 + CHUNK_NS - 1);
	is_int(count(fd, &damage), 0, "a young event waits");
	store_tick(w, 1000 + CHUNK_NS);
	is_int(count(fd, &damage), 1, "an old one does not");
	store_writer_free(w);
	close(fd);
}

/* A flight recorder: the last events alone, readable before and after the holes are removed. */
static void overwritten(void)
{
	char holes[] = "/tmp/sonde-store-XXXXXX", whole_file[sizeof holes + 4];
	int fd = mkstemp(holes), out;
	struct store_writer *w = begin(fd);
	struct err err = { 0 };
	const char *damage;
	struct stat st;
	u32 n;

	snprintf(whole_file, sizeof whole_file, "%s.new", holes);
	store_overwrite(w, 20000, 0);
	for (u32 i = 0; i < N_EVENTS; i++) {
		put_event(w, i, time_of(i));
		if (i % 1000 == 0)
			store_tick(w, time_of(i) + CHUNK_NS);
	}
	n = count(fd, &damage);
	ok(n > 1000 && n < N_EVENTS / 2 && !damage, "a part of the events while it is written: %u",
	   n);
	is_int(store_writer_end(w), 0, "it ends");
	store_writer_free(w);
	n = count(fd, &damage);
	ok(n > 1000 && n < N_EVENTS / 2 && !damage, "and after it: %u", n);
	is_int(n_gaps, 1, "the beginning is a gap");
	ok(!fstat(fd, &st) && st.st_blocks * 512 < st.st_size / 2, "most of it is a hole");
	is_int(store_compact(holes, whole_file, &err), 0, "a copy without holes");
	out = open(whole_file, O_RDONLY | O_CLOEXEC);
	is_int(count(out, &damage), n, "has the same events");
	ok(!damage && length(out) < 30000, "and is small: %llu", (unsigned long long)length(out));
	close(out);
	close(fd);
	unlink(holes);
	unlink(whole_file);
}

/* The chunk of a busy processor comes to the file after that of another one, whose event is later:
 * the latest stays. */
static void latest_stays(void)
{
	int fd = new_file();
	struct store_writer *w = begin(fd);
	struct trace_event e;
	struct store *s;
	struct err err = { 0 };
	bool found = false;

	store_overwrite(w, 3000, 0);
	for (u32 round = 0; round < 3; round++) {
		u64 start = 1000000 + round * 3 * CHUNK_NS;

		for (u32 i = 0; i < 30000; i++)
			put_event(w, 3 * i + 1, start + i * 100 + i * i % 97); /* processor 1 */
		put_event(w, 0, start + CHUNK_NS / 2);                         /* processor 0 */
		store_tick(w, start + 2 * CHUNK_NS);
	}
	s = store_open_fd(dup(fd), "latest", &err);
	while (s && store_next(s, &e))
		found |= e.cpu == 0 && e.time == 1000000 + 6 * CHUNK_NS + CHUNK_NS / 2;
	ok(s && found, "the latest event is there");
	if (s)
		store_close(s);
	is_int(store_writer_end(w), 0, "it ends");
	store_writer_free(w);
	close(fd);
}

/* A disk on which nothing more fits after some chunks: the rest is a loss that the file tells. */
static void half_full(void)
{
	struct rlimit limit, before;
	int fd = new_file();
	struct store_writer *w = begin(fd);
	struct err err = { 0 };
	struct store *s;
	u64 n;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	for (u32 i = 0; i < N_EVENTS; i++) {
		put_event(w, i, time_of(i));
		if (i % 1000 == 0)
			store_tick(w, time_of(i) + CHUNK_NS);
		limit.rlim_cur = length(fd) + 1500;
		if (i == N_EVENTS / 10 && setrlimit(RLIMIT_FSIZE, &limit))
			break;
	}
	is_int(store_writer_end(w), -EFBIG, "a file that becomes too large is an error");
	setrlimit(RLIMIT_FSIZE, &before);
	n = store_events_written(w);
	store_writer_free(w);
	s = store_open_fd(fd, "test", &err);
	is_int(store_tables(s)->n_events, n, "the events before it are there: %llu",
	       (unsigned long long)n);
	ok(n > 1000 && store_tables(s)->losses.n == 1 &&
		   store_tables(s)->losses.v[0].count == N_EVENTS - n,
	   "the others are counted as lost: %llu, %u", (unsigned long long)n,
	   store_tables(s)->losses.n);
	ok(!store_damage(s), "the file is whole: %s", store_damage(s));
	store_close(s);
}

/* A disk that is full: a limit of the file's size. */
static void full(void)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct store_writer *w = begin(fd);

	for (u32 i = 0; i < N_EVENTS; i++)
		put_event(w, i, time_of(i));
	is_int(store_writer_end(w), -ENOSPC, "a full disk is an error that is kept");
	store_writer_free(w);
	close(fd);
}

static void foreign(void)
{
	struct err err = { 0 };
	int fd = new_file();

	ok(write(fd, "PERFILE2 and more", 17) == 17, "another file");
	ok(!store_open_fd(fd, "x", &err) && strstr(err.text, "x is not a recording"),
	   "is refused: %s", err.text);
	err = (struct err){ 0 };
	ok(!store_open("/nonexistent", &err) && err.code == -ENOENT, "so is one that is not there");
}

/* Stacks of events, mappings in the order of time, functions in that of addresses. */
static void stacks(void)
{
	static const u64 a[] = { 0x1000, 0x2000 }, b[] = { 0x3000 };
	struct file_head head = { .version = STORE_VERSION };
	int fd = new_file();
	struct store_writer *w = store_writer_new(fd, &head);
	struct store_event e = {
		.time = 5, .comm = "x\0\0\0\0\0\0\0\0\0\0\0\0\0\0", .fields = a, .len = 4
	};
	struct err err = { 0 };
	struct trace_event got;
	struct symbol sym;
	struct store *s;
	struct store_names *names;

	store_format(w, 0, "test:ping", format_text);
	is_int(store_stack(w, a, 2), 1, "the first stack");
	is_int(store_stack(w, b, 1), 2, "another one");
	is_int(store_stack(w, a, 2), 1, "the first one again");
	is_int(store_stack(w, a, 0), 0, "none");
	store_function(w, 0x2ff0, "later", "mod");
	store_function(w, 0x1ff0, "early", NULL);
	store_mapping(w, &(struct mapping_row){ .time = 9, .kind = MAPPING_CLEARED, .pid = 3 }, "");
	store_mapping(
		w,
		&(struct mapping_row){
			.time = 2, .pid = 3, .start = 0x1000, .end = 0x4000, .offset = 0x100 },
		"/nonexistent");
	store_event(w, &e);
	e.stacks = (struct row_stacks){ { 1, 2 } };
	e.time++;
	store_event(w, &e);
	store_writer_end(w);
	store_writer_free(w);
	s = store_open_fd(fd, "stacks", &err);
	ok(s && store_next(s, &got) && !got.stack[0].n && !got.stack[1].n,
	   "an event without stacks");
	ok(s && store_next(s, &got) && got.stack[0].n == 2 && got.stack[0].ips[1] == 0x2000 &&
		   got.stack[1].n == 1 && got.stack[1].ips[0] == 0x3000,
	   "an event with two");
	names = store_names_new(store_tables(s));
	ok(store_names_kernel(names, 0x2000, &sym) && streq(sym.name, "early") &&
		   sym.offset == 0x10,
	   "the function of an address");
	ok(store_names_kernel(names, 0x3000, &sym) && streq(sym.module, "mod"), "and its module");
	ok(!store_names_kernel(names, 0x1000, &sym), "no function is that low");
	store_names_at(names, 5);
	ok(!store_names_user(names, 3, 0x1010, &sym) && sym.module &&
		   streq(sym.module, "/nonexistent") && sym.file_offset == 0x110,
	   "the file of an address");
	store_names_at(names, 1);
	ok(!store_names_user(names, 3, 0x1010, &sym) && !sym.module, "before it was mapped");
	ok(!store_damage(s), "undamaged");
	store_names_free(names);
	store_close(s);
}

static void lz4_round(const u8 *bytes, size_t n, const char *what)
{
	u8 *packed = malloc(lz4_bound(n)), *back = malloc(n + 1);
	size_t len = lz4_pack(packed, bytes, n);
	bool good = lz4_unpack(back, n, packed, len) && !memcmp(back, bytes, n);

	ok(good && len <= lz4_bound(n), "lz4: %s, %zu bytes in %zu", what, n, len);
	ok(!lz4_unpack(back, n + 1, packed, len) && (!n || !lz4_unpack(back, n - 1, packed, len)),
	   "lz4: %s, another length is refused", what);
	free(packed);
	free(back);
}

static void lz4(void)
{
	static u8 bytes[100000];
	u32 seed = 1;

	lz4_round(bytes, 0, "nothing");
	lz4_round(bytes, 1, "a byte");
	lz4_round(bytes, 13, "thirteen");
	lz4_round(bytes, sizeof bytes, "zeroes");
	for (u32 i = 0; i < sizeof bytes; i++)
		bytes[i] = (u8)((seed = seed * 1103515245 + 12345) >> 16);
	lz4_round(bytes, sizeof bytes, "noise");
	for (u32 i = 0; i < sizeof bytes; i++)
		bytes[i] = (u8)(i % 1000 < 700 ? i % 1000 : bytes[i]);
	lz4_round(bytes, sizeof bytes, "both");
}

int main(void)
{
	is_int(crc32_of("123456789", 9), 0xcbf43926, "the check value of CRC-32");
	lz4();
	whole();
	cut_off();
	damaged();
	backwards();
	ticks();
	overwritten();
	latest_stays();
	half_full();
	full();
	foreign();
	stacks();
	return done();
}
