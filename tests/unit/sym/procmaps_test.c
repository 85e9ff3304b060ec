/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mappings, perf maps and process symbols; the process that is looked at is this one. */
#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "sym/past_maps.h"
#include "sym/perfmap.h"
#include "sym/procmaps.h"
#include "sym/usym.h"
#include "tap.h"

static const char text[] =
	"00400000-00452000 r-xp 00001000 08:02 173521      /usr/bin/dbus-daemon\n"
	"00e03000-00e24000 rw-p 00000000 00:00 0           [heap]\n"
	"35b1a21000-35b1a22000 rw-p 00000000 00:00 0 \n"
	"nonsense\n"
	"7f0000000000-7f0000001000 r-xs 00002000 fd:0a 99 /tmp/a b (deleted)\n"
	"7f0000002000-7f0000003000 r--p 00000000 fd:0a 98 /tmp/new\\012line";

static void parse(void)
{
	struct procmaps m;
	const struct mapping *x;

	procmaps_parse(&m, text, strlen(text));
	is_int(m.list.n, 5, "mappings");
	x = procmaps_find(&m, 0x400010);
	ok(x && x->exec && x->offset == 0x1000 && x->inode == 173521 && x->dev_major == 8, "first");
	is_str(x->path, "/usr/bin/dbus-daemon", "path");
	is_str(procmaps_find(&m, 0xe03000)->path, "[heap]", "heap");
	is_str(procmaps_find(&m, 0x35b1a21fff)->path, "", "anonymous");
	ok(!procmaps_find(&m, 0x452000) && !procmaps_find(&m, 0) && !procmaps_find(&m, ~0ULL),
	   "gaps");
	x = procmaps_find(&m, 0x7f0000000000);
	ok(x && x->deleted && x->shared, "deleted file");
	is_str(x->path, "/tmp/a b", "its name");
	is_str(procmaps_find(&m, 0x7f0000002000)->path, "/tmp/new\nline", "newline in a name");
	procmaps_release(&m);
}

/* Paths beside each other in one list are one string only if they are the same. */
static void same_path(void)
{
	static const char lines[] = "1000-2000 r--p 00000000 08:02 7 /lib/x\n"
				    "2000-3000 r-xp 00001000 08:02 7 /lib/x\n"
				    "3000-4000 r-xp 00000000 08:02 6 /lib/x (deleted)\n"
				    "4000-5000 r-xp 00000000 08:02 7 /lib/x\n"
				    "5000-6000 r-xp 00000000 08:02 8 /lib/xy\n"
				    "6000-7000 rw-p 00000000 00:00 0\n";
	struct procmaps m;

	procmaps_parse(&m, lines, strlen(lines));
	is_int(m.list.n, 6, "mappings of one file");
	ok(m.list.v[0].path == m.list.v[1].path, "one string");
	ok(m.list.v[2].deleted && !m.list.v[3].deleted && !m.list.v[1].deleted,
	   "only one is deleted");
	is_str(m.list.v[3].path, "/lib/x", "after it");
	is_str(m.list.v[4].path, "/lib/xy", "a longer name");
	is_str(m.list.v[5].path, "", "then none");
	procmaps_release(&m);
}

static void perfmap(void)
{
	static const char jit[] =
		"1000 100 old\n2000 10 LazyCompile:~f a.js:1\n1000 80 new\nbad\n40f0 40 older\n4000 200 newer\n3000 10 ha";
	struct perfmap *p = perfmap_parse(jit, strlen(jit));
	u64 off = 0;

	is_str(perfmap_lookup(p, 0x1010, &off), "new", "later lines win");
	is_str(perfmap_lookup(p, 0x10f0, &off), "old", "what they leave stays");
	is_str(perfmap_lookup(p, 0x2004, &off), "LazyCompile:~f a.js:1", "names with spaces");
	is_int(off, 4, "offset");
	is_str(perfmap_lookup(p, 0x4100, &off), "newer", "also if they begin lower");
	ok(!perfmap_lookup(p, 0x3000, &off), "half a line is not read");
	ok(!perfmap_lookup(p, 0x2010, &off) && !perfmap_lookup(p, 0, &off), "outside");
	perfmap_close(p);
}

int my_own_function(int x);

__attribute__((noinline)) int my_own_function(int x)
{
	return x * 3 + getpid();
}

