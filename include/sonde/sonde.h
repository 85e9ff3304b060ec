/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints for programs, in C99 and C++11 and later (gcc, clang; x86-64, arm64):
 *
 *	#include <sonde/sonde.h>
 *
 *	SONDE_TP(shop, order, id, customer, price);
 *
 * The tracepoint shop:order has up to 12 arguments: integers of any size, bool, enumerations,
 * pointers, strings (char *) and floating-point numbers. It is a user statically defined tracepoint
 * (USDT): sonde, bpftrace, perf, gdb and SystemTap find and read it. Until one of them enables it,
 * it is two nops; there is no library, no initialization and no thread.
 *
 *	sonde -e 'usdt:./shop:shop:order { printf("%d %s\n", arg0, str(arg1)); }'
 *
 * Arguments are evaluated once, whether or not a tracer has enabled the tracepoint. If that costs
 * too much, give it a semaphore, which tracers set:
 *
 *	SONDE_SEMAPHORE(shop, order);
 *	...
 *	SONDE_TP_IF_ENABLED(shop, order, id, name_of(customer));
 *
 * The site is "nop1; nop5" on x86-64: a kernel with optimized uprobes replaces nop5 by a call. That
 * call stores below the stack pointer, where a leaf function may keep data (the red zone). Therefore a
 * site is never in a leaf function, because its cold path contains a call; C++ of clang before 18,
 * which cannot compile such a path, gets nop1 only.
 *
 * The note of a site has the format that SystemTap documents (UserSpaceProbeImplementation), owner
 * "stapsdt", type 3. A second note, owner "sonde", type 1, tells types:
 *
 *	u64 address of nop1, u64 address of .stapsdt.base, u32 kinds[2]
 *
 * Argument i is of the enum sonde_kind in bits 4j to 4j + 3 of kinds[i / 6], j = i % 6.
 */
#ifndef SONDE_SONDE_H
#define SONDE_SONDE_H

#pragma GCC system_header

#define SONDE_CAT_(a, b) SONDE_CAT__(a, b)
#define SONDE_CAT__(a, b) a##b
#define SONDE_TEXT_(a) SONDE_TEXT__(a)
#define SONDE_TEXT__(a) #a
#define SONDE_FIRST_(a, ...) a

enum sonde_kind {
	SONDE_NOTHING,
	SONDE_SIGNED,
	SONDE_UNSIGNED,
	SONDE_BOOL,
	SONDE_FLOAT,
	SONDE_POINTER,
	SONDE_STRING,
};

/* ---- the kind of an argument, a constant */

