/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Square roots without libm. */
#ifndef SONDE_BASE_ROOT_H
#define SONDE_BASE_ROOT_H

#include "base/base.h"

/* By Newton's method; 0 of a negative number. */
static inline double square_root(double x)
{
	double r = x < 1 ? 1 : x;

	for (u32 i = 0; i < 600 && r * r - x > x * 1e-12; i++)
		r = (r + x / r) / 2;
	return x > 0 ? r : 0;
}

#endif
