/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Properties of operations: the table from ir/op.def, and the value for constants.
 */
#include "ir/pass.h"

const struct ir_op_row ir_ops[N_IR_OPS] = {
#define OP(name, text, n_args, flags, doc) [IR_##name] = { text, doc, flags, n_args },
#include "ir/op.def"
#undef OP
};

u32 ir_n_args(const struct ir_insn *in)
{
	u8 n = ir_ops[in->op].n_args;

	return n == IR_ANY_ARGS ? in->n_args : n;
}

bool ir_has_size(u32 op)
{
	return op == IR_SEXT || op == IR_ZEXT || op == IR_BSWAP || op == IR_LOAD ||
	       op == IR_STORE || (op >= IR_ATOMIC_ADD && op <= IR_ATOMIC_CMPXCHG);
}

bool ir_is_call(u32 op)
{
	return op == IR_CALL || op == IR_KCALL || op == IR_CALLSUB;
}

u32 ir_n_targets(const struct ir_insn *in)
{
	return in->op == IR_BRANCH ? 2 : in->op == IR_JUMP ? 1 : 0;
}

bool ir_eval_cond(enum ir_cond cc, u64 a, u64 b)
{
	switch (cc) {
	case CC_EQ: return a == b;
	case CC_NE: return a != b;
	case CC_ULT: return a < b;
	case CC_ULE: return a <= b;
	case CC_UGT: return a > b;
	case CC_UGE: return a >= b;
	case CC_SLT: return (s64)a < (s64)b;
	case CC_SLE: return (s64)a <= (s64)b;
	case CC_SGT: return (s64)a > (s64)b;
	case CC_SGE: return (s64)a >= (s64)b;
	case CC_SET: return (a & b) != 0;
	}
	BUG("condition %d", cc);
}

/* The condition that holds for (b, a) when cc holds for (a, b). */
enum ir_cond ir_cond_swap(enum ir_cond cc)
{
	switch (cc) {
	case CC_EQ: return CC_EQ;
	case CC_NE: return CC_NE;
	case CC_ULT: return CC_UGT;
	case CC_ULE: return CC_UGE;
	case CC_UGT: return CC_ULT;
	case CC_UGE: return CC_ULE;
	case CC_SLT: return CC_SGT;
	case CC_SLE: return CC_SGE;
	case CC_SGT: return CC_SLT;
	case CC_SGE: return CC_SLE;
	case CC_SET: return CC_SET;
	}
	BUG("condition %d", cc);
}

static u64 extend(u64 a, u32 size, bool is_signed)
{
	u32 s = 64 - 8 * size;

	return is_signed ? (u64)((s64)(a << s) >> s) : a << s >> s;
}

static u64 reverse(u64 a, u32 size)
{
	return size == 2 ? __builtin_bswap16((u16)a) :
	       size == 4 ? __builtin_bswap32((u32)a) :
			   __builtin_bswap64(a);
}

bool ir_eval(const struct ir_insn *in, u64 a, u64 b, u64 *r)
{
	switch ((enum ir_opcode)in->op) {
	case IR_MOVE: *r = a; return true;
	case IR_ADD: *r = a + b; return true;
	case IR_SUB: *r = a - b; return true;
	case IR_MUL: *r = a * b; return true;
	case IR_UDIV: *r = b ? a / b : 0; return true;
	case IR_UMOD: *r = b ? a % b : a; return true;
	case IR_SDIV: *r = !b ? 0 : b == ~0ull ? -a : (u64)((s64)a / (s64)b); return true;
	case IR_SMOD: *r = !b ? a : b == ~0ull ? 0 : (u64)((s64)a % (s64)b); return true;
	case IR_AND: *r = a & b; return true;
	case IR_OR: *r = a | b; return true;
	case IR_XOR: *r = a ^ b; return true;
	case IR_SHL: *r = a << (b & 63); return true;
	case IR_SHR: *r = a >> (b & 63); return true;
	case IR_SAR: *r = (u64)((s64)a >> (b & 63)); return true;
	case IR_NEG: *r = -a; return true;
	case IR_NUMBER: *r = a; return true;
	case IR_SEXT: *r = extend(a, in->size, true); return true;
	case IR_ZEXT: *r = extend(a, in->size, false); return true;
	case IR_BSWAP: *r = reverse(a, in->size); return true;
	case IR_SET: *r = ir_eval_cond(in->cc, a, b); return true;
	case IR_LOAD:
	case IR_STORE:
	case IR_ADDR:
	case IR_ATOMIC_ADD:
	case IR_ATOMIC_FETCH_ADD:
	case IR_ATOMIC_OR:
	case IR_ATOMIC_AND:
	case IR_ATOMIC_XOR:
	case IR_ATOMIC_XCHG:
	case IR_ATOMIC_CMPXCHG:
	case IR_ZERO:
	case IR_COPY:
	case IR_CALL:
	case IR_KCALL:
	case IR_CALLSUB:
	case IR_JUMP:
	case IR_BRANCH:
	case IR_RETURN:
	case N_IR_OPS: break;
	}
	return false;
}

const char *ir_helper_name(u32 helper)
{
#define NAME(x) [BPF_FUNC_##x] = #x
	static const char *const names[] = { __BPF_FUNC_MAPPER(NAME) };
#undef NAME
	return helper < ARRAY_SIZE(names) && names[helper] ? names[helper] : "unknown";
}
