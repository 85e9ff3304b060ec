/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What functions of the language give: a line of a script against what it prints, in the
 * interpreter and, where we are root, in the kernel.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "engine/kernel/kernel.h"
#include "output/output.h"
#include "session/session.h"
#include "tests/unit/tap.h"

static const struct {
	const char *line, *want;
} lines[] = {
	/* strings: $s is "hello world", known to the probe only */
	{ "print(strlen($s))", "11" },
	{ "print(strlen(\"\"))", "0" },
	{ "print(strcap(comm))", "16" },
	{ "print(strncmp($s, \"hello\", 5))", "0" },
	{ "print(strncmp($s, \"help\", 4))", "1" },
	{ "print(strncmp(\"help\", $s, 4))", "1" },
	{ "print(strncmp($s, \"hell\", 16))", "1" },
	{ "print(strncmp($s, $t, 3))", "0" },
	{ "print(strncmp($s, $t, 4))", "1" },
	{ "print(strncmp(\"abc\", \"abd\", 3))", "1" },
	{ "print(strncmp($s, \"zzz\", 0))", "0" },
	{ "print(memcmp($s, \"hello\", 5))", "0" },
	{ "print(memcmp(pton(\"1.2.3.4\"), pton(\"1.2.3.5\"), 4))", "-1" },
	{ "print(str_concat($s, \"!\"))", "hello world!" },
	{ "print(str_concat($s, $t))", "hello worldhelp" },
	{ "@m = str_concat(\"<\", $s); print(@m == \"<hello world\"); clear(@m)", "true" },
	{ "print(substr($s, 6))", "world" },
	{ "print(substr($s, 6, 3))", "wor" },
	{ "print(substr($s, 6, 100))", "world" },
	{ "print(substr($s, 11))", "" },
	{ "print(substr($s, 12))", "" },
	{ "print(substr($s, -1))", "" },
	{ "print(substr($s, 0, 0))", "" },
	{ "$n = 4; print(substr($s, $n, $n))", "o wo" },
	{ "print(split(\"a:b::d\", \":\", 0))", "a" },
	{ "print(split(\"a:b::d\", \":\", 2))", "" },
	{ "print(split(\"a:b::d\", \":\", 3))", "d" },
	{ "print(split(\"a:b::d\", \":\", 4))", "" },
	{ "print(split(\"a, b, c\", \", \", 1))", "b" },
	{ "print(split(\"aaaab\", \"aa\", 2))", "b" },
	{ "print(split($s, \" \", 1))", "world" },
	{ "$n = 1; print(split($s, \"o\", $n))", " w" },
	{ "print(split($s, \"x\", 0))", "hello world" },
	{ "print(split(\"\", \":\", 0))", "" },
	{ "print(basename(\"/usr/lib/libc.so\"))", "libc.so" },
	{ "print(basename(\"/a/b/\"))", "b" },
	{ "print(basename(\"a\"))", "a" },
	{ "print(basename(\"///\"))", "/" },
	{ "print(basename(\"\"))", "." },
	{ "print(dirname(\"/usr/lib/libc.so\"))", "/usr/lib" },
	{ "print(dirname(\"/a//b//\"))", "/a" },
	{ "print(dirname(\"/a\"))", "/" },
	{ "print(dirname(\"a\"))", "." },
	{ "print(dirname(\"\"))", "." },
	/* searching */
	{ "print(strcontains($s, \"lo wo\"))", "true" },
	{ "print(strcontains($s, \"lo wx\"))", "false" },
	{ "print(strcontains($s, \"\"))", "true" },
	{ "print(strcontains($s, $t))", "false" },
	{ "print(strcontains(\"ananas\", substr(\"xnanas\", 1)))", "true" },
	{ "print(strstr($s, \"world\"))", "6" },
	{ "print(strstr($s, \"d\"))", "10" },
	{ "print(strstr($s, \"worlds\"))", "-1" },
	{ "print(strstr($s, \"\"))", "0" },
	{ "print(strstr($s, substr($s, 3, 4)))", "3" },
	{ "print(strstr(\"aab\", substr(\"xab\", 1)))", "1" },
	{ "print(glob($s, \"hello*\"))", "true" },
	{ "print(glob($s, \"*world\"))", "true" },
	{ "print(glob($s, \"hello\"))", "false" },
	{ "print(glob($s, \"h*o*d\"))", "true" },
	{ "print(glob($s, \"h?llo w[a-o]rld\"))", "true" },
	{ "print(glob($s, \"h?llo w[!a-o]rld\"))", "false" },
	{ "print(glob($s, \"*o*o*o*\"))", "false" },
	{ "print(glob($s, \"\"))", "false" },
	{ "print(glob(substr($s, 11), \"\"))", "true" },
	{ "print(glob(substr(\"xa*b\", 1), \"a\\\\*b\"))", "true" },
	{ "print(glob($s, \"a\\\\*b\"))", "false" },
	/* numbers to texts */
	{ "print(strerror(2))", "No such file or directory" },
	{ "$e = 13; print(strerror($e))", "Permission denied" },
	{ "$e = 100000; print(strerror($e))", "Unknown error" },
	{ "$e = -1; print(strerror($e))", "Operation not permitted" },
	{ "$e = 2; print(signal_name($e))", "Interrupt" },
	{ "$e = 65; print(signal_name($e))", "N/A" },
	{ "print(syscall_name(5000))", "Unknown syscall" },
	/* network */
	{ "print(ntop(0x0100007f))", "127.0.0.1" },
	{ "print(ntop(pton(\"10.1.2.3\")))", "10.1.2.3" },
	{ "print(ntop(pton(\"2001:db8::1\")))", "2001:db8::1" },
	{ "print(ntop(AF_INET, 0x0100007f))", "127.0.0.1" },
	{ "print(pton(\"127.0.0.1\"))", "[127,0,0,1]" },
	{ "$p = (uint16)0x5000; print(bswap($p))", "80" },
	{ "$p = (uint64)1; print(bswap($p) == 0x0100000000000000)", "true" },
	/* when compiling */
	{ "print((is_str($s), is_ptr(1), is_integer(1), is_literal(1), is_literal($s)))",
	  "(true, false, true, true, false)" },
	{ "print(getopt(\"limit\", 10))", "7" },
	{ "print(getopt(\"other\", 10))", "10" },
	{ "print(getopt(\"flag\"))", "true" },
	{ "print(getopt(\"none\"))", "false" },
	{ "print(getopt(\"word\", \"a\"))", "bcd" },
	{ "print(config().max_map_keys)", "4096" },
	{ "print(default_str_length)", "1024" },
	{ "print(is_err((uint64)-2))", "true" },
	{ "print(is_err((uint64)4096))", "false" },
	/* maps */
	{ "@x[1] = 7; print(find(@x, 1, $v)); print($v); clear(@x)", "true\n7" },
	{ "@x[1] = 7; print(find(@x, 2, $v)); clear(@x)", "false" },
	{ "@x[1] = 7; @x[2] = 8; print(len(@x)); clear(@x)", "2" },
	{ "@x = sum(5000); normalize(@x, 1000); print(@x); denormalize(@x); print(@x); clear(@x)",
	  "@x: 5\n@x: 5000" },
	{ "@x[1] = 3; @x[2] = 9; @x[3] = 6; trunc(@x, 2); print(@x); clear(@x)",
	  "@x[3]: 6\n@x[2]: 9" },
	{ "@x[1] = 3; @x[2] = 1; print(@x, sort=\"key\", order=\"desc\"); clear(@x)",
	  "@x[2]: 1\n@x[1]: 3" },
	{ "@x[1] = 3; @x[2] = 1; print(@x, order=\"desc\"); clear(@x)", "@x[1]: 3\n@x[2]: 1" },
	{ "@x = hist(5); @x = hist(900); print(@x, pct=(50, 99.9)); clear(@x)",
	  "@x: p50 7, p99.9 1023" },
	{ "@x = samples(5); @x = samples(9); @x = samples(7); print(@x, pct=50); clear(@x)",
	  "@x: p50 7" },
	{ "$n = speculation(); speculate($n); print(1); speculate(0); print(2); commit($n)",
	  "2\n1" },
	{ "$n = speculation(); speculate($n); print(1); speculate(0); print(2); discard($n)", "2" },
	{ "assert(1 == 1, \"never\"); print(1)", "1" },
};

