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
 * call stores below the stack pointer, where a leaf function may keep data (the red zone).
 * Therefore a site is never in a leaf function, because its cold path contains a call; C++ of clang
 * before 18, which cannot compile such a path, gets nop1 only.
 *
 * The note of a site has the format that SystemTap documents (UserSpaceProbeImplementation), owner
 * "stapsdt", type 3. A second note, owner "sonde", type 1, tells types:
 *
 *	u64 address of nop1, u64 address of .stapsdt.base, u32 kinds[2],
 *	u64 address of the cold path, u64 address of sonde_module_
 *
 * Argument i is of the enum sonde_kind in bits 4j to 4j + 3 of kinds[i / 6], j = i % 6. The last
 * two are missing where there is no cold path.
 *
 * Recording (x86-64). A tracer that may write the memory of the process fills in sonde_module_ and
 * replaces nop5 by a jump to the cold path, which writes a record into the ring of its processor,
 * without a system call. The first record maps the rings; their file (memfd) survives the process
 * while a tracer has it mapped. Functions here are called from nothing but the cold path, use no
 * function of a library, are safe in signal handlers, and do not change errno.
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
		static const int value = kind;                                                     \
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
	(SONDE_IS_(v, char *) || SONDE_IS_(v, const char *) ? SONDE_STRING :                       \
	 SONDE_IS_(v, _Bool)                                ? SONDE_BOOL :                         \
	 __builtin_classify_type(v) == 5                    ? SONDE_POINTER :                      \
	 __builtin_classify_type(v) == 8                    ? SONDE_FLOAT :                        \
	 !SONDE_IS_INT_(v)                                  ? 0 :                                  \
	 SONDE_IS_SIGNED_(v)                                ? SONDE_SIGNED :                       \
							      SONDE_UNSIGNED)
#endif
/* An array decays, a bit-field becomes a value. A floating-point constant is put into memory:
 * clang's pool of constants has no symbols. */
