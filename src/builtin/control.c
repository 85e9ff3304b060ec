/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Side effects: exit(), commands, files, signals, writes to the traced process, assertions. */
#include <errno.h>
#include <fcntl.h>
#include "base/fd.h"
#include "base/visible.h"
#include "builtin/builtin.h"

static struct ir_val lower_exit(struct lower *l, struct node *call)
{
	struct event_desc *e = event_new(l, call->builtin, call);
	struct opnd code = call_arg(call, 0) ? lower_scalar(l, call_arg(call, 0)) : o_imm(0);
	u32 field = event_field(l, e, &ty_u64);
	struct event_build eb;

	e->immediate = true;
	eb = event_begin(l, e);
	ir_store(l, event_at(&eb, field), 8, code);
	event_end(l, &eb);
	lower_return(l, o_imm(0));
	return val_scalar(&ty_void, o_imm(0));
}

static int act_exit(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	u64 code;

	memcpy(&code, (const u8 *)record + e->fields[0].offset, sizeof code);
	a->exit(a->ctx, (int)(code & 0xff));
	return 0;
}

static const struct type *check_command(struct check *c, struct node *call)
{
	return check_format(c, call, 0);
}

static int act_system(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	struct buf command = { 0 };

	format_record(a, e, record, &command);
	a->system(a->ctx, e->span, command.s ? command.s : "");
	buf_release(&command);
	return 0;
}

static int act_cat(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	struct buf path = { 0 }, content = { 0 };
	u32 left = a->max_cat_bytes;
	ssize_t got;

	format_record(a, e, record, &path);
	_fd int fd = open(path.s ? path.s : "", O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		int ret = -errno;

		buf_printf(&content, "cannot open \"%s\": %s", path.s ? path.s : "",
			   strerror(-ret));
		if (a->sink->visible_err)
			buf_visible(&content, 0, VISIBLE_NAME);
		a->sink->output->message(a->sink, LEVEL_WARNF, e->span, content.s);
	} else {
		while (left) {
			buf_reserve(&content, MIN(left, 65536u));
			got = read(fd, content.s + content.len, MIN(left, 65536u));
			if (got <= 0)
				break;
			content.len += (size_t)got;
			left -= (u32)got;
		}
		if (a->names->visible)
			buf_visible(&content, 0, VISIBLE_TEXT);
		a->sink->output->text(a->sink, TEXT_CAT, content.s ? content.s : "", content.len);
	}
	buf_release(&path);
	buf_release(&content);
	return 0;
}

/* ---- changes to the traced program: only with --unsafe */

enum { MAX_WRITE = 1024, MAX_SIGNAL = 64 };

static const struct type *check_signal(struct check *c, struct node *call)
{
	const struct world *w = &c->env->world;
	struct node *n = call_arg(call, 0);
	const struct profile *p = c->inst ? c->inst->profile : NULL;
	const struct type *t;
	const char *name;
	s64 value;

	if (!p || p->kind == PROFILE_NONE || p->kind == PROFILE_ITER)
		return diag_type(c, call->span, D_NO_VICTIM, call->name);
	if (n->type->kind != TY_STRING)
		return n->is_const && (n->value < 1 || n->value > MAX_SIGNAL) ?
			       diag_type(c, n->span, D_SIGNAL_RANGE, call->name, MAX_SIGNAL) :
			       &ty_void;
	name = starts_with(n->str, "SIG") ? n->str : arena_printf(c->arena, "SIG%s", n->str);
	if (!w->constant || !w->constant(w->ctx, name, &value, &t))
		return diag_type(c, n->span, D_NO_SIGNAL, n->str);
	node_make_int(n, value, &ty_u32);
	return &ty_void;
}

static struct ir_val lower_signal(struct lower *l, struct node *call)
{
	ir_call(l, call->builtin->aux, false, 1, lower_scalar(l, call_arg(call, 0)));
	return val_scalar(&ty_void, o_imm(0));
}

