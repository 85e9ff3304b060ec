/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of Rust, old and new, of C++ and of D: examples of the RFC, the ABI document and the
 * standard library; and what is none. Every symbol of this system's C++ library is read as that
 * library itself does.
 */
#include <dlfcn.h>
#include "base/base.h"
#include "object/demangle.h"
#include "object/elf.h"
#include "tap.h"

struct name {
	const char *from, *to; /* NULL: it is none */
};

static const struct name names[] = {
	{ "_RNvC6_123foo3bar", "123foo::bar" },
	{ "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar" },
	{ "_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure#0}::{closure#0}" },
	{ "_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_ECs1iopQbuBiw2_3std",
	  "alloc::alloc::box_free::<dyn alloc::boxed::FnBox<(), Output = ()>>" },
	{ "_RNvMC0INtC8arrayvec8ArrayVechKj7b_E3new", "<arrayvec::ArrayVec<u8, 123>>::new" },
	{ "_RNvXs_C4testNtB4_1SNtB4_1T1f", "<test::S as test::T>::f" },
	{ "_RNvYhNtC4test1T1f", "<u8 as test::T>::f" },
	{ "_RINvC4test1fTRhQmPaOxEAtj3_SsFUKCjEuE",
	  "test::f::<(&u8, &mut u32, *const i8, *mut i64), [u16; 3], [i16], unsafe extern \"C\" fn(usize)>" },
	{ "_RINvC4test1fKb1_Kc41_Kin5_E", "test::f::<true, 'A', -5>" },
	{ "_RNvC4test1f.llvm.123", "test::f" },
	{ "_ZN3foo17h05af221e174051e9E", "foo" },
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
	{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
	  "<Test + 'static as foo::Bar<Test>>::bar" },
	{ "_ZN4main12_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE",
	  NULL },                 /* a length that lies */
	{ "_ZN3foo3barE", NULL }, /* C++ */
	{ "_RNvC6_123foo3ba", NULL },
	{ "_RB_", NULL },
	{ "_R", NULL },
	{ "_RNvNvNvNv", NULL },
	{ "main", NULL },
};

