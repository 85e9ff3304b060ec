/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Patterns with stars. */
#include "base/glob.h"
#include "tap.h"

static void match(const char *pattern, const char *s, bool want)
{
	is_int(glob_match(pattern, s), want, "'%s' and '%s'", pattern, s);
}

int main(void)
{
	char as[200];

	match("", "", true);
	match("", "a", false);
	match("a", "", false);
	match("*", "", true);
	match("*", "vfs_read", true);
	match("**", "x", true);
	match("vfs_read", "vfs_read", true);
	match("vfs_read", "vfs_readv", false);
	match("vfs_*", "vfs_read", true);
	match("vfs_*", "vfs_", true);
	match("vfs_*", "xvfs_read", false);
	match("*read", "vfs_read", true);
	match("*read", "vfs_readread", true);
	match("*read", "vfs_readv", false);
	match("*ab*cd*", "xxabyabzcdcd", true);
	match("*ab*cd*", "cdab", false);
	match("a*b*c", "abcbc", true);
	match("a*b*c", "abcb", false);
	match("a?[b]", "a?[b]", true);
	match("a?c", "abc", false);

	memset(as, 'a', sizeof as - 1);
	as[sizeof as - 1] = '\0';
	match("*a*a*a*a*a*a*a*a*a*a*a*a*b", as, false); /* quick, too */

	ok(glob_has_wildcard("vfs_*"), "a star is a wildcard");
	ok(!glob_has_wildcard("a?[b]"), "nothing else is");
	return done();
}
