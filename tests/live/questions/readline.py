#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Types a line into an interactive bash of its own and prints what sonde saw bash's readline return."""
import os, pty, subprocess, time

pid, fd = pty.fork()
if pid == 0:
    os.environ['PS1'] = '$ '
    os.execv('/bin/bash', ['bash', '--norc', '--noprofile', '-i'])
time.sleep(0.5)
script = 'uretprobe:/bin/bash:readline /pid == %d && strlen(str(retval)) > 0/ { printf("what was typed: %%s\\n", str(retval)); exit(); }' % pid
tracer = subprocess.Popen([os.environ['SONDE'], '-e', script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
line = tracer.stderr.readline()
while line and not line.startswith('Attached'):
    line = tracer.stderr.readline()
os.write(fd, b'\n')  # ends the call that readline was in before the probe
time.sleep(0.3)
os.write(fd, b'echo sonde was here\n')
try:
    out, _ = tracer.communicate(timeout=15)
    print(out.strip())
finally:
    tracer.kill()
    os.close(fd)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
