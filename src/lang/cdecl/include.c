/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * #include. Headers of the kernel and of the C library need no file: BTF has the types that the
 * kernel's declare, constants of both are built in, and neither is installed on most machines. All
 * others are looked for as C compilers do, and must exist.
 */
#include "lang/cdecl/cdecl.h"

enum { MAX_INCLUDE_DEPTH = 60 };

static char is_known; /* a value for a set of names */

/* ---- headers that are known */

static bool is_within(const char *name, const char *const *folders, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (starts_with(name, folders[i]))
			return true;
	return false;
}

/* The folders of include/ in the kernel's sources. */
static bool is_kernel_header(const char *name)
{
	static const char *const folders[] = {
		"linux/",  "uapi/",        "asm/",    "asm-generic/", "net/",   "trace/",
		"acpi/",   "clocksource/", "crypto/", "cxl/",         "drm/",   "generated/",
		"hyperv/", "keys/",        "kunit/",  "kvm/",         "media/", "memory/",
		"misc/",   "mtd/",         "pcmcia/", "ras/",         "rdma/",  "rv/",
		"scsi/",   "soc/",         "sound/",  "target/",      "ufs/",   "vdso/",
		"video/",  "xen/",
	};

	return is_within(name, folders, ARRAY_SIZE(folders)) || streq(name, "vmlinux.h");
}

/*
 * Headers of the compiler (C11, 4p6), of C and of POSIX, and what Linux's C libraries add to them
 * for system calls.
 */
static bool is_libc_header(const char *name)
{
	static const char *const folders[] = { "sys/", "netinet/", "arpa/", "bits/", "gnu/" };
	static const char *const names[] = {
		"aio",      "alloca",  "assert",   "byteswap", "complex",   "ctype",
		"dirent",   "dlfcn",   "endian",   "err",      "errno",     "fcntl",
		"features", "fenv",    "float",    "fnmatch",  "ftw",       "getopt",
		"glob",     "grp",     "iconv",    "ifaddrs",  "inttypes",  "iso646",
		"langinfo", "libgen",  "limits",   "locale",   "malloc",    "math",
		"memory",   "mntent",  "monetary", "mqueue",   "ndbm",      "netdb",
		"nl_types", "paths",   "poll",     "pthread",  "pty",       "pwd",
		"regex",    "resolv",  "sched",    "search",   "semaphore", "setjmp",
		"shadow",   "signal",  "spawn",    "stdalign", "stdarg",    "stdatomic",
		"stdbool",  "stddef",  "stdint",   "stdio",    "stdlib",    "stdnoreturn",
		"string",   "strings", "stropts",  "syscall",  "sysexits",  "syslog",
		"tar",      "termios", "tgmath",   "threads",  "time",      "uchar",
		"ucontext", "ulimit",  "unistd",   "utime",    "utmp",      "utmpx",
		"wait",     "wchar",   "wctype",   "wordexp",
	};

	if (is_within(name, folders, ARRAY_SIZE(folders)))
		return true;
	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		if (starts_with(name, names[i]) && streq(name + strlen(names[i]), ".h"))
			return true;
	return false;
}

/*
 * The structures that a C library declares under a name that the kernel has for another one, whose
 * members of the same name are elsewhere: glibc's, which programs are compiled with.
 */
#if defined(__x86_64__)
#define SEM_PAD(n) ", __pad" n
#define STAT64_MIDDLE                                                                              \
	", st_nlink; unsigned st_mode, st_uid, st_gid; unsigned long st_rdev; long st_size, "      \
	"st_blksize;"
#define STAT64_SPARE "3"
#else
#define SEM_PAD(n) ""
#define STAT64_MIDDLE                                                                              \
	"; unsigned st_mode, st_nlink, st_uid, st_gid; unsigned long st_rdev, __pad1; long "       \
	"st_size; int st_blksize;"
#define STAT64_SPARE "1"
#endif
static const struct {
	const char *header, *text;
} own_structures[] = {
	{ "time.h", "struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, "
		    "tm_yday, tm_isdst; long tm_gmtoff; const char *tm_zone; };" },
	{ "signal.h", "struct sigaction { union { void *sa_handler, *sa_sigaction; }; struct { "
		      "unsigned long __val[16]; } sa_mask; int sa_flags; void *sa_restorer; };" },
	{ "termios.h", "struct termios { unsigned c_iflag, c_oflag, c_cflag, c_lflag; "
		       "unsigned char c_line, c_cc[32]; unsigned c_ispeed, c_ospeed; };" },
	{ "sys/socket.h", "struct msghdr { void *msg_name; unsigned msg_namelen; struct iovec "
			  "*msg_iov; unsigned long msg_iovlen; void *msg_control; unsigned long "
			  "msg_controllen; int msg_flags; };" },
#define IPC                                                                                        \
	"struct ipc_perm { int __key; unsigned uid, gid, cuid, cgid, mode; short __seq; long __pad[2]; };"
	{ "sys/ipc.h", IPC },
	{ "sys/msg.h", IPC "struct msqid_ds { struct ipc_perm msg_perm; long msg_stime, msg_rtime, "
			   "msg_ctime; unsigned long __msg_cbytes, msg_qnum, msg_qbytes; int "
			   "msg_lspid, msg_lrpid; long __pad[2]; };" },
	{ "sys/shm.h", IPC "struct shmid_ds { struct ipc_perm shm_perm; unsigned long shm_segsz; "
			   "long shm_atime, shm_dtime, shm_ctime; int shm_cpid, shm_lpid; unsigned "
			   "long shm_nattch; long __pad[2]; };" },
	{ "sys/sem.h",
	  IPC "struct semid_ds { struct ipc_perm sem_perm; long sem_otime" SEM_PAD(
		  "1") ", sem_ctime" SEM_PAD("2") "; unsigned long sem_nsems; long __pad[2]; };" },
#undef IPC
	{ "sys/stat.h", "struct stat64 { unsigned long st_dev, st_ino" STAT64_MIDDLE
			" long st_blocks; struct { long tv_sec, tv_nsec; } st_atim, st_mtim, "
			"st_ctim; long __pad2[" STAT64_SPARE "]; };" },
};