/* What the script prints, without the blank lines at the end. */
static char *output_of(const char *script, bool use_vm)
{
	static const struct script_arg named[] = { { "limit", "7" },
						   { "flag", NULL },
						   { "word", "bcd" } };
	struct sink sink = { .output = output_find("text"),
			     .fd = memfd_create("out", MFD_CLOEXEC),
			     .quiet = true };
	struct request q = { .script.name = "test",
			     .script.text = script,
			     .script.len = strlen(script),
			     .engine.name = use_vm ? "interpreter" : NULL,
			     .compile.no_warnings = true,
			     .script.named = named,
			     .script.n_named = 3 };
	struct session_host host = { .sink = &sink, .themes = builtin_themes };
	struct err err = { 0 };
	char *text = xcalloc(1, 65536);
	size_t len;

	session_run(&q, &host, &err);
	sink_flush(&sink);
	if (err.code)
		note("%s: %s", script, err.text);
	if (pread(sink.fd, text, 65535, 0) < 0)
		text[0] = '\0';
	for (len = strlen(text); len && text[len - 1] == '\n'; len--)
		text[len - 1] = '\0';
	close(sink.fd);
	sink_release(&sink);
	err_release(&err);
	return text;
}

static void run(const char *line, const char *want, bool use_vm)
{
	char *script = xasprintf(
		"begin { @s = \"hello world\"; $s = @s; @t = \"help\"; $t = @t; clear(@s); clear(@t);\n"
		"_ = (getopt(\"limit\", 10), getopt(\"flag\"), getopt(\"word\", \"a\")); %s; }",
		line);
	char *got = output_of(script, use_vm);

	is_str(got, want, "%s: %s", use_vm ? "interpreter" : "kernel", line);
	free(got);
	free(script);
}