static const struct name cxx[] = {
	{ "_Z1fIiEDTcl1gfp_EET_", "decltype (g({parm#1})) f<int>(int)" },
	{ "_Z3fooILi2EEvRAplT_Li1E_i", "void foo<2>(int (&) [(2)+(1)])" },
	{ "_Z1fIJidEEvDpT_", "void f<int, double>(int, double)" },
	{ "_Z1fIJEEvDpT_", "void f<>()" },
	{ "_ZN1AcvT_IiEEv", "A::operator int<int>()" },
	{ "_ZN1AcvPFivEEv", "A::operator int (*)()()" },
	{ "_Z1gIiEvDTdlLPi0EE", "void g<int>(decltype (delete ((int*)0)))" },
	{ "_Z1fIXadL_Z1gvEEEvv", "void f<&(g())>()" },
	{ "_Z1fIXadL_ZN1A1gEvEEEvv", "void f<&A::g>()" },
	{ "_Z1fPFvvE", "f(void (*)())" },
	{ "_Z1fPFPFvvEiE", "f(void (*(*)(int))())" },
	{ "_Z1fRA3_iPA2_A3_i", "f(int (&) [3], int (*) [2][3])" },
	{ "_Z1fM1AFivEMS_KFivEMS_i", "f(int (A::*)(), int (A::*)() const, int A::*)" },
	{ "_Z1fPKVcPVKc", "f(char volatile const*, char const volatile*)" },
	{ "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const" },
	{ "_ZZN3foo3barEvE1x_0", "foo::bar()::x" },
	{ "_ZZ1fvEs", "f()::string literal" },
	{ "_ZZ1fvE1s_1", "f()::s" },
	{ "_ZN12_GLOBAL__N_11aE", "(anonymous namespace)::a" },
	{ "_ZGVZ1fvE1x", "guard variable for f()::x" },
	{ "_ZTVN10__cxxabiv117__class_type_infoE", "vtable for __cxxabiv1::__class_type_info" },
	{ "_ZTC1A0_1B", "construction vtable for B-in-A" },
	{ "_ZThn8_N1A1fEv", "non-virtual thunk to A::f()" },
	{ "_ZTv0_n24_N1A1fEv", "virtual thunk to A::f()" },
	{ "_ZTch0_h16_N1A1fEv", "covariant return thunk to A::f()" },
	{ "_ZGR1x_", "reference temporary #0 for x" },
	{ "_ZGR1x0_", "reference temporary #1 for x" },
	{ "_ZN1AC1Ev", "A::A()" },
	{ "_ZN1AD0Ev", "A::~A()" },
	{ "_ZN1BCI11AEi", "B::A(int)" },
	{ "_ZNSsC1ERKSs",
	  "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string(std::string const&)" },
	{ "_ZNSs6appendEPKc", "std::string::append(char const*)" },
	{ "_ZN1AIiEC2ERKS0_", "A<int>::A(A<int> const&)" },
	{ "_ZlsRSoRK1A", "operator<<(std::ostream&, A const&)" },
	{ "_ZN1AixEi", "A::operator[](int)" },
	{ "_ZN1AclEi", "A::operator()(int)" },
	{ "_ZN1AptEv", "A::operator->()" },
	{ "_ZnwmPv", "operator new(unsigned long, void*)" },
	{ "_ZdaPv", "operator delete[](void*)" },
	{ "_ZN1AnaEm", "A::operator new[](unsigned long)" },
	{ "_Zli2_wPKc", "operator\"\" _w(char const*)" },
	{ "_ZssRK1AS1_", "operator<=>(A const&, A const&)" },
	{ "_Z1fDv4_f", "f(float __vector(4))" },
	{ "_Z1fCd", "f(double _Complex)" },
	{ "_Z1fDn", "f(decltype(nullptr))" },
	{ "_Z1fDF16_", "f(_Float16)" },
	{ "_Z1fU8__vectorf", "f(float __vector)" },
	{ "_Z1fILb1ELj5ELln3ELc65EEvv", "void f<true, 5u, -3l, (char)65>()" },
	{ "_Z1fILDn0EEvv", "void f<(decltype(nullptr))0>()" },
	{ "_Z1fIXstiEXsznwLi1E_iEEEvv", "void f<sizeof (int), sizeof (new (1) int)>()" },
	{ "_Z1fIiEvT_DTplfp_Li1EE", "void f<int>(int, decltype ({parm#1}+(1)))" },
	{ "_Z1fIiEDTquL_Z1bELi1ELi2EEv", "decltype (b?(1) : (2)) f<int>()" },
	{ "_Z1fIJiiEEvDTfraaT_E", "void f<int, int>(decltype (((int, int)&&...)))" },
	{ "_ZN3foo3barB5cxx11Ev", "foo::bar[abi:cxx11]()" },
	{ "_Z1fILi3EEvNSt9enable_ifIXgtT_Li2EEvE4typeE",
	  "void f<3>(std::enable_if<((3)>(2)), void>::type)" },
	{ "_Z1fNSt6vectorIiSaIiEEE.isra.0",
	  "f(std::vector<int, std::allocator<int> >) [clone .isra.0]" },
	{ "_Z1fv.cold", "f() [clone .cold]" },
	{ "_Z1fv.constprop.0.part.1", "f() [clone .constprop.0] [clone .part.1]" },
	{ "_ZZ1fiEd_NKUlvE_clEv", "f(int)::{default arg#1}::{lambda()#1}::operator()() const" },
	{ "_ZN1A1fEiz", "A::f(int, ...)" },
	{ "_ZNKR1A1fEv", "A::f() const &" },
	{ "_ZNO1A1fEv", "A::f() &&" },
	{ "_Z1fPDoFvvE", "f(void (*)() noexcept)" },
	{ "_Z1fPDOLb1EEFvvE", "f(void (*)() noexcept(true))" },
	{ "_Z1fIiEvDTnw_T_EE", "void f<int>(decltype (new int))" },
	{ "_Z1fIiEDTcvT_Li0EEv", "decltype ((int)(0)) f<int>()" },
	{ "_Z1fIiEDTcvT__Li0ELi1EEEv", "decltype ((int)(0, 1)) f<int>()" },
	{ "_Z1fIiEDTscT_Li0EEv", "decltype (static_cast<int>(0)) f<int>()" },
	{ "_Z1fIiEDTppfp_ET_", "decltype ({parm#1}++) f<int>(int)" },
	{ "_Z1fIiEDTpp_fp_ET_", "decltype (++{parm#1}) f<int>(int)" },
	{ "_Z1fIiEDTdtfp_1xET_", "decltype ({parm#1}.x) f<int>(int)" },
	{ "_Z1fIiEDTptfp_1xET_", "decltype ({parm#1}->x) f<int>(int)" },
	{ "_Z1fIiEDTixfp_Li1EET_", "decltype ({parm#1}[1]) f<int>(int)" },
	{ "_Z1fIiEDTtlT_Li1EEEv", "decltype (int{1}) f<int>()" },
	{ "_Z1fIiEDTilLi1ELi2EEEv", "decltype ({1, 2}) f<int>()" },
	{ "_Z1fIJiiEEDTsZT_EDpT_", "decltype (2) f<int, int>(int, int)" },
	{ "_Z1fIiEDTsrT_1xEv", "decltype (int::x) f<int>()" },
	{ "_Z1fI1AEvT_DTsrS1_3barIiEE", "void f<A>(A, decltype (A::bar<int>))" },
	{ "_ZN1AMUlvE_E", "A::{lambda()#1}" },
	{ "_ZNK1A1xMUlvE_clEv", "A::x::{lambda()#1}::operator()() const" },
	{ "_ZDC1a1bE", "[a, b]" },
	{ "_ZZN1AC4EvENKUlvE_clEv", "A::A()::{lambda()#1}::operator()() const" },
	{ "_ZW1A", NULL },
	{ "_Z", NULL },
	{ "_Z1", NULL },
	{ "_Z1f", "f" },
	{ "_Z1fi_", NULL },
	{ "_ZN", NULL },
	{ "_ZNE", NULL },
	{ "_Z1fS_", NULL },
	{ "_Z1fT_", NULL },
	{ "_Z99f", NULL },
};

