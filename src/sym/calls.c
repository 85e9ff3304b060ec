/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Argument descriptions of system calls, from tables of text that are parsed on demand. */
#include <stdlib.h>
#include "base/hash.h"
#include "sym/callrows.h"
#include "sym/calls.h"
#include "sym/constants.h"
#include "sym/syscalls.h"

/* Variants of one call, added over time: each row begins with the common name. */
static const char *const families[] = {
	"open openat openat2",
	"stat lstat newfstatat statx",
	"access faccessat faccessat2",
	"chmod fchmodat fchmodat2",
	"chown lchown fchownat",
	"link linkat",
	"unlink unlinkat",
	"symlink symlinkat",
	"readlink readlinkat",
	"rename renameat renameat2",
	"mkdir mkdirat",
	"mknod mknodat",
	"utime utimes futimesat utimensat",
	"exec execve execveat",
	"execve execveat",
	"fork vfork clone clone3",
	"clone clone3",
	"wait wait4 waitid",
	"exit exit_group",
	"kill tkill tgkill",
	"dup dup2 dup3",
	"pipe pipe2",
	"accept accept4",
	"send sendto sendmsg sendmmsg",
	"recv recvfrom recvmsg recvmmsg",
	"select pselect6",
	"poll ppoll",
	"epoll_create epoll_create1",
	"epoll_wait epoll_pwait epoll_pwait2",
	"eventfd eventfd2",
	"signalfd signalfd4",
	"inotify_init inotify_init1",
	"pread pread64",
	"pwrite pwrite64",
	"preadv preadv2",
	"pwritev pwritev2",
	"getdents getdents64",
	"setxattr lsetxattr setxattrat",
	"getxattr lgetxattr getxattrat",
	"listxattr llistxattr listxattrat",
	"removexattr lremovexattr removexattrat",
	"futex futex_wait futex_wake futex_requeue futex_waitv",
	"umount umount2",
	"prlimit prlimit64",
	"fadvise fadvise64",
	"mlock mlock2",
};

static const struct call_desc *find_native(const char *event)
{
	const struct call_row *row = call_row(CALL_CALLS, event);
	static struct hash found;
	static struct arena all;
	struct call_desc *c = row ? hash_gets(&found, event) : NULL;

	if (row && !c) {
		c = arena_new(&all, struct call_desc);
		*c = (struct call_desc){ row->name, row->by, row->text };
		hash_puts(&found, row->name, c);
	}
	return c;
}

const struct call_desc *call_find(const char *event)
{
	static struct call_desc of_i386[SYSCALL_I386];
	const struct syscall_i386 *call = syscall_i386_find(event);
	const struct call_desc *native = find_native(call ? call->event : event);
	struct call_desc *c;

	if (!call)
		return native;
	c = &of_i386[call->nr];
	c->event = call->name;
	c->groups = native ? native->groups : "";
	c->args = call->args ? call->args : native ? native->args : "";
	return c;
}

static void read_arg(struct arena *a, const char *text, size_t len, struct call_arg *arg)
{
	static const struct {
		const char *text;
		enum call_word word;
	} words[] = {
		{ "STR", CALL_STRING }, { "AT", CALL_AT },           { "MODE", CALL_MODE },
		{ "HEX", CALL_HEX },    { "ADDRESS", CALL_ADDRESS },
	};
	const char *view;
	size_t n = len;

	while (n && text[n - 1] != ' ')
		n--;
	arg->name = arena_strndup(a, text + n, len - n);
	view = memchr(text, '@', n);
	arg->view = view ? arena_strndup(a, view + 1, (size_t)(text + n - view) - 2) : NULL;
	if (view)
		n = (size_t)(view - text);
	arg->type = arena_strndup(a, text, n ? n - 1 : 0);
	arg->word = *arg->type == '|' ? CALL_FLAGS : *arg->type == '=' ? CALL_NAMES : CALL_CTYPE;
	arg->type += arg->word != CALL_CTYPE;
	for (u32 i = 0; i < ARRAY_SIZE(words); i++)
		if (streq(arg->type, words[i].text))
			arg->word = words[i].word;
}

u32 call_args(struct arena *a, const struct call_desc *c, struct call_arg *args, u32 max)
{
	u32 n = 0;

	for (const char *s = c->args; *s && n < max;) {
		size_t len = strcspn(s, ";");

		read_arg(a, s, len, &args[n++]);
		s += len;
		s += strspn(s, "; ");
	}
	return n;
}

bool call_in_group(const struct call_desc *c, const char *group)
{
	return lists_word(c->groups, group, strlen(group));
}

const char *call_groups(void)
{
	return "%clock %creds %desc %file %ipc %memory %network %process %pure %signal %stat "
	       "%lstat %fstat %%stat %statfs %fstatfs %%statfs";
}

const char *call_family(const char *name)
{
	size_t len = strlen(name);

	for (u32 i = 0; i < ARRAY_SIZE(families); i++)
		if (!strncmp(families[i], name, len) && families[i][len] == ' ')
			return families[i];
	return NULL;
}

const char *call_instead(struct arena *a, const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(families); i++) {
		if (!lists_word(families[i], name, strlen(name)))
			continue;
		for (const char *s = families[i]; *s;) {
			size_t n = strcspn(s, " ");
			const char *word = arena_strndup(a, s, n);

			if (syscall_number(word) >= 0)
				return word;
			s += n + strspn(s + n, " ");
		}
	}
	return NULL;
}

/* NAME[:VALUE][/MASK] */
static struct call_name read_name(struct arena *a, const char *text, size_t len)
{
	char *s = arena_strndup(a, text, len), *mask = strchr(s, '/'), *value;
	struct call_name n = { .name = s };

	if (mask)
		*mask++ = '\0';
	value = strchr(s, ':');
	if (value)
		*value++ = '\0';
	if (value)
		n.value = strtoll(value, NULL, 0);
	else
		constant_find(s, &n.value);
	n.mask = mask ? strtoull(mask, NULL, 0) : n.value >= 0 ? (u64)n.value : (u32)n.value;
	return n;
}

u32 call_set(struct arena *a, const char *set, struct call_name *names, u32 max)
{
	const struct call_row *row = call_row(CALL_SETS, set);
	u32 n = 0;

	for (const char *s = row ? row->text : ""; *s && n < max;) {
		size_t len = strcspn(s, " ");

		if (!strchr(CALL_SET_MARKS, *s))
			names[n++] = read_name(a, s, len);
		s += len + strspn(s + len, " ");
	}
	return n;
}

static const char *marked(const char *members, char mark)
{
	for (const char *s = members; *s; s += strspn(s, " ")) {
		if (*s == mark)
			return s + 1;
		s += strcspn(s, " ");
	}
	return NULL;
}

const char *call_set_word(struct arena *a, const char *set, char mark)
{
	const struct call_row *row = call_row(CALL_SETS, set);
	const char *at = row ? marked(row->text, mark) : NULL;

	return at ? arena_strndup(a, at, strcspn(at, " ")) : NULL;
}
