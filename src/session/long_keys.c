/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Map keys that are longer than this kernel allows. */
#include "session/compile.h"

/* Whether this kernel would refuse the map for its key (MAX_BPF_STACK in kernel/bpf/hashtab.c). */
static bool has_long_key(const struct compiled *c, const struct map_desc *m)
{
	return m->role == MAP_USER && m->key_size > LONG_KEY &&
	       !feature_has(c->env.features, FEAT_LONG_KEYS);
}

const struct map_desc *long_key(const struct compiled *c)
{
	for (u32 i = 0; i < c->prog.maps.n; i++)
		if (has_long_key(c, &c->prog.maps.v[i]))
			return &c->prog.maps.v[i];
	return NULL;
}

void refuse_long_keys(struct compiled *c)
{
	for (u32 i = 0; i < c->prog.maps.n; i++) {
		const struct map_desc *m = &c->prog.maps.v[i];

		if (has_long_key(c, m))
			diag_report(&c->diags, m->span, D_KEY_TOO_LONG, m->name, m->key_size,
				    LONG_KEY);
	}
}
