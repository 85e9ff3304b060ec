# SPDX-License-Identifier: GPL-2.0-or-later
# held_up.py SONDE PROGRAM FOLDER [CASE]...: how long others wait for a sonde that does not get on.
# In each case three things are done in the folder of its pattern: a new file that matches is executed, one of a library
# pattern is read, and a file that matches nothing is made and read. None may take longer than 100 ms and what the same takes
# elsewhere. A case that was too slow is tried again: the machine has others. Then sonde is let go on, and must see all
# calls of one more new program.
import atexit, contextlib, ctypes, glob, os, re, shutil, signal, subprocess, sys, threading, time

sonde, program, folder = sys.argv[1:4]
LIMIT_S, TRIES = 0.1, 4
ptrace = ctypes.CDLL(None, use_errno=True).ptrace
ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17
number = 0


def err():
    return open(folder + '/err').read()


def wait_for(condition):
    end = time.monotonic() + 20
    while not condition():
        if time.monotonic() > end:
            sys.exit('held_up: waited 20 s\n' + err())
        time.sleep(0.01)


def start(script='', prepare=None, pipe=False):
    probes = 'uprobe:%s/p*:add_seven { printf("%%d\\n", pid); } uprobe:%s/lib*.so:add_seven { } ' % (folder, folder)
    p = subprocess.Popen([sonde, '-v', '-e', probes + script], stdout=subprocess.PIPE if pipe else
                         open(folder + '/out', 'w'), stderr=open(folder + '/err', 'w'), text=True, preexec_fn=prepare)
    atexit.register(p.kill)
    wait_for(lambda: 'Attached' in err())
    return p


def helper(p):
    return next(int(pid) for pid in open('/proc/%d/task/%d/children' % (p.pid, p.pid)).read().split()
                if open('/proc/%s/comm' % pid).read() == 'sonde-hold\n')


@contextlib.contextmanager
def before_others():
    """What is measured does not wait for a processor."""
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def end(p):
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=20)


def run(path):
    # through a shell: Popen() itself waits for the execution
    subprocess.run(['/bin/sh', '-c', '"$0" add 3', path], stdout=subprocess.DEVNULL)


def timed(f, *args):
    began = time.monotonic()
    f(*args)
    return time.monotonic() - began


def read(path):
    open(path, 'rb').read(100)


def make_other():
    with open('%s/other%d' % (folder, number), 'w') as f:
        f.write('x')
    read(f.name)


def look():
    """The longest of the three, beyond what they take elsewhere."""
    global number
    number += 1
    new, lib, elsewhere = '%s/p%d' % (folder, number), '%s/lib%d.so' % (folder, number), folder + '.elsewhere'
    for path in (new, lib, elsewhere):
        shutil.copy(program, path)
    with before_others():
        took = [timed(run, new), timed(read, lib), timed(make_other)]
        return max(took) - max(timed(run, elsewhere) for _ in range(3))


def state(pid):
    return re.search(r'State:\s+(\S)', open('/proc/%d/status' % pid).read())[1]


def is_gone(pid):
    with contextlib.suppress(OSError):
        return state(pid) in 'ZX'
    return True


def goes_on(p):
    """The three calls of one more program are seen."""
    global number
    for _ in range(10):
        number += 1
        new = '%s/p%d' % (folder, number)
        shutil.copy(program, new)
        child = subprocess.Popen(['/bin/sh', '-c', 'exec "$0" add 3', new], stdout=subprocess.DEVNULL)
        child.wait()
        time.sleep(0.3)
        if open(folder + '/out').read().split().count(str(child.pid)) == 3:
            return
    sys.exit('held_up: sonde does not get on again\n' + err())


def case_stopped(p):
    os.kill(p.pid, signal.SIGSTOP)
    yield
    os.kill(p.pid, signal.SIGCONT)


def case_group_stopped(p):
    os.killpg(p.pid, signal.SIGSTOP)
    yield
    os.killpg(p.pid, signal.SIGCONT)


def case_helper_stopped(p):
    os.kill(helper(p), signal.SIGSTOP)
    yield


def case_both_stopped(p):
    pids = [helper(p), p.pid]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    yield
    os.kill(p.pid, signal.SIGCONT)


def case_helper_killed(p):
    os.kill(helper(p), signal.SIGKILL)
    yield


def case_debugger(p):
    for pid in (p.pid, helper(p)):
        assert ptrace(SEIZE, pid, None, None) == 0 and ptrace(INTERRUPT, pid, None, None) == 0
        os.waitpid(pid, 0x40000000)
    yield
    ptrace(DETACH, p.pid, None, None)


def is_empty(group, mount):
    pids = open(group + '/cgroup.procs').read().split()
    for pid in pids:
        with contextlib.suppress(OSError):
            open(mount + '/cgroup.procs', 'w').write(pid)
    return not pids


