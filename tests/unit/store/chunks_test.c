/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random access to a recording: chunks by time, counts, the events of a chunk; with and without an
 * index. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store/chunks.h"
#include "store/compact.h"
#include "store/write.h"
#include "tap.h"
#include "type/event_format.h"

static const char format_text[] =
	"name: %s\nID: %u\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"n=%%d\", REC->n\n";

enum { N_EVENTS = 120000, N_CPUS = 4, N_FORMATS = 5, STEP = 100 };

/* Every third event is of format 0; cpu 2 has none. */
static u32 format_of(u32 i)
{
	return i % 3 ? i % N_FORMATS : 0;
}

static u32 cpu_of(u32 i)
{
	return i % 7 == 0 ? 0 : i % 2 ? 1 : 3;
}

static u64 time_of(u32 i)
{
	return 5000 + (u64)i * STEP;
}

static void add_formats(struct store_writer *w)
{
	char text[1024], name[32];

	for (u32 i = 0; i < N_FORMATS; i++) {
		snprintf(name, sizeof name, "test:e%u", i);
		snprintf(text, sizeof text, format_text, name + 5, 70 + i);
		store_format(w, i, name, text);
	}
}

static void add_event(struct store_writer *w, u32 i)
{
	s32 n = (s32)(i % 9);

	store_event(w, &(struct store_event){ .time = time_of(i),
					      .cpu = cpu_of(i),
					      .pid = 7,
					      .tid = 7,
					      .format = format_of(i),
					      .type = (u16)(70 + format_of(i)),
					      .comm = "counted\0\0\0\0\0\0\0\0",
					      .fields = &n,
					      .len = sizeof n });
}

static void fill(struct store_writer *w, bool is_closed)
{
	add_formats(w);
	for (u32 i = 0; i < N_EVENTS; i++) {
		add_event(w, i);
		if (i % 1000 == 999)
			store_tick(w, time_of(i) + CHUNK_NS);
	}
	store_lost(w, 6000, 3, "one");
	store_lost(w, 9000, 4, "two");
	store_flush(w);
	if (is_closed)
		store_writer_end(w);
}

static int written(bool is_closed)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	struct store_writer *w = store_writer_new(fd, &(struct file_head){ .n_cpus = N_CPUS });

	fill(w, is_closed);
	store_writer_free(w);
	return fd;
}

static struct store *opened(int fd)
{
	struct err err = { 0 };

	return store_open_fd(fd, "test", &err);
}

/* Of all chunks of that range, by the counts of the index. */
static void sum_counts(struct store *s, u64 from, u64 to, u64 *by_format)
{
	memset(by_format, 0, N_FORMATS * sizeof *by_format);
	for (u32 cpu = 0; cpu < store_cpus(s); cpu++) {
		u32 n, kinds;
		const struct store_chunk *chunk = store_chunks(s, cpu, from, to, &n);

		for (u32 i = 0; i < n; i++) {
			const struct store_count *counts = store_counts(s, &chunk[i], &kinds);

			for (u32 k = 0; k < kinds; k++)
				by_format[counts[k].format] += counts[k].n;
		}
	}
}

static u32 wrong_counts(struct store *s)
{
	u64 is[N_FORMATS], should[N_FORMATS] = { 0 };
	u32 wrong = 0;

	for (u32 i = 0; i < N_EVENTS; i++)
		should[format_of(i)]++;
	sum_counts(s, 0, ~0ull, is);
	for (u32 i = 0; i < N_FORMATS; i++)
		wrong += is[i] != should[i];
	return wrong;
}

/* Events of the range, found by its chunks; *n_chunks: how many of them. */
static u32 events_between(struct store *s, u64 from, u64 to, u32 *n_chunks)
{
	struct trace_event e;
	u32 found = 0, n;

	*n_chunks = 0;
	for (u32 cpu = 0; cpu < store_cpus(s); cpu++) {
		const struct store_chunk *chunk = store_chunks(s, cpu, from, to, &n);

		*n_chunks += n;
		for (u32 i = 0; i < n; i++) {
			struct store_cursor *c = store_chunk_open(s, &chunk[i]);

			store_chunk_seek(c, from);
			while (store_chunk_next(c, &e) && e.time < to)
				found += e.time >= from && e.cpu == cpu;
			store_chunk_close(c);
		}
	}
	return found;
}

