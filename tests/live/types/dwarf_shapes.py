#!/usr/bin/env python3
"""dwarf_shapes.py COMPILER OPTIONS...: types of many shapes as parameters, results and locals.

A program is made from a table of types with values; sonde must print those values: parameters by name at
the function's entry, results at its return, and locals at a source line. What an optimizer has removed
must be refused by name, which the list tells; what is printed must be right. Prints what was wrong and
how many values were compared.
"""
import os, random, re, subprocess, sys

# (declarations, type, value in C, [(path behind the name, conversion, expected)])
SHAPES = [
    ("", "char", "'x'", [("", "%c", "x")]),
    ("", "signed char", "-5", [("", "%d", "-5")]),
    ("", "unsigned char", "250", [("", "%d", "250")]),
    ("", "short", "-30000", [("", "%d", "-30000")]),
    ("", "unsigned short", "60000", [("", "%d", "60000")]),
    ("", "int", "-2000000000", [("", "%d", "-2000000000")]),
    ("", "unsigned", "4000000000u", [("", "%u", "4000000000")]),
    ("", "long", "-9000000000000000000", [("", "%ld", "-9000000000000000000")]),
    ("", "unsigned long", "18000000000000000000u", [("", "%lu", "18000000000000000000")]),
    ("", "_Bool", "1", [("", "%d", "1")]),
    ("enum hue { RED = -1, BLUE = 70000 };", "enum hue", "BLUE", [("", "%d", "70000"), ("", "%s", "BLUE")]),
    ("typedef unsigned short small_t;", "small_t", "777", [("", "%d", "777")]),
    ("typedef struct { int q; } nameless;", "nameless", "(nameless){ 41 }", [(".q", "%d", "41")]),
    ("struct one { char c; };", "struct one", "(struct one){ 'o' }", [(".c", "%c", "o")]),
    ("struct three { char c[3]; };", "struct three", '(struct three){ "ab" }', [(".c", "%s", "ab")]),
    ("struct pair { long a; int b; };", "struct pair", "(struct pair){ -77, 88 }",
     [(".a", "%d", "-77"), (".b", "%d", "88")]),
    ("struct twelve { int x, y, z; };", "struct twelve", "(struct twelve){ 1, -2, 3 }",
     [(".x", "%d", "1"), (".y", "%d", "-2"), (".z", "%d", "3")]),
    ("struct big { long v[4]; char tail; };", "struct big", "(struct big){ { 9, 8, 7, 6 }, 't' }",
     [(".v[2]", "%d", "7"), (".tail", "%c", "t")]),
    ("struct bits { unsigned a : 3, b : 17; int c : 5; unsigned long d : 39; };", "struct bits",
     "(struct bits){ 5, 100000, -9, 400000000000 }",
     [(".a", "%d", "5"), (".b", "%d", "100000"), (".c", "%d", "-9"), (".d", "%lu", "400000000000")]),
    ("struct packed { char c; int i; } __attribute__((packed));", "struct packed",
     "(struct packed){ 'p', -1234567 }", [(".c", "%c", "p"), (".i", "%d", "-1234567")]),
    ("struct outer { int n; union { int u; char bytes[4]; }; struct { short s; } in; };", "struct outer",
     "(struct outer){ 4, { 0x41424344 }, { -6 } }",
     [(".n", "%d", "4"), (".u", "%d", "1094861636"), (".in.s", "%d", "-6")]),
    ("union either { long l; char c; };", "union either", "(union either){ 0x51 }", [(".c", "%c", "Q")]),
    ("struct node { int v; struct node *next; };\nstatic struct node last = { 22, 0 }, first = { 11, &last };",
     "struct node *", "&first", [("->v", "%d", "11"), ("->next->v", "%d", "22"), ("->next->next", "%d", "0")]),
    ("static char text[] = \"some text\";", "const char *", "text", [("", "STR", "some text")]),
    ("static char zero[] = \"zero\", one[] = \"one\", *words[] = { zero, one };", "char **", "words", [("[1]", "STR", "one")]),
    ("static int grid[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };\ntypedef int row_t[3];", "row_t *", "grid",
     [("[1][2]", "%d", "6")]),
    ("static long number = 31;", "long *", "&number", [("", "DEREF", "31")]),
    ("struct flt { float f; int i; };", "struct flt *", "&(struct flt){ 2.5f, 3 }",
     [("->f", "%.2f", "2.50"), ("->i", "%d", "3")]),
    ("", "double", "3.25", [("", "%.2f", "3.25")]),
    ("", "float", "-0.5f", [("", "%.1f", "-0.5")]),
    ("struct vec { double x, y; };", "struct vec", "(struct vec){ 1.5, -2.5 }",
     [(".x", "%.1f", "1.5"), (".y", "%.1f", "-2.5")]),
    ("struct mixed { long n; double d; };", "struct mixed", "(struct mixed){ 6, 0.75 }",
     [(".n", "%d", "6"), (".d", "%.2f", "0.75")]),
    ("", "__int128", "(((__int128)5 << 64) + 6)", [("[1]", "%d", "5")]),
    ("", "long double", "1.0L", []),
    ("typedef int (*fn_t)(int);", "fn_t", "(fn_t)0x1234", [("", "%d", "4660")]),
]
N = 60


