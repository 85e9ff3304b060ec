#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""terminal.py ROWS COLUMNS SECONDS COMMAND...: runs a command on a terminal of that size and types Ctrl-C a while after
the first that it shows (a slow guest needs seconds to start; without anything, after 20 s more);
with a size behind "SECONDS+" (3+10x40) the window is resized half-way. Prints what the terminal got, escapes as ESC."""
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time


def resize(fd, rows, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))


rows, columns, when = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
seconds, _, again = when.partition('+')
seconds = float(seconds)
parent, child = pty.openpty()
resize(parent, rows, columns)
pid = os.fork()
if pid == 0:
    os.close(parent)
    os.setsid()
    fcntl.ioctl(child, termios.TIOCSCTTY, 0)
    for fd in range(3):
        os.dup2(child, fd)
    os.execvp(sys.argv[4], sys.argv[4:])
os.close(child)
got, start, typed = b'', time.monotonic(), False
while True:
    ready = select.select([parent], [], [], 0.05)[0]
    try:
        data = os.read(parent, 65536) if ready else None
    except OSError:
        break
    if data == b'':
        break
    start = time.monotonic() if data and not got else start
    got += data or b''
    past = time.monotonic() - start - (0 if got else 20)
    if again and past > seconds / 2:
        resize(parent, *map(int, again.split('x')))
        again = ''
    if not typed and past > seconds:
        os.write(parent, b'\x03')
        typed = True
print(got.decode(errors='replace').replace('\x1b', 'ESC').replace('\r', ''), end='')
print('status', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
