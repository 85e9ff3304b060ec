/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The type checker: types, scopes, maps, calls, warnings; and the rows' examples provoke them. */
#include "check_kit.h"
#include "tap.h"

static void says(const char *text, const char *want)
{
	kit_check(text);
	if (!is_str(kit_said(), want, "%s", text))
		kit_show();
}

static void var_is(const char *text, const char *name, const char *type)
{
	if (!kit_check(text))
		kit_show();
	is_str(kit_var_type(name), type, "$%s in %s", name, text);
}

static void map_is(const char *text, const char *name, const char *key, const char *value)
{
	if (!kit_check(text))
		kit_show();
	is_str(kit_map(name, true), key, "key of %s in %s", name, text);
	is_str(kit_map(name, false), value, "value of %s in %s", name, text);
}

static void test_widening(void)
{
	var_is("begin { $x = 1; }", "x", "int8");
	var_is("begin { $x = 1; $x = 1000; }", "x", "int16");
	var_is("begin { $x = 1; $x = $x + 1; }", "x", "int64");
	var_is("begin { $x = 1; $x = nsecs; }", "x", "uint64");
	var_is("begin { $x = 1; $x = -1; $x = pid; }", "x", "int64");
	var_is("begin { $x = nsecs - 5; }", "x", "int64");
	var_is("begin { $x = nsecs + 5; }", "x", "uint64");
	var_is("begin { $x = nsecs + (int64)5; }", "x", "int64");
	var_is("begin { $x = 1; $x++; }", "x", "int64");
	var_is("begin { $x = pid; $x++; }", "x", "uint64");
	var_is("begin { $x = \"a\"; if (pid) { $x = \"abc\"; } }", "x", "string[4]");
	var_is("begin { $x = pid == 1; }", "x", "bool");
	var_is("begin { $x = pid << 3; $y = (int32)1 << pid; }", "y", "int64");
	var_is("begin { $x = (1, \"a\"); $x = (1000, \"bcd\"); }", "x", "(int16,string[4])");
	var_is("begin { $x = (a=1, b=\"x\"); $x = (b=\"xyz\", a=2); }", "x",
	       "(a=int8,b=string[4])");
	var_is("begin { let $x; if (pid) { $x = comm; } }", "x", "string[16]");
	var_is("begin { $x = pid ? 1 : nsecs; }", "x", "uint64");
	var_is("begin { $x = pid ?: 5; }", "x", "uint32");
	var_is("begin { $x = ~pid; $y = -pid; }", "y", "uint64");
	map_is("begin { @x = 1; @x = nsecs; }", "@x", "(none)", "uint64");
	map_is("begin { @[pid, comm] = count(); }", "@", "(uint32,string[16])", "count_t");
	map_is("begin { @x[1] = 1; @x[70000] = 2; }", "@x", "int32", "int8");
	map_is("begin { @x[(1, 2)] = 1; @x[3, 400] = 2; }", "@x", "(int8,int16)", "int8");
	map_is("begin { @a = @b + 1; } end { @b = nsecs; }", "@a", "(none)", "uint64");
	map_is("begin { @a = @a + 1; }", "@a", "(none)", "int64");
	map_is("begin { @x++; }", "@x", "(none)", "int64");
	map_is("begin { @x[pid] += 2; }", "@x", "uint32", "int64");
	map_is("begin { @s = sum(pid); @s = sum((int32)pid); }", "@s", "(none)", "sum_t");
	map_is("begin { @x[pid] = 1; @x[(int32)5] = 2; }", "@x", "int64", "int8");
	map_is("begin { @x[1] = 1; has_key(@x, pid); }", "@x", "uint32", "int8");
}

static void test_scopes(void)
{
	says("begin { { $y = 1; } { $y = \"a\"; } }", "");
	says("begin { { $y = 1; } print($y); }", "UNDEFINED_VAR");
	says("begin { $x = 1; { let $x; } }", "REDECLARED_VAR");
	says("begin { if (pid) { $y = 1; } else { $y = 300; } print($y); }", "OLD_SCOPE");
	says("begin { if (pid) { $y = 1; } if (pid > 1) { $y += 5; print($y++); } }", "OLD_SCOPE");
	says("begin { print($y); if (pid) { $y = 1; } }", "UNDEFINED_VAR");
	says("begin { if (pid) { let $y = 1; } print($y); }", "UNDEFINED_VAR");
	says("begin { for $i : 0..3 { } print($i); }", "UNDEFINED_VAR");
	says("begin { if (pid) { { $y = 1; } } print($y); }", "UNDEFINED_VAR");
	var_is("begin { if (pid) { $y = 1; } else { $y = \"abcd\"; } $z = 1; print($z); }", "z",
	       "int8");
	says("begin { $x = $x + 1; }", "UNDEFINED_VAR");
	says("begin { let $w; }", "NEVER_ASSIGNED");
	says("begin { let $a: uint8 = 255; }", "");
	says("begin { let $a: uint8 = 256; }", "LITERAL_RANGE");
	says("begin { let $a: uint8 = pid; }", "SIGN_MIX");
	says("begin { let $a: uint64 = pid; }", "");
	says("begin { let $p: struct task_struct *; $p = curtask; $p = 0; }", "");
	says("begin { for $i : 0..3 { $i = 5; } $i = 1; }", "");
	says("begin { @x[1] = 1; $i = 2; for $i : @x { } }", "REDECLARED_VAR");
	says("begin { $p = (struct none *)0; print($p->x); $p = $p + 1; }", "UNKNOWN_TYPE");
	kit_check("begin { @m[1] = 1; $c = 0; for $kv : @m { $c += 1; $d = 1; } }");
	ok(kit_var("c")->captured, "a variable used in a loop over a map is captured");
	ok(!kit_var("d")->captured, "one of the body is not");
	kit_check("begin { $c = 0; for $i : 0..3 { $c += 1; } }");
	ok(!kit_var("c")->captured, "nor one used in a loop over a range");
}