#define SONDE_LOCAL_(i, v)                                                                         \
	__extension__ SONDE_AUTO_ sonde_##i##_ = ((void)0, (v));                                   \
	SONDE_ASSERT_(SONDE_KIND_(sonde_##i##_) && sizeof sonde_##i##_ <= 8,                       \
		      "an argument of SONDE_TP is a number, a pointer or a string");               \
	if (SONDE_KIND_(sonde_##i##_) == SONDE_FLOAT)                                              \
		__asm__("" : "+m"(sonde_##i##_));

/* ---- the site */

/* clang before 18 refuses a jump of any asm goto into the scope of a variable of any other. */
#if defined __x86_64__ && !(defined __clang__ && defined __cplusplus && __clang_major__ < 18)
#define SONDE_RECORDS 1
#define SONDE_WITH_COLD_PATH_(...) __VA_ARGS__
#define SONDE_GOTO_ goto
#define SONDE_NOPS_ "nop\n\t.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n\t"
#else
#define SONDE_WITH_COLD_PATH_(...)
#define SONDE_GOTO_
#define SONDE_NOPS_ "nop\n\t"
#endif
#if !defined __x86_64__ && !defined __aarch64__
#error "sonde.h: x86-64 and arm64 only"
#endif

/* ---- records, which the cold path writes. A reader defines SONDE_LAYOUT: no functions, no
 * data. */

#if defined SONDE_RECORDS || defined SONDE_LAYOUT
#include <stddef.h>

#define SONDE_VERSION 1
#define SONDE_TEXT_MAX 512 /* bytes of the strings of a record, together */

/* What a tracer sets, one for each program and library. */
struct sonde_module {
	unsigned version;   /* SONDE_VERSION */
	unsigned n_rings;   /* processors; 0: nothing is recorded */
	unsigned ring_size; /* bytes for records in a ring, a power of two */
	unsigned state;     /* enum sonde_state */
	struct sonde_page *page;
	unsigned long long lost; /* records for which there were no rings */
};
enum sonde_state { SONDE_NO_RINGS, SONDE_MAPPING, SONDE_MAPPED, SONDE_FAILED };
/* Private memory, zeros in a child of fork(), which therefore writes no records for its parent. */
struct sonde_page {
	char *rings;
	unsigned owner; /* process */
};
/* The first page of a ring; records follow. Positions count bytes and never decrease. */
struct sonde_ring {
	unsigned long long head; /* end of the last record */
	char pad1[56];
	unsigned long long tail; /* the tracer has read up to here */
	char pad2[56];
	unsigned long long lost; /* records without room */
	unsigned lock;           /* for threads without rseq(2) */
};
#define SONDE_RING_HEADER 4096
struct sonde_record {
	unsigned size; /* of all, a multiple of 8 */
	unsigned tid;
	unsigned long long time; /* time stamp counter */
	unsigned long long site; /* of note 2 */
	/* Arguments. A string's word is its offset in the record, and its length << 32;
	 * 0: it is NULL. */
	unsigned long long word[12];
};
#endif

#if defined SONDE_RECORDS && !defined SONDE_LAYOUT
struct sonde_full_record_ {
	struct sonde_record r;
	char text[SONDE_TEXT_MAX];
};
struct sonde_thread_ {
	unsigned owner, tid;
};
/* Linux's struct rseq and, for each critical section, struct rseq_cs (include/uapi/linux/rseq.h) */
struct sonde_rseq_ {
	volatile unsigned cpu_id_start, cpu_id;
	volatile unsigned long long cs;
};

#define SONDE_HIDDEN_ __attribute__((weak, visibility("hidden")))
#define SONDE_HELPER_ SONDE_HIDDEN_ __attribute__((noinline, no_instrument_function))
#ifdef __cplusplus
extern "C" {
#endif
/* glibc 2.35 and later register rseq(2) for each thread; the area is here, from the thread
 * pointer. */
extern __attribute__((weak)) const ptrdiff_t __rseq_offset;
extern __attribute__((weak)) const unsigned __rseq_size;

SONDE_HIDDEN_ struct sonde_module sonde_module_ = { SONDE_VERSION, 0, 0, SONDE_NO_RINGS, 0, 0 };
SONDE_HIDDEN_
__attribute__((tls_model("initial-exec"))) __thread struct sonde_thread_ sonde_thread_;

static inline long sonde_syscall_(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long ret;

	__asm__ __volatile__("syscall"
			     : "=a"(ret)
			     : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			     : "rcx", "r11", "memory");
	return ret;
}

/* memfd_create, ftruncate, mmap, madvise(MADV_DONTFORK), close; NULL: refused. */
SONDE_HELPER_ char *sonde_map_rings_(unsigned long size)
{
	long fd = sonde_syscall_(319, (long)"sonde-rings", 1, 0, 0, 0, 0), at = -1;

	if (fd < 0)
		return 0;
	if (!sonde_syscall_(77, fd, (long)size, 0, 0, 0, 0))
		at = sonde_syscall_(9, 0, (long)size, 3, 1, fd, 0);
	sonde_syscall_(3, fd, 0, 0, 0, 0, 0);
	if (at < 0 && at > -4096)
		return 0;
	sonde_syscall_(28, at, (long)size, 10, 0, 0, 0);
	return (char *)at;
}

/* The first caller maps. Those that come meanwhile sleep until it has, some 20 ms at most: they may
 * be a signal handler that interrupted it. */
SONDE_HELPER_ struct sonde_page *sonde_map_(void)
{
	struct sonde_module *m = &sonde_module_;
	const long moment[2] = { 0, 50000 }; /* s, ns */
	unsigned none = SONDE_NO_RINGS, tries = 0;
	struct sonde_page *page;
	long at;

	if (!m->n_rings)
		return 0;
	if (!__atomic_compare_exchange_n(&m->state, &none, SONDE_MAPPING, 0, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED)) {
		while (__atomic_load_n(&m->state, __ATOMIC_ACQUIRE) == SONDE_MAPPING &&
		       ++tries < 200)
			sonde_syscall_(35 /* nanosleep */, (long)moment, 0, 0, 0, 0, 0);
		page = __atomic_load_n(&m->page, __ATOMIC_ACQUIRE);
		return page && page->rings ? page : 0;
	}
	at = m->page ? (long)m->page : sonde_syscall_(9, 0, 4096, 3, 0x22, -1, 0);
	page = (struct sonde_page *)at;
	if ((at > -4096 && at < 0) ||
	    sonde_syscall_(28, at, 4096, 18 /* MADV_WIPEONFORK */, 0, 0, 0)) {
		m->state = SONDE_FAILED;
		return 0;
	}
	page->owner = (unsigned)sonde_syscall_(39, 0, 0, 0, 0, 0, 0);
	page->rings = sonde_map_rings_((unsigned long)m->n_rings *
				       (SONDE_RING_HEADER + (unsigned long)m->ring_size));
	__atomic_store_n(&m->page, page, __ATOMIC_RELEASE);
	__atomic_store_n(&m->state, page->rings ? SONDE_MAPPED : SONDE_FAILED, __ATOMIC_RELEASE);
	return page->rings ? page : 0;
}

/* Writes the record in a restartable sequence: the last store makes it visible, and a thread that
 * is preempted, migrated or interrupted before it begins again. Times of a ring therefore never
 * decrease. */
SONDE_HELPER_ void sonde_commit_(struct sonde_page *page, struct sonde_record *r,
				 struct sonde_rseq_ *rs)
{
	struct sonde_module *m = &sonde_module_;
	unsigned long long size = m->ring_size, mask = size - 1, bytes = r->size;
	unsigned long cpu;
	struct sonde_ring *ring;

again:
	cpu = rs->cpu_id; /* beyond all rings in a thread that has not registered */
	if (cpu >= m->n_rings) {
		__atomic_fetch_add(&m->lost, 1, __ATOMIC_RELAXED);
		return;
	}
	ring = (struct sonde_ring *)(void *)(page->rings + cpu * (SONDE_RING_HEADER + size));
	__asm__ __volatile__ goto(
		".pushsection __rseq_cs, \"aw?\"\n\t"
		".balign 32\n"
		"5:\t.long 0, 0\n\t"
		".quad 1f, 2f - 1f, 4f\n\t"
		".popsection\n\t"
		"leaq 5b(%%rip), %%rax\n\t"
		"movq %%rax, 8(%[rs])\n"
		"1:\tcmpl %k[cpu], 4(%[rs])\n\t"
		"jne %l[again]\n\t"
		"rdtsc\n\t"
		"shlq $32, %%rdx\n\t"
		"orq %%rdx, %%rax\n\t"
		"movq %%rax, 8(%[r])\n\t"
		"movq (%[ring]), %%rdx\n\t" /* head + bytes - tail > size? */
		"leaq (%%rdx, %[bytes]), %%rax\n\t"
		"subq 64(%[ring]), %%rax\n\t"
		"cmpq %[size], %%rax\n\t"
		"ja %l[full]\n\t"
		"xorl %%ecx, %%ecx\n"
		"3:\tmovq (%[r], %%rcx), %%r11\n\t"
		"leaq (%%rdx, %%rcx), %%rax\n\t"
		"andq %[mask], %%rax\n\t"
		"movq %%r11, 4096(%[ring], %%rax)\n\t"
		"addq $8, %%rcx\n\t"
		"cmpq %[bytes], %%rcx\n\t"
		"jb 3b\n\t"
		"addq %[bytes], %%rdx\n\t"
		"movq %%rdx, (%[ring])\n"
		"2:\tmovq $0, 8(%[rs])\n\t"
		".pushsection __rseq_failure, \"ax?\"\n\t"
		".byte 0x0f, 0xb9, 0x3d\n\t" /* RSEQ_SIG, in an instruction that traps */
		".long 0x53053053\n"
		"4:\tjmp %l[again]\n\t"
		".popsection\n\t"
		:
		: [rs] "r"(rs), [cpu] "r"(cpu), [ring] "r"(ring), [r] "r"(r), [bytes] "r"(bytes),
		  [size] "r"(size), [mask] "r"(mask)
		: "rax", "rcx", "rdx", "r11", "cc", "memory"
		: again, full);
	return;
full:
	rs->cs = 0;
	__atomic_fetch_add(&ring->lost, 1, __ATOMIC_RELAXED);
}

/* Without rseq(2): ring 0 under a lock, which a signal handler's record does not wait for. */
SONDE_HELPER_ void sonde_commit_locked_(struct sonde_page *page, struct sonde_record *r)
{
	struct sonde_ring *ring = (struct sonde_ring *)(void *)page->rings;
	unsigned size = sonde_module_.ring_size, tries = 0;
	unsigned long long head;

	while (__atomic_exchange_n(&ring->lock, 1, __ATOMIC_ACQUIRE))
		if (++tries == 1000) {
			__atomic_fetch_add(&ring->lost, 1, __ATOMIC_RELAXED);
			return;
		}
	head = ring->head;
	r->time = __builtin_ia32_rdtsc();
	if (head + r->size - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) > size) {
		__atomic_fetch_add(&ring->lost, 1, __ATOMIC_RELAXED);
	} else {
		for (unsigned i = 0; i < r->size; i += 8)
			__builtin_memcpy((char *)ring + SONDE_RING_HEADER +
						 ((head + i) & (size - 1)),
					 (const char *)r + i, 8);
		__atomic_store_n(&ring->head, head + r->size, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&ring->lock, 0, __ATOMIC_RELEASE);
}

SONDE_HELPER_ void sonde_record_(unsigned long long site, unsigned long long kinds, unsigned n,
				 const unsigned long long *values)
{
	struct sonde_page *page = __atomic_load_n(&sonde_module_.page, __ATOMIC_ACQUIRE);
	unsigned at = (unsigned)offsetof(struct sonde_record, word) + 8 * n, i, len;
	const unsigned end = at + SONDE_TEXT_MAX;
	struct sonde_full_record_ full;
	struct sonde_record *r = &full.r;
	char *self;

	if ((!page || !page->rings) && !(page = sonde_map_())) {
		__atomic_fetch_add(&sonde_module_.lost, 1, __ATOMIC_RELAXED);
		return;
	}
	if (sonde_thread_.owner != page->owner) {
		sonde_thread_.tid = (unsigned)sonde_syscall_(186, 0, 0, 0, 0, 0, 0);
		sonde_thread_.owner = page->owner;
	}
	for (i = 0; i < n; i++, kinds >>= 4) {
		const char *s = (const char *)values[i];

		r->word[i] = values[i];
		if ((kinds & 15) != SONDE_STRING || !s)
			continue;
		for (len = 0; at + len < end && s[len]; len++)
			((char *)r)[at + len] = s[len];
		r->word[i] = at | (unsigned long long)len << 32;
		at += len;
	}
	while (at & 7)
		((char *)r)[at++] = 0;
	r->size = at;
	r->tid = sonde_thread_.tid;
	r->site = site;
	__asm__("movq %%fs:0, %0" : "=r"(self));
	if (&__rseq_size && __rseq_size)
		sonde_commit_(page, r, (struct sonde_rseq_ *)(void *)(self + __rseq_offset));
	else
		sonde_commit_locked_(page, r);
}
#ifdef __cplusplus
}
#endif
#endif

/* %n prints a constant negated: "-4@OPERAND" is a signed argument of 4 bytes. */
#define SONDE_ARG_(i) "%n[size" #i "]@%[value" #i "]"
#define SONDE_IS_MINUS_(v) (SONDE_KIND_(v) == SONDE_SIGNED || SONDE_KIND_(v) == SONDE_FLOAT)
#define SONDE_INPUT_(i)                                                                            \
	[size##i] "n"((SONDE_IS_MINUS_(sonde_##i##_) ? 1 : -1) * (int)sizeof sonde_##i##_),        \
		[value##i] "nor"(sonde_##i##_)
#define SONDE_BITS_(i) (unsigned long long)SONDE_KIND_(sonde_##i##_) << 4 * i

/* clang-format off */
#define SONDE_NOTE_BEGIN_(section, owner, type)                                                    \
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
		SONDE_NOTE_BEGIN_(".note.stapsdt", "stapsdt", "3")                                 \
		".8byte " semaphore "\n\t"                                                         \
		".asciz \"" SONDE_TEXT_(provider) "\"\n\t"                                         \
		".asciz \"" SONDE_TEXT_(name) "\"\n\t"                                             \
		".asciz \"" args "\"\n"                                                            \
		SONDE_NOTE_END_                                                                    \
		SONDE_NOTE_BEGIN_(".note.sonde", "sonde", "1")                                     \
		".4byte %c[kinds0], %c[kinds1]\n\t"                                                \
		SONDE_WITH_COLD_PATH_(".8byte %l[sonde_cold_path_], sonde_module_\n")              \
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
#define SONDE_VALUES_0
#define SONDE_VALUES_1 SONDE_VALUES_0 SONDE_VALUE_(0)
#define SONDE_VALUES_2 SONDE_VALUES_1 SONDE_VALUE_(1)
#define SONDE_VALUES_3 SONDE_VALUES_2 SONDE_VALUE_(2)
#define SONDE_VALUES_4 SONDE_VALUES_3 SONDE_VALUE_(3)
#define SONDE_VALUES_5 SONDE_VALUES_4 SONDE_VALUE_(4)
#define SONDE_VALUES_6 SONDE_VALUES_5 SONDE_VALUE_(5)
#define SONDE_VALUES_7 SONDE_VALUES_6 SONDE_VALUE_(6)
#define SONDE_VALUES_8 SONDE_VALUES_7 SONDE_VALUE_(7)
#define SONDE_VALUES_9 SONDE_VALUES_8 SONDE_VALUE_(8)
#define SONDE_VALUES_10 SONDE_VALUES_9 SONDE_VALUE_(9)
#define SONDE_VALUES_11 SONDE_VALUES_10 SONDE_VALUE_(10)
#define SONDE_VALUES_12 SONDE_VALUES_11 SONDE_VALUE_(11)
/* clang-format on */

/* A second note, owner "sonde", type 2: u64 site of struct sonde_record, u64 address of
 * .stapsdt.base, u32 kinds[2], provider, name */
/* clang-format off */
#define SONDE_COLD_PATH_(provider, name, n, bits, values)                                          \
	if (0) {                                                                                   \
	sonde_cold_path_:;                                                                         \
		unsigned long long sonde_site_, sonde_values_[n + 1];                              \
		__asm__ __volatile__(                                                              \
			"leaq 990f(%%rip), %[site]\n"                                              \
			"990:\n\t"                                                                 \
			SONDE_NOTE_BEGIN_(".note.sonde", "sonde", "2")                             \
			".4byte %c[kinds0], %c[kinds1]\n\t"                                        \
			".asciz \"" SONDE_TEXT_(provider) "\"\n\t"                                 \
			".asciz \"" SONDE_TEXT_(name) "\"\n"                                       \
			SONDE_NOTE_END_                                                            \
			: [site] "=r"(sonde_site_)                                                 \
			: [kinds0] "n"((bits) & 0xffffff), [kinds1] "n"((bits) >> 24));            \
		values                                                                             \
		sonde_record_(sonde_site_, bits, n, sonde_values_);                                \
	}
/* clang-format on */
#define SONDE_VALUE_(i)                                                                            \
	sonde_values_[i] = 0;                                                                      \
	__builtin_memcpy(&sonde_values_[i], &sonde_##i##_, sizeof sonde_##i##_);

/* clang-format off */
#define SONDE_TP_N_(n, semaphore, provider, ...)                                                   \
	do {                                                                                       \
		SONDE_WITH_COLD_PATH_(__label__ sonde_cold_path_;)                                 \
		SONDE_CAT_(SONDE_LOCALS_, n)(provider, __VA_ARGS__)                                \
		SONDE_SITE_(provider, SONDE_FIRST_(__VA_ARGS__, x), semaphore,                     \
			    SONDE_CAT_(SONDE_ARGS_, n), (SONDE_CAT_(SONDE_KINDS_, n)),             \
			    SONDE_CAT_(SONDE_INPUTS_, n));                                         \
		SONDE_WITH_COLD_PATH_(SONDE_COLD_PATH_(provider, SONDE_FIRST_(__VA_ARGS__, x), n,  \
						       (SONDE_CAT_(SONDE_KINDS_, n)),              \
						       SONDE_CAT_(SONDE_VALUES_, n)))              \
	} while (0)
/* clang-format on */

/* SONDE_TP(provider, name, arguments...): a statement. */
#define SONDE_TP(...) SONDE_TP_N_(SONDE_COUNT_(__VA_ARGS__), "0", __VA_ARGS__)

/* ---- tracepoints with a semaphore, which counts the tracers that have enabled it */

/* SONDE_SEMAPHORE(provider, name): a declaration outside functions, also in a header. */
#define SONDE_SEMAPHORE(provider, name)                                                            \
	__attribute__((weak, visibility("hidden"), section(".probes"))) volatile unsigned short    \
	SONDE_SEMAPHORE_NAME_(provider, name)
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