static void own(void)
{
	struct usyms *u = usyms_new();
	u64 here = (u64)(uintptr_t)my_own_function;
	u32 pid = (u32)getpid();
	struct usym s;

	usyms_note(u, pid);
	ok(usyms_resolve(u, pid, 0, here + 2, &s), "own function");
	is_str(s.name, "my_own_function", "its name");
	is_int(s.offset, 2, "its offset");
	ok(s.path && strstr(s.path, "procmaps"), "its file: %s", s.path);
	ok(usyms_resolve(u, pid, 0, (u64)(uintptr_t)dlsym(RTLD_DEFAULT, "fopen"), &s) && s.name &&
		   strstr(s.name, "fopen"),
	   "in a library: %s", s.name ? s.name : "nothing");
	ok(!usyms_resolve(u, pid, 0, 16, &s) && !s.name && !s.path, "nowhere");
	ok(!usyms_resolve(u, pid, 0, (u64)(uintptr_t)u, &s), "the heap has no symbols");
	usyms_free(u);
}

/* A child is looked at, dies, and is still known. */
static void gone(void)
{
	struct usyms *u = usyms_new();
	pid_t child = fork();
	struct usym s;

	if (!child) {
		pause();
		_exit(0);
	}
	usyms_note(u, (u32)child);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ok(usyms_resolve(u, (u32)child, 0, (u64)(uintptr_t)my_own_function, &s) &&
		   streq(s.name, "my_own_function"),
	   "a process that is gone");
	usyms_free(u);
}

static void jit(void)
{
	struct usyms *u = usyms_new();
	char path[64];
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct usym s;
	FILE *f;

	snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	fprintf(f, "%lx 100 jitted\n", (unsigned long)(uintptr_t)code);
	fclose(f);
	ok(usyms_resolve(u, (u32)getpid(), 0, (u64)(uintptr_t)code + 8, &s) &&
		   streq(s.name, "jitted") && s.offset == 8,
	   "jitted code");
	unlink(path);
	munmap(code, 4096);
	usyms_free(u);
}

static char *fake(const char *name)
{
	return streq(name, "_Z3foov") ? strdup("foo()") : NULL;
}

static void demangle(void)
{
	char *s = demangle_hook("_ZN3abc3defEi");

	if (s)
		is_str(s, "abc::def(int)", "demangled");
	else
		skip("no libstdc++");
	free(s);
	demangle_hook = fake;
	s = demangle_hook("_Z3foov");
	is_str(s, "foo()", "the hook can be replaced");
	free(s);
}

static void vdso(void)
{
	struct usyms *u = usyms_new();
	struct procmaps m;
	struct err err = { 0 };
	struct usym s;
	u32 named = 0;

	procmaps_read(&m, (u32)getpid(), &err);
	for (u32 i = 0; i < m.list.n; i++)
		if (streq(m.list.v[i].path, "[vdso]"))
			for (u64 at = m.list.v[i].start; at < m.list.v[i].end; at += 16)
				named += usyms_resolve(u, (u32)getpid(), 0, at, &s);
	if (under_emulator())
		skip("emulated: the vdso is another machine's");
	else
		ok(named > 4, "the vdso has symbols (%u hits)", named);
	procmaps_release(&m);
	err_release(&err);
	usyms_free(u);
}

/* dlclose() and dlopen(): another library in the same place. */
static void replaced(struct usyms *u, u32 pid)
{
	struct mapping m = { .start = 0x5000, .end = 0x6000, .exec = true };
	struct usym s;

	for (u32 i = 0; i < 3; i++) {
		m.inode = i + 1;
		m.path = (const char *[]){ "/one", "/two", "/three" }[i];
		usyms_mapped(u, pid, &m, 100 * (i + 1));
	}
	usyms_resolve(u, pid, 150, 0x5800, &s);
	is_str(s.path, "/one", "the first library");
	usyms_resolve(u, pid, 250, 0x5800, &s);
	is_str(s.path, "/two", "the second one");
	usyms_resolve(u, pid, 350, 0x5800, &s);
	is_str(s.path, "/three", "the last one");
	usyms_resolve(u, pid, 50, 0x5800, &s);
	is_str(s.path, "/one", "before any");
	m.offset = 0x1000;
	m.start += 0x1000;
	usyms_mapped(u, pid, &m, 400);
	usyms_resolve(u, pid, 350, 0x5800, &s);
	is_str(s.path, "/three", "a further part replaces nothing");
}