static void test_fields(void)
{
	var_is("begin { $x = curtask->pid; }", "x", "int32");
	var_is("begin { $x = curtask.comm; }", "x", "string[17]");
	var_is("begin { $x = curtask->parent->parent->b; }", "x", "int32");
	var_is("begin { $x = args.fd; }", "x", "int32");
	var_is("begin { $x = arg0; }", "x", "uint64");
	says("begin { print(curtask->pidd); }", "UNKNOWN_FIELD");
	says("begin { print(args.fdd); }", "UNKNOWN_FIELD");
	says("begin { print(args.retval); }", "OLD_SPELLING");
	says("begin { print(arg0.x); }", "NO_FIELDS");
	says("begin { print((1, 2).2); }", "TUPLE_INDEX");
	says("begin { print(\"abc\"[4]); }", "INDEX_RANGE");
	kit_check(
		"begin { $p = curtask->parent; $q = curtask->ubuf; $r = args.buf; $s = (int8 *)arg0; }");
	is_int(kit_var("p")->type->space, SPACE_KERNEL, "a pointer from kernel memory");
	is_int(kit_var("q")->type->space, SPACE_USER, "a pointer that its type says is a user's");
	is_int(kit_var("r")->type->space, SPACE_USER, "an argument, by the profile");
	is_int(kit_var("s")->type->space, SPACE_USER, "an integer, by the profile");
	const struct node *value = kit_instances[0]->body->a->b;

	is_int(value->field_offset, 24, "offset of a field");
	kit_check("begin { $x = curtask->b; }");
	is_int(kit_instances[0]->body->a->b->field_offset, 36, "through an anonymous member");
}

static void test_operators(void)
{
	const struct node *n;

	kit_check("begin { $x = pid == 5; $y = args.fd < pid; $z = (int32 *)arg0 + 2; }");
	n = kit_instances[0]->body->a;
	ok(n->b->promoted == &ty_u64, "unsigned and literal compare unsigned");
	ok(n->next->b->promoted == &ty_s64, "signs mixed compare signed");
	is_int(n->next->next->b->promoted->kind, TY_POINTER, "pointer arithmetic");
	says("begin { print(comm == \"bash\"); print(comm < \"a\"); }", "BAD_OPERANDS");
	says("begin { print(\"a\" + 1); print(-\"a\"); print((1, 2) == (1, 3)); }",
	     "OPERANDS_DIFFER BAD_OPERAND");
	says("begin { $a = (int32 *)1; $b = (int64 *)2; print($a == $b); print($a + $b); }",
	     "POINTER_COMPARE BAD_OPERANDS");
	says("begin { print(*5); print(*(int32 *)5); print(*(void *)5); }", "BAD_DEREF BAD_DEREF");
	says("begin { @c = count(); if (@c > 5) { print(@c + 1); } }", "");
	says("begin { @h = hist(1); print(@h + 1); }", "AGG_USE");
	says("begin { print((uint8[8])arg0); print((uint8[4])arg0); }", "BAD_CAST");
	says("begin { $x = (uint64)5; $x = (int64)-1; }", "SIGN_MIX");
}

static void test_maps(void)
{
	says("begin { @x = 1; @x[1] = 2; }", "MAP_HAS_NO_KEY");
	says("begin { @x[1] = 1; @x = 2; }", "MAP_NEEDS_KEY");
	says("begin { print(@x); print(@x); }", "UNDEFINED_MAP");
	says("begin { @x[1] = 1; print(@x); print(@x[1]); clear(@x); delete(@x, 1); delete(@x[1]); }",
	     "");
	says("begin { @x = 1; print(@x); clear(@x); delete(@x); }", "");
	says("begin { @x[1] = 1; clear(@x[1]); }", "ARG_MAP");
	says("begin { @x[1] = 1; print(@x + 1); }", "MAP_NEEDS_KEY");
	says("begin { @x = count(); @x = 1; }", "ASSIGN_TYPE");
	says("begin { $x = count(); }", "AGG_ASSIGN");
	says("begin { @c = count(); @d = @c; }", "AGG_USE");
	says("begin { @c = count(); $d = @c; @e[@c] = 1; }", "");
	says("begin { @h = hist(1); @e[@h] = 1; }", "BAD_KEY");
	kit_check("begin { @x[1] = 1; print(@x); @y = 1; print(@y); }");
	const struct node *call = kit_instances[0]->body->a->next->a;

	ok(call->a->type == &ty_map && call->a->aux == MAP_BY_NAME, "a keyed map by name");
	call = kit_instances[0]->body->a->next->next->next->a;
	is_int(call->a->type->kind, TY_INT, "a keyless map has its value's type");
	is_int(call->a->aux, MAP_BY_NAME, "and is marked");
}

