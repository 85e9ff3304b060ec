/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the kernel that tracing itself executes. In: a name; out: whether patterns exclude
 * it, why no trampoline may be attached there, whether programs there must exclude each other.
 *
 * What a trampoline does before and after its program (kernel/bpf/trampoline.c):
 *
 *	__bpf_tramp_enter			fexit only
 *	__bpf_prog_enter*	rcu_read_lock, migrate_disable, then prog->active is raised (from 5.12 on)
 *	the program
 *	__bpf_prog_exit*	prog->active is lowered, then migrate_enable, rcu_read_unlock
 *
 * A trampoline on a function that is called while prog->active is not raised recurses until the
 * stack overflows. rcu_read_unlock() calls rcu_read_unlock_special() each time until it has
 * reported to RCU, so everything on that path recurses, too. A kprobe (breakpoint, ftrace or multi
 * link) prevents recursion before any of this (kprobe_running(), ftrace_test_recursion_trylock()).
 *
 * A function that is on that path in one kernel is treated the same in all.
 */
#include "provider/internal.h"

/* "name prefix* ..." */
static bool is_among(const char *words, const char *name)
{
	size_t len = strlen(name);

	for (const char *w = words; *w; w += strspn(w, " ")) {
		size_t n = strcspn(w, " ");
		bool prefix = w[n - 1] == '*';

		if (prefix ? len >= n - 1 && !memcmp(w, name, n - 1) :
			     len == n && !memcmp(w, name, n))
			return true;
		w += n;
	}
	return false;
}

/* Called while prog->active is not raised. RCU's functions are those below
 * rcu_read_unlock_special() in 5.10 to 7.2, with and without CONFIG_PREEMPT_RCU, with
 * CONFIG_RCU_BOOST and CONFIG_PROVE_RCU. */
static const char under_programs[] =
	"__bpf_prog_enter* __bpf_prog_exit* __bpf_tramp_* preempt_count_* preempt_schedule* "
	"rcu_read_* __rcu_read_* rcu_preempt_* rcu_lockdep_* srcu_read_* __srcu_read_* "
	"migrate_disable migrate_enable ___migrate_enable __migrate_disable __migrate_enable "
	"update_prog_stats bpf_prog_start_time bpf_prog_inc_misses_counter rcu_is_watching "
	"rcu_is_cpu_rrupt_from_idle debug_lockdep_rcu_enabled lock_acquire lock_release "
	"lock_is_held_type rcu_report_exp_cpu_mult rcu_report_exp_rnp __rcu_report_exp_rnp "
	"rcu_report_exp_rdp rcu_report_qs_rnp rcu_report_unblock_qs_rnp rcu_gp_kthread_wake "
	"rcu_initiate_boost rt_mutex_futex_unlock raise_softirq_irqoff __raise_softirq_irqoff "
	"irq_work_queue_on __irq_work_queue_local __smp_call_single_queue set_tsk_need_resched "
	"__trace_set_need_resched sched_clock native_sched_clock sched_clock_noinstr "
	"kvm_sched_clock_read pvclock_clocksource_read_nowd";

/* From objtool's list (tools/objtool/noreturns.h), and assertions of modules. Before 6.15 the
 * kernel attaches fexit there, and keeps the trampoline until reboot. */
static const char without_return[] =
	"do_exit do_group_exit make_task_dead rewind_stack_and_make_dead rewind_stack_do_exit "
	"do_task_dead kthread kthread_exit kthread_complete_and_exit complete_and_exit "
	"__module_put_and_kthread_exit __module_put_and_exit __x64_sys_exit "
	"__x64_sys_exit_group __ia32_sys_exit __ia32_sys_exit_group __arm64_sys_exit "
	"__arm64_sys_exit_group __se_sys_exit __se_sys_exit_group __do_sys_exit "
	"__do_sys_exit_group panic vpanic nmi_panic_self_stop panic_smp_self_stop stop_this_cpu "
	"cpu_startup_entry rest_init start_kernel start_secondary secondary_start_kernel "
	"arch_call_rest_init arch_cpu_idle_dead machine_real_restart hlt_play_dead "
	"acpi_processor_ffh_play_dead cpu_die cpu_die_early cpu_park_loop __stack_chk_fail "
	"usercopy_abort fortify_panic __fortify_panic kunit_try_catch_throw btrfs_assertfail "
	"snp_abort ex_handler_msr_mce";

const char *trampoline_hazard(const char *name, bool is_return)
{
	if (is_among(under_programs, name))
		return "the kernel runs it on its way to programs, which would recurse without end";
	if (is_return && is_among(without_return, name))
		return "it never returns, and the kernel keeps what waits for its return until the next boot";
	return NULL;
}

/* Functions near that path, because kernels between the tested ones may execute them, and functions
 * on which the kernel refuses kprobes: a trampoline is not a substitute there. */
static const char near_programs[] =
	"rcu_* __rcu_* srcu_* __srcu_* migrate_* preempt_* raise_softirq* __raise_softirq* "
	"irq_work_* __irq_work* sched_clock* local_clock* bpf_prog_* __bpf_* lock_* "
	"trace_hardirqs* trace_preempt* __set_cpus_allowed* __do_set_cpus_allowed* "
	"affine_move_task* task_rq_lock* _task_rq_lock* __trace_* tracer_* __context_tracking* "
	"ct_* ftrace_* fprobe_* fgraph_* function_graph* rethook_* arch_rethook* kprobe_* "
	"kretprobe_* text_poke* __die* aggr_* atomic_notifier_call_chain* notifier_call_chain* "
	"do_int3* do_trap* nmi_* oops_* opt_pre_handler* optimized_callback* "
	"pre_handler_kretprobe* reenter_kprobe* resume_singlestep* setup_singlestep* "
	"setup_detour* synthesize_rel* spurious_kernel_fault* do_kern_addr_fault* unknown_nmi* "
	"perf_event_nmi* perf_ibs_nmi* get_kprobe* recycle_rp_inst* cleanup_rp_inst* "
	"trampoline_handler* __kretprobe_* arch_prepare_kretprobe* dump_kprobe* io_check_error* "
	"pci_serr_error* user_enter* user_exit*";