static const struct type *check_override(struct check *c, struct node *call)
{
	const struct profile *p = c->inst ? c->inst->profile : NULL;

	if (!p || p->kind != PROFILE_PT_REGS || p->regs.are_users || p->func.is_return)
		return diag_type(c, call->span, D_NO_OVERRIDE);
	return &ty_void;
}

static struct ir_val lower_override(struct lower *l, struct node *call)
{
	ir_call(l, BPF_FUNC_override_return, false, 2, lower_ctx(l, 0),
		lower_scalar(l, call_arg(call, 0)));
	return val_scalar(&ty_void, o_imm(0));
}

static const struct type *check_write_user(struct check *c, struct node *call)
{
	s64 n = call_int(call, 2, 0);

	if (n < 1 || n > MAX_WRITE)
		return diag_type(c, call_arg(call, 2)->span, D_WRITE_LENGTH, MAX_WRITE,
				 (long long)n);
	return &ty_s64;
}

static struct ir_val lower_write_user(struct lower *l, struct node *call)
{
	struct node *src = call_arg(call, 1);
	u32 n = (u32)call_int(call, 2, 0);
	struct opnd to = lower_scalar(l, call_arg(call, 0)),
		    temp = lower_temp(l, MAX(n, 8u), 8, "written");

	if (src->type->kind == TY_POINTER) {
		lower_probe_read(l, temp, n, lower_scalar(l, src), src->type->space);
	} else if (type_is_scalar(src->type)) {
		ir_zero(l, temp, MAX(n, 8u));
		ir_store(l, temp, 8, lower_scalar(l, src));
	} else {
		struct ir_val v = lower_memory(l, src);

		ir_zero(l, temp, n);
		ir_copy(l, temp, v.o, MIN(n, v.type->size));
	}
	return val_scalar(&ty_s64,
			  ir_call(l, BPF_FUNC_probe_write_user, false, 3, to, temp, o_imm(n)));
}

/* ---- assertions and debug output of the script */

/* assert(): errorf() and exit(1) in one record. */
static struct ir_val lower_assert(struct lower *l, struct node *call)
{
	struct ir_block *bad = ir_block_new(l), *good = ir_block_new(l);
	struct event_desc *e = event_new(l, call->builtin, call);
	struct event_build eb;
	u32 mark = lower_values_mark(l);

	e->text = call_str(call, 1);
	e->immediate = true;
	lower_cond(l, call_arg(call, 0), good, bad);
	ir_place(l, bad);
	eb = event_begin(l, e);
	event_end(l, &eb);
	lower_return(l, o_imm(0));
	lower_values_drop(l, mark);
	ir_place(l, good);
	return val_scalar(&ty_void, o_imm(0));
}

static int act_assert(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	struct buf text = { 0 };

	buf_printf(&text, "assert failed: %s", e->text);
	a->sink->output->message(a->sink, LEVEL_ERRORF, e->span, text.s);
	buf_release(&text);
	a->exit(a->ctx, 1);
	return 0;
}

/* debugf(): the kernel formats (bpf_trace_printk), so only its conversions are allowed. */
static const struct type *check_debugf(struct check *c, struct node *call)
{
	const char *s = call_str(call, 0);
	u32 n = 0;

	for (const char *p = s; (p = strchr(p, '%')); p++) {
		p += 1 + strspn(p + 1, "l");
		if (!strchr("duxps", *p) || !*p)
			return diag_type(c, call_arg(call, 0)->span, D_DEBUGF);
		n++;
	}
	if (n > 3 || n != call_n_args(call) - 1)
		return diag_type(c, call_arg(call, 0)->span, D_DEBUGF);
	check_report(c, call->span, D_DEBUGF_WARN);
	return &ty_void;
}

static struct ir_val lower_debugf(struct lower *l, struct node *call)
{
	const char *s = call_str(call, 0);
	u32 len = (u32)strlen(s) + 1, off = lower_data(l, len, s), n = call_n_args(call) - 1;
	struct ir_insn in = { .op = IR_CALL, .imm = BPF_FUNC_trace_printk, .n_args = 5 };

