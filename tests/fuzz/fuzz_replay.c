/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings: the input is the file, with right checksums. A script runs over it that reads all
 * that events have. */
#include <stdio.h>
#include "builtin/builtin.h"
#include "engine/engine.h"
#include "session/session.h"
#include "store_mend.h"

enum { DRAINS = 4 };

static const char script[] =
	"config = { missing_probes = \"ignore\"; max_probes = 100000 }\n"
	"tracepoint:* { print(args); record(); @[probe, comm, pid, tid, cpu] = count(); }\n"
	"rawtracepoint:* { @raw[probe] = count(); }\n"
	"rawtracepoint:sched_switch { @s[args.prev.comm, args.next.tgid, args.preempt] = hist(args.prev.__state); }\n"
	"tracepoint:syscalls:sys_exit_* { @ret[probe] = sum(args.ret); }\n"
	"profile:ms:100 { @p[comm, pid, nsecs] = count(); }\n";

static int see(void *ctx, const void *record, u32 len)
{
	*(u64 *)ctx += len;
	return 0;
}

static void run(const struct engine *e, struct compiled *c)
{
	struct engine_options o = { .ring_size = 1 << 20 };
	struct err err = { 0 };
	void *self = e->open(&c->prog, &o, &err);
	u64 bytes = 0;

	for (u32 i = 0; i < c->sites.n; i++) {
		const struct site *s = &c->sites.v[i].site;

		struct attach_request a = { .func = c->sites.v[i].func, .sites = &s, .n = 1 };

		e->attach(self, &a, &err);
	}
	e->start(self);
	for (u32 i = 0; i < DRAINS && !e->is_over(self); i++)
		e->drain(self, ~0ull, see, &bytes);
	for (u32 i = 0; i < c->prog.maps.n; i++) {
		struct table t = { .map = &c->prog.maps.v[i] };

		e->map_read(self, i, &c->arena, &t);
	}
	e->close(self);
	err_release(&err);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static u32 n;
	const struct engine *e = engine_find("replay");
	struct session_host h = { .themes = builtin_themes };
	struct compiled c = { .request = NULL };
	struct err err = { 0 };
	char path[64];
	int fd = mended_file(data, size);
	struct request q = { .script.name = "fuzz",
			     .script.text = script,
			     .script.len = sizeof script - 1,
			     .engine.name = "replay",
			     .from.file = path };

	/* another name each time: the file of a name is opened once */
	snprintf(path, sizeof path, "/proc/%s/fd/%d", n++ % 2 ? "self" : "thread-self", fd);
	if (fd >= 0 && e->select(path, &err) >= 0) {
		if (!session_compile(&c, &q, &h, &err) && !c.diags.n_errors)
			run(e, &c);
		compiled_release(&c);
	}
	close(fd);
	err_release(&err);
	return 0;
}
