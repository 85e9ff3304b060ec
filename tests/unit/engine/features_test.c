/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every feature can be asked, twice with the same answer; the table is printed for people. */
#include "handmade.h"

int main(void)
{
	struct features *f = kernel_features();
	s8 first[N_FEATURES];

	if (!may_test())
		return done();
	kernel_features_refresh(f);
	for (u32 i = 0; i < N_FEATURES; i++) {
		note("%-22s %s", feature_rows[i].name, feature_has(f, i) ? "yes" : "no");
		first[i] = f->known[i];
	}
	ok(feature_has(f, FEAT_RINGBUF), "what sonde cannot do without");
	kernel_features_save(f);
	memset(f->known, 0, sizeof f->known);
	for (u32 i = 0; i < N_FEATURES; i++)
		if (feature_try(i) != (enum feature_answer)first[i])
			ok(false, "%s: another answer the second time", feature_rows[i].name);
	return done();
}