def pick(seed):
    rng = random.Random(seed)
    return [[rng.randrange(len(SHAPES)) for _ in range(rng.randint(1, 8))] for _ in range(N)]


def declare(ctype, name):
    return f"{ctype}{'' if ctype.endswith('*') else ' '}{name}"


def source(funcs):
    decls = "\n".join(s[0] for s in SHAPES if s[0])
    callee = [decls, "void mark(void);"]
    for i, s in enumerate(SHAPES):
        callee.append(f"{declare(s[1], f'make{i}')}(void); void use{i}({s[1]});")
    line_of = {}
    for n, params in enumerate(funcs):
        result = params[0]
        sig = ", ".join(declare(SHAPES[t][1], f"p{k}") for k, t in enumerate(params))
        body = [f"{declare(SHAPES[result][1], f'func{n}')}({sig})", "{"]
        for k, t in enumerate(params):
            body.append(f"\t{declare(SHAPES[t][1], f'l{k}')} = make{t}();")
        body += ["\tmark();", "\tmark();"] # behind the first one gcc's lists are exact
        line_of[n] = len("\n".join(callee + body).split("\n"))
        for k, t in enumerate(params):
            body.append(f"\tuse{t}(l{k});")
        body += ["\tmark();", "\treturn p0;", "}"]
        callee += body
    caller = [decls, "volatile int sink; void mark(void) { sink++; }"]
    for i, s in enumerate(SHAPES):
        init = s[2]
        caller.append(f"{s[1]} make{i}(void) {{ static {s[1]} v; static int set; "
                      f"if (!set) {{ set = 1; v = {init}; }} return v; }} void use{i}({s[1]} v) {{ sink++; }}"
                      if "&(" not in init else
                      f"static struct flt held{i} = {{ 2.5f, 3 }};\n"
                      f"{s[1]} make{i}(void) {{ return &held{i}; }} void use{i}({s[1]} v) {{ sink++; }}")
    for n, params in enumerate(funcs):
        sig = ", ".join(SHAPES[t][1] for t in params)
        caller.append(f"{declare(SHAPES[params[0]][1], f'func{n}')}({sig});")
    caller.append("int main(void)\n{")
    for n, params in enumerate(funcs):
        caller.append(f"\tfunc{n}({', '.join(f'make{t}()' for t in params)});")
    caller.append("\treturn 0;\n}")
    return "\n".join(callee) + "\n", "\n".join(caller) + "\n", line_of


def question(label, name, path, conversion):
    if conversion == "STR":
        return f'printf("{label} %s\\n", str({name}{path}));'
    if conversion == "DEREF":
        return f'printf("{label} %d\\n", *{name});'
    return f'printf("{label} {conversion}\\n", {name}{path});'


