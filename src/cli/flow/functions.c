/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose functions the words of the command line are. In: FUNC... Out: those of the program, and
 * those of the kernel: "kprobe:NAME", or a name that the program does not have and the kernel does.
 */
#include <unistd.h>
#include "cli/flow/flow.h"
#include "object/elf.h"
#include "session/system.h"
#include "sym/kallsyms.h"

static const char *const prefixes[] = { "kprobe:", "k:" };

static const char *after_prefix(const char *word)
{
	for (u32 i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (starts_with(word, prefixes[i]))
			return word + strlen(prefixes[i]);
	return NULL;
}

static bool is_kernels(struct kallsyms *k, const char *name)
{
	struct ksym s;

	return kallsyms_find(k, name, NULL, &s) && ksym_is_text(&s);
}

static int check_kernel_name(const struct flow *f, const char *name)
{
	if (name[strspn(name,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.*?[]:")] ||
	    !*name)
		return say_usage(
			f->t.c,
			"kprobe:%s: a function of the kernel, or a pattern, as in kprobe:vfs_read",
			name);
	return 0;
}

static int check_program_name(const struct flow *f, const char *name)
{
	const char *colon = strchr(name, ':');

	if (!strpbrk(name, "{}/\"\n") && (!colon || strstr(name, "::")))
		return 0;
	if (strchr(name, '/') && !access(name, X_OK))
		return say_usage(f->t.c,
				 "%s is a program: which of its functions? sonde flow main -- %s",
				 name, name);
	return say_usage(
		f->t.c,
		"%s: a function of the program, or a pattern; --binary FILE is for those of a library, "
		"kprobe:NAME is one of the kernel",
		name);
}

struct sorting {
	struct flow *f;
	struct elf *program; /* NULL: none */
};

static bool is_meant_of_kernel(struct sorting *s, const char *name)
{
	struct elf_symbol found;

	if (strpbrk(name, "*?[:{}/\"\n"))
		return false;
	return !(s->program && elf_find(s->program, name, &found)) &&
	       is_kernels(system_kallsyms(&s->f->system), name);
}

static int sort_word(struct sorting *s, const char *word)
{
	struct flow *f = s->f;
	struct arena *a = &f->t.c->line.arena;
	const char *name = after_prefix(word);
	int ret;

	if (name || is_meant_of_kernel(s, word)) {
		name = name ? name : word;
		ret = check_kernel_name(f, name);
		vec_push(a, &f->kernel_functions, name);
	} else {
		ret = check_program_name(f, word);
		vec_push(a, &f->functions, word);
	}
	return ret;
}

int flow_sort_functions(struct flow *f)
{
	const struct cli *c = f->t.c;
	struct sorting s = { .f = f };
	struct err err = { 0 };
	int ret = 0;

	if (f->binary && !f->is_script)
		s.program = elf_open(f->binary, &err); /* an error is reported when it is traced */
	err_release(&err);
	for (u32 i = 0; i < c->line.n_words && !ret; i++)
		ret = sort_word(&s, c->line.words[i]);
	elf_close(s.program);
	return ret;
}
