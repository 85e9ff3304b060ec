#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""every_event.py SONDE FOLDER SECONDS: a recording of all events beside what the kernel's own ring buffer holds of them.

While `sonde record -a -e '*:*'` runs, an instance of tracefs has all events enabled. On each processor a thread whose name is
OPEN runs and later one whose name is CLOSE; what lies between the switches to them (made with interrupts off, so nothing comes
between the two tracers) must be the same events in both, as often, but for those that either says it lost. Tasks of sonde are
left out, as it leaves itself out.
"""
import collections
import ctypes
import os
import re
import subprocess
import sys
import time

TRACING = '/sys/kernel/tracing'
INSTANCE = TRACING + '/instances/sonde_every_event'
OPEN, CLOSE = 'every-open', 'every-close'
KB_PER_CPU = 65536
LINE = re.compile(r'^.{16}-(\d+) +\[(\d+)\] +(?:\S+ +)?[\d.]+: (\w+)(.*)$')
LOST = r'lost (\d+) events? \(.*tracepoint:\w+:(\w+)\)'


def write(path, text):
    with open(path, 'w') as f:
        f.write(text)


def rename(name):
    ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)


def mark(name):
    """A thread of this name runs on each processor: it sleeps there, so it is switched to."""
    for cpu in sorted(os.sched_getaffinity(0)):
        pid = os.fork()
        if not pid:
            os.sched_setaffinity(0, {cpu})
            rename(name)
            for _ in range(3):
                time.sleep(0.01)
            os._exit(0)
        os.waitpid(pid, 0)


def during(seconds):
    """The command of sonde record."""
    write(INSTANCE + '/events/enable', '1')
    mark(OPEN)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        subprocess.run(['cat', '/proc/self/stat'], stdout=subprocess.DEVNULL, check=True)
        time.sleep(0.05)
    mark(CLOSE)
    write(INSTANCE + '/events/enable', '0')


def calls():
    """The kernel's text has sys_read(fd: 3) and sys_read -> 0x1 for two events."""
    names = [e[len('sys_enter_'):] for e in os.listdir(TRACING + '/events/syscalls') if e.startswith('sys_enter_')]
    return {'sys_' + name: ('sys_enter_' + name, 'sys_exit_' + name) for name in names}


def count(lines, names, left_out):
    """{event: how many between the marks of their processor}"""
    inside, found, marks = set(), collections.Counter(), collections.Counter()
    for line in lines:
        m = LINE.match(line)
        if not m:
            continue
        pid, cpu, event, text = m.groups()
        if event in names and not text.startswith(':'):
            event = names[event][text.startswith(' ->')]
        if event == 'sched_switch' and f'next_comm={OPEN} ' in text and cpu not in inside and not marks[cpu]:
            inside.add(cpu)
            marks[cpu] += 1
        if cpu in inside and (event == 'sched_switch' or pid not in left_out):
            found[event] += 1
        if event == 'sched_switch' and f'next_comm={CLOSE} ' in text and cpu in inside:
            inside.discard(cpu)
            marks[cpu] += 1
    return found, sorted(marks.values())


def most_lost(n):
    """Before 6.7 the kernel does not count what it skips, the events of interrupts that come within a program: a few of a hundred.
    Of 7.2 hrtimer_rearm, in the exit of interrupts, lacks as many."""
    release = tuple(int(n) for n in re.findall(r'\d+', os.uname().release)[:2])
    return 0 if (6, 7) <= release < (7, 0) else n // 10 + 2


def main(sonde, folder, seconds):
    os.mkdir(INSTANCE)
    try:
        write(INSTANCE + '/buffer_size_kb', str(KB_PER_CPU))
        data = folder + '/every.data'
        p = subprocess.Popen([sonde, 'record', '-a', '-e', '*:*', '-o', data, '--', sys.executable, __file__, '--during', str(seconds)],
                             stderr=subprocess.PIPE, text=True)
        said = p.communicate()[1]
        with open(INSTANCE + '/trace', errors='replace') as f:
            kernel, marks = count(f, calls(), {str(p.pid)})
    finally:
        os.rmdir(INSTANCE)
    script = subprocess.run([sonde, 'script', '--ftrace', data], stdout=subprocess.PIPE, text=True, errors='replace', check=True)
    ours, our_marks = count(script.stdout.splitlines(), {}, set())
    lost = collections.Counter()
    for m in re.finditer(LOST, said):
        lost[m[2]] += int(m[1])
    for name in calls().values():  # are recorded by the raw events
        for event in name:
            lost[event] += lost['_'.join(event.split('_')[:2])]
    if p.returncode or marks != our_marks or set(marks) != {2} or len(kernel) < 50:
        print(f'{said}{marks} and {our_marks} marks, {len(kernel)} events')
    for event in sorted(kernel.keys() | ours.keys()):
        if not ours[event] <= kernel[event] <= ours[event] + lost[event] + most_lost(kernel[event]):
            print(f'{event}: {ours[event]} recorded, {lost[event]} lost, {kernel[event]} counted')


if sys.argv[1] == '--during':
    during(float(sys.argv[2]))
else:
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
