/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Creates the maps of a program and answers small questions about them. Reading whole maps is in
 * read.c, the mapped data in data.c. MAP_GLOBAL has no kernel map: it lies in the data map.
 */
#include <ctype.h>
#include <errno.h>
#include <unistd.h>
#include "engine/internal.h"
#include "type/agg.h"

void object_name(char to[BPF_OBJ_NAME_LEN], const char *name)
{
	u32 n = 0;

	for (; *name && n < BPF_OBJ_NAME_LEN - 1; name++)
		if (*name != '@')
			to[n++] = isalnum((unsigned char)*name) ? *name : '_';
	if (!n)
		to[n++] = '_';
	to[n] = '\0';
}

static int create_map(struct kernel *k, const struct map_desc *m, struct err *err)
{
	char name[BPF_OBJ_NAME_LEN];
	int fd;

	object_name(name, m->name ? m->name : "");
	fd = bpf_map_create(m->bpf_type, name, m->key_size, m->value_size, m->max_entries,
			    m->flags);
	if (fd < 0)
		refused(err, TRIED_MAP, "create map %s (%u keys of %u bytes, values of %u bytes)",
			m->name, m->max_entries, m->key_size, m->value_size);
	if (fd < 0 && k->memlock_refused && (err->code == -ENOMEM || err->code == -EPERM) &&
	    may_trace())
		err_help(err, "raise the limit of locked memory (ulimit -l) or use fewer keys");
	return fd;
}

static int create_ring(struct kernel *k, const struct map_desc *m, struct err *err)
{
	u64 size = k->o.ring_size ? k->o.ring_size : ring_default_size();
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, (u32)size, m->flags);

	if (fd < 0)
		return refused(err, TRIED_MAP, "create a ring buffer of %llu bytes",
			       (unsigned long long)size);
	if (ring_map(k, fd, size, err) < 0) {
		close(fd);
		return err->code;
	}
	return fd;
}

static int create_one(struct kernel *k, const struct map_desc *m, struct err *err)
{
	switch (m->role) {
	case MAP_GLOBAL:
	case MAP_DATA: return -1; /* data_create() */
	case MAP_RING: return create_ring(k, m, err);
	case MAP_USER:
	case MAP_SCRATCH:
	case MAP_STACKS:
	case MAP_SET: break;
	}
	return create_map(k, m, err);
}

int kernel_create_maps(struct kernel *k, struct err *err)
{
	for (u32 i = 0; i < k->prog->maps.n; i++) {
		const struct map_desc *m = &k->prog->maps.v[i];

		if (m->role == MAP_GLOBAL || m->role == MAP_DATA)
			continue;
		k->map_fd[i] = create_one(k, m, err);
		if (k->map_fd[i] < 0)
			return err->code;
	}
	return data_create(k, err);
}

int kernel_set_add(struct kernel *k, u32 map, const void *key, const void *value)
{
	static const u8 none[8];

	if (value || k->prog->maps.v[map].value_size <= sizeof(none))
		return bpf_map_update(k->map_fd[map], key, value ? value : none, BPF_ANY) < 0
			       ? -errno
			       : 0;
	return -EINVAL;
}

int kernel_set_remove(struct kernel *k, u32 map, const void *key)
{
	return bpf_map_delete(k->map_fd[map], key) < 0 ? -errno : 0;
}

u32 kernel_stack(struct kernel *k, const struct stack_value *v, u32 limit, u64 *ips)
{
	u64 frames[STACK_MAX_FRAMES];
	u32 want = MIN(v->n, limit);

	if (!v->hash)
		return 0;
	for (u32 i = 0; i < k->prog->maps.n; i++) {
		const struct map_desc *m = &k->prog->maps.v[i];
		u32 held = m->value_size / 8;

		if (m->role != MAP_STACKS || m->value_size > sizeof(frames))
			continue;
		if (bpf_map_lookup(k->map_fd[i], &v->hash, frames) < 0)
			continue;
		want = MIN(want, held);
		memcpy(ips, frames, want * sizeof(*ips));
		return want;
	}
	return 0;
}
