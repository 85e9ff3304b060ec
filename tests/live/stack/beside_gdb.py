#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""beside_gdb.py SONDE CMD [ARG]...: the user stack of CMD when it stops itself, by SONDE and by gdb: the same addresses?

Prints "equal", or both stacks. CMD is traced from its exec() on, so that its mappings are new.
"""
import os
import re
import signal
import subprocess
import sys

SCRIPT = 'tracepoint:syscalls:sys_enter_kill /args.sig == 19/ { printf("hit%s\\n", ustack(raw, 300)); exit(); }'
WALK = '''python
f = gdb.newest_frame()
while f:
    if f.type() != gdb.INLINE_FRAME and f.pc():
        print("frame %x" % f.pc())
    f = f.older()
end'''


def stacks(sonde, command):
    target = subprocess.Popen(['sh', '-c', 'read go; exec "$@"', 'sh'] + command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        tracer = subprocess.Popen([sonde, '-p', str(target.pid), '-e', SCRIPT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        tracer.stderr.readline()  # "Attached"
        target.stdin.write(b'\n')
        target.stdin.close()
        ours = re.findall(r'^ *([0-9a-f]{4,16})$', tracer.communicate(timeout=30)[0], re.M)
        gdb = subprocess.run(['gdb', '-nx', '-p', str(target.pid), '-batch', '-ex', 'set backtrace past-main on', '-ex', WALK],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=120, check=False)
        return ours, re.findall(r'^frame ([0-9a-f]+)$', gdb.stdout, re.M)
    finally:
        target.send_signal(signal.SIGKILL)
        target.wait()


def main():
    ours, theirs = stacks(sys.argv[1], sys.argv[2:])
    name = os.path.basename(sys.argv[2])
    if ours == theirs and len(ours) > 5:
        print(name, 'equal')
        return
    print(name, 'differs')
    for i in range(max(len(ours), len(theirs))):
        print(*(stack[i] if i < len(stack) else '-' for stack in (ours, theirs)))


main()
