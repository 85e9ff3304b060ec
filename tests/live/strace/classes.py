#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""classes.py SONDE PROGRAM CLASS...: whether strace(1) and sonde strace have the same calls in each class.

PROGRAM (classes.c) makes all calls, which fail; strace shows those of the class, sonde's script names them. strace shows
calls that it does not know in each class; getpmsg and putpmsg are no calls of Linux.
"""
import re
import subprocess
import sys


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False).stdout.decode(errors='replace')


def failed(text):
    names = set(re.findall(r'^(\w+)\(.*= -1 ENOSYS', text, re.M))
    return {x for x in names if not x.startswith('syscall_')} - {'getpmsg', 'putpmsg'}


def main():
    sonde, program, classes = sys.argv[1], sys.argv[2], sys.argv[3:]
    known = failed(run('strace', program))
    for name in classes:
        real = failed(run('strace', '-e', f'trace={name}', program))
        script = run(sonde, 'strace', '-d', '-e', f'trace={name}', '-o', '/dev/null', 'true')
        m = re.search(r'^syscall:(\S*) { print\(\(1,', script, re.M)
        ours = {x.strip('=') for x in m[1].split('|')} & known if m else set()
        print(name, 'equal' if real and real == ours else f'only strace: {sorted(real - ours)}, only sonde: {sorted(ours - real)}')


main()
