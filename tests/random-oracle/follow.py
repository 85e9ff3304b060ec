#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How well sonde predicts what the kernel's verifier processes.

    follow.py [--sonde PATH] [--worst N] [--close] [--random N] [--large N] [--ways N] [FILE]...

Runs scripts with -v, which tells both numbers, and prints the correlation of their logarithms, how far apart they are and
the programs that are furthest apart. FILEs are scripts that end by themselves; the others are made (programs.py, ways.py).
"""
import argparse
import itertools
import math
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import programs  # noqa: E402
import ways  # noqa: E402

LINE = re.compile(r'programs: (\d+) of (\d+) instructions, of which the verifier processes (\d+) \(expected: (\d+)\)(.*)')


def measure(sonde, path):
    done = subprocess.run([sonde, '-v', '--no-warnings', path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=100)
    found = LINE.search(done.stderr)
    return tuple(int(found.group(i)) for i in range(2, 5)) if found and int(found.group(3)) else None


def made(opt, folder):
    texts = [('random-%d' % i, programs.Program(i).text) for i in range(opt.random)]
    texts += [('large-%d' % i, programs.Program(i, True).text) for i in range(opt.large)]
    pairs = [(m, u) for m in ways.MAKE for u in ways.USE]
    random.Random(1).shuffle(pairs)
    texts += [('ways: %s, %s' % p, ways.program(*p, 8 + i % 13, 20)) for i, p in enumerate(pairs[:opt.ways])]
    for name, text in texts:
        path = os.path.join(folder, 'x.bt')
        with open(path, 'w') as f:
            f.write(text)
        yield name, path


def correlation(pairs):
    n = len(pairs)
    a, b = (sum(p[i] for p in pairs) / n for i in (0, 1))
    top = sum((x - a) * (y - b) for x, y in pairs)
    return top / math.sqrt(sum((x - a) ** 2 for x, _ in pairs) * sum((y - b) ** 2 for _, y in pairs))


def apart(rows, share):
    r = rows[min(len(rows) - 1, len(rows) * share // 100)]
    return math.exp(abs(math.log(r[3] / r[2])))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--sonde', default=os.environ.get('SONDE', 'build/sonde'))
    for option in ('--random', '--large', '--ways'):
        p.add_argument(option, type=int, default=0, metavar='N')
    p.add_argument('--worst', type=int, default=5, metavar='N')
    p.add_argument('--close', action='store_true', help='says only whether nine of ten are within a factor of 2')
    p.add_argument('files', nargs='*')
    opt = p.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in itertools.chain(zip(opt.files, opt.files), made(opt, folder)):
            rows.append((name, measure(opt.sonde, path)))
    rows = [(name, *m) for name, m in rows if m]
    rows.sort(key=lambda r: abs(math.log(r[3] / r[2])))
    if opt.close and apart(rows, 90) < 2:
        print('as expected')
        return False
    print('%d programs, correlation of the logarithms %.4f' % (len(rows), correlation([(math.log(r[2]), math.log(r[3])) for r in rows])))
    print('the most that the kernel processed: %d' % max(r[2] for r in rows))
    for share in (50, 90, 95, 99):
        print('%d %% are within a factor of %.2f' % (share, apart(rows, share)))
    for r in rows[-opt.worst:] if opt.worst else []:
        print('%s: %d instructions, %d processed, %d expected' % r)
    return opt.close


if __name__ == '__main__':
    sys.exit(main())