struct comparison {
	char *(*theirs)(const char *name, char *buf, size_t *len, int *status);
	u32 n, differ;
};

static int compare(void *ctx, const struct elf_symbol *s)
{
	struct comparison *c = ctx;
	char *name = strndup(s->name, strcspn(s->name, "@")), *ours, *theirs;
	int status;

	if (!starts_with(name, "_Z")) {
		free(name);
		return 0;
	}
	ours = demangle_cxx(name);
	theirs = c->theirs(name, NULL, NULL, &status);
	c->n++;
	if (!theirs != !ours || (ours && !streq(ours, theirs))) {
		c->differ++;
		is_str(ours ? ours : "nothing", theirs ? theirs : "nothing", "%s", name);
	}
	free(ours);
	free(theirs);
	free(name);
	return 0;
}

static void test_library(void)
{
	void *lib = dlopen("libstdc++.so.6", RTLD_NOW);
	struct comparison c = { 0 };
	struct err err = { 0 };
	struct elf *e;
	Dl_info at;

	if (!lib) {
		ok(true, "# SKIP there is no libstdc++");
		return;
	}
	c.theirs = (char *(*)(const char *, char *, size_t *, int *))(
		uintptr_t)dlsym(lib, "__cxa_demangle");
	e = dladdr((void *)(uintptr_t)c.theirs, &at) ? elf_open(at.dli_fname, &err) : NULL;
	if (e)
		elf_each_function(e, NULL, compare, &c);
	ok(c.n > 1000 && !c.differ, "%u of %u names of libstdc++ differ", c.differ, c.n);
	elf_close(e);
}

/* Shown as c++filt -s dlang shows them; the last ones have what it does not know. */
static const struct name d_names[] = {
	{ "_Dmain", "D main" },
	{ "_D3app3runFiZv", "app.run(int)" },
	{ "_D3fooZ", "foo" },
	{ "_D3foo", NULL },
	{ "_D", NULL },
	{ "_D9foo", NULL },
	{ "_D3app4testFJaKaLaMaZv", "app.test(out char, ref char, lazy char, scope char)" },
	{ "_D3app4testFaYv", "app.test(char, ...)" },
	{ "_D3app4testFaXv", "app.test(char...)" },
	{ "_D3app4testFPFLAiYiZv", "app.test(int(lazy int[], ...) function)" },
	{ "_D3app4testFDFNaZaZv", "app.test(char() pure delegate)" },
	{ "_D3app4testFDxFZaZv", "app.test(char() delegate const)" },
	{ "_D3app4testFxDFZaZv", "app.test(const(char() delegate))" },
	{ "_D3app4testFFiZvZv", "app.test(void(int) function)" },
	{ "_D3app4testFUOiZaZv", "app.test(extern(C) char(shared(int)) function)" },
	{ "_D3app4testFHbHiaZv", "app.test(char[int][bool])" },
	{ "_D3app4testFNhG16gZv", "app.test(__vector(byte[16]))" },
	{ "_D3app4testMxFZv", "app.test() const" },
	{ "_D3app1aFZ1bMFZv", "app.a().b()" },
	{ "_D6object6Object6__ctorMFZv", "object.Object.this()" },
	{ "_D3app1S10__postblitMFZv", "app.S.this(this)" },
	{ "_D3app12__ModuleInfoZ", "ModuleInfo for app" },
	{ "_D3app1C6__vtblZ", "vtable for app.C" },
	{ "_D3std5range__T4takeTAyaZQkFQhmZQk",
	  "std.range.take!(immutable(char)[]).take(immutable(char)[], ulong)" },
	{ "_D3std5stdio__T7writelnVAyaa3_61220aZQwFNfZv",
	  "std.stdio.writeln!(\"a\"\\n\").writeln()" },
	{ "_D4core6memory2GC5queryFNaNbNkMPvZSQBhQBf8BlkInfo_",
	  "core.memory.GC.query(return scope void*)" },
};

