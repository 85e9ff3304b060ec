#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make.py FILE: a recording as doc/recording.md describes it, of a machine that never was: two processors, times that are
easy to compute with, and events whose layouts are no kernel's."""
import struct
import sys
import zlib

START, TO_REAL = 1_000_000_000_000, 1_600_000_000_000_000_000  # 1000 s after the boot; 2020-09-13 12:43:20
MS = 1_000_000


def common(number):
    return f'''ID: {number}
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

'''


def field(text, offset, size, signed):
    return f'\tfield:{text};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n'


# name, number, fields; sched_switch has its fields in another order and of other sizes than Linux has
FORMATS = [
    ('sched:sched_switch', 77, [('u64 prev_state', 8, 8, 0), ('char next_comm[16]', 16, 16, 0), ('s16 next_prio', 32, 2, 1),
                                ('s16 prev_prio', 34, 2, 1), ('pid_t next_pid', 36, 4, 1), ('pid_t prev_pid', 40, 4, 1),
                                ('char prev_comm[16]', 44, 16, 0)]),
    ('lab:probe', 900, [('u8 flag', 8, 1, 0), ('s16 temperature', 10, 2, 1), ('__data_loc char[] name', 12, 4, 0),
                        ('u64 big[3]', 16, 24, 0), ('char tag[6]', 40, 6, 0)]),
    ('raw_syscalls:sys_enter', 20, [('long id', 8, 8, 1), ('unsigned long args[6]', 16, 48, 0)]),
    ('raw_syscalls:sys_exit', 21, [('long id', 8, 8, 1), ('long ret', 16, 8, 1)]),
]


def chunk(kind, body, number, cpu=0xffff, count=0, rows=0, t0=0, t1=0):
    head = struct.pack('<IBBHIIIIQQQIII', 0x4b4e4843, kind, 0, cpu, count, len(body), len(body), rows, t0, t1, number, 0, 0,
                       zlib.crc32(body))
    return head + struct.pack('<I', zlib.crc32(head)) + body


def varint(n):
    out = b''
    while n >= 128:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def row(form, pid, tid, comm, fields):
    record = struct.pack('<HBBI', FORMATS[form][1], 0, 0, tid) + fields
    return struct.pack('<HHI16s', form, len(record), pid, comm.encode()) + record


def switch(prev, next_, state, pid):
    (prev_tid, prev_comm), (next_tid, next_comm) = prev, next_
    return row(0, pid, prev_tid, prev_comm, struct.pack('<Q16shhii16s', state, next_comm.encode(), 100, 120, next_tid,
                                                        prev_tid, prev_comm.encode()))


def lab(flag, temperature, name, big, tag):
    fixed = struct.pack('<BxhI3Q6s', flag, temperature, (len(name) + 1) << 16 | 46, *big, tag.encode())
    return row(1, 300, 301, 'lab', fixed + name.encode() + b'\0')


def call(number, args, pid=300, tid=301):
    return row(2, pid, tid, 'caller', struct.pack('<q6Q', number, *args))


def result(number, ret, pid=300, tid=301):
    return row(3, pid, tid, 'caller', struct.pack('<qq', number, ret))


def events(number, cpu, list_):
    """list_: (ms after START, row). Equal rows are stored once."""
    rows = []
    stream, before = b'', START
    for ms, r in list_:
        if r not in rows:
            rows.append(r)
        time = START + int(ms * MS)
        diff = time - before
        stream += varint(diff << 1 if diff >= 0 else (-diff << 1) - 1) + varint(rows.index(r))
        before = time
    body = b''.join(rows)
    times = [START + int(ms * MS) for ms, _ in list_]
    body = struct.pack('<QII', START, len(body), 0) + body + stream
    return chunk(4, body, number, cpu, len(list_), len(rows), min(times), max(times))


IDLE0, IDLE1, WORK, HELP = (0, 'swapper/0'), (0, 'swapper/1'), (200, 'work'), (201, 'help')
CPU0 = [(0, switch(IDLE0, WORK, 0, 0)), (10, switch(WORK, HELP, 1, 200)), (30, switch(HELP, WORK, 0x100, 200)),
        (100, switch(WORK, IDLE0, 2, 200)), (400, switch(IDLE0, HELP, 0, 0)), (900, switch(HELP, IDLE0, 0x10, 200))]
CPU1 = [(5, lab(1, -40, 'first', (1, 2, 3), 'abc')), (250, lab(2, 25, 'second', (1 << 40, 0, 7), 'abcdef')),
        (500.5, call(0, (3, 0x1000, 100, 0, 0, 0))), (500.75, result(0, 100)), (600, call(1, (4, 0x2000, 5, 0, 0, 0))),
        (601, result(1, -11)), (700, call(0, (3, 0x1000, 50, 0, 0, 0))), (702, result(0, 50)), (702, result(39, 300))]


def main():
    formats = b''
    for i, (name, number, fields) in enumerate(FORMATS):
        text = f'name: {name.split(":")[1]}\n' + common(number) + ''.join(field(*f) for f in fields) + '\nprint fmt: "-"\n'
        formats += struct.pack('<III', i, len(name), len(text)) + name.encode() + text.encode()
    tasks = b''.join(struct.pack('<IIII16s', tid, pid, 1, 0, comm) for tid, pid, comm in
                     [(200, 200, b'work'), (201, 200, b'help'), (301, 300, b'lab')])
    head = struct.pack('<8sHHI16sQqIII', b'SONDEREC', 1, 64, 4096, b'another boot', START, TO_REAL - START, 2, 1, 0)
    lost = struct.pack('<QQI', START + 300 * MS, 12, 8) + b'ring was'
    clocks = struct.pack('<Qq', START, TO_REAL - START) + struct.pack('<Qq', START + 1000 * MS, TO_REAL - START)
    out = head + struct.pack('<I', zlib.crc32(head))
    out += chunk(2, formats, 0, count=len(FORMATS)) + chunk(3, tasks, 1, count=3)
    out += events(2, 1, CPU1) + events(3, 0, CPU0) + chunk(5, lost, 4, count=1) + chunk(6, clocks, 5, count=2)
    if 'damaged' in sys.argv[2:]:
        out = out[:-150]
    open(sys.argv[1], 'wb').write(out)


main()