const char *substitute_hazard(const char *name, bool is_return)
{
	const char *why = trampoline_hazard(name, is_return);

	if (!why && is_among(near_programs, name))
		why = "it is close to code that the kernel runs on its way to programs";
	return why;
}

/*
 * What a kretprobe executes when its function returns, outside of the protection against nested
 * kprobes (kernel/kprobes.c: trampoline_handler(), __kretprobe_trampoline_handler()). kretprobes of
 * both kprobe_busy_begin and kprobe_busy_end, as in kretprobe:k*, panic 5.10 as soon as another one
 * returns: found by tests/vm/hunt. The others are their neighbors.
 */
static const char under_returns[] =
	"kprobe_busy_begin kprobe_busy_end kretprobe_* __kretprobe_* recycle_rp_inst* "
	"cleanup_rp_inst* free_rp_inst* "
	"trampoline_handler* get_kretprobe* rethook_* arch_rethook_*";

const char *kretprobe_hazard(const char *name)
{
	return is_among(under_returns, name) ?
		       "every return that a kretprobe sees runs through it, "
		       "so its own probe would recurse without end" :
		       NULL;
}

/* ---- patterns */

/* What the kernel executes between an event and its program: patterns exclude these. */
static const char on_tracing_path[] =
	"migrate_disable migrate_enable preempt_count_add preempt_count_sub rcu_read_lock "
	"rcu_read_unlock __rcu_read_lock __rcu_read_unlock rcu_read_unlock_strict "
	"rcu_read_lock_trace rcu_read_unlock_trace __bpf_prog_enter __bpf_prog_exit "
	"__bpf_prog_enter_recur __bpf_prog_exit_recur __bpf_tramp_enter __bpf_tramp_exit "
	"update_prog_stats bpf_get_smp_processor_id bpf_get_raw_cpu_id";

static const char hidden[] =
	"__cfi_* __pfx_* __SCT__* __SCK__* __ftrace_invalid* __x86_indirect_* __x86_return_* "
	"__probestub_* __traceiter_* __bpf_trace_* __initcall__* .*";

bool kernel_function_is_hidden(const char *name)
{
	return is_among(hidden, name) || is_among(on_tracing_path, name) ||
	       strstr(name, ".cold") != NULL;
}

/* ---- functions that almost only programs run */

static const char of_programs[] =
	"bpf_get_* bpf_session_* bpf_ringbuf_* bpf_map_* bpf_ktime_* bpf_probe_read_* bpf_prog_* "
	"bpf_kprobe_* bpf_trace_* bpf_perf_* bpf_task_* bpf_event_* __bpf_* ___bpf_* htab_* __htab_* "
	"lookup_nulls_elem_raw* array_map_* percpu_array_map_* ringbuf_* kprobe_multi_* fprobe_* "
	"rethook_* fgraph_* objpool_* trace_call_bpf* is_endbr";

bool kernel_function_is_of_programs(const char *name)
{
	return is_among(of_programs, name);
}

/* ---- functions that helpers run */

static const char in_helpers[] =
	"_raw_* __raw_* do_raw_* native_queued_* queued_* resilient_* rqspinlock* pv_* __pv_* "
	"pcpu_freelist* __pcpu_freelist* ___pcpu_freelist* htab_* __htab_* lookup_elem_raw* "
	"lookup_nulls_elem_raw* alloc_htab_elem* free_htab_elem* bpf_* __bpf_* ringbuf_* "
	"copy_map_value* check_and_* jhash* unit_* llist_* __llist* irq_work_* __irq_work* "
	"array_map* percpu_* map_* mem* __mem* bcmp* str* copy_from_* __copy_from_* ktime_get* "
	"timekeeping* get_perf_callchain* get_callchain* put_callchain* perf_callchain* "
	"unwind_* __unwind* orc_* __orc* get_stack* in_task_stack* in_irq_stack* kernel_text* "
	"__kernel_text* is_bpf_* is_module_* __module_* get_task* __task_pid* pid_nr* d_path* "
	"__d_path* prepend* seq_* from_kuid* from_kgid* map_id*";

bool kernel_function_is_in_helpers(const char *name)
{
	return is_among(in_helpers, name);
}

bool site_is_in_helpers(const struct site *s)
{
	const char *event = s->probe ? strrchr(s->probe, ':') : NULL;

	switch (s->kind) {
	case SITE_KPROBE:
	case SITE_TRAMPOLINE:
		return !s->kernel.symbol || kernel_function_is_in_helpers(s->kernel.symbol);
	case SITE_RAW_TRACEPOINT:
	case SITE_PERF_TRACEPOINT:
		return event &&
		       starts_with(
			       event,
			       ":contention_"); /* contention_end fires while the lock is held */
	case SITE_ONCE:
	case SITE_SIGNAL:
	case SITE_PERF_SOFTWARE:
	case SITE_PERF_TIMER:
	case SITE_UPROBE:
	case SITE_RECORD:
	case SITE_WATCHPOINT:
	case SITE_ITER: return false;
	}
	return false;
}