static u32 wrong_ranges(struct store *s)
{
	u32 wrong = 0, n_chunks;

	for (u32 i = 0; i < 200; i++) {
		u32 first = i * 7919 % N_EVENTS, n = MIN(i * i % 3000, N_EVENTS - first);

		wrong += events_between(s, time_of(first), time_of(first) + (u64)n * STEP,
					&n_chunks) != n;
	}
	return wrong;
}

static void is_random_access(struct store *s, const char *what)
{
	u32 n_chunks;

	is_int(store_cpus(s), N_CPUS, "%s: processors", what);
	is_int(wrong_counts(s), 0, "%s: counts of each format", what);
	is_int(wrong_ranges(s), 0, "%s: events of ranges", what);
	is_int(events_between(s, time_of(50000), time_of(50010), &n_chunks), 10, "%s: ten events",
	       what);
	ok(n_chunks <= 2 * (N_CPUS - 1), "%s: of no more chunks than they are in: %u", what,
	   n_chunks);
	is_int(events_between(s, 0, time_of(0), &n_chunks) + n_chunks, 0, "%s: none before it",
	       what);
	is_int(events_between(s, time_of(N_EVENTS), ~0ull, &n_chunks) + n_chunks, 0,
	       "%s: none after it", what);
	is_int(store_lost_between(s, 6000, 9000), 3, "%s: losses of a range", what);
	is_str(store_format_of(s, 4)->name, "test:e4", "%s: a format", what);
	ok(!store_format_of(s, 5) && !store_format_of(s, 1 << 20), "%s: none", what);
	ok(!store_damage(s), "%s: nothing is damaged", what);
}

static void whole_and_cut(void)
{
	struct store *closed = opened(written(true)), *cut = opened(written(false));

	ok(store_tables(closed)->was_closed && !store_tables(cut)->was_closed, "two files");
	is_random_access(closed, "with an index");
	is_random_access(cut, "without one");
	store_close(closed);
	store_close(cut);
}

/* One wrong bit at a time in the counts and the index, at the end of the file: both are rebuilt
 * from the chunks. */
static void damaged_index(void)
{
	int fd = written(true);
	struct stat st;
	u8 byte = 0;
	u32 wrong = 0;

	if (fstat(fd, &st))
		return;
	for (s64 back = 20; back < 3000; back += 90) {
		struct store *s;

		if (pread(fd, &byte, 1, st.st_size - back) != 1)
			break;
		byte ^= 1;
		if (pwrite(fd, &byte, 1, st.st_size - back) != 1)
			break;
		s = opened(dup(fd));
		wrong += store_tables(s)->n_events != N_EVENTS || wrong_counts(s) ||
			 store_tables(s)->losses.n != 2;
		store_close(s);
		byte ^= 1;
		wrong += pwrite(fd, &byte, 1, st.st_size - back) != 1;
	}
	is_int(wrong, 0, "a damaged index or damaged counts are made again");
	close(fd);
}

/* What a flight recorder has dropped is in no count, nor is what a copy without holes lacks. */
static void overwritten(void)
{
	char path[] = "/tmp/sonde-chunks-XXXXXX", copy[sizeof path + 4];
	int fd = mkstemp(path);
	struct store_writer *w = store_writer_new(fd, &(struct file_head){ .n_cpus = N_CPUS });
	struct err err = { 0 };
	u64 sums[2][N_FORMATS], sum = 0;
	struct store *s;

	snprintf(copy, sizeof copy, "%s.new", path);
	store_overwrite(w, 20000, 0);
	fill(w, true);
	store_writer_free(w);
	s = opened(fd);
	sum_counts(s, 0, ~0ull, sums[0]);
	for (u32 i = 0; i < N_FORMATS; i++)
		sum += sums[0][i];
	ok(sum > 1000 && sum < N_EVENTS / 2 && sum == store_tables(s)->n_events,
	   "counts of the last events: %llu", (unsigned long long)sum);
	is_int(store_compact(path, copy, &err), 0, "a copy");
	store_close(s);
	s = store_open(copy, &err);
	sum_counts(s, 0, ~0ull, sums[1]);
	ok(!memcmp(sums[0], sums[1], sizeof sums[0]), "has the same counts");
	store_close(s);
	unlink(path);
	unlink(copy);
}

int main(void)
{
	whole_and_cut();
	damaged_index();
	overwritten();
	return done();
}
