# SPDX-License-Identifier: GPL-2.0-or-later
# held_up.py SONDE PROGRAM FOLDER: files that come while sonde itself does not get on.
# working: its main thread is stopped (as if it had no processor) for longer than it is waited for when asleep, and
# nothing is lost. asleep: nobody reads its output, and programs go on, told, and are probed when it is read again.
import ctypes, os, re, shutil, signal, subprocess, sys, time

sonde, program, folder = sys.argv[1:]
ptrace = ctypes.CDLL(None, use_errno=True).ptrace
ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17


def start(script):
    p = subprocess.Popen([sonde, '-v', '-e', script], stdout=subprocess.PIPE, stderr=open(folder + '/err', 'w'), text=True)
    while 'Attached' not in err():
        time.sleep(0.05)
    return p


def new_program(name):
    shutil.copy(program, folder + '/' + name)
    # through a shell: Popen() itself waits for the execution
    return subprocess.Popen(['/bin/sh', '-c', 'exec "$0" add 3', folder + '/' + name], stdout=subprocess.DEVNULL)


def err():
    return open(folder + '/err').read()


def longest():
    return int(re.search(r'waited for their probes (\d+) ms at most', err())[1])


script = 'uprobe:%s/p*:add_seven { @calls = count(); }' % folder
p = start(script)
assert ptrace(SEIZE, p.pid, None, None) == 0 and ptrace(INTERRUPT, p.pid, None, None) == 0
os.waitpid(p.pid, 0x40000000)
child = new_program('p1')
time.sleep(1.5)
print('waits:', child.poll() is None)
ptrace(DETACH, p.pid, None, None)
child.wait()
p.send_signal(signal.SIGINT)
out = p.communicate()[0].strip()
print('working:', out, 'told' if 'ran for a while' in err() else '', longest() >= 500)

p = start(script + ' interval:ms:20 { printf("%8000d\\n", 1); }')
while open('/proc/%d/wchan' % p.pid).read() not in ('pipe_write', 'anon_pipe_write'):
    time.sleep(0.1)
new_program('p2').wait()
new_program('p3').wait()
while err().count('ran for a while') < 2:
    p.stdout.readline()
new_program('p2').wait()
p.send_signal(signal.SIGINT)
out = p.communicate()[0]
print('asleep:', '@calls: 3' in out, 500 <= longest() < 5000)