	in.arg[0] = ir_addr(l, o_data(l->prog->data_map, off));
	in.arg[1] = o_imm(len);
	for (u32 i = 0; i < 3; i++) {
		struct node *a = call_arg(call, 1 + i);

		in.arg[2 + i] = i >= n                  ? o_imm(0) :
				type_is_scalar(a->type) ? lower_scalar(l, a) :
							  ir_addr(l, lower_memory(l, a).o);
	}
	ir_emit(l, in);
	return val_scalar(&ty_void, o_imm(0));
}

/* unwatch(): accepted for old scripts. */
static const struct type *check_unwatch(struct check *c, struct node *call)
{
	check_report(c, call->span, D_UNWATCH);
	return &ty_void;
}

static struct ir_val lower_unwatch(struct lower *l, struct node *call)
{
	return val_scalar(&ty_void, o_imm(0));
}

static const struct action action_assert = { .name = "assert", .act = act_assert };
static const struct action action_exit = { .name = "exit", .ends_run = true, .act = act_exit };
static const struct action action_system = { .name = "system",
					     .needs_rights = true,
					     .act = act_system };
static const struct action action_cat = { .name = "cat", .act = act_cat };

static const struct builtin rows[] = {
	{
		.name = "exit",
		.sig = "exit(status: int = 0)",
		.brief = "exit",
		.doc = "Leaves the probe immediately and ends the run after all earlier output "
		       "has been printed. end probes run and maps are printed. The status becomes "
		       "sonde's exit status.",
		.example = "begin { print(\"once\"); exit(); } end { print(\"end\"); }",
		.output = "once\n"
			  "end",
		.flags = BI_STATEMENT | BI_STAYS,
		.engines = ON_ALL,
		.lower = lower_exit,
		.action = &action_exit,
	},
	{
		.name = "system",
		.sig = "system(format: lit string, ...)",
		.brief = "run a shell command",
		.doc = "Formats a command line and runs it with sh -c. Its output appears in "
		       "order with the script's; a command that fails is reported. "
		       "On a terminal its control characters are escaped, as all "
		       "traced text is; --escape=never shows them as they are.",
		.example = "begin { system(\"echo %d\", 1); }",
		.output = "1",
		.flags = BI_STATEMENT | BI_UNSAFE,
		.engines = ON_ALL,
		.check = check_command,
		.lower = lower_format,
		.action = &action_system,
	},
	{
		.name = "cat",
		.sig = "cat(format: lit string, ...)",
		.brief = "print a file",
		.doc = "Prints the file whose name the format gives, at most max_cat_bytes of it.",
		.example = "begin { cat(\"/proc/sys/kernel/ostype\"); }",
		.output = "Linux",
		.flags = BI_STATEMENT | BI_NOTED,
		.engines = ON_ALL,
		.check = check_command,
		.lower = lower_format,
		.action = &action_cat,
	},
	{
		.name = "signal",
		.sig = "signal(signal: int|lit string)",
		.brief = "send a signal to the process",
		.doc = "Sends a signal to the current process, by number or name (\"SIGKILL\" or "
		       "\"KILL\").",
		.example = "tracepoint:syscalls:sys_enter_clock_nanosleep { printf(\"SIGTERM to "
			   "%s\\n\", comm); signal(\"SIGTERM\"); }",
		.work = "sleep 1",
		.output = "SIGTERM to sleep",
		.flags = BI_STATEMENT | BI_UNSAFE | BI_NEEDS_PROFILE,
		.engines = ON_KERNEL,
		.feature = FEAT_SIGNAL + 1,
		.check = check_signal,
		.lower = lower_signal,
		.aux = BPF_FUNC_send_signal,
	},
	{
		.name = "signal_thread",
		.sig = "signal_thread(signal: int|lit string)",
		.brief = "send a signal to the thread",
		.doc = "Like signal(), but to the current thread.",
		.example = "tracepoint:syscalls:sys_enter_clock_nanosleep { printf(\"SIGUSR1 to "
			   "%s\\n\", comm); signal_thread(\"SIGUSR1\"); }",
		.work = "sleep 1",
		.output = "SIGUSR1 to sleep",
		.flags = BI_STATEMENT | BI_UNSAFE | BI_NEEDS_PROFILE,
		.engines = ON_KERNEL,
		.feature = FEAT_SIGNAL + 1,
		.check = check_signal,
		.lower = lower_signal,
		.aux = BPF_FUNC_send_signal_thread,
	},
	{
		.name = "override",
		.sig = "override(result: int)",
		.brief = "make a kernel function return immediately",
		.doc = "The traced function returns that value without running. Only in kprobe, "
		       "on functions that allow error injection, and if the kernel is built with "
		       "CONFIG_BPF_KPROBE_OVERRIDE.",
		.example = "kprobe:__x64_sys_mkdir { override(-28); }",
		.work = "mkdir /tmp/new",
		.output = "mkdir: cannot create directory '/tmp/new': No space left on device",
		.flags = BI_STATEMENT | BI_UNSAFE | BI_NEEDS_PROFILE | BI_READS_CTX,
		.engines = ON_KERNEL,
		.check = check_override,
		.lower = lower_override,
	},
	{
		.name = "write_user",
		.sig = "write_user(to: ptr|int, from: any, length: lit int) -> int64",
		.brief = "write to the process's memory",
		.doc = "Writes the bytes of a value, or of what a pointer points to, to an "
		       "address in the current process. Returns 0 or a negative error. Refused "
		       "under kernel lockdown.",
		.example = "tracepoint:syscalls:sys_enter_openat /str(args.filename) == "
			   "\"/etc/hostname\"/ { print(write_user(args.filename, \"/dev/null\", "
			   "10)); }",
		.work = "cat /etc/hostname",
		.output = "0",
		.flags = BI_UNSAFE | BI_NO_DISCARD_WARNING,
		.engines = ON_KERNEL,
		.feature = FEAT_PROBE_WRITE_USER + 1,
		.check = check_write_user,
		.lower = lower_write_user,
	},
	{
		.name = "assert",
		.sig = "assert(condition: any, message: lit string)",
		.brief = "exit if the condition is false",
		.doc = "If the condition is false, prints an error with the message and exits "
		       "with status 1.",
		.example = "begin { $n = 3; assert($n == 2, \"a wrong number\"); }",
		.output = "stdin:1:17-50: ERROR: assert failed: a wrong number",
		.flags = BI_STATEMENT,
		.engines = ON_ALL,
		.lower = lower_assert,
		.action = &action_assert,
	},
	{
		.name = "debugf",
		.sig = "debugf(format: lit string, ...)",
		.brief = "print to the kernel's trace buffer",
		.doc = "For debugging scripts: writes to /sys/kernel/tracing/trace_pipe. At most "
		       "three arguments; conversions %d %u %x %p %s, with l or ll.",
		.example = "begin { debugf(\"pid %d\", pid); }",
		.output = "stdin:1:9-30: WARNING: The debugf() builtin is not recommended for "
			  "production use. For more information see bpf_trace_printk in "
			  "bpf-helpers(7). [W0673]\n"
			  "    begin { debugf(\"pid %d\", pid); }\n"
			  "            ~~~~~~~~~~~~~~~~~~~~~",
		.flags = BI_STATEMENT,
		.engines = ON_KERNEL,
		.check = check_debugf,
		.lower = lower_debugf,
	},
	{
		.name = "unwatch",
		.sig = "unwatch(address: int|ptr)",
		.brief = "no effect",
		.doc = "Accepted for old scripts. A watchpoint ends with the run.",
		.example = "begin { unwatch(0); }",
		.output =
			"stdin:1:9-19: note: unwatch() has no effect: watchpoints end with the run [N0674]\n"
			"    begin { unwatch(0); }\n"
			"            ~~~~~~~~~~",
		.flags = BI_STATEMENT,
		.engines = ON_ALL,
		.check = check_unwatch,
		.lower = lower_unwatch,
	},
};

const struct builtin_theme builtin_control = THEME("Control", rows);
