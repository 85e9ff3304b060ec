/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Suggestions: what is near enough, and which of two is nearer. */
#include "base/diag.h"
#include "tap.h"

static void suggests(const char *word, const char *a, const char *b, const char *want)
{
	struct near n;

	near_init(&n, word);
	near_try(&n, a);
	near_try(&n, b);
	is_str(near_best(&n), want, "%s among %s and %s", word, a, b);
}

int main(void)
{
	char long_a[200], long_b[200];

	suggests("cuont", "count", "comm", "count");    /* swapped */
	suggests("prinf", "print", "printf", "printf"); /* a letter left out, not another one */
	suggests("prinf", "printf", "print", "printf");
	suggests("prnitf", "print", "printf", "printf"); /* the nearer one */
	suggests("prinft", "print", "printf", "printf"); /* as near: swapped */
	suggests("prinft", "printf", "print", "printf");
	suggests("kstak", "ustack", "kstack", "kstack"); /* one left out */
	suggests("nsecss", "nsecs", "ctx", "nsecs");     /* one too many */
	suggests("COMM", "comm", "cgroup", "comm");      /* case */
	suggests("vfs_raed", "vfs_write", "vfs_read", "vfs_read");
	suggests("pdi", "pid", "tid", "pid");
	suggests("pid", "pid", "zzz", NULL); /* the word itself is no help */
	suggests("pid", "uid", "gid", "uid");
	suggests("foo", "bar", "quux", NULL);
	suggests("x", "y", "z", NULL); /* one letter says nothing */
	suggests("", "a", "b", NULL);
	suggests("ab", "", "abc", "abc");
	suggests("kprobe", "uprobe", "tracepoint", "uprobe");
	suggests("kprobe", "profile", "interval", NULL);

	memset(long_a, 'a', sizeof long_a);
	memset(long_b, 'a', sizeof long_b);
	long_a[127] = long_b[126] = '\0';
	suggests(long_a, long_b, "a", long_b);
	long_a[127] = 'a';
	long_a[128] = '\0';
	suggests(long_a, long_b, "a", NULL); /* too long to try */
	suggests(long_b, long_a, "a", NULL);
	return done();
}
