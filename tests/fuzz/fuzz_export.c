/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exports: the input is a recording, with right checksums; each format is written to a folder that
 * is emptied again. */
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include "export/export.h"
#include "store_mend.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* A file, or a folder of files. */
static void remove_result(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	unlink(path);
	rmdir(path);
}

static void export(struct store *s, struct arena *a, const struct exporter *x, const char *path)
{
	struct export_job j = { .store = s,
				.tables = store_tables(s),
				.stack_names = store_names_new(store_tables(s)),
				.arena = a,
				.path = path,
				.file = "x",
				.to = ~0ull,
				.kernel_text = 0x1000 };
	struct err err = { 0 };

	store_rewind(s);
	x->run(&j, &err);
	err_release(&err);
	store_names_free(j.stack_names);
	remove_result(path);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct store *s = mended_store(data, size);
	char folder[64], path[80];
	struct arena a;

	snprintf(folder, sizeof folder, "/dev/shm/sonde-fuzz-%d", (int)getpid());
	snprintf(path, sizeof path, "%s/out", folder);
	mkdir(folder, 0700);
	arena_init(&a);
	for (u32 i = 0; s && exporters[i]; i++)
		export(s, &a, exporters[i], path);
	arena_release(&a);
	store_close(s);
	rmdir(folder);
	return 0;
}