static void test_matches(void)
{
	static const struct {
		const char *symbol, *pattern;
		bool yes;
	} rows[] = {
		{ "_D3geo4areaFiZi", "geo.area", true },
		{ "_D3geo4areaFiZi", "geo.area(int)", true },
		{ "_D3geo4areaMxFiZi", "geo.area", true },
		{ "_D3geo4areaFiZi", "area", false },
		{ "_D3geo__T4areaTiZQiFiZi", "geo.area!(int).area", true },
		{ "_D3geo__T4areaTiZQiFiZi", "geo.area!(int)*", true },
		{ "_ZN3geo4areaEi", "geo::area", true },
		{ "_ZN3geo4areaEi", "geo::area(int)", true },
		{ "_ZN3geo4areaEi", "geo::area(*)", true },
		{ "_ZN3geo4areaEi", "*::area", true },
		{ "_ZN3geo4areaEi", "area", false },
		{ "_ZN3geo4areaEi", "int geo::area(int)", false },
		{ "_ZN3geo4areaEPFivE", "geo::area", true },
		{ "_ZN3geo4areaEi.isra.0", "geo::area", true },
		{ "_ZN3geo4areaEi.cold", "geo::area", false },
		{ "_ZN3geo4areaEi.part.0.cold", "geo::area", false },
		{ "_ZN3geo4areaEi.part.0", "geo::area", false },
		{ "_ZN3geo5twiceIiEET_S1_", "geo::twice", true },
		{ "_ZN3geo5twiceIiEET_S1_", "geo::twice<int>", true },
		{ "_ZN3geo5twiceIiEET_S1_", "geo::twice<int>(int)", true },
		{ "_ZN3geo5twiceIiEET_S1_", "int geo::twice<int>(int)", true },
		{ "_ZN3geo5twiceIiEET_S1_", "int*", false }, /* names, not results */
		{ "_ZN3geo5labelB5cxx11Ei", "geo::label", true },
		{ "_ZN3geo5labelB5cxx11Ei", "geo::label[abi:cxx11](int)", true },
		{ "_ZNSs6appendEPKc", "std::string::append", true },
		{ "_ZNSsC1Ev", "std::basic_string*::basic_string", true },
		{ "_ZNK3geo5PointclEi", "geo::Point::operator()", true },
		{ "_ZThn8_N1A1fEv", "A::f", false },
		{ "_ZThn8_N1A1fEv", "non-virtual thunk to A::f()", true },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::*::pad", true },
		{ "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar", true },
		{ "main", "main", false },
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		ok(demangle_matches(rows[i].symbol, rows[i].pattern) == rows[i].yes, "%s is %s%s",
		   rows[i].symbol, rows[i].yes ? "" : "not ", rows[i].pattern);
}

static void each_is(const struct name *v, u32 n, char *(*f)(const char *name))
{
	for (u32 i = 0; i < n; i++) {
		char *s = f(v[i].from);

		if (v[i].to)
			is_str(s, v[i].to, "%s", v[i].from);
		else
			ok(!s, "%s is none (%s)", v[i].from, s ? s : "");
		free(s);
	}
}

static void test_cxx(void)
{
	char deep[4096] = "_Z1f";

	each_is(cxx, ARRAY_SIZE(cxx), demangle_cxx);
	memset(deep + 4, 'P', sizeof deep - 6);
	deep[sizeof deep - 2] = 'i';
	ok(!demangle_cxx(deep), "nesting is bounded");
	strcpy(deep, "_Z1f1PIiiE");
	for (const char *digit = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"; *digit;
	     digit++) /* twice the one before */
		snprintf(deep + strlen(deep), 16, "S_IS%c_S%c_E", *digit, *digit);
	ok(!demangle_cxx(deep), "text is bounded");
}

static void test_d(void)
{
	char deep[4096] = "_D1aF";

	each_is(d_names, ARRAY_SIZE(d_names), demangle_d);
	memset(deep + 5, 'P', sizeof deep - 9);
	strcpy(deep + sizeof deep - 5, "iZv");
	ok(!demangle_d(deep), "nesting is bounded");
}

int main(void)
{
	char deep[4096] = "_R";

	each_is(names, ARRAY_SIZE(names), demangle_rust);
	memset(deep + 2, 'S', sizeof deep - 3);
	ok(!demangle_rust(deep), "nesting is bounded");
	test_cxx();
	test_d();
	test_matches();
	test_library();
	return done();
}
