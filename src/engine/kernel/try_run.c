/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Features of user-space probes that show only when a probed address is executed: some bytes of
 * code in an unnamed file, a probe in them, a call. If this cannot be set up (memory files are not
 * executable, another architecture), the usual result is assumed.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/fd.h"
#include "engine/kernel/insn.h"
#include "engine/kernel/internal.h"
#include "engine/kernel/try.h"

struct code {
	int file;
	void *at; /* NULL: none */
	char path[40];
};

static void code_release(struct code *c)
{
	if (c->at)
		munmap(c->at, 4096);
	fd_close(&c->file);
}

static bool code_init(struct code *c, const u8 *bytes, size_t n)
{
	*c = (struct code){ .file = memfd_create("sonde-try", MFD_CLOEXEC) };
	if (c->file < 0 || write(c->file, bytes, n) != (ssize_t)n)
		return code_release(c), false;
	c->at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, c->file, 0);
	if (c->at == MAP_FAILED)
		c->at = NULL;
	snprintf(c->path, sizeof c->path, "/proc/self/fd/%d", c->file);
	if (!c->at)
		code_release(c);
	return c->at;
}

/* The result of the test for such code; otherwise: the result if it cannot be set up. */
static bool ask_code(const u8 *bytes, size_t n, bool (*question)(const struct code *c),
		     bool otherwise)
{
	struct code c;
	bool answer;

	if (!code_init(&c, bytes, n))
		return otherwise;
	answer = question(&c);
	code_release(&c);
	return answer;
}

static u64 code_call(const struct code *c, u64 arg)
{
	u64 (*f)(u64) = (u64(*)(u64))(uintptr_t)c->at;

	return f(arg);
}

/* A probe of this process without a program. */
static int put_probe(const struct code *c, u64 offset)
{
	struct perf_event_attr attr = { .size = sizeof attr,
					.sample_period = 1,
					.probe_offset = offset };
	s64 type = file_number("/sys/bus/event_source/devices/uprobe/type");

	attr.type = (u32)type;
	attr.uprobe_path = (u64)(uintptr_t)c->path;
	return type < 0 ? -1 : perf_event_open(&attr, 0, -1, -1, 0);
}

#if defined(__x86_64__)
/*
 * From 6.18 on a uprobe on a five-byte nop becomes a call, which writes its return address below
 * rsp, where leaf functions keep variables (System V ABI, the red zone). The function: both words
 * below rsp are written, nop5, their conjunction is the result.
 */
static const u8 red_zone[] = { 0x48, 0x89, 0x7c, 0x24, 0xf8, /* mov %rdi, -8(%rsp) */
			       0x48, 0x89, 0x7c, 0x24, 0xf0, /* mov %rdi, -16(%rsp) */
			       0x0f, 0x1f, 0x44, 0x00, 0x00, /* nop5 */
			       0x48, 0x8b, 0x44, 0x24, 0xf8, /* mov -8(%rsp), %rax */
			       0x48, 0x23, 0x44, 0x24, 0xf0, /* and -16(%rsp), %rax */
			       0xc3 };
enum { RED_ZONE_NOP = 10, RED_ZONE_CALLS = 8 };

static bool keeps_red_zone(const struct code *c)
{
	u64 want = 0x5a5a123456789abc;

	for (int i = 0; i < RED_ZONE_CALLS; i++)
		if (code_call(c, want) != want)
			return false;
	return true;
}

static bool keeps_it_probed(const struct code *c)
{
	_fd int event = put_probe(c, RED_ZONE_NOP);

	return event < 0 || keeps_red_zone(c);
}

bool try_uprobe_nop5(void)
{
	return ask_code(red_zone, sizeof red_zone, keeps_it_probed, true);
}

static const u8 one_nop[] = { 0x0f, 0x1f, 0x40, 0x00, 0xc3 }; /* nopl 0(%rax); ret */
static const u8 plain[] = { 0x55, 0x5d, 0xc3 };               /* push %rbp; pop %rbp; ret */
#else
bool try_uprobe_nop5(void)
{
	return true;
}

static const u8 one_nop[] = { 0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6 }; /* nop; ret */
static const u8 plain[] = { 0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6 };
#endif

static bool has_mapping(const char *name)
{
	struct buf maps = { 0 };
	bool found = buf_read_file(&maps, "/proc/self/maps") < 0 || !maps.s || strstr(maps.s, name);

	buf_release(&maps);
	return found;
}

/* Tested in a new process: an instruction that is not emulated is copied to a page "[uprobes]" and
 * single-stepped there. */
