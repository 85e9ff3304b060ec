/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which format, and the run of an exporter. */
#include "cli/export_file.h"
#include "sym/kallsyms.h"

const struct exporter *exporter_find(const char *name)
{
	for (u32 i = 0; exporters[i]; i++)
		if (streq(exporters[i]->name, name))
			return exporters[i];
	return NULL;
}

static bool has_suffix(const char *path, const char *suffix)
{
	const char *slash = strrchr(path, '/');

	return ends_with(path, suffix) || streq(slash ? slash + 1 : path, suffix + 1);
}

const struct exporter *exporter_by_suffix(const char *path)
{
	for (u32 i = 0; exporters[i]; i++)
		if (has_suffix(path, exporters[i]->suffix))
			return exporters[i];
	return NULL;
}

/* By it perf finds names of the kernel's functions. */
static u64 kernel_text(struct recorded *r)
{
	struct ksym sym;

	return r->has_system && kallsyms_find(system_kallsyms(&r->system), "_text", "vmlinux",
					      &sym) ?
		       sym.address :
		       0;
}

int export_file(struct recorded *r, const struct exporter *x, const char *path)
{
	struct err err = { 0 };
	struct export_job j = {
		.store = r->store,
		.tables = r->tables,
		.names = &r->names,
		.stack_names = r->stack_names,
		.arena = &r->arena,
		.path = path,
		.file = r->path,
		.from = r->from,
		.to = r->to ? r->to : ~0ull,
		.kernel_text = kernel_text(r),
	};

	if (x->run(&j, &err) == 0)
		return 0;
	say_err(r->c, &err);
	err_release(&err);
	return STATUS_REFUSED;
}
