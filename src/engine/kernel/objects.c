/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel objects that a run owns: their descriptors, how each was attached, and the limit of
 * open files. */
#include <stdarg.h>
#include <sys/resource.h>
#include "engine/kernel/internal.h"
#include "sym/btf.h"

void kernel_keep(struct kernel *k, int fd, bool slow)
{
	vec_push(&k->arena, &k->kept, (struct kept){ fd, slow });
}

int kernel_note(struct kernel *k, u32 func, u32 n_sites, const char *fmt, ...)
{
	struct attachment a = { .func = func, .n_sites = n_sites };
	va_list ap;

	va_start(ap, fmt);
	a.how = arena_vprintf(&k->arena, fmt, ap);
	va_end(ap);
	vec_push(&k->arena, &k->attached, a);
	return 0;
}

/* The limit is only raised on demand, because a command started with -c inherits it. */
void kernel_want_files(struct kernel *k, u32 more)
{
	struct rlimit r, raised;
	u64 need = (u64)k->kept.n + k->prog->funcs.n + more +
		   64; /* attachments, programs, maps and other open files */

	if (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_cur >= need)
		return;
	raised = (struct rlimit){ .rlim_cur = need, .rlim_max = MAX(need, r.rlim_max) };
	if (setrlimit(RLIMIT_NOFILE, &raised) ==
	    0) /* beyond the hard limit with CAP_SYS_RESOURCE */
		return;
	r.rlim_cur = MIN(r.rlim_max, need);
	setrlimit(RLIMIT_NOFILE, &r); /* if this is not enough, EMFILE follows */
}

struct btf *kernel_btf(struct kernel *k, struct err *err)
{
	if (!k->btf) {
		k->btf = btf_open(&k->arena, NULL, err);
		k->own_btf = k->btf;
	}
	return k->btf;
}

const char *kernel_how(const struct kernel *k, u32 attachment)
{
	return attachment < k->attached.n ? k->attached.v[attachment].how : NULL;
}

u32 kernel_n_attached(const struct kernel *k)
{
	return k->attached.n;
}