static void test_calls(void)
{
	says("begin { strlen(); }", "ARG_COUNT");
	ok(strstr(kit_text(), "strlen() requires one argument (0 provided)") != NULL,
	   "and says how many");
	says("begin { exit(1, 2); }", "ARG_COUNT");
	ok(strstr(kit_text(), "exit() takes up to one argument (2 provided)") != NULL, "at most");
	says("begin { printf(); }", "ARG_COUNT");
	ok(strstr(kit_text(), "printf() requires at least one argument (0 provided)") != NULL,
	   "at least");
	says("begin { printf(comm); }", "ARG_LITERAL");
	says("begin { _ = strlen(5); }", "ARG_KIND");
	ok(strstr(kit_text(), "strlen() only supports string arguments (int provided)") != NULL,
	   "by kind");
	says("begin { print(strlen); }", "NEEDS_PARENS");
	says("begin { print(pidd); }", "UNKNOWN_NAME");
	ok(strstr(kit_text(), "did you mean \"pid\"?") != NULL, "and guesses");
	says("begin { prinf(1); }", "UNKNOWN_FUNCTION");
	says("begin { print(kstack(perf, 3)); print(kstack(3)); print(nsecs(boot)); print(pid()); }",
	     "");
	says("begin { print(tai); }", "MISSING_FEATURE");
	says("begin { print(stack); }", "OLD_SPELLING");
	says("begin { system(\"ls\"); }", "UNSAFE");
	kit_unsafe = true;
	says("begin { system(\"ls\"); }", "");
	kit_unsafe = false;
	says("begin { @x[1] = 1; print(@x, top=3); }", "");
	says("begin { @x[1] = 1; find(@x, 1, $v); print($v); }", "DISCARDED");
	says("fn f($a: int64): int64 { return $a + 1; } begin { print(f(2)); }", "");
	says("fn f($a: int64): int64 { return \"a\"; } begin { print(f(2)); }", "FN_RETURN_TYPE");
	kit_check("begin { $x = arg3; }");
	is_int(kit_instances[0]->body->a->b->value, 3, "number of an argument");
}

static void test_flow(void)
{
	says("begin { exit(); print(1); print(2); }", "UNREACHABLE");
	says("begin { return; print(1); }", "UNREACHABLE");
	says("begin { if (pid) { exit(); } print(1); }", "");
	says("begin { break; }", "OUTSIDE_LOOP");
	says("begin { for $i : 0..pid { break; continue; } }", "UNREACHABLE");
	says("begin { unroll(3) { break; } unroll(0) { } }", "UNROLL_COUNT");
	says("begin { return pid; } end { return \"a\"; }", "RETURN_TYPE");
	says("begin { for $i : 0..\"a\" { } }", "RANGE_TYPE");
	says("begin { 1; pid; _ = pid; }", "DISCARDED DISCARDED");
	says("begin /pid == 1/ { print(1); } end /comm/ { print(2); }", "BAD_CONDITION");
	kit_check("begin { @x++; $y = 1; $y++; }");
	ok(kit_instances[0]->body->a->a->discards_value, "the value of a statement is discarded");
}

/* Whether one of the diagnostics is of this row. */
static bool is_provoked(u32 id)
{
	for (u32 i = 0; i < kit_diags.list.n; i++)
		if (kit_diags.list.v[i]->id == id)
			return true;
	return false;
}

static void test_examples(void)
{
	for (u32 id = 0; id < N_DIAG; id++) {
		const struct diag_row *row = &diag_rows[id];

		if (row->num < 200 || row->num > 419 || !*row->example)
			continue;
		kit_use_plain = row->num == 215;
		kit_check(row->example);
		if (!ok(is_provoked(id), "%s is provoked by its example", row->name))
			kit_show();
	}
	kit_use_plain = false;
}

static void test_speed(void)
{
	struct buf b = { 0 };

	for (u32 p = 0; p < 20; p++) {
		buf_printf(&b, "kprobe:f%u {\n", p);
		for (u32 i = 0; i < 50; i++)
			buf_printf(&b, "$v%u = %u; @m%u[pid, $v%u] = nsecs + $v%u;\n", i, i, i, i,
				   i);
		buf_puts(&b, "}\n");
	}
	ok(kit_check(b.s), "two thousand statements");
	buf_release(&b);
}

int main(void)
{
	test_widening();
	test_scopes();
	test_fields();
	test_operators();
	test_maps();
	test_calls();
	test_flow();
	test_examples();
	test_speed();
	kit_end();
	return done();
}
