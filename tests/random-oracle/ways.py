#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that verifiers follow for long unless the compiler makes them forget.

    ways.py [--sonde PATH] [--limit S] [--uses N] [N_CONDITIONS]...

A number that differs on each of many ways through a program is used where a verifier asks for its value: as an index, a
length, a divisor, a bucket, a bound of a loop. Each way to make one is combined with each use: what does not load, takes longer
than S seconds or prints in the kernel what it does not print in the interpreter is wrong.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

# each makes $x one of many numbers; {b} is one bit, {i} a number; $r has bits, @s is a string
MAKE = {
    'if': 'if ($r & {b}) {{ $x += {i}; }}',
    'else': 'if ($r & {b}) {{ if ($r > {i}) {{ $x += 1; }} else {{ $x += 2; }} }} else {{ $x += 7; }}',
    'choice': '$x = $x + ($r & {b} ? {i} : 0);',
    'comparison': '$x += ($r & {b}) > 3 + {i};',
    'and': '$x += ($r & {b}) && $r > {i} ? 3 : 1;',
    'search': '$x += strcontains(@s, "{i}") ? {i} : 2;',
    'key': 'if (has_key(@k, {i})) {{ $x += {i}; }}',
    'string': 'if ($w == "abc{i}") {{ $x += {i}; }} else {{ $w = "abc{i}"; }}',
    'tuple': '$t = ($r & {b}, {i}); if ($t.0 > 4) {{ $x += $t.1; }}',
    'shift': 'if ($r & {b}) {{ $x = ($x << 1) | {i}; }}',
    'element': 'if ($a[{i} & 7] > 5) {{ $x += {i}; }}',
}
USE = {
    'index': '@[{i}] = (int64)$a[($x + {i}) & 7];',
    'bucket': '@h[{i}] = hist($x + {i});',
    'fine bucket': '@h[{i}] = hist($x + {i}, 3);',
    'linear bucket': '@l[{i}] = lhist($x + {i}, 0, 100, 7);',
    'decimal bucket': '@e[{i}] = llhist($x + {i}, 2, 0, 6, 10);',
    'part': '@t[{i}] = substr(@s, ($x + {i}) & 7, 3);',
    'length': '@n[{i}] = strlen(substr(@s, 0, $x + {i}));',
    'field': '@f[{i}] = split(@s, " ", $x + {i});',
    'copy': '@c[{i}] = str(@s, ($x + {i}) & 15);',
    'bytes': 'printf("{i} %r\\n", buf(@s, ($x + {i}) & 15));',
    'bound': 'for $i : 0..(($x + {i}) & 7) {{ @j[$i] = count(); }}',
    'divisor': '@[{i}] = 1000000 / ($x + {i} + 1);',
    'condition': '@[{i}] = $x + {i} > 55 ? 3 : 4;',
    'key': '@b[{i}, $x + {i}] = 1;',
}
BITS = 0x5a5a5


def program(make, use, n, uses):
    head = '@r = (int64)%d; @s = "one two three four"; @k[3] = 4;' % BITS
    body = ['$x = (int64)0; $r = @r; $a = (uint8[8])(uint64)$r; $w = @s;']
    body += [MAKE[make].format(b=1 << i % 20, i=i + 1) for i in range(n)]
    body += [USE[use].format(i=i) for i in range(uses)]
    return 'begin { %s }\nbegin {\n\t%s\n}\nend { clear(@r); }\n' % (head, '\n\t'.join(body))


def answer(sonde, path, *options):
    begin = time.monotonic()
    done = subprocess.run([sonde, '-q', '--no-warnings', *options, path], capture_output=True, text=True, timeout=100)
    return done.returncode, done.stdout, done.stderr, time.monotonic() - begin


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--sonde', default=os.environ.get('SONDE', 'build/sonde'))
    p.add_argument('--limit', type=float, default=5, metavar='S')
    p.add_argument('--uses', type=int, default=20, metavar='N')
    p.add_argument('conditions', type=int, nargs='*', default=[8, 14, 20], metavar='N_CONDITIONS')
    opt = p.parse_args()
    n, n_wrong = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'ways.bt')
        for make in MAKE:
            for use in USE:
                for conditions in opt.conditions:
                    with open(path, 'w') as f:
                        f.write(program(make, use, conditions, opt.uses))
                    status, out, err, seconds = answer(opt.sonde, path)
                    n += 1
                    if status or seconds > opt.limit or out != answer(opt.sonde, path, '--vm')[1]:
                        n_wrong += 1
                        print('%s, %s, %d conditions: status %d, %.1f s %s' % (make, use, conditions, status, seconds, err[:300]))
    print('%d programs, %d wrong' % (n, n_wrong))
    return n_wrong != 0


if __name__ == '__main__':
    sys.exit(main())