def frozen(mount, name, on, off, p):
    group = '%s/sonde-test-%d' % (mount, os.getpid())
    os.mkdir(group)
    pids = [p.pid, helper(p)] if p else []

    def put(pid):
        open(group + '/cgroup.procs', 'w').write(str(pid))
    for pid in pids:
        put(pid)
    try:
        yield put
        open(group + '/' + name, 'w').write(on)
        yield
    finally:
        open(group + '/' + name, 'w').write(off)
        wait_for(lambda: is_empty(group, mount))
        os.rmdir(group)


def case_frozen(p):
    mounts = [m.split()[1] for m in open('/proc/mounts') if m.split()[2] == 'cgroup2']
    if not mounts:
        yield
        return
    steps = frozen(mounts[0], 'cgroup.freeze', '1', '0', p)
    next(steps)
    next(steps)
    yield
    steps.close()


def case_slow_disk(p):
    """Reading the file takes sonde a second."""
    tracer = subprocess.Popen(['strace', '-f', '-qq', '-o', '/dev/null', '-p', str(p.pid), '-e', 'trace=pread64,mmap', '-e',
                               'inject=pread64,mmap:delay_enter=1000000'])
    wait_for(lambda: 'TracerPid:\t0' not in open('/proc/%d/status' % p.pid).read())
    yield
    tracer.terminate()
    tracer.wait()


def case_full(p):
    spin = [subprocess.Popen(['/bin/sh', '-c', 'while :; do :; done']) for _ in range(4 * os.cpu_count())]
    yield
    for s in spin:
        s.kill()
        s.wait()


def measure(name, case):
    p = start(prepare=os.setpgrp)
    for _ in range(TRIES):
        steps = case(p)
        next(steps)
        took = [look(), look()]
        next(steps, None)
        wait_for(lambda: not is_gone(p.pid))
        goes_on(p)
        if max(took) <= LIMIT_S:
            break
    end(p)
    print('%s:' % name, 'ok' if max(took) <= LIMIT_S else 'held %d ms\n%s' % (max(took) * 1000, err()))
    for path in glob.glob(folder + '/[plo]*'):
        os.unlink(path)


def measure_old_freezer():
    """The freezer of cgroup v1: what it froze cannot be killed, so the helper leaves it when it starts."""
    mount = '/sys/fs/cgroup/freezer'
    if not os.path.exists(mount + '/cgroup.procs'):
        print('old_freezer: ok')
        return
    for _ in range(TRIES):
        steps = frozen(mount, 'freezer.state', 'FROZEN', 'THAWED', None)
        put = next(steps)
        p = start(prepare=lambda: put(os.getpid()))
        next(steps)
        took = max(look(), look())
        steps.close()
        goes_on(p)
        end(p)
        if took <= LIMIT_S:
            break
    print('old_freezer:', 'ok' if took <= LIMIT_S else 'held %d ms' % (took * 1000))


def measure_server():
    """A server of files that does not answer: who executes one of them waits for it, and nobody else."""
    files, hang, took = folder + '.fs', folder + '.hang', [0]
    if not os.path.exists('/dev/fuse'):
        print('server: ok')
        return
    os.mkdir(files)
    server = subprocess.Popen([sys.executable, os.path.dirname(os.path.abspath(__file__)) + '/file_server.py', program, files, hang],
                              stdout=subprocess.PIPE)
    server.stdout.readline()
    p = start('uprobe:%s/p*:add_seven { }' % files)
    for _ in range(TRIES):
        open(hang, 'w').close()
        answers = threading.Timer(5, os.unlink, [hang])
        answers.start()
        waits = subprocess.Popen(['/bin/sh', '-c', 'exec "$0" add 3', '%s/p%d' % (files, number)], stdout=subprocess.DEVNULL)
        server.stdout.readline()
        took = [look(), look()]
        answers.join()
        waits.wait()
        goes_on(p)
        if max(took) <= LIMIT_S:
            break
    end(p)
    subprocess.run(['umount', '-l', files])
    server.kill()
    print('server:', 'ok' if max(took) <= LIMIT_S else 'held %d ms\n%s' % (max(took) * 1000, err()))


def measure_reader():
    """Nobody reads sonde's output: programs go on, told, and are probed when it is read again."""
    p = start('uprobe:%s/p*:add_seven { @calls = count(); } interval:ms:20 { printf("%%8000d\\n", 1); }' % folder, pipe=True)
    wait_for(lambda: open('/proc/%d/wchan' % p.pid).read() in ('pipe_write', 'anon_pipe_write'))
    for name in 'p1', 'p2':
        shutil.copy(program, folder + '/' + name)
        run(folder + '/' + name)
    while err().count('ran for a while') < 2:
        p.stdout.readline()
    run(folder + '/p1')
    p.send_signal(signal.SIGINT)
    print('reader:', 'ok' if '@calls: 3' in p.communicate()[0] else err())


for name in sys.argv[4:]:
    if 'measure_' + name in globals():
        globals()['measure_' + name]()
    else:
        measure(name, globals()['case_' + name])
