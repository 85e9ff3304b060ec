#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Probes of every function of the libraries of some programs, at the entries and where sonde puts them:
each function must be hit as often and with the same arguments.

The libraries are copies, so that nobody else runs them, and addresses are not randomized. What differs
between two runs with probes at the entries (pids, clocks) is not compared."""
import glob
import os
import re
import shutil
import subprocess
import sys

SONDE, TMP = os.environ['SONDE'], os.environ['TMP']
WORK = [
    '/usr/bin/python3 -S -c "import zlib,_bz2,_lzma,_sqlite3,_hashlib,math,_ctypes,pyexpat;'
    'd=b\'sonde\'*300;'
    'assert zlib.decompress(zlib.compress(d))==d;'
    'c=_sqlite3.connect(\':memory:\');c.execute(\'create table t(a,b)\');'
    'print(c.execute(\'select 1+2\').fetchall(),_hashlib.openssl_sha256(d).hexdigest(),math.sin(2))"',
    'perl -e \'my %h; $h{$_%7}.=chr(65+$_%26) for 1..30; print join(",",map{"$_=$h{$_}"}sort keys %h),sprintf("%.3f",sqrt 2),"\\n"\'',
    'apt-get --version',
]
SCRIPT = '''config = { max_probes = 200000; max_map_keys = 200000 }
uprobe:%s/lib*:* { @n[probe] = count(); @a[probe] = sum(arg0 %% 65521); @b[probe] = sum(arg1 %% 65521); }
uretprobe:%s/lib*:* { @r[probe] = count(); @v[probe] = sum(retval %% 65521); }
'''


def libraries(command):
    program = shutil.which(command.split()[0])
    text = subprocess.run(['ldd', program], capture_output=True, text=True).stdout if program else ''
    return re.findall(r'=> (/\S+)', text)


def copy_libraries(to):
    os.mkdir(to)
    want = {p for c in WORK for p in libraries(c)}
    for module in glob.glob('/usr/lib/python3*/lib-dynload/_[bchls]*.so'): # those of /usr/bin/python3
        want |= set(re.findall(r'=> (/\S+)', subprocess.run(['ldd', module], capture_output=True, text=True).stdout))
    for path in sorted(want):
        shutil.copy(path, to)
    return len(want)


def run(to, exact):
    """One process of the shell does it all; {probe and map: value}."""
    work = f'{TMP}/work.sh'
    with open(work, 'w') as f:
        f.write('#!/bin/sh\nexport LD_LIBRARY_PATH=%s LC_ALL=C PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1 PERL_HASH_SEED=0 HOME=/nonexistent\n' % to)
        f.write(''.join(f'{c}\n' for c in WORK))
    os.chmod(work, 0o755)
    with open(f'{TMP}/placing.bt', 'w') as f:
        f.write(SCRIPT % (to, to))
    r = subprocess.run([SONDE, '-q', '-c', f'setarch -R {work}', f'{TMP}/placing.bt'], capture_output=True, text=True, errors='replace',
                       env={**os.environ, 'SONDE_EXACT_UPROBES': str(int(exact))})
    hits = dict(m.groups() for m in re.finditer(r'^(@\w\[.*\]): (-?\d+)$', r.stdout, re.M))
    said = '\n'.join(l for l in r.stdout.splitlines() if l and not l.startswith('@'))
    return hits, said, r.stderr


def main():
    to = TMP + '/lib'
    n = copy_libraries(to)
    first, said1, err = run(to, True)
    wrong, rounds = None, 0
    while wrong is None or (wrong and rounds < 4):  # a fault of placing shows every time, the clock does not
        again, said2, _ = run(to, True)
        moved, said3, _ = run(to, False)
        known = {k: v for k, v in first.items() if again.get(k) == v}
        differ = {k: (v, moved.get(k)) for k, v in known.items() if moved.get(k) != v}
        wrong = differ if wrong is None else {k: v for k, v in wrong.items() if k in differ}
        first, rounds = again, rounds + 1
    strip = lambda s: re.sub(r'0x[0-9a-f]+|\d+', '', s)
    if len(known) < 1000 or os.environ.get('PLACING_VERBOSE'):
        print(f'{n} libraries, {len(first)} values, {len(known)} compared', file=sys.stderr)
        print(err[:2000], file=sys.stderr)
    for k, v in sorted(wrong.items())[:20]:
        print(k, *v)
    print('the programs say the same' if strip(said1) == strip(said2) == strip(said3) else 'the programs say something else')
    print(f'{"at least 20" if n >= 20 else n} libraries, {"thousands of" if len(known) > 2000 else len(known)} values: '
          f'{len(wrong)} differ')


main()
