#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Types two lines into an interactive bash of its own and prints what the tool says of that bash."""
import os, pty, re, signal, subprocess, time

pid, fd = pty.fork()
if pid == 0:
    os.execv('/bin/bash', ['bash', '--norc', '--noprofile', '-i'])
time.sleep(0.3)
tracer = subprocess.Popen([os.environ['SONDE'], 'run', '-B', 'line', 'bashreadline', '--pid', str(pid)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
signal.alarm(40)
while not tracer.stderr.readline().startswith('Attached'):
    pass
os.write(fd, b'\n')  # ends the call that readline was in before the probe
time.sleep(0.3)
os.write(fd, b'echo sonde was here\n')
os.write(fd, b': "two  spaces"\n')
for line in tracer.stdout:
    if not line.strip().endswith('  0'):
        print(re.sub(r'^..:..:..  %-7d 0 ' % pid, 'TIME PID 0 ', line), end='')
    if 'two' in line:
        break
tracer.kill()
os.close(fd)
os.kill(pid, 9)
os.waitpid(pid, 0)
