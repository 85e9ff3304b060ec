#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs of integer operators, made from a seed, and where bpftrace answers otherwise.

    tests/peer/integers.py [--sonde PATH] [--keep] SEED FIRST COUNT

Each line of a program is one case: an operator, cast, compound assignment, ++ or --, bswap(), conversion of printf() or
aggregation, with operands of each width and sign that are literals, casts, variables, map values, members of tuples and
structures, elements of arrays or behind pointers. bpftrace of the root that tests/peer/peer-root made (BPFTRACE_ROOT is
another one) and sonde run the cases in programs of 40; what differs is printed. Lines that either refuses are left
out of a program and compared as refused. With --keep the lines that agree are printed as cases for tests/peer/*.cases,
without answers: tests/peer/run --new stores them.

The generator leaves out what rows of doc/differences.md say: division of negative numbers and by zero.
"""
import argparse
import os
import random
import re
import subprocess
import sys

WIDTHS = (8, 16, 32, 64)
BIN = ['+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>', '==', '!=', '<', '<=', '>', '>=', '&&', '||']
def typ(w, s): return ('int' if s else 'uint') + str(w)
def values(w, s):
    if s: return [-(1 << (w-1)), -(1 << (w-1)) + 1, -100, -7, -2, -1, 0, 1, 2, 3, 7, 100, (1 << (w-1)) - 1]
    return [0, 1, 2, 3, 7, 100, (1 << (w-1)) - 1, 1 << (w-1), (1 << w) - 2, (1 << w) - 1]
def lit(v): 
    return '(-9223372036854775807 - 1)' if v == -(1 << 63) else str(v)
class Case:
    def __init__(self, r, n): self.r, self.n, self.pre, self.k = r, n, [], 0
    def fresh(self): self.k += 1; return '%d_%d' % (self.n, self.k)
    def operand(self, src, w, s, v):
        t, u = typ(w, s), self.fresh()
        c = '(%s)%s' % (t, lit(v))
        if src == 'literal': return lit(v)
        if src == 'cast': return c
        if src == 'variable': self.pre.append('$v%s = %s;' % (u, c)); return '$v' + u
        if src == 'let': self.pre.append('let $v%s : %s = %s;' % (u, t, lit(v))); return '$v' + u
        if src == 'map': self.pre.append('@m%s = %s;' % (u, c)); return '@m' + u
        if src == 'key': self.pre.append('@k%s[1] = %s;' % (u, c)); return '@k%s[1]' % u
        if src == 'tuple': self.pre.append('$t%s = (%s, 1);' % (u, c)); return '$t%s.0' % u
        if src == 'field':
            self.pre.append('$v%s = (uint64)%d; $p%s = (struct v *)&$v%s;' % (u, v & (1 << 64) - 1, u, u))
            return '$p%s.%s%d' % (u, 's' if s else 'u', w)
        if src == 'array':
            self.pre.append('$v%s = (uint64)%d; $p%s = (struct a *)&$v%s;' % (u, v & (1 << 64) - 1, u, u))
            return '$p%s.%s%d[0]' % (u, 's' if s else 'u', w)
        if src == 'deref':
            self.pre.append('$v%s = (uint64)%d; $p%s = (%s *)&$v%s;' % (u, v & (1 << 64) - 1, u, t, u))
            return '*$p%s' % u
SRC = ['literal', 'cast', 'variable', 'let', 'map', 'key', 'tuple', 'field', 'array', 'deref']
def pick(r):
    w, s = r.choice(WIDTHS), r.random() < .5
    return w, s, r.choice(values(w, s))
def expr(c, r, depth=0):
    k = r.random()
    if k < .62:
        op = r.choice(BIN); w1, s1, v1 = pick(r); w2, s2, v2 = pick(r)
        if op in ('/', '%'):
            # the peer divides unsigned and by zero gives 1: rows of doc/differences.md
            while v1 < 0: w1, s1, v1 = pick(r)
            while v2 <= 0: w2, s2, v2 = pick(r)
        if op in ('<<', '>>'):
            while not 0 <= v2 < 64: w2, s2, v2 = pick(r)
        return '%s %s %s' % (c.operand(r.choice(SRC), w1, s1, v1), op, c.operand(r.choice(SRC), w2, s2, v2))
    if k < .72:
        w, s, v = pick(r); return r.choice('-~!') + c.operand(r.choice(SRC[1:]), w, s, v)
    if k < .80:
        w, s, v = pick(r); return '(%s)%s' % (typ(r.choice(WIDTHS), r.random() < .5), c.operand(r.choice(SRC[1:]), w, s, v))
    if k < .86:
        w, s, v = pick(r); w2, s2, v2 = pick(r)
        return '(%s ? %s : %s)' % (c.operand(r.choice(SRC[2:]), *pick(r)), c.operand(r.choice(SRC), w, s, v), c.operand(r.choice(SRC), w2, s2, v2))
    if k < .91:
        w, s, v = pick(r); return 'bswap(%s)' % c.operand(r.choice(SRC[1:]), w, s, v)
    if k < .94:
        w, s, v = pick(r); w2, s2, v2 = pick(r)
        return 'bswap(%s %s %s)' % (c.operand(r.choice(SRC), w, s, v), r.choice('+-*&|^'), c.operand(r.choice(SRC), w2, s2, v2))
    if depth < 2:
        return '(%s) %s (%s)' % (expr(c, r, depth+1), r.choice(['+', '-', '&', '|', '^', '*', '<', '==', '>=']), expr(c, r, depth+1))
    w, s, v = pick(r); return c.operand(r.choice(SRC), w, s, v)
CONV = ['%d', '%i', '%u', '%x', '%X', '%o', '%lld', '%llu', '%llx', '%ld', '%lu', '%hd', '%hu', '%hhd', '%hhu', '%hhx', '%hx', '%08x', '%-5d|', '%+d', '%#x', '%5u', '%c']
def case(seed, n):
    r = random.Random('%s-%d' % (seed, n)); c = Case(r, n); k = r.random()
    tag = '%d: ' % n
    P = 'printf("%s");' % tag
    if k < .22: s = '%s print(%s);' % (P, expr(c, r))
    elif k < .40: s = 'printf("%s%s\\n", %s);' % (tag, r.choice(CONV[:-1]), expr(c, r))
    elif k < .52: e = expr(c, r); s = '%s $r%d = %s; print((sizeof($r%d), $r%d));' % (P, n, e, n, n)
    elif k < .58: e = expr(c, r); s = '%s @r%d = %s; print(@r%d);' % (P, n, e, n)
    elif k < .62: e = expr(c, r); s = '%s @r%d[%s] = 1; print(@r%d);' % (P, n, e, n)
    elif k < .66: s = '%s print((%s, %s));' % (P, expr(c, r), expr(c, r))
    elif k < .70: s = '%s if (%s) { print("yes"); } else { print("no"); }' % (P, expr(c, r))
    elif k < .80:
        a = r.choice(['sum', 'min', 'max', 'avg', 'stats', 'hist', 'lhist'])
        tail = ', 0, 100, 10' if a == 'lhist' else ''
        key = r.choice(['', '[1]'])
        ups = []
        for i in range(r.randint(1, 3)):
            ups.append('@r%d%s = %s(%s%s);' % (n, key, a, c.operand(r.choice(SRC), *pick(r)), tail))
        s = '%s %s print(@r%d%s);' % (P, ' '.join(ups), n, key if r.random() < .5 and a not in ('hist', 'lhist', 'stats') else '')
    elif k < .92:
        w, g, v = pick(r); op = r.choice(['+=', '-=', '*=', '&=', '|=', '^=', '<<=', '>>=', '/=', '%='])
        rhs = pick(r)
        if op in ('/=', '%='):
            while v < 0: w, g, v = pick(r)
            while rhs[2] <= 0: rhs = pick(r)
        if op in ('<<=', '>>='):
            while not 0 <= rhs[2] < 64: rhs = pick(r)
        src = r.choice(['variable', 'let', 'map', 'key'])
        d = c.operand(src, w, g, v); o = c.operand(r.choice(SRC), *rhs)
        s = '%s %s %s %s; print(%s);' % (P, d, op, o, '(sizeof(%s), %s)' % (d, d) if src != 'key' else d)
    else:
        w, g, v = pick(r); src = r.choice(['variable', 'let', 'map', 'key'])
        d = c.operand(src, w, g, v); op = r.choice(['++', '--'])
        form = r.randint(0, 3)
        if form == 0: s = '%s %s%s; print(%s);' % (P, d, op, d)
        elif form == 1: s = '%s %s%s; print(%s);' % (P, op, d, d)
        elif form == 2: s = '%s print(%s%s); print(%s);' % (P, d, op, d)
        else: s = '%s print(%s%s); print(%s);' % (P, op, d, d)
    return ' '.join(c.pre) + ' ' + s
HEAD = '''struct v { union { int8_t s8; uint8_t u8; int16_t s16; uint16_t u16; int32_t s32; uint32_t u32; int64_t s64; uint64_t u64; }; };
struct a { union { int8_t s8[8]; uint8_t u8[8]; int16_t s16[4]; uint16_t u16[4]; int32_t s32[2]; uint32_t u32[2]; int64_t s64[1]; uint64_t u64[1]; }; };
'''


HERE = os.path.dirname(os.path.abspath(__file__))
BATCH = 40


def program(cases):
    lines = ''.join(' { %s }\n' % text for _, text in cases)
    return HEAD + 'begin {\n' + lines + ' %s exit(); }\n' % clear(lines)


def clear(lines):
    """Maps are emptied, so that none is printed at the end."""
    return ' '.join('clear(%s);' % m for m in sorted(set(re.findall(r'@\w+', lines))))


FIRST_LINE = HEAD.count('\n') + 2


def answers(command, cases, file):
    """The text of each case by its number; 'refused' where the compiler did."""
    left, found = list(cases), {}
    while left:
        with open(file, 'w') as f:
            f.write(program(left))
        p = subprocess.run(command + ['-q', file], capture_output=True, text=True, errors='replace', timeout=300)
        if p.returncode == 0:
            break
        bad = {int(m.group(1)) - FIRST_LINE for m in re.finditer(r':(\d+)[:-][^\n]*ERROR', p.stderr + p.stdout)}
        bad = {i for i in bad if 0 <= i < len(left)}
        if not bad and len(left) == 1: # it crashes
            return {**found, left[0][0]: 'refused'}
        if not bad:
            half = len(left) // 2
            return {**found, **answers(command, left[:half], file), **answers(command, left[half:], file)}
        for i in bad:
            found[left[i][0]] = 'refused'
        left = [c for i, c in enumerate(left) if i not in bad]
    for part in re.split(r'^(?=\d+: )', p.stdout if left else '', flags=re.M):
        m = re.match(r'(\d+): (.*)', part, flags=re.S)
        if m:
            found[int(m.group(1))] = m.group(2).strip()
    return found


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument('--sonde', default=os.path.join(HERE, '../../build/sonde'))
    ap.add_argument('--keep', action='store_true')
    ap.add_argument('seed')
    ap.add_argument('first', type=int)
    ap.add_argument('count', type=int)
    opt = ap.parse_args()
    root = os.environ.get('BPFTRACE_ROOT') or subprocess.run(
        [HERE + '/peer-root', 'sid', 'bpftrace'], capture_output=True, text=True, check=True).stdout.strip()
    peer, ours = [HERE + '/in-peer', root, 'bpftrace'], [opt.sonde, '--no-warnings']
    file, differ, kept = '/tmp/integers-%d.bt' % os.getpid(), 0, []

    for first in range(opt.first, opt.first + opt.count, BATCH):
        cases = [(n, case(opt.seed, n)) for n in range(first, min(first + BATCH, opt.first + opt.count))]
        theirs, mine = answers(peer, cases, file), answers(ours, cases, file)
        for n, text in cases:
            if theirs.get(n) == mine.get(n) != 'refused':
                kept.append((n, text))
            if theirs.get(n) != mine.get(n) and not opt.keep:
                differ += 1
                print('%d: %s\n  bpftrace: %s\n  sonde:    %s' % (n, text, theirs.get(n), mine.get(n)))
    os.unlink(file)
    if not opt.keep:
        print('%d cases, %d differ' % (opt.count, differ))
        return
    for i in range(0, len(kept), BATCH):
        print('> ' + program(kept[i:i + BATCH]).rstrip().replace('\n', '\n> ') + '\n')


if __name__ == '__main__':
    main()
