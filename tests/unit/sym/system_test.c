/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracefs format files, /proc, PATH, libraries, cgroups. */
#include <unistd.h>
#include "sym/cgroup.h"
#include "sym/procs.h"
#include "sym/tracefs.h"
#include "tap.h"

static struct arena a;

static const char format[] =
	"name: sched_switch\n"
	"ID: 314\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:char prev_comm[TASK_COMM_LEN];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc u32[] ids;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:u8 mac[6];\toffset:40;\tsize:6;\tsigned:0;\n"
	"\tfield:long prev_state;\toffset:48;\tsize:8;\tsigned:1;\n"
	"\tfield:broken\n"
	"\nprint fmt: \"a=%d,\\n b=%s\", REC->a,\n __get_str(name)\n";

static void constant_strings(void)
{
	static const char text[] =
		"0xffffffff82000010 : \"tick\"\n0x20 : \"a \\\"b\\\"\\n\"\n\nnonsense\n0x30 : \"cut\n0x5 : \"\"";
	const struct tracefs_strings *s = tracefs_parse_strings(&a, text),
				     *none = tracefs_parse_strings(&a, "");

	is_str(tracefs_string(s, 0xffffffff82000010), "tick", "a constant string");
	is_str(tracefs_string(s, 0x20), "a \"b\"\n", "escapes");
	is_str(tracefs_string(s, 5), "", "an empty one");
	ok(!tracefs_string(s, 0x30) && !tracefs_string(s, 0x21) && !tracefs_string(none, 5),
	   "what is not there");
}

static void formats(void)
{
	struct tp_format *f = tracefs_parse_format(&a, format, strlen(format));
	const struct tp_field *x;

	ok(f && f->id == 314, "id");
	is_str(f->name, "sched_switch", "name");
	is_int(f->fields.n, 8, "fields");
	ok(f->fields.v[1].is_common && f->fields.v[1].is_signed, "common field");
	x = tp_format_field(f, "prev_comm");
	ok(x && x->is_char && x->count == 16 && x->offset == 8 && !x->is_common, "char array");
	is_str(x->type, "char", "its type");
	is_str(x->text, "char prev_comm[TASK_COMM_LEN]", "its text");
	x = tp_format_field(f, "filename");
	ok(x && x->is_pointer && !x->is_array, "pointer");
	is_str(x->type, "const char *", "its type");
	x = tp_format_field(f, "name");
	ok(x && x->data_loc == 1 && x->is_char && x->is_array, "__data_loc");
	x = tp_format_field(f, "ids");
	ok(x && x->data_loc == 2 && !x->is_char, "__rel_loc");
	is_str(x->type, "u32", "its element");
	x = tp_format_field(f, "mac");
	ok(x && x->count == 6 && x->size == 6 && !x->is_char, "byte array");
	ok(!tp_format_field(f, "broken"), "broken line");
	ok(f->print_fmt[0] == '"' && ends_with(f->print_fmt, "__get_str(name)"), "print fmt");
	ok(!tracefs_parse_format(&a, "", 0), "nothing");
}

static void events(void)
{
	struct err err = { 0 };
	const char **names;
	struct tp_format *f;
	u32 n = 0;
	int id;

	if (!tracefs_path(&err)) {
		skip("%s", err.text);
		err_release(&err);
		return;
	}
	is_int(tracefs_categories(&a, &names, &n, &err), 0, "categories");
	ok(n > 10 && !names[n], "%u of them", n);
	is_int(tracefs_events(&a, "sched", &names, &n, &err), 0, "events");
	id = tracefs_event_id("sched", "sched_switch", &err);
	ok(id > 0, "id");
	f = tracefs_format(&a, "sched", "sched_switch", &err);
	ok(f && f->id == (u32)id && tp_format_field(f, "prev_comm"), "format");
	ok(tracefs_event_id("sched", "no_such_event", &err) < 0, "%s", err.text);
	ok(tracefs_event_id("..", "sched", &err) < 0, "no way out");
	err_release(&err);
}

static int found_self(void *ctx, u32 pid)
{
	(void)ctx;
	return pid == (u32)getpid();
}

static void processes(void)
{
	u32 pid = (u32)getpid();

	ok(proc_exists(pid) && !proc_exists(0x3fffff0), "existence");
	ok(proc_exe(&a, pid) && strstr(proc_exe(&a, pid), "system"), "exe");
	is_int(proc_inner_pid(pid), pid, "pid in its namespace");
	ok(proc_start_time(pid) > 0 && !proc_start_time(0x3fffff0), "start time");
	if (under_emulator())
		skip("emulated: \"/\" is not this process's root");
	else
		ok(!proc_in_other_mnt_ns(pid), "own namespace");
	is_int(proc_each(found_self, NULL), 1, "among the processes");
	is_int(proc_each_thread(pid, found_self, NULL), 1, "among its threads");
}

static int one(void *ctx, const char *path)
{
	(void)path;
	++*(int *)ctx;
	return 0;
}

static void paths(void)
{
	static const char *const names[] = { "libc", "c", "libc.so", "libc.so.6", "c.so.6" };
	int n = 0;

	ok(path_find_program(&a, "sh") != NULL, "sh");
	is_str(path_find_program(&a, "/bin/sh"), "/bin/sh", "a path is a path");
	ok(!path_find_program(&a, "no-such-program") && !path_find_program(&a, ""), "unknown");
	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		const char *p = path_find_binary(&a, names[i], 0);

		ok(p && strstr(p, "/libc.so"), "%s: %s", names[i], p ? p : "none");
	}
	ok(!path_find_binary(&a, "libc.so.99", 0) && !path_find_binary(&a, "lib", 0) &&
		   !path_find_binary(&a, "", 0),
	   "unknown library");
	ok(path_find_binary(&a, "sh", -1) != NULL, "binary in PATH");
	if (under_emulator())
		skip("emulated: the process's own files are another machine's");
	else
		ok(path_find_binary(&a, "libc.so.6", (s32)getpid()) != NULL,
		   "library of a process");
	ok(path_find_binary(&a, "./src/LAYERS", -1) == NULL ||
		   path_find_binary(&a, "./src/LAYERS", -1)[0] == '/',
	   "relative becomes absolute");
	is_int(path_glob(&a, "/proc/self/ex*", one, &n), 0, "glob");
	is_int(n, 1, "ELF files only");
}

static void cgroups(void)
{
	struct err err = { 0 };
	u64 id = 0, root = 0;
	u32 level = 9;

	if (!cgroup_mount()) {
		skip("no cgroup v2");
		return;
	}
	is_int(cgroup_id("/", &root, &level, &err), 0, "id of the root");
	is_int(cgroup_id(cgroup_mount(), &id, &level, &err), 0, "by absolute path");
	is_int(id, root, "is the same");
	is_int(level, 0, "which is below none");
	is_str(cgroup_path(&a, root, "unified"), "unified:/", "path of the root");
	ok(starts_with(cgroup_path(&a, root, NULL), "unified:/"), "version 2 comes first");
	is_str(cgroup_path(&a, root, "no-such*"), "", "a filter that matches nothing");
	ok(!cgroup_path(&a, 0xffffffffff, NULL), "unknown id");
	ok(cgroup_id("/no/such/group", &id, &level, &err) < 0, "%s", err.text);
	err_release(&err);
}

int main(void)
{
	arena_init(&a);
	formats();
	constant_strings();
	events();
	processes();
	paths();
	cgroups();
	arena_release(&a);
	return done();
}
