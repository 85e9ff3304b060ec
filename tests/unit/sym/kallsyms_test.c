/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel symbols from a file of our own, then from this kernel. */
#include <unistd.h>
#include "sym/kallsyms.h"
#include "tap.h"

static const char text[] = "0000000000000000 A percpu_thing\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000000 T startup\n"
			   "ffffffff81000100 t helper\n"
			   "ffffffff81000200 T vfs_read\n"
			   "ffffffff81000300 d a_table\n"
			   "broken line\n"
			   "ffffffffc0001000 t helper\t[xfs]\n"
			   "ffffffffc0001040 t xfs_open\t[xfs]\n"
			   "ffffffffc0000000 t bpf_prog_1\t[bpf]";

static char *write_file(const char *s)
{
	static char path[] = "/tmp/kallsyms_test.XXXXXX";
	int fd;

	memcpy(path + sizeof path - 7, "XXXXXX", 6);
	fd = mkstemp(path);
	if (fd < 0 || write(fd, s, strlen(s)) != (ssize_t)strlen(s))
		abort();
	close(fd);
	return path;
}

static int count(void *ctx, const struct ksym *s)
{
	u64 *last = ctx;

	if (s->address < *last)
		return -1;
	*last = s->address;
	return 0;
}

static int add_up(void *ctx, const struct ksym *s)
{
	*(u64 *)ctx += s->address;
	return 0;
}

static void all_of_a_name(struct kallsyms *k)
{
	u64 sum = 0;

	kallsyms_each_named(k, "helper", NULL, add_up, &sum);
	ok(sum == 0xffffffff81000100 + 0xffffffffc0001000, "all of a name");
	sum = 0;
	kallsyms_each_named(k, "helper", "xfs", add_up, &sum);
	ok(sum == 0xffffffffc0001000, "of a module");
	kallsyms_each_named(k, "nothing", NULL, add_up, &sum);
	ok(sum == 0xffffffffc0001000, "none");
}

static void from_text(void)
{
	char *path = write_file(text);
	struct kallsyms *k = kallsyms_new(path);
	struct err err = { 0 };
	struct ksym s;
	u64 last = 0;

	is_int(kallsyms_load(k, &err), 0, "load");
	is_int(kallsyms_count(k), 9, "symbols");
	ok(kallsyms_lookup(k, 0xffffffff81000212, &s), "lookup");
	is_str(s.name, "vfs_read", "name");
	is_int(s.offset, 0x12, "offset");
	ok(!s.module, "no module");
	ok(kallsyms_lookup(k, 0xffffffffc0001000, &s) && streq(s.module, "xfs"), "in a module");
	ok(kallsyms_lookup(k, 0xffffffffc0000004, &s) && streq(s.name, "bpf_prog_1"), "sorted");
	ok(!kallsyms_lookup(k, 0x1000, &s), "low addresses are nobody's");
	ok(!kallsyms_lookup(k, 0xffffffffffff0000, &s), "nor is the end");
	ok(kallsyms_find(k, "vfs_read", NULL, &s) && s.address == 0xffffffff81000200, "by name");
	ok(kallsyms_find(k, "helper", "xfs", &s) && s.address == 0xffffffffc0001000, "by module");
	ok(kallsyms_find(k, "helper", "vmlinux", &s) && s.address == 0xffffffff81000100,
	   "not module");
	ok(kallsyms_find(k, "helper", NULL, &s) && s.address == 0xffffffff81000100, "lowest");
	ok(!kallsyms_find(k, "nothing", NULL, &s), "unknown");
	all_of_a_name(k);
	is_int(kallsyms_occurrences(k, "helper", NULL), 2, "occurrences");
	is_int(kallsyms_occurrences(k, "a_table", NULL), 0, "data is no function");
	is_int(kallsyms_each(k, count, &last), 0, "in the order of addresses");
	kallsyms_free(k);
	unlink(path);
}

static void hidden(void)
{
	char *path = write_file("0000000000000000 T a\n0000000000000000 T b\n");
	struct kallsyms *k = kallsyms_new(path);
	struct err err = { 0 };
	struct ksym s;

	ok(kallsyms_load(k, &err) < 0 && err.help[0], "hidden addresses are said so");
	is_int(kallsyms_count(k), 2, "names are there");
	ok(!kallsyms_lookup(k, 0, &s), "no lookup");
	err_release(&err);
	kallsyms_free(k);
	unlink(path);
	k = kallsyms_new("/no/such/file");
	ok(kallsyms_load(k, &err) < 0, "no file");
	ok(!kallsyms_find(k, "a", NULL, &s), "and no symbol");
	err_release(&err);
	kallsyms_free(k);
}

static void live(void)
{
	struct kallsyms *k = kallsyms_new(NULL);
	struct err err = { 0 };
	struct ksym s, at;

	if (kallsyms_load(k, &err) < 0) {
		skip("%s", err.text);
	} else {
		ok(kallsyms_find(k, "vfs_read", NULL, &s) && ksym_is_text(&s), "vfs_read");
		ok(kallsyms_lookup(k, s.address + 3, &at) && streq(at.name, "vfs_read"), "back");
	}
	err_release(&err);
	kallsyms_free(k);
}

int main(void)
{
	from_text();
	hidden();
	live();
	return done();
}
