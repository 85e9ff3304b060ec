/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of Rust, old and new; examples of the RFC and of the standard library; and what is none. */
#include "base/base.h"
#include "sym/demangle.h"
#include "tap.h"

static const struct {
	const char *from, *to;
} names[] = {
	{ "_RNvC6_123foo3bar", "123foo::bar" },
	{ "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar" },
	{ "_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure#0}::{closure#0}" },
	{ "_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_ECs1iopQbuBiw2_3std",
	  "alloc::alloc::box_free::<dyn alloc::boxed::FnBox<(), Output = ()>>" },
	{ "_RNvMC0INtC8arrayvec8ArrayVechKj7b_E3new", "<arrayvec::ArrayVec<u8, 123>>::new" },
	{ "_RNvXs_C4testNtB4_1SNtB4_1T1f", "<test::S as test::T>::f" },
	{ "_RNvYhNtC4test1T1f", "<u8 as test::T>::f" },
	{ "_RINvC4test1fTRhQmPaOxEAtj3_SsFUKCjEuE", "test::f::<(&u8, &mut u32, *const i8, *mut i64), [u16; 3], [i16], unsafe extern \"C\" fn(usize)>" },
	{ "_RINvC4test1fKb1_Kc41_Kin5_E", "test::f::<true, 'A', -5>" },
	{ "_RNvC4test1f.llvm.123", "test::f" },
	{ "_ZN3foo17h05af221e174051e9E", "foo" },
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
	{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
	  "<Test + 'static as foo::Bar<Test>>::bar" },
	{ "_ZN4main12_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", NULL }, /* a length that lies */
	{ "_ZN3foo3barE", NULL }, /* C++ */
	{ "_RNvC6_123foo3ba", NULL },
	{ "_RB_", NULL },
	{ "_R", NULL },
	{ "_RNvNvNvNv", NULL },
	{ "main", NULL },
};

int main(void)
{
	char deep[4096] = "_R";

	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		char *s = demangle_rust(names[i].from);

		if (names[i].to)
			is_str(s, names[i].to, "%s", names[i].from);
		else
			ok(!s, "%s is none (%s)", names[i].from, s ? s : "");
		free(s);
	}
	memset(deep + 2, 'S', sizeof(deep) - 3);
	ok(!demangle_rust(deep), "nesting is bounded");
	return done();
}
