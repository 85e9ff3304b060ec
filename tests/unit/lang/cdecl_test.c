/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C text: layouts compared with the compiler's own, constants, the preprocessor, and errors. */
#include "lang/cdecl/cdecl.h"
#include "lang_test.h"

static struct fixture f;

static bool prepare(const char *text)
{
	bool good = fixture_parse(&f, text);

	return lang_prepare(&f.lang) && good;
}

static const struct type *type_of(const char *name)
{
	const struct type *t = hash_gets(&f.lang.types, name);

	ok(t != NULL, "%s is known", name);
	return t ? t : &ty_error;
}

static void field(const struct type *t, const char *name, u32 offset, u32 size)
{
	u32 at = 9999;
	const struct field *m = type_field(t, name, &at);

	ok(m && at == offset && m->type->size == size, "%s at %u, %u bytes (is %u, %u)", name,
	   offset, size, at, m ? m->type->size : 0);
}

#define CODE                                                                                       \
	struct inner {                                                                             \
		char c;                                                                            \
		long l;                                                                            \
	};                                                                                         \
	struct outer {                                                                             \
		unsigned char a;                                                                   \
		struct inner in;                                                                   \
		union {                                                                            \
			short s;                                                                   \
			struct {                                                                   \
				int x, y[3];                                                       \
			};                                                                         \
		};                                                                                 \
		char name[5], *p;                                                                  \
		struct outer *next;                                                                \
		int (*fn)(int, char *);                                                            \
		int (*table[3])(void);                                                             \
		double d;                                                                          \
		unsigned long long last[];                                                         \
	};                                                                                         \
	struct bits {                                                                              \
		unsigned a : 3;                                                                    \
		unsigned b : 30;                                                                   \
		unsigned short c : 5;                                                              \
		char d;                                                                            \
		int : 0;                                                                           \
		unsigned long long e : 40;                                                         \
	};                                                                                         \
	struct tight {                                                                             \
		char c;                                                                            \
		int i;                                                                             \
		short s;                                                                           \
	} __attribute__((packed));                                                                 \
	struct wide {                                                                              \
		char c;                                                                            \
	} __attribute__((aligned(16)));

#define TEXT_(...) #__VA_ARGS__
#define TEXT(...) TEXT_(__VA_ARGS__)
CODE

	static void
	test_layout(void)
{
	ok(prepare(TEXT(CODE) "\nbegin { }"), "the text is read");
	note("%s", fixture_messages(&f));

	const struct type *t = type_of("struct outer");

	is_int(t->size, sizeof(struct outer), "size of a struct");
	is_int(t->align, _Alignof(struct outer), "its alignment");
#define FIELD(name) field(t, #name, offsetof(struct outer, name), sizeof(((struct outer *)0)->name))
	FIELD(a);
	FIELD(in);
	FIELD(s);
	FIELD(x);
	FIELD(y);
	FIELD(name);
	FIELD(p);
	FIELD(next);
	FIELD(fn);
	FIELD(table);
	FIELD(d);
#undef FIELD
	field(t, "last", offsetof(struct outer, last), 0);
	is_int(type_field(t, "name", NULL)->type->kind, TY_STRING, "char arrays are strings");
	ok(type_field(t, "next", NULL)->type->elem == t, "a pointer to itself");
	is_int(type_field(t, "fn", NULL)->type->elem->kind, TY_FUNC, "a pointer to a function");
	is_int(type_field(t, "table", NULL)->type->count, 3, "an array of them");
	is_int(type_of("struct tight")->size, sizeof(struct tight), "packed");
	is_int(type_of("struct wide")->size, sizeof(struct wide), "aligned");
	is_int(type_of("struct bits")->size, sizeof(struct bits), "bitfields");
	fixture_end(&f);
}

/* The position of a member's bits, as the compiler lays it out. */
static void bits(const struct type *t, const char *name, const struct bits *one)
{
	const struct field *m = type_field(t, name, NULL);
	u8 bytes[sizeof *one];
	u32 first = 0, n = 0;

	memcpy(bytes, one, sizeof bytes);
	for (u32 i = 0; i < sizeof bytes * 8; i++)
		if (bytes[i / 8] >> i % 8 & 1)
			first = n++ ? first : i;
	ok(m && m->offset * 8 + m->bit_offset == first && m->bit_size == n,
	   "bits of %s: %u from %u", name, n, first);
}