def main():
    compiler, options = sys.argv[1], sys.argv[2:]
    if compiler == "clang": # before 18 it splits what is left of the registers and the stack, against the ABI
        SHAPES[:] = [s for s in SHAPES if s[1] != "__int128"]
    if compiler == "clang" and "-O0" not in options: # 14 describes a spilled bool without the dereference
        SHAPES[:] = [s for s in SHAPES if s[1] != "_Bool"]
    sonde, tmp = os.environ["SONDE"], os.environ["TMP"]
    engine = os.environ.get("ENGINE", "").split()
    funcs = pick(" ".join(sys.argv[1:]))
    callee, caller, line_of = source(funcs)
    open(f"{tmp}/callee.c", "w").write(callee)
    open(f"{tmp}/caller.c", "w").write(caller)
    program = f"{tmp}/shapes"
    subprocess.run([compiler, "-g", "-w", *options, f"{tmp}/callee.c", f"{tmp}/caller.c", "-o", program],
                   check=True, cwd=tmp)

    def listed(probe):
        """probe -> {name: reason or None}"""
        out = subprocess.run([sonde, "list", "-v", probe], capture_output=True, text=True, errors="replace").stdout
        found, names = {}, None
        for line in out.splitlines():
            if not line.startswith("    "):
                names = found.setdefault(line.split(":")[-1] if "@" in line else line.split(":")[2], {})
                continue
            text, _, reason = line.strip().partition(" (")
            name = re.sub(r"\[.*", "", text).split()[-1]
            names[name] = reason or None
        return found

    script, expected, refused = [], {}, 0
    entry = listed(f"uprobe:{program}:func*")
    results = listed(f"uretprobe:{program}:func*")
    for n, params in enumerate(funcs):
        asks = []
        for k, t in enumerate(params):
            if entry.get(f"func{n}", {}).get(f"p{k}", "missing"):
                refused += 1
                continue
            for path, conversion, want in SHAPES[t][3]:
                label = f"{len(expected)}:func{n}.p{k}{path}"
                asks.append(question(label, f"args.p{k}", path, conversion))
                expected[label] = want
        if asks:
            script.append(f"uprobe:{program}:func{n} {{ {' '.join(asks)} }}")
        asks = []
        typed = not results.get(f"func{n}", {}).get("retval", "missing")
        for path, conversion, want in (SHAPES[params[0]][3] if typed else []):
            label = f"{len(expected)}:func{n}.retval{path}"
            asks.append(question(label, "retval", path, conversion))
            expected[label] = want
        if asks:
            script.append(f"uretprobe:{program}:func{n} {{ {' '.join(asks)} }}")
        place = f"uprobe:{program}@callee.c:{line_of[n]}"
        here = listed(place).get(str(line_of[n]), {})
        asks = []
        for k, t in enumerate(params):
            for name in (f"l{k}", f"p{k}"):
                if here.get(name, "missing"):
                    refused += 1
                    continue
                for path, conversion, want in SHAPES[t][3]:
                    label = f"{len(expected)}:{line_of[n]}.{name}{path}"
                    asks.append(question(label, f"vars.{name}", path, conversion))
                    expected[label] = want
        if asks:
            script.append(f"{place} {{ {' '.join(asks)} }}")
    got = {}
    for at in range(0, len(script), 30):
        r = subprocess.run([sonde, *engine, "-q", "-c", program, "-e", "\n".join(script[at:at + 30])],
                           capture_output=True, text=True, errors="replace")
        # a busy machine takes its time to remove probes
        unexpected = "".join(x for x in r.stderr.splitlines(True) if x.strip() and "is still removing" not in x)
        if r.returncode or unexpected:
            print(unexpected[:1000])
        for line in r.stdout.splitlines():
            label, _, value = line.partition(" ")
            if label in got and got[label] != value:
                print(f"{label}: twice, {got[label]} and {value}")
            got[label] = value
    for label, want in expected.items():
        if got.get(label) != want:
            print(f"{label}: {got.get(label)} instead of {want}")
    if "-v" in os.environ.get("SHAPES", ""):
        print(f"{len(expected)} values, {refused} refused")
    print("enough" if len(expected) > 300 else f"only {len(expected)} values ({refused} refused)")


main()
