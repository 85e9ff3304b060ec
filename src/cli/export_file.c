/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which format, and the run of an exporter. */
#include <errno.h>
#include <stdlib.h>
#include "cli/export_file.h"
#include "cli/view/lane.h"
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
	return ends_with(path, suffix) || streq(base_name(path), suffix + 1);
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

/* ---- lanes of a page */

static int add_lane(struct recorded *r, struct export_job *j, struct export_lane *lanes,
		    const char *script)
{
	for (u32 i = 0; i < j->n_lanes; i++)
		if (streq(lanes[i].script, script))
			return 0;
	return lane_read(r, script, &lanes[j->n_lanes++]);
}

/* Of the script that was recorded, if it was one, and of --lane. The page says why the former has
 * none. The exit status. */
static int add_lanes(struct recorded *r, struct export_job *j, struct export_lane **to,
		     struct err *err)
{
	const struct store_text *recorded = store_find_text(r->store, "program");
	const char *const *asked = r->c->own.export.lanes;
	struct export_lane *lanes;
	u32 n = 0;
	int ret = 0;

	while (asked && asked[n]) {
		if (!asked[n][strspn(asked[n], " \t\n")]) {
			err_set(err, -EINVAL, "--lane: the script is empty");
			return STATUS_WRONG;
		}
		n++;
	}
	j->lanes = lanes = *to = xcalloc(n + 1, sizeof *lanes);
	if (recorded && recorded->len)
		add_lane(r, j, lanes, recorded->bytes);
	for (u32 i = 0; i < n && !ret; i++)
		ret = add_lane(r, j, lanes, asked[i]);
	if (ret)
		err_set(err, -EINVAL, "--lane: %s", lanes[j->n_lanes - 1].wrong.s);
	return ret;
}

static void release_lanes(struct export_lane *lanes, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		buf_release(&lanes[i].lines);
		buf_release(&lanes[i].wrong);
	}
	free(lanes);
}

/* ---- the run */

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
		.damage = r->damage.s,
		.from = r->from,
		.to = r->to ? r->to : ~0ull,
		.kernel_text = kernel_text(r),
	};

	struct export_lane *lanes = NULL;
	int ret = x == &export_html ? add_lanes(r, &j, &lanes, &err) : 0;

	if (!ret && x->run(&j, &err))
		ret = STATUS_REFUSED;
	if (ret)
		say_err(r->c, &err);
	err_release(&err);
	release_lanes(lanes, j.n_lanes);
	return ret;
}