static void test_bits(void)
{
	struct bits b;

	prepare(TEXT(CODE) "\nbegin { }");

	const struct type *t = type_of("struct bits");
#define BITS(name, ones)                                                                           \
	memset(&b, 0, sizeof(b));                                                                  \
	b.name = ones;                                                                             \
	bits(t, #name, &b)
	BITS(a, 7);
	BITS(b, 0x3fffffff);
	BITS(c, 31);
	BITS(e, 0xffffffffffull);
#undef BITS
	field(t, "d", offsetof(struct bits, d), 1);
	fixture_end(&f);
}

static s64 constant(const char *name)
{
	const struct node *n = hash_gets(&f.lang.constants, name);

	return n && n->kind == N_INT ? n->value : -9999;
}

static bool is_misfit(const char *name)
{
	const struct node *n = hash_gets(&f.lang.constants, name);

	return n && n->kind == N_MISFIT;
}

static void test_constants(void)
{
	ok(prepare("#define ONE 1\n#define SUM (ONE + 2)\n#define LONG 1 + \\\n 2\n#define NAME \"x\" // note\n"
		   "#define GUARD\n#define F(x) x\n#define BAD struct {\n#define SELF SELF\n#define C 'a'\n"
		   "enum e { A, B = SUM << 2, D, N = -1, S = sizeof(int) };\nenum { ANON = 7u };\n"
		   "struct s { char x[SUM * 2]; int y[S]; };\nbegin { }"),
	   "constants are read");
	is_int(constant("ONE"), 1, "a macro");
	is_int(constant("A"), 0, "the first enumerator");
	is_int(constant("B"), 12, "one with a value");
	is_int(constant("D"), 13, "the next");
	is_int(constant("N"), -1, "a negative one");
	is_int(constant("S"), 4, "sizeof");
	is_int(constant("ANON"), 7, "one without a tag");
	is_int(constant("C"), 'a', "a character");

	const struct node *n = hash_gets(&f.lang.constants, "SUM");

	ok(n && n->kind == N_BINARY && n->a->kind == N_IDENT, "a macro's body is an expression");
	n = hash_gets(&f.lang.constants, "LONG");
	ok(n && n->kind == N_BINARY, "lines that go on");
	n = hash_gets(&f.lang.constants, "NAME");
	ok(n && n->kind == N_STR, "a string");
	ok(is_misfit("GUARD") && is_misfit("F") && is_misfit("BAD"),
	   "what is no expression is kept as what it is");
	ok(!hash_gets(&f.lang.constants, "SELF"), "a macro that is its own name means that name");
	is_int(type_of("enum e")->n_enums, 5, "enumerators of an enum");
	ok(type_of("enum e")->is_signed, "it is signed");
	is_int(type_of("struct s")->size, 24, "sizes from constants");
	is_str(fixture_names(&f), "", "nothing of it is used, so nothing is wrong");
	fixture_end(&f);
}

static void branch(const char *text, s64 want)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s\nbegin { }", text);
	prepare(b.s);
	is_int(constant("X"), want, "X in: %s", text);
	fixture_end(&f);
	buf_release(&b);
}

static void test_conditions(void)
{
	branch("#ifdef BPFTRACE_HAVE_BTF\n#define X 1\n#else\n#define X 2\n#endif", 1);
	branch("#ifndef BPFTRACE_HAVE_BTF\n#include <linux/x.h>\n#define X 1\n#else\n#define X 2\n#endif",
	       2);
	branch("#if 0\n#if 1\n#define X 1\n#endif\n#elif 1\n#define X 2\n#else\n#define X 3\n#endif",
	       2);
	branch("#define A 5\n#if defined(A) && A > 4 && !defined B\n#define X 1\n#endif", 1);
	branch("#if LINUX_VERSION_CODE >= KERNEL_VERSION(3, 0, 0)\n#define X 1\n#endif", 1);
	branch("#define X 1\n#undef X\n#ifdef X\n#define X 2\n#endif", 1);
	branch("#if 0\nstruct broken { nonsense\n};\n#endif\n#define X 4", 4);
	branch("# define  X  6 /* spaced */", 6);
}

static void test_typedefs(void)
{
	ok(prepare("typedef unsigned int u_t;\ntypedef struct { u_t a; __u64 b; } pair_t;\n"
		   "typedef struct node { struct node *next; } node_t, *node_p;\n"
		   "typedef int (*callback)(void *);\ntypedef char name_t[16];\n"
		   "struct user { pair_t p; node_p n; callback c; name_t m; const volatile struct node *q; char __user *u; };\n"
		   "begin { }"),
	   "typedefs are read");
	note("%s", fixture_messages(&f));
	is_int(type_of("u_t")->size, 4, "of an integer");
	is_int(type_of("pair_t")->size, 16, "of a struct");
	is_int(type_of("node_p")->kind, TY_POINTER, "of a pointer");
	is_int(type_of("name_t")->kind, TY_STRING, "of an array");
	is_int(type_of("struct user")->size, 64, "and used");
	ok(type_field(type_of("struct user"), "u", NULL)->type->space == SPACE_USER,
	   "a user pointer");
	fixture_end(&f);
}