#ifdef __cplusplus
#define SONDE_AUTO_ auto
#define SONDE_ASSERT_(x, why) static_assert(x, why)
namespace sonde_
{
template <class T> struct kind_of_class { /* of a class or an unknown one: refused */
	static const int value = __is_enum(T) ? ((T)-1 < (T)1 ? SONDE_SIGNED : SONDE_UNSIGNED) : 0;
};
template <class T> struct kind_of {
	static const int value = kind_of_class<T>::value;
};
template <class T> struct kind_of<T *> {
	static const int value = SONDE_POINTER;
};
template <> struct kind_of<char *> {
	static const int value = SONDE_STRING;
};
template <> struct kind_of<const char *> {
	static const int value = SONDE_STRING;
};
#define SONDE_KIND_OF_(type, kind)                                                                 \
	template <> struct kind_of<type> {                                                         \
		static const int value = kind;                                                    \
	};
SONDE_KIND_OF_(bool, SONDE_BOOL)
SONDE_KIND_OF_(char, (char)-1 < 1 ? SONDE_SIGNED : SONDE_UNSIGNED)
SONDE_KIND_OF_(signed char, SONDE_SIGNED)
SONDE_KIND_OF_(unsigned char, SONDE_UNSIGNED)
SONDE_KIND_OF_(short, SONDE_SIGNED)
SONDE_KIND_OF_(unsigned short, SONDE_UNSIGNED)
SONDE_KIND_OF_(int, SONDE_SIGNED)
SONDE_KIND_OF_(unsigned, SONDE_UNSIGNED)
SONDE_KIND_OF_(long, SONDE_SIGNED)
SONDE_KIND_OF_(unsigned long, SONDE_UNSIGNED)
SONDE_KIND_OF_(long long, SONDE_SIGNED)
SONDE_KIND_OF_(unsigned long long, SONDE_UNSIGNED)
SONDE_KIND_OF_(float, SONDE_FLOAT)
SONDE_KIND_OF_(double, SONDE_FLOAT)
SONDE_KIND_OF_(wchar_t, (wchar_t)-1 < 1 ? SONDE_SIGNED : SONDE_UNSIGNED)
SONDE_KIND_OF_(char16_t, SONDE_UNSIGNED)
SONDE_KIND_OF_(char32_t, SONDE_UNSIGNED)
SONDE_KIND_OF_(decltype(nullptr), SONDE_POINTER)
#undef SONDE_KIND_OF_
}
#define SONDE_KIND_(v) ::sonde_::kind_of<__typeof__(v)>::value
#else
#define SONDE_AUTO_ __auto_type
#define SONDE_ASSERT_(x, why) _Static_assert(x, why)
#define SONDE_IS_(v, type) __builtin_types_compatible_p(__typeof__(v), type)
/* __builtin_classify_type: 1 to 4 are integers, 5 pointers, 8 floating point (gcc's typeclass.h) */
#define SONDE_IS_INT_(v) (__builtin_classify_type(v) - 1u < 4u)
#define SONDE_IS_SIGNED_(v) ((__typeof__(__builtin_choose_expr(SONDE_IS_INT_(v), (v), 0)))-1 < 1)
#define SONDE_KIND_(v)                                                                             \
	(SONDE_IS_(v, char *) || SONDE_IS_(v, const char *) ? SONDE_STRING :                                \
	 SONDE_IS_(v, _Bool)				    ? SONDE_BOOL :                                \
	 __builtin_classify_type(v) == 5		    ? SONDE_POINTER :                                \
	 __builtin_classify_type(v) == 8		    ? SONDE_FLOAT :                                \
	 !SONDE_IS_INT_(v)				    ? 0 :                                  \
	 SONDE_IS_SIGNED_(v)				    ? SONDE_SIGNED :                                \
								      SONDE_UNSIGNED)
#endif
/* An array decays, a bit-field becomes a value. A floating-point constant is put into memory: clang's
 * pool of constants has no symbols. */