static const char *own_structures_of(const char *header)
{
	for (u32 i = 0; i < ARRAY_SIZE(own_structures); i++)
		if (streq(header, own_structures[i].header))
			return own_structures[i].text;
	return NULL;
}

bool cdecl_needs_no_file(const char *header)
{
	return is_kernel_header(header) || is_libc_header(header);
}

/* ---- files */

static void read_foreign(struct cdecl *c, const char *path, const char *text)
{
	struct source *src = sources_add(c->lang->sources, path, text, strlen(text));
	struct cdecl outer = *c;

	c->foreign = true;
	c->include_depth++;
	cdecl_read(c, src, 0, src->len);
	c->foreign = outer.foreign;
	c->include_depth = outer.include_depth;
	c->src = outer.src;
	c->lx = outer.lx;
	c->tok = outer.tok;
	if (c->conds.n > outer.conds.n)
		c->conds.n = outer.conds.n;
}

/* false: it is not there. A file that is there and cannot be read has an id, and the reason. */
static bool read_header(struct env *env, const char *from, const char *name,
			struct import_source *found)
{
	import_source_release(found);
	*found = (struct import_source){ 0 };
	env->read_import(env, from, name, found);
	return found->id;
}

/* In the folders that every C compiler searches. */
static bool find_in_system(struct cdecl *c, const char *name, struct import_source *found)
{
	static const char *const folders[] = {
		"/usr/local/include",
#if defined(__x86_64__)
		"/usr/include/x86_64-linux-gnu",
#elif defined(__aarch64__)
		"/usr/include/aarch64-linux-gnu",
#endif
		"/usr/include",
	};

	for (u32 i = 0; i < ARRAY_SIZE(folders); i++)
		if (read_header(c->lang->env, NULL,
				arena_printf(c->arena, "%s/%s", folders[i], name), found))
			return true;
	return false;
}

/* As C compilers: "FILE" next to the including file, then as <FILE>: in the folders of -I, then in
 * those of the system. */
static bool find(struct cdecl *c, const char *name, bool quoted, struct import_source *found)
{
	struct env *env = c->lang->env;

	if (!env->read_import) {
		found->why = "nothing can be included here";
		return false;
	}
	if (quoted && read_header(env, c->src->name, name, found))
		return found->text;
	if (is_kernel_header(name))
		return false;
	if (env->request->script.include_dirs && read_header(env, NULL, name, found))
		return found->text;
	return *name != '/' && !is_libc_header(name) && find_in_system(c, name, found) &&
	       found->text;
}

static void missing(struct cdecl *c, struct span span, const char *name, bool quoted,
		    const struct import_source *found)
{
	struct import_source beside = { 0 };
	struct env *env = c->lang->env;

	if (c->foreign)
		return;
	struct diag *d = diag_report(c->lang->diags, span, D_HEADER_MISSING, name,
				     found->why ? found->why : "it is a folder");

	c->failed = true;
	if (found->id)
		diag_help(c->lang->diags, d,
			  "it must be a file that you can read and only its owner writes");
	else if (!quoted && env->read_import)
		env->read_import(env, c->src->name, name, &beside);
	if (beside.text)
		diag_help(c->lang->diags, d, "#include \"%s\" reads the file next to the script",
			  name);
	import_source_release(&beside);
}

/* The name between the quotes or angle brackets of the rest of the line; NULL: there is none. */
static const char *header_name(struct cdecl *c, const struct token *what, u32 to)
{
	const char *s = c->src->text + what->off;
	char close = *s == '<' ? '>' : '"';
	u32 n = 0;

	if (what->off >= to || (*s != '<' && *s != '"'))
		return NULL;
	while (what->off + 1 + n < to && s[1 + n] != close && s[1 + n] != '\n')
		n++;
	return n && what->off + 1 + n < to && s[1 + n] == close ?
		       arena_strndup(c->arena, s + 1, n) :
		       NULL;
}

void cdecl_include(struct cdecl *c, const struct token *what, struct span line, u32 to)
{
	struct span span = { c->src->base + what->off, what->len };
	const char *name = header_name(c, what, to);
	bool quoted = name && c->src->text[what->off] == '"';
	struct import_source found = { 0 };

	if (c->include_depth >= MAX_INCLUDE_DEPTH)
		return;
	if (!name) {
		if (!c->foreign)
			diag_report(c->lang->diags, line, D_C_DIRECTIVE,
				    "#include needs \"FILE\" or <FILE>");
		c->failed |= !c->foreign;
		return;
	}
	span.len = (u32)strlen(name) + 2;
	const char *own;

	if (find(c, name, quoted, &found)) {
		if (!hash_puts(&c->included, interns(c->lang->names, found.id), &is_known))
			read_foreign(c, interns(c->lang->names, found.path), found.text);
	} else if ((own = own_structures_of(name))) {
		if (!hash_puts(&c->included, interns(c->lang->names, name), &is_known))
			read_foreign(c, name, own);
	} else if (!cdecl_needs_no_file(name)) {
		missing(c, span, name, quoted, &found);
	}
	import_source_release(&found);
}

bool cdecl_has_include(struct cdecl *c, const char *name, bool quoted)
{
	struct import_source found = { 0 };
	bool has = find(c, name, quoted, &found) || cdecl_needs_no_file(name);

	import_source_release(&found);
	return has;
}