static void bad(const char *text, const char *want)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s\nbegin { }", text);
	ok(!prepare(b.s), "refused: %s", text);
	is_str(fixture_names(&f), want, "for the right reason");
	fixture_end(&f);
	buf_release(&b);
}

static void test_errors(void)
{
	bad("struct x { int 5; };", "C_EXPECTED");
	bad("struct x { foo y; };", "C_UNKNOWN_TYPE");
	bad("struct x { struct x y; };", "C_INCOMPLETE");
	bad("struct x { void y; };", "C_INCOMPLETE");
	bad("struct x { int y; };\nstruct x { int z; };", "C_REDEFINED");
	bad("struct x { int y[pid]; };", "C_NOT_CONSTANT");
	bad("struct x { int y[1/0]; };", "C_NOT_CONSTANT");
	bad("struct x { int y : 33; };", "C_BIT_WIDTH");
	bad("struct x { int y[-1]; };", "C_TOO_BIG");
	bad("struct x { int y[2000000000]; };", "C_TOO_BIG");
	bad("#if 1", "C_DIRECTIVE");
	bad("#endif", "C_DIRECTIVE");
	bad("#else", "C_DIRECTIVE");
	bad("#nonsense", "C_DIRECTIVE");
	bad("#error stop", "C_USER_ERROR");
}

static void test_prepare(void)
{
	ok(prepare("config = { max_map_keys = 77; missing_probes = warn; }\nlet @m = lruhash(5);\nbegin { }"),
	   "a head is prepared");
	is_int(f.env.config.max_map_keys, 77, "a number of the config block");
	is_int(f.env.config.missing_probes, MISSING_WARN, "a word of it");

	const struct map *m = hash_gets(&f.lang.maps, "@m");

	ok(m && m->has_decl && m->max_entries == 5 && m->decl_kind == 9, "a declared map");
	fixture_end(&f);
	bad("config = { nonsense = 1 }", "CONFIG_VALUE");
	bad("let @m = array(5);", "MAP_DECL_KIND");
	bad("let @m = hash(5); let @m = hash(6);", "MAP_DECL_TWICE");
	bad("let @m = hash(0);", "MAP_ENTRIES");
	bad("import \"x.bt\";", "IMPORT_MISSING");
}

static const char *import_text(const char *from, const char *path)
{
	if (streq(path, "a.bt"))
		return "import \"b.bt\"; macro m() { 1 } begin { print(\"a\"); }";
	if (streq(path, "b.bt"))
		return streq(from, "a.bt") ? "import \"a.bt\"; begin { print(\"b\"); }" : "";
	return "#ifndef C_H\n#define C_H\n#define FROM_C 5\nstatic inline int f(int x) { return x; }\n"
	       "struct c { unknown_t z; };\nextern int v[];\nstruct d { int x; };\n#endif\n";
}

static void read_import(struct env *env, const char *from, const char *path,
			struct import_source *found)
{
	(void)env;
	*found = (struct import_source){ .id = xstrdup(path),
					 .path = xstrdup(path),
					 .text = xstrdup(import_text(from, path)) };
}

static void test_imports(void)
{
	fixture_begin(&f);
	f.env.read_import = read_import;
	ok(parse_script(&f.lang,
			fixture_source(&f, "#include \"c.h\"\n#include \"c.h\"\nimport \"a.bt\";\n"
					   "begin { print(\"main\"); }")) &&
		   lang_prepare(&f.lang),
	   "imports are read, each once");
	note("%s", fixture_messages(&f));

	const struct clause *c = f.lang.script->clauses;

	is_str(c->body->a->a->a->str, "b", "the innermost comes first");
	is_str(c->next->body->a->a->a->str, "a", "then what imported it");
	is_str(c->next->next->body->a->a->a->str, "main", "the script itself last");
	ok(!c->next->next->next && f.lang.script->macros, "macros come along");
	is_int(constant("FROM_C"), 5, "a macro of an included file");
	is_int(type_of("struct d")->size, 4, "a struct of it, after text that is skipped");
	fixture_end(&f);
}

int main(void)
{
	test_layout();
	test_bits();
	test_constants();
	test_conditions();
	test_typedefs();
	test_errors();
	test_prepare();
	test_imports();
	return done();
}