/* What events tell of processes that are never asked. */
static void told(void)
{
	enum { PARENT = 4194001, CHILD = 4194002 }; /* above what the kernel gives */
	struct procmaps m = { 0 };
	struct usyms *u = usyms_new();
	struct usym s;

	procmaps_add(&m, &(struct mapping){ .start = 30, .end = 40, .path = "/c" });
	procmaps_add(&m, &(struct mapping){ .start = 10, .end = 20, .path = "/a" });
	procmaps_add(&m, &(struct mapping){ .start = 20, .end = 30, .path = "/b" });
	is_str(procmaps_find(&m, 10)->path, "/a", "in order of addresses");
	is_str(procmaps_find(&m, 29)->path, "/b", "between two");
	procmaps_add(&m, &(struct mapping){ .start = 15, .end = 32, .path = "/d" });
	is_int(m.list.n, 3, "what is covered is gone");
	is_str(procmaps_find(&m, 14)->path, "/a", "what is before it stays");
	is_str(procmaps_find(&m, 31)->path, "/d", "it is there");
	is_int(procmaps_find(&m, 32)->offset, 2, "what is after it is another part of the file");
	procmaps_add(&m, &(struct mapping){ .start = 20, .end = 25, .path = "/e" });
	is_int(m.list.n, 5, "one inside of another divides it");
	is_str(procmaps_find(&m, 19)->path, "/d", "the part before");
	is_str(procmaps_find(&m, 25)->path, "/d", "the part after");
	procmaps_release(&m);

	usyms_mapped(
		u, PARENT,
		&(struct mapping){ .start = 0x1000, .end = 0x2000, .exec = true, .path = "/no" },
		10);
	usyms_forked(u, PARENT, CHILD, 12);
	usyms_resolve(u, CHILD, 0, 0x1800, &s);
	is_str(s.path, "/no", "a child has the mappings of its parent");
	usyms_exec(u, PARENT, 20);
	usyms_resolve(u, PARENT, 0, 0x1800, &s);
	is_str(s.path, "/no", "stacks from before exec have names");
	usyms_mapped(
		u, PARENT,
		&(struct mapping){ .start = 0x1000, .end = 0x2000, .exec = true, .path = "/new" },
		30);
	usyms_resolve(u, PARENT, 0, 0x1800, &s);
	is_str(s.path, "/new", "but where the new program is");
	usyms_resolve(u, PARENT, 15, 0x1800, &s);
	is_str(s.path, "/no", "not for stacks from before");
	usyms_resolve(u, CHILD, 0, 0x1800, &s);
	is_str(s.path, "/no", "of the process that called it only");
	usyms_exec(u, CHILD, 40);
	usyms_mapped(
		u, CHILD,
		&(struct mapping){ .start = 0x1000, .end = 0x2000, .exec = true, .path = "/child" },
		50);
	usyms_resolve(u, CHILD, 35, 0x1800, &s);
	is_str(s.path, "/no", "a stack from before the child's exec");
	usyms_resolve(u, CHILD, 11, 0x1800, &s);
	is_str(s.path, "/child", "one from before the child was first hit in another process");
	replaced(u, PARENT);
	usyms_free(u);
}

static bool runs_us(pid_t pid)
{
	char path[40], own[512] = "", its[512] = "";

	snprintf(path, sizeof path, "/proc/%d/exe", pid);
	return readlink("/proc/self/exe", own, sizeof own - 1) > 0 &&
	       readlink(path, its, sizeof its - 1) > 0 && streq(own, its);
}

/* The new mappings are read before the event of exec() comes. */
static void read_early(void)
{
	struct usyms *u = usyms_new();
	struct past_maps past = { 0 };
	struct mapping m = { .start = 10, .end = 20, .path = "/a" };
	struct usym s;
	int go[2];
	pid_t pid;
	u64 before;

	if (under_emulator()) {
		skip("the emulator's mappings are not the program's");
		return;
	}
	if (pipe(go) < 0 || (pid = fork()) < 0)
		return;
	if (!pid) {
		char one;

		if (read(go[0], &one, 1) == 1)
			execl("/bin/sleep", "sleep", "100", NULL);
		_exit(1);
	}
	usyms_read(u, (u32)pid);
	before = clock_mono_ns();
	ok(write(go[1], "x", 1) == 1, "the child may go on");
	for (u32 i = 0; i < 10000 && runs_us(pid); i++)
		usleep(1000);
	usyms_read(u, (u32)pid);
	usyms_resolve(u, (u32)pid, before, (u64)(uintptr_t)read_early, &s);
	is_str(s.name, "read_early", "a hit from before has its name");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	usyms_free(u);

	past_maps_add_missed(&past, &m, 40, 100);
	past_maps_ended(&past, NULL, 30);
	past_maps_ended(&past, NULL, 120);
	ok(past_maps_at(&past, 15, 99), "events before and after do not");
	past_maps_add_missed(&past, &(struct mapping){ .start = 90, .end = 95, .path = "" }, 100,
			     200);
	past_maps_ended(&past, NULL, 50);
	ok(past_maps_at(&past, 15, 49) && !past_maps_at(&past, 15, 60), "the event tells when");
	ok(past_maps_at(&past, 92, 190), "not of what a later read missed");
	past_maps_release(&past);
}

int main(void)
{
	told();
	read_early();
	parse();
	same_path();
	perfmap();
	own();
	gone();
	jit();
	demangle();
	vdso();
	return done();
}
