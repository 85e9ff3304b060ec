# SPDX-License-Identifier: GPL-2.0-or-later
# What tests must name by architecture: read by built.sh, so that every test with a workload has it.
#   SYS      what the kernel's function of a system call begins with; `calls` makes it SYS_ in what is printed
#   CALLER   the kernel function that is on the stack of every system call; LAST: those between it and user space
#   REG_A REG_B REG_C REG_R REG_PC   registers: the first three arguments, result, program counter
#   CTX_A CTX_B CTX_NR   members of struct pt_regs: the first two arguments, the number of the system call
#   NOPROBE  a kernel function that no probe may be in
declare -A NR
case $(uname -m) in
aarch64)
	SYS=__arm64_sys_ CALLER=do_el0_svc LAST='^el0' NOPROBE=el1h_64_sync_handler
	REG_A=x0 REG_B=x1 REG_C=x2 REG_R=x0 REG_PC=pc CTX_A='regs[0]' CTX_B='regs[1]' CTX_NR=syscallno
	NR=([bpf]=280 [getgid]=176 [getpgid]=155 [getppid]=173 [getuid]=174 [openat]=56 [perf_event_open]=241) ;;
*)
	SYS=__x64_sys_ CALLER=do_syscall_64 LAST='^entry_SYSCALL' NOPROBE=exc_int3
	REG_A=di REG_B=si REG_C=dx REG_R=ax REG_PC=ip CTX_A=di CTX_B=si CTX_NR=orig_ax
	NR=([bpf]=321 [getgid]=104 [getpgid]=121 [getppid]=110 [getuid]=102 [openat]=257 [perf_event_open]=298) ;;
esac
# nr CALL: its number
nr() { echo "${NR[$1]?"$1 is not in the table of arch.sh"}"; }
calls() { sed "s/$SYS/SYS_/g"; }
