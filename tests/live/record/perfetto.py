# SPDX-License-Identifier: GPL-2.0-or-later
"""perfetto.py TRACE LINES: whether a trace of Perfetto has the events of what sonde script prints. The numbers of
fields are those of protos/perfetto/trace in Perfetto's sources."""
import collections
import sys

from protobuf import fields


NAMES = {4: 'sched:sched_switch', 11: 'power:cpu_frequency', 13: 'power:cpu_idle', 113: 'power:suspend_resume',
         235: 'task:task_newtask', 236: 'task:task_rename', 17: 'sched:sched_wakeup', 20: 'sched:sched_waking', 114: 'sched:sched_wakeup_new',
         24: 'irq:softirq_entry', 25: 'irq:softirq_exit', 26: 'irq:softirq_raise', 36: 'irq:irq_handler_entry',
         37: 'irq:irq_handler_exit', 237: 'sched:sched_process_exec', 238: 'sched:sched_process_exit',
         239: 'sched:sched_process_fork', 240: 'sched:sched_process_free', 242: 'sched:sched_process_wait',
         324: 'signal:signal_deliver', 325: 'signal:signal_generate',
         329: 'raw_syscalls:sys_enter', 330: 'raw_syscalls:sys_exit'}


def signed(n):
    return n - (1 << 64) if n >> 63 else n


def text(name, m):
    """Part of what the event's print fmt shows of these fields; None: nothing is compared."""
    s = lambda i: m[i][0].decode()
    if name == 'sched:sched_switch':
        return f'prev_comm={s(1)} prev_pid={m[2][0]} prev_prio={m[3][0]}', f'next_comm={s(5)} next_pid={m[6][0]} next_prio={m[7][0]}'
    if name.startswith('sched:sched_wak'):
        return (f'comm={s(1)} pid={m[2][0]} prio={m[3][0]} target_cpu={m[5][0]:03}',)
    if name == 'sched:sched_process_exec':
        return (f'filename={s(1)} pid={m[2][0]} old_pid={m[3][0]}',)
    if name == 'sched:sched_process_fork':
        return (f'comm={s(1)} pid={m[2][0]} child_comm={s(3)} child_pid={m[4][0]}',)
    if name == 'raw_syscalls:sys_enter':
        return f'NR {signed(m[1][0])} ', '(' + ', '.join(f'{a:x}' for a in m[2]) + ')'
    if name == 'raw_syscalls:sys_exit':
        return (f'NR {signed(m[1][0])} = {signed(m[2][0])}',)
    return ()


events, threads, kinds = [], {}, collections.Counter()
for packet in map(fields, fields(open(sys.argv[1], 'rb').read())[1]):
    assert packet[10] == [1], 'a packet without its sequence'
    for tree in map(fields, packet[2]):
        for t in map(fields, tree[2]):
            threads[t[1][0]] = t[3][0]
    kinds['clocks'] += len(packet[6])
    kinds['system'] += len(packet[45])
    for bundle in map(fields, packet[1]):
        for e in map(fields, bundle[2]):
            (number,) = [n for n in e if n not in (1, 2) and e[n]]
            message = fields(e[number][0])
            name = message[1][0].decode() if number == 327 else NAMES[number]
            events.append((e[1][0], bundle[1][0], e[2][0], name, text(name, message)))
events.sort(key=lambda e: e[0])
lines = open(sys.argv[2]).read().splitlines()
print('as many:', len(events) == len(lines), 'clocks:', kinds['clocks'] > 0, 'system:', kinds['system'])
wanted = collections.Counter()
for line in lines:
    head, event, rest = line.split(': ', 2)
    tid, cpu, time = head.split()[-3:]
    wanted[int(tid), int(cpu[1:-1]), time, event.strip().split(':')[1], rest.strip()] += 1
    if int(tid) not in threads and tid != '0':
        print('no such thread in a process tree:', tid)
bad = 0
by_head = collections.defaultdict(list)
for (tid, cpu, time, name, rest), n in wanted.items():
    by_head[tid, cpu, time, name] += [rest] * n
for ns, cpu, tid, name, parts in events:
    rests = by_head[tid, cpu, f'{ns // 10**9}.{ns % 10**9 // 1000:06}', name.split(':')[-1]]
    match = [r for r in rests if all(p in r for p in parts)]
    if match:
        rests.remove(match[0])
    else:
        bad += 1
        print('no line for', ns, cpu, tid, name, parts)
print('events without a line:', bad)