#define SONDE_LOCAL_(i, v)                                                                         \
	__extension__ SONDE_AUTO_ sonde_##i##_ = ((void)0, (v));                                   \
	SONDE_ASSERT_(SONDE_KIND_(sonde_##i##_) && sizeof sonde_##i##_ <= 8,                       \
		      "an argument of SONDE_TP is a number, a pointer or a string");               \
	if (SONDE_KIND_(sonde_##i##_) == SONDE_FLOAT)                                              \
		__asm__("" : "+m"(sonde_##i##_));

/* ---- the site */

/* clang before 18 refuses a jump of any asm goto into the scope of a variable of any other. */
#if defined __clang__ && defined __cplusplus && __clang_major__ < 18
#define SONDE_WITH_COLD_PATH_(...)
#define SONDE_GOTO_
#define SONDE_NOP5_
#else
#define SONDE_WITH_COLD_PATH_(...) __VA_ARGS__
#define SONDE_GOTO_ goto
#define SONDE_NOP5_ ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n\t"
#endif

#if defined __x86_64__
#define SONDE_NOPS_ "nop\n\t" SONDE_NOP5_
#elif defined __aarch64__
#define SONDE_NOPS_ "nop\n\t"
#else
#error "sonde.h: x86-64 and arm64 only"
#endif

/* The call in the cold path of a site, which keeps its function from being a leaf. */
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((noinline, cold, weak, visibility("hidden"))) void sonde_cold_(void);
__attribute__((noinline, cold, weak, visibility("hidden"))) void sonde_cold_(void)
{
	__asm__ __volatile__("");
}
#ifdef __cplusplus
}
#endif

/* %n prints a constant negated: "-4@OPERAND" is a signed argument of 4 bytes. */
#define SONDE_ARG_(i) "%n[size" #i "]@%[value" #i "]"
#define SONDE_IS_MINUS_(v) (SONDE_KIND_(v) == SONDE_SIGNED || SONDE_KIND_(v) == SONDE_FLOAT)
#define SONDE_INPUT_(i)                                                                            \
	[size##i] "n"((SONDE_IS_MINUS_(sonde_##i##_) ? 1 : -1) * (int)sizeof sonde_##i##_),        \
		[value##i] "nor"(sonde_##i##_)
#define SONDE_BITS_(i) (unsigned long long)SONDE_KIND_(sonde_##i##_) << 4 * i

/* clang-format off */
#define SONDE_NOTE_BEGIN_(section, owner, type, begin)                                             \
	".pushsection " section ",\"?\",\"note\"\n\t"                                              \
	".balign 4\n\t"                                                                            \
	".4byte 992f-991f, 994f-993f, " type "\n"                                                  \
	"991:\t.asciz \"" owner "\"\n"                                                             \
	"992:\t.balign 4\n"                                                                        \
	"993:\t.8byte 990b\n\t"                                                                    \
	".8byte _.stapsdt.base\n\t"
#define SONDE_NOTE_END_                                                                            \
	"994:\t.balign 4\n\t"                                                                      \
	".popsection\n\t"
#define SONDE_SITE_(provider, name, semaphore, args, bits, inputs)                                 \
	__asm__ __volatile__ SONDE_GOTO_(                                                          \
		"990:\t" SONDE_NOPS_                                                               \
		SONDE_NOTE_BEGIN_(".note.stapsdt", "stapsdt", "3", )                               \
		".8byte " semaphore "\n\t"                                                         \
		".asciz \"" SONDE_TEXT_(provider) "\"\n\t"                                         \
		".asciz \"" SONDE_TEXT_(name) "\"\n\t"                                             \
		".asciz \"" args "\"\n"                                                            \
		SONDE_NOTE_END_                                                                    \
		SONDE_NOTE_BEGIN_(".note.sonde", "sonde", "1", )                                   \
		".4byte %c[kinds0], %c[kinds1]\n"                                                  \
		SONDE_NOTE_END_                                                                    \
		".ifndef _.stapsdt.base\n\t"                                                       \
		".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n\t"          \
		".weak _.stapsdt.base\n\t"                                                         \
		".hidden _.stapsdt.base\n"                                                         \
		"_.stapsdt.base:\t.space 1\n\t"                                                    \
		".size _.stapsdt.base, 1\n\t"                                                      \
		".popsection\n\t"                                                                  \
		".endif\n\t"                                                                       \
		:                                                                                  \
		: inputs [kinds0] "n"((bits) & 0xffffff), [kinds1] "n"((bits) >> 24)                                                         \
		SONDE_WITH_COLD_PATH_(: : sonde_cold_path_))
/* clang-format on */

/* ---- lists of 0 to 12 arguments, which follow provider and name */

#define SONDE_COUNT_(...)                                                                          \
	SONDE_COUNT__(__VA_ARGS__, too_many, too_many, too_many, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3,  \
		      2, 1, 0, without_name, 0)
#define SONDE_COUNT__(x, y, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, n, ...) n
/* clang-format off */
#define SONDE_LOCALS_0(x, y)
#define SONDE_LOCALS_1(x, y, a) SONDE_LOCALS_0(x, y) SONDE_LOCAL_(0, a)
#define SONDE_LOCALS_2(x, y, a, b) SONDE_LOCALS_1(x, y, a) SONDE_LOCAL_(1, b)
#define SONDE_LOCALS_3(x, y, a, b, c) SONDE_LOCALS_2(x, y, a, b) SONDE_LOCAL_(2, c)
#define SONDE_LOCALS_4(x, y, a, b, c, d) SONDE_LOCALS_3(x, y, a, b, c) SONDE_LOCAL_(3, d)
#define SONDE_LOCALS_5(x, y, a, b, c, d, e) SONDE_LOCALS_4(x, y, a, b, c, d) SONDE_LOCAL_(4, e)
#define SONDE_LOCALS_6(x, y, a, b, c, d, e, f) SONDE_LOCALS_5(x, y, a, b, c, d, e) SONDE_LOCAL_(5, f)
#define SONDE_LOCALS_7(x, y, a, b, c, d, e, f, g) SONDE_LOCALS_6(x, y, a, b, c, d, e, f) SONDE_LOCAL_(6, g)
#define SONDE_LOCALS_8(x, y, a, b, c, d, e, f, g, h) SONDE_LOCALS_7(x, y, a, b, c, d, e, f, g) SONDE_LOCAL_(7, h)
#define SONDE_LOCALS_9(x, y, a, b, c, d, e, f, g, h, i) SONDE_LOCALS_8(x, y, a, b, c, d, e, f, g, h) SONDE_LOCAL_(8, i)
#define SONDE_LOCALS_10(x, y, a, b, c, d, e, f, g, h, i, j) SONDE_LOCALS_9(x, y, a, b, c, d, e, f, g, h, i) SONDE_LOCAL_(9, j)
#define SONDE_LOCALS_11(x, y, a, b, c, d, e, f, g, h, i, j, k) SONDE_LOCALS_10(x, y, a, b, c, d, e, f, g, h, i, j) SONDE_LOCAL_(10, k)
#define SONDE_LOCALS_12(x, y, a, b, c, d, e, f, g, h, i, j, k, l) SONDE_LOCALS_11(x, y, a, b, c, d, e, f, g, h, i, j, k) SONDE_LOCAL_(11, l)
#define SONDE_ARGS_0 ""
#define SONDE_ARGS_1 SONDE_ARG_(0)
#define SONDE_ARGS_2 SONDE_ARGS_1 " " SONDE_ARG_(1)
#define SONDE_ARGS_3 SONDE_ARGS_2 " " SONDE_ARG_(2)
#define SONDE_ARGS_4 SONDE_ARGS_3 " " SONDE_ARG_(3)
#define SONDE_ARGS_5 SONDE_ARGS_4 " " SONDE_ARG_(4)
#define SONDE_ARGS_6 SONDE_ARGS_5 " " SONDE_ARG_(5)
#define SONDE_ARGS_7 SONDE_ARGS_6 " " SONDE_ARG_(6)
#define SONDE_ARGS_8 SONDE_ARGS_7 " " SONDE_ARG_(7)
#define SONDE_ARGS_9 SONDE_ARGS_8 " " SONDE_ARG_(8)
#define SONDE_ARGS_10 SONDE_ARGS_9 " " SONDE_ARG_(9)
#define SONDE_ARGS_11 SONDE_ARGS_10 " " SONDE_ARG_(10)
#define SONDE_ARGS_12 SONDE_ARGS_11 " " SONDE_ARG_(11)
#define SONDE_KINDS_0 0ull
#define SONDE_KINDS_1 SONDE_KINDS_0 | SONDE_BITS_(0)
#define SONDE_KINDS_2 SONDE_KINDS_1 | SONDE_BITS_(1)
#define SONDE_KINDS_3 SONDE_KINDS_2 | SONDE_BITS_(2)
#define SONDE_KINDS_4 SONDE_KINDS_3 | SONDE_BITS_(3)
#define SONDE_KINDS_5 SONDE_KINDS_4 | SONDE_BITS_(4)
#define SONDE_KINDS_6 SONDE_KINDS_5 | SONDE_BITS_(5)
#define SONDE_KINDS_7 SONDE_KINDS_6 | SONDE_BITS_(6)
#define SONDE_KINDS_8 SONDE_KINDS_7 | SONDE_BITS_(7)
#define SONDE_KINDS_9 SONDE_KINDS_8 | SONDE_BITS_(8)
#define SONDE_KINDS_10 SONDE_KINDS_9 | SONDE_BITS_(9)
#define SONDE_KINDS_11 SONDE_KINDS_10 | SONDE_BITS_(10)
#define SONDE_KINDS_12 SONDE_KINDS_11 | SONDE_BITS_(11)
#define SONDE_INPUTS_0
#define SONDE_INPUTS_1 SONDE_INPUTS_0 SONDE_INPUT_(0),
#define SONDE_INPUTS_2 SONDE_INPUTS_1 SONDE_INPUT_(1),
#define SONDE_INPUTS_3 SONDE_INPUTS_2 SONDE_INPUT_(2),
#define SONDE_INPUTS_4 SONDE_INPUTS_3 SONDE_INPUT_(3),
#define SONDE_INPUTS_5 SONDE_INPUTS_4 SONDE_INPUT_(4),
#define SONDE_INPUTS_6 SONDE_INPUTS_5 SONDE_INPUT_(5),
#define SONDE_INPUTS_7 SONDE_INPUTS_6 SONDE_INPUT_(6),
#define SONDE_INPUTS_8 SONDE_INPUTS_7 SONDE_INPUT_(7),
#define SONDE_INPUTS_9 SONDE_INPUTS_8 SONDE_INPUT_(8),
#define SONDE_INPUTS_10 SONDE_INPUTS_9 SONDE_INPUT_(9),
#define SONDE_INPUTS_11 SONDE_INPUTS_10 SONDE_INPUT_(10),
#define SONDE_INPUTS_12 SONDE_INPUTS_11 SONDE_INPUT_(11),
/* clang-format on */

#define SONDE_TP_N_(n, semaphore, provider, ...)                                                   \
	do {                                                                                       \
		SONDE_WITH_COLD_PATH_(__label__ sonde_cold_path_;)                                 \
		SONDE_CAT_(SONDE_LOCALS_, n)(provider, __VA_ARGS__)                                \
		SONDE_SITE_(provider, SONDE_FIRST_(__VA_ARGS__, x), semaphore,                     \
			    SONDE_CAT_(SONDE_ARGS_, n), (SONDE_CAT_(SONDE_KINDS_, n)),             \
			    SONDE_CAT_(SONDE_INPUTS_, n));                                         \
		SONDE_WITH_COLD_PATH_(if (0) { sonde_cold_path_: sonde_cold_(); })                 \
	} while (0)

/* SONDE_TP(provider, name, arguments...): a statement. */
#define SONDE_TP(...) SONDE_TP_N_(SONDE_COUNT_(__VA_ARGS__), "0", __VA_ARGS__)

/* ---- tracepoints with a semaphore, which counts the tracers that have enabled it */

/* SONDE_SEMAPHORE(provider, name): a declaration outside functions, also in a header. */
#define SONDE_SEMAPHORE(provider, name)                                                            \
	__attribute__((weak, visibility("hidden"), section(".probes")))                            \
	volatile unsigned short SONDE_SEMAPHORE_NAME_(provider, name)
#define SONDE_SEMAPHORE_NAME_(provider, name) SONDE_SEMAPHORE_NAME__(provider, name)
#define SONDE_SEMAPHORE_NAME__(provider, name) provider##_##name##_semaphore
#define SONDE_ENABLED(provider, name)                                                              \
	__builtin_expect(SONDE_SEMAPHORE_NAME_(provider, name) != 0, 0)
/* As SONDE_TP, but arguments are evaluated only while a tracer has enabled it. */
#define SONDE_TP_IF_ENABLED(provider, ...)                                                         \
	do {                                                                                       \
		if (SONDE_ENABLED(provider, SONDE_FIRST_(__VA_ARGS__, x)))                         \
			SONDE_TP_N_(SONDE_COUNT_(provider, __VA_ARGS__),                           \
				    SONDE_TEXT_(SONDE_SEMAPHORE_NAME_(                             \
					    provider, SONDE_FIRST_(__VA_ARGS__, x))),              \
				    provider, __VA_ARGS__);                                        \
	} while (0)

#endif
