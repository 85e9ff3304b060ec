/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf(2). */
#include <linux/bpf.h>
#include "calls.h"

static long bpf(int cmd, union bpf_attr *attr, size_t size)
{
	return syscall(SYS_bpf, cmd, attr, size);
}

int main(void)
{
	union bpf_attr a;
	struct bpf_insn insns[2] = { { .code = 0xb7, .imm = 0 }, { .code = 0x95 } };
	char log[256], info[256], more[124];
	int map, prog, key = 1;
	long value = 2;

	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_HASH;
	a.key_size = 4;
	a.value_size = 8;
	a.max_entries = 16;
	strcpy(a.map_name, "sonde_test");
	map = bpf(BPF_MAP_CREATE, &a, sizeof(a));
	bpf(BPF_MAP_CREATE, &a, 20);
	memset(more, 0, sizeof more);
	memcpy(more, &a, 72);
	bpf(BPF_MAP_CREATE, (void *)more, 124);
	more[100] = 1;
	bpf(BPF_MAP_CREATE, (void *)more, 124);
	memset(more, 0, 60);
	more[60] = 1;
	bpf(BPF_MAP_LOOKUP_ELEM, (void *)more, 64);
	memset(&a, 0, sizeof(a));
	a.map_fd = map;
	a.key = (uintptr_t)&key;
	a.value = (uintptr_t)&value;
	bpf(BPF_MAP_UPDATE_ELEM, &a, 32);
	bpf(BPF_MAP_LOOKUP_ELEM, &a, 32);
	a.next_key = (uintptr_t)&key;
	bpf(BPF_MAP_GET_NEXT_KEY, &a, 24);
	bpf(BPF_MAP_DELETE_ELEM, &a, 16);
	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	a.insn_cnt = 2;
	a.insns = (uintptr_t)insns;
	a.license = (uintptr_t) "GPL";
	a.log_level = 1;
	a.log_size = sizeof(log);
	a.log_buf = (uintptr_t)log;
	strcpy(a.prog_name, "filter");
	prog = bpf(BPF_PROG_LOAD, &a, sizeof(a));
	a.log_level = 0;
	a.log_size = 0;
	a.log_buf = 0;
	prog = bpf(BPF_PROG_LOAD, &a, 120);
	memset(&a, 0, sizeof(a));
	a.info.bpf_fd = prog;
	a.info.info_len = sizeof(info);
	memset(info, 0, sizeof(info));
	a.info.info = (uintptr_t)info;
	bpf(BPF_OBJ_GET_INFO_BY_FD, &a, 16);
	memset(&a, 0, sizeof(a));
	a.start_id = ~0u - 1;
	bpf(BPF_PROG_GET_NEXT_ID, &a, 12);
	bpf(BPF_MAP_GET_FD_BY_ID, &a, 12);
	memset(&a, 0, sizeof(a));
	a.pathname = (uintptr_t) "/sys/fs/bpf/sonde-none";
	bpf(BPF_OBJ_GET, &a, 16);
	bpf(99, &a, 16);
	bpf(BPF_MAP_CREATE, (void *)16, 16);
	return 0;
}
