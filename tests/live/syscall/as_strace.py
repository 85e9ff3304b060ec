#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""as_strace.py COMMAND ARG...: traces strace tracing a command, so that both see the same run, and compares the arguments of each
call: prints those that differ, and at the end whether many were compared. SONDE names the program.

as_strace.py --show FIRST COMMAND ARG...: no strace; prints the calls of the command from the call FIRST on, as argstr shows them at
the return, with numbers of four digits and more replaced by N and addresses by ADDRESS.

What is not compared: calls that do not return (exit_group, a killed process's), and how strace shows the result.
"""
import os, re, subprocess, sys, tempfile

SCRIPT = 'syscall:*:return %s { printf("%%d|%%s|%%s\\n", tid, probe, argstr); }'


def sonde(command, predicate):
    for _ in range(3):  # what sonde says it has lost, on a busy machine, cannot be compared
        with tempfile.NamedTemporaryFile() as out:  # the command may print bytes without an end of line
            run = subprocess.run([os.environ['SONDE'], '-q', '-o', out.name, '--follow', '-c', command, '-e', SCRIPT % predicate],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
            text = open(out.name, errors='replace').read()
        if b'lost' not in run.stderr:
            break
    for line in text.split('\n'):
        part = line.split('|', 2)
        if len(part) == 3 and part[1].startswith('syscall:'):
            yield part[0], part[1].split(':')[1], part[2]


def strace_lines(path):
    """thread, call, arguments; what was interrupted by another thread is joined."""
    begun = {}
    for line in open(path, errors='replace'):
        tid, text = re.match(r'(\d+)\s+(.*)', line.rstrip('\n')).groups()
        if text.endswith('<unfinished ...>'):
            begun[tid] = text[:-len('<unfinished ...>')].rstrip()
            continue
        resumed = re.match(r'<\.\.\. \w+ resumed>(.*)', text)
        if resumed:
            first = begun.pop(tid, '')
            text = first + (' ' if first.endswith(',') else '') + resumed[1]
        call = re.match(r'(\w+)\((.*)\)\s+= (\?|-?\w+)', text)
        if call and call[3] != '?':
            yield tid, call[1], call[2]


def plain(text):
    text = re.sub(r'0x[0-9a-f]{7,}', 'ADDRESS', text)
    text = re.sub(r'(?<="/proc/self", )"\d+"', '"N"', text)
    return re.sub(r'(?<![\w.])-?\d{4,}', 'N', text)


def compare(command):
    with tempfile.NamedTemporaryFile() as out:
        mine = {}
        for tid, name, args in sonde(f'strace -f -o {out.name} {command}', ''):
            mine.setdefault(tid, []).append((name, args))
        same = 0
        for tid, name, args in strace_lines(out.name):
            rest = mine.get(tid, [])
            at = [i for i, call in enumerate(rest[:20 if same else None]) if call[0] == name]
            got = rest[at[0]][1] if at else 'not seen'
            del rest[:at[0] + 1 if at else 0]
            if got == args:
                same += 1
            else:
                print(plain(f'{name}\n    strace: {args}\n    sonde:  {got}'))
    print('many calls are alike' if same > 30 else f'{same} calls are alike')


def show(first, command):
    begun = False
    for tid, name, args in sonde(command, f'/comm == "{os.path.basename(command.split()[0])}"/'):
        begun |= name == first
        if begun:
            print(plain(f'{name}({args})'))


if sys.argv[1] == '--show':
    show(sys.argv[2], ' '.join(sys.argv[3:]))
else:
    compare(' '.join(sys.argv[1:]))