static bool steps_over_nothing(const struct code *c)
{
	int status = 0, event;
	pid_t child = fork();

	if (child == 0) {
		event = put_probe(c, 0);
		if (event < 0)
			_exit(1);
		code_call(c, 0);
		_exit(has_mapping("[uprobes]"));
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

bool try_uprobe_nops(void)
{
	return ask_code(one_nop, sizeof one_nop, steps_over_nothing, false);
}

static int load_kprobe(const struct bpf_insn *insns, u32 n, u32 attach_type)
{
	struct bpf_load l = { .prog_type = BPF_PROG_TYPE_KPROBE,
			      .attach_type = attach_type,
			      .insns = insns,
			      .n_insns = n,
			      .name = "sonde_try" };

	return bpf_prog_load(&l);
}

/* Counts its runs in the only element of the array. */
static int load_counter(int map)
{
	const struct bpf_insn insns[] = {
		I_ST(BPF_W, 10, -4, 0),
		I_LD_MAP(1, map),
		I_MOV(2, 10),
		I_ALUI(BPF_ADD, 2, -4),
		I_CALL(BPF_FUNC_map_lookup_elem),
		I_JMPI(BPF_JEQ, 0, 0, 2),
		I_MOVI(1, 1),
		I_ATOMIC(BPF_DW, BPF_ADD, 0, 1, 0),
		I_MOVI(0, 0),
		I_EXIT(),
	};

	return load_kprobe(insns, ARRAY_SIZE(insns), ATTACH_UPROBE_MULTI);
}

static void *call_there(void *code)
{
	code_call(code, 0);
	return NULL;
}

/* Until 6.10 a link for a process fired only in the thread whose number was given (kernel commit
 * 46ba0e49b642). */
static bool fires_in_threads(const struct code *c)
{
	u64 offset = 0, count = 0;
	u32 zero = 0;
	_fd int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "sonde_try", 4, 8, 1, 0);
	_fd int prog = map < 0 ? -1 : load_counter(map);
	struct bpf_multi_link l = { .attach_type = ATTACH_UPROBE_MULTI,
				    .n = 1,
				    .addrs = &offset,
				    .path = c->path,
				    .pid = (u32)getpid(),
				    .prog_fd = prog };
	_fd int link = prog < 0 ? -1 : bpf_link_multi(&l);
	pthread_t thread;

	if (link < 0 || pthread_create(&thread, NULL, call_there, (void *)(uintptr_t)c))
		return false;
	pthread_join(thread, NULL);
	return bpf_map_lookup(map, &zero, &count) == 0 && count == 1;
}

bool try_uprobe_multi_pid(void)
{
	return ask_code(plain, sizeof plain, fires_in_threads, false);
}

#if defined(__x86_64__)
enum { PT_REGS_SP = 152 };

/* Stores in the only element of the array: two frames of the user stack, and the word at rsp. */
static int load_stack_reader(int map)
{
	const struct bpf_insn insns[] = {
		I_MOV(6, 1),
		I_ST(BPF_W, 10, -4, 0),
		I_LD_MAP(1, map),
		I_MOV(2, 10),
		I_ALUI(BPF_ADD, 2, -4),
		I_CALL(BPF_FUNC_map_lookup_elem),
		I_JMPI(BPF_JEQ, 0, 0, 11),
		I_MOV(7, 0),
		I_MOV(1, 6),
		I_MOV(2, 7),
		I_MOVI(3, 16),
		I_MOVI(4, BPF_F_USER_STACK),
		I_CALL(BPF_FUNC_get_stack),
		I_MOV(1, 7),
		I_ALUI(BPF_ADD, 1, 16),
		I_MOVI(2, 8),
		I_LDX(BPF_DW, 3, 6, PT_REGS_SP),
		I_CALL(BPF_FUNC_probe_read_user),
		I_MOVI(0, 0),
		I_EXIT(),
	};

	return load_kprobe(insns, ARRAY_SIZE(insns), 0);
}

/* Tested with an event: stable kernels without multi links have the fix, too. */
static bool shows_caller(const struct code *c)
{
	u64 seen[3] = { 0 };
	u32 zero = 0;
	_fd int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "sonde_try", 4, sizeof seen, 1, 0);
	_fd int prog = map < 0 ? -1 : load_stack_reader(map);
	_fd int event = prog < 0 ? -1 : put_probe(c, 0);

	if (event < 0 || ioctl(event, PERF_EVENT_IOC_SET_BPF, prog) < 0)
		return false;
	code_call(c, 0);
	return bpf_map_lookup(map, &zero, seen) == 0 && seen[1] && seen[1] == seen[2];
}

bool try_uprobe_caller(void)
{
	return ask_code(plain, sizeof plain, shows_caller, false);
}

bool try_uprobe_caller_endbr(void)
{
	static const u8 marked[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0xc3 }; /* endbr64; ret */

	return ask_code(marked, sizeof marked, shows_caller, false);
}
#else
bool try_uprobe_caller(void)
{
	return false;
}

bool try_uprobe_caller_endbr(void)
{
	return false;
}
#endif
