# SPDX-License-Identifier: GPL-2.0-or-later
"""members.py SONDE: every scalar member of some structures of the kernel, through pointers that verifiers know by type, must load.

pahole says which members there are, in structures within structures and in the first elements of arrays. Programs of forty
members are loaded; those of one that does not load are tried again in halves.
"""
import re
import subprocess
import sys

ROOTS = [
    ('fentry:vfs_read', 'args.file', 'file'),
    ('fentry:vfs_unlink', 'args.dir', 'inode'),
    ('fentry:__dev_queue_xmit', 'args.skb', 'sk_buff'),
    ('rawtracepoint:sched_switch', 'args.prev', 'task_struct'),
    ('fentry:wake_up_new_task', 'args.p->mm', 'mm_struct'),
    ('fentry:wake_up_new_task', 'args.p->signal', 'signal_struct'),
    ('iter:task_vma', 'ctx->vma', 'vm_area_struct'),
    ('begin', 'curtask', 'task_struct'),
]


def members(struct):
    text = subprocess.run(['pahole', '--expand_types', '-C', struct, '/sys/kernel/btf/vmlinux'], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout
    levels, found = [], []
    for line in text.splitlines()[1:]:
        line = re.sub(r'/\*.*?\*/|__attribute__\(\(.*?\)\)+', '', line).strip()
        here = levels[-1] if levels else found
        if re.match(r'(struct|union|enum)\b[^;]*\{$', line):
            levels.append([])
        elif line.startswith('}'):
            if not levels:
                return found
            m = re.match(r'\}\s*(\**)\s*(\w*)((\[[^\]]*\])*)\s*;$', line)
            inner, outer = levels.pop(), levels[-1] if levels else found
            name = m[2] + '[0]' * m[3].count('[')
            outer += [name] if m[1] else [f'{name}.{i}' if name else i for i in inner]
        elif m := re.match(r'.*?\(\*(\w+)\)\(.*\);$', line):
            here.append(m[1])
        elif (m := re.match(r'.*?\b([a-z_]\w*)((\[\d+\])*)(:\d+)?;$', line, re.I)) and '[0]' not in m[2]:
            here.append(m[1] + '[0]' * m[2].count('['))
    return found


def refused(probe, root, names):
    """Those that do not load."""
    program = probe + ' { ' + ' '.join(f'print((uint64){root}->{name});' for name in names) + ' }'
    p = subprocess.run([sys.argv[1], '-q', '--dry-run', '-e', program], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if not p.returncode:
        return []
    if len(names) == 1:
        if 'load the program' not in p.stderr: # a member that pahole prints in a way of its own
            return []
        print(f'{probe} {root}->{names[0]}: {p.stderr[:200]}')
        return names
    half = len(names) // 2
    return refused(probe, root, names[:half]) + refused(probe, root, names[half:])


for probe, root, struct in ROOTS:
    all_members = members(struct)
    bad = [name for i in range(0, len(all_members), 40) for name in refused(probe, root, all_members[i:i + 40])]
    print(f'{struct}: {"some" if all_members else "no"} members, {len(bad)} refused')