/* An option that no getopt() asks for is a mistake of whoever typed it. */
static void test_unknown_option(void)
{
	static const struct script_arg named[] = { { "limit", "7" }, { "limits", NULL } };
	static const char script[] = "begin { print(getopt(\"limit\", 1)); }";
	struct request q = { .script.name = "test",
			     .script.text = script,
			     .script.len = sizeof script - 1,
			     .engine.name = "interpreter",
			     .script.named = named,
			     .script.n_named = 2 };
	struct session_host host = { .themes = builtin_themes };
	struct compiled c;
	struct err err = { 0 };

	is_int(session_compile(&c, &q, &host, &err), 1, "an option that the script does not know");
	ok(c.diags.list.n == 1 && c.diags.list.v[0]->id == D_UNKNOWN_OPTION, "is told");
	err_release(&err);
	compiled_release(&c);
}

static bool kernel_can(const char *line)
{
	return !strstr(line, "len(@") || feature_has(kernel_features(), FEAT_FOR_EACH_MAP);
}

int main(void)
{
	test_unknown_option();
	for (u32 i = 0; i < ARRAY_SIZE(lines); i++)
		run(lines[i].line, lines[i].want, true);
	if (geteuid() != 0 || under_emulator()) {
		skip(under_emulator() ? "emulated: no kernel of this machine" :
					"only root can run programs in the kernel");
		return done();
	}
	for (u32 i = 0; i < ARRAY_SIZE(lines); i++)
		if (kernel_can(lines[i].line))
			run(lines[i].line, lines[i].want, false);
		else
			skip("kernel: %s", lines[i].line);
	return done();
}
