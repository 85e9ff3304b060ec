#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""usdt_shapes.py DIRECTORY [x86_64|aarch64]: writes shapes.S, a program whose USDT notes hold every form of
argument that sys/sdt.h can produce, twelve to a probe; shapes.bt, a script that prints them all; and
expected, what it must print. The forms are drawn from a table with a fixed seed."""
import os
import platform
import random
import struct
import sys

rng = random.Random(7)
WHOLE = 'rax rbx rcx rdx rsi rdi rbp r8 r9 r10 r11 r12 r13 r14 r15'.split()
DATA = bytes(rng.randrange(256) for _ in range(4096))  # at the symbol data
SAVED = 'rbx rbp r12 r13 r14 r15'.split()
SIZES = [1, 2, 4, 8, -1, -2, -4, -8]


def part(reg, size):
    """The name of the low bytes of a register."""
    if size == 8:
        return reg
    if reg[1:].isdigit():
        return reg + {4: 'd', 2: 'w', 1: 'b'}[size]
    if size == 4:
        return 'e' + reg[1:]
    if size == 2:
        return reg[1:]
    return reg[1] + 'l' if reg.endswith('x') else reg[1:] + 'l'


def cut(value, size):
    bits = 8 * abs(size)
    value &= (1 << bits) - 1
    return value - (1 << bits) if size < 0 and value >> (bits - 1) else value


def at(offset, size):
    return cut(int.from_bytes(DATA[offset:offset + abs(size)], 'little'), size)


def note(n, args):
    return ['990:\tnop', '\t.pushsection .note.stapsdt,"?","note"', '\t.balign 4', '\t.4byte 992f-991f, 994f-993f, 3',
            '991:\t.asciz "stapsdt"', '992:\t.balign 4', '993:\t.8byte 990b', '\t.8byte _.stapsdt.base', '\t.8byte 0',
            '\t.asciz "shapes"', f'\t.asciz "p{n}"', f'\t.asciz "{" ".join(args)}"', '994:\t.balign 4', '\t.popsection']


class Probe:
    """Registers hold numbers, but for one that is the address of data + 2048 and a few small indexes."""
    MAIN = ['\tsub $8, %rsp'], '\tcall probe{}', ['\tadd $8, %rsp', '\txor %eax, %eax', '\tret']

    def __init__(self):
        regs = WHOLE[:]
        rng.shuffle(regs)
        self.base, self.index, *rest = regs
        self.small = rng.randrange(8)
        self.value = {r: rng.randrange(1 << 64) for r in rest}
        self.args, self.expected = [], []

    def add(self, text, size, value):
        self.args.append(f'{size}@{text}')
        self.expected.append(value)

    def register(self):
        size, reg = rng.choice(SIZES), rng.choice(list(self.value))
        high = reg in ('rax', 'rbx', 'rcx', 'rdx') and abs(size) == 1 and rng.random() < 0.5
        name = reg[1] + 'h' if high else part(reg, abs(size))
        self.add('%' + name, size, cut(self.value[reg] >> (8 if high else 0), size))

    def whole_register_for_less(self):
        size, reg = rng.choice(SIZES), rng.choice(list(self.value))
        self.add('%' + reg, size, cut(self.value[reg], size))

    def constant(self):
        size = rng.choice(SIZES)
        value = rng.choice([0, 1, -1, 127, -128, 255, 65535, -32768, 2**31 - 1, -2**31, 2**63 - 1, rng.randrange(2**40)])
        self.add(f'${value}', size, cut(value, size))

    def displaced(self):
        size, d = rng.choice(SIZES), rng.randrange(-2048, 2040)
        self.add(rng.choice([f'{d}(%{self.base})', f'{d - 8}+8(%{self.base})']), size, at(2048 + d, size))

    def plain(self):
        size = rng.choice(SIZES)
        self.add(f'(%{self.base})', size, at(2048, size))

    def indexed(self):
        size, scale, d = rng.choice(SIZES), rng.choice([1, 2, 4, 8]), rng.choice([0, rng.randrange(-1000, 1000)])
        text = f'(%{self.base},%{self.index},{scale})' if scale > 1 or rng.random() < 0.5 else f'(%{self.base},%{self.index})'
        self.add((str(d) if d else '') + text, size, at(2048 + self.small * scale + d, size))

    def symbol(self):
        size, d = rng.choice(SIZES), rng.randrange(4080)
        self.add(rng.choice([f'data+{d}(%rip)', f'{d}+data(%rip)', f'local+{d}(%rip)']), size, at(d, size))

    def on_stack(self):
        size = rng.choice(SIZES)
        self.add(rng.choice(['8(%rsp)', '8+0(%rsp)']), size, cut(0x1122334455667788, size))

    def code(self, n):
        lines = [f'probe{n}:'] + [f'\tpush %{r}' for r in SAVED]
        lines += ['\tmov $0x1122334455667788, %rax', '\tpush %rax', '\tpush %rax']
        lines += [f'\tmov ${v:#x}, %{r}' for r, v in self.value.items()]
        lines += [f'\tlea data+2048(%rip), %{self.base}', f'\tmov ${self.small}, %{self.index}']
        lines += note(n, self.args)
        return lines + ['\tadd $16, %rsp'] + [f'\tpop %{r}' for r in reversed(SAVED)] + ['\tret']


class ArmProbe(Probe):
    """Likewise, with an index whose low half is negative, one whose high half is garbage, and floats."""
    MAIN = ['\tstp x29, x30, [sp, -16]!'], '\tbl probe{}', ['\tldp x29, x30, [sp], 16', '\tmov w0, 0', '\tret']
    SAVED = [f'x{i}' for i in range(19, 31)]

    def __init__(self):
        regs = [f'x{i}' for i in range(31) if i != 18]
        rng.shuffle(regs)
        self.base, self.page, self.float, self.single, self.index, self.minus, self.dirty, *rest = regs
        self.small, self.back, self.real = rng.randrange(8), rng.randrange(1, 9), rng.randrange(-999, 999) / 8
        self.value = {r: rng.randrange(1 << 64) for r in rest}
        garbage = rng.randrange(1, 1 << 32) << 32
        self.value |= {self.index: self.small, self.minus: garbage | (1 << 32) - self.back, self.dirty: garbage | self.small,
                       self.float: int.from_bytes(struct.pack('<d', self.real), 'little'),
                       self.single: garbage | int.from_bytes(struct.pack('<f', self.real), 'little')}
        self.args, self.expected = [], []

    def add_float(self, text, size, value):
        self.args.append(f'{size}f@{text}')
        self.expected.append(f'{value:.12g}')

    def register(self):
        size, reg = rng.choice(SIZES), rng.choice(list(self.value))
        self.add(reg if abs(size) == 8 or rng.random() < 0.5 else 'w' + reg[1:], size, cut(self.value[reg], size))

    def zero(self):
        self.add(rng.choice(['xzr', 'wzr']), rng.choice(SIZES), 0)

    def constant(self):
        size = rng.choice(SIZES)
        value = rng.choice([0, 1, -1, 127, -128, 255, 65535, -32768, 2**31 - 1, -2**31, 2**63 - 1, rng.randrange(2**40)])
        self.add(rng.choice(['', '#']) + str(value), size, cut(value, size))

    def displaced(self):
        size, d = rng.choice(SIZES), rng.randrange(-2048, 2040)
        self.add(rng.choice([f'[{self.base}, {d}]', f'[{self.base}, #{d}]', f'[{self.base},{d}]', f'[{self.base}, {d}]!']), size,
                 at(2048 + d, size))

    def plain(self):
        size = rng.choice(SIZES)
        self.add(rng.choice([f'[{self.base}]', f'[{self.base}], {size}', f'[{self.base}, xzr]']), size, at(2048, size))

    def indexed(self):
        size, shift = rng.choice(SIZES), rng.randrange(5)
        name, by, how = rng.choice([(self.index, self.small, 'lsl'), (self.index, self.small, 'sxtx'),
                                    ('w' + self.dirty[1:], self.small, 'uxtw'), ('w' + self.minus[1:], -self.back, 'sxtw')])
        tail = f', {how} {rng.choice(["", "#"])}{shift}' if shift or how == 'lsl' else f', {how}'
        if how == 'lsl' and not shift:
            tail = ''
        self.add(f'[{self.base}, {name}{tail}]', size, at(2048 + (by << shift), size))

    def symbol(self):
        size, d = rng.choice(SIZES), rng.randrange(4080)
        self.add(rng.choice([f'[{self.page}, :lo12:data+{d}]', f'[{self.page}, #:lo12:local+{d}]']), size, at(d, size))

    def on_stack(self):
        size = rng.choice(SIZES)
        self.add(rng.choice(['[sp, 8]', '[sp,#8]', '[sp]', '[sp, xzr, lsl 3]']), size, cut(0x1122334455667788, size))

    def floating(self):
        k = rng.randrange(1, 4096) / 16
        rng.choice([lambda: self.add_float(f'{k:e}'.replace('e+0', 'e+'), rng.choice([4, 8]), k),
                    lambda: self.add_float(self.float, 8, self.real),
                    lambda: self.add_float('w' + self.single[1:], 4, self.real),
                    lambda: self.add_float('[sp, 16]', 8, 2.5), lambda: self.add_float('[sp, 24]', 4, -0.75)])()

    def code(self, n):
        pairs = list(zip(self.SAVED[::2], self.SAVED[1::2]))
        lines = [f'probe{n}:', '\tstp x29, x30, [sp, -96]!'] + [f'\tstp {a}, {b}, [sp, {16 * i}]' for i, (a, b) in enumerate(pairs[:-1], 1)]
        lines += ['\tsub sp, sp, 32', '\tldr x9, =0x1122334455667788', '\tstp x9, x9, [sp]']
        lines += [f'\tldr x9, ={int.from_bytes(struct.pack("<df", 2.5, -0.75)[:8], "little"):#x}', '\tstr x9, [sp, 16]',
                  f'\tldr x9, ={int.from_bytes(struct.pack("<f", -0.75), "little"):#x}', '\tstr x9, [sp, 24]']
        lines += [f'\tldr {r}, ={v:#x}' for r, v in self.value.items()]
        lines += [f'\tadrp {self.page}, data', f'\tadd {self.base}, {self.page}, :lo12:data', f'\tadd {self.base}, {self.base}, 2048']
        lines += note(n, self.args) + ['\tadd sp, sp, 32']
        lines += [f'\tldp {a}, {b}, [sp, {16 * i}]' for i, (a, b) in enumerate(pairs[:-1], 1)]
        return lines + ['\tldp x29, x30, [sp], 96', '\tret', '\t.ltorg']


FORMS = {'x86_64': (Probe, [Probe.register] * 5 + [Probe.whole_register_for_less, Probe.constant, Probe.constant, Probe.displaced,
                                                   Probe.displaced, Probe.plain, Probe.indexed, Probe.indexed, Probe.symbol,
                                                   Probe.on_stack]),
         'aarch64': (ArmProbe, [ArmProbe.register] * 4 + [ArmProbe.zero, ArmProbe.constant, ArmProbe.constant, ArmProbe.displaced,
                                                          ArmProbe.displaced, ArmProbe.plain] + [ArmProbe.indexed] * 4 +
                     [ArmProbe.symbol, ArmProbe.symbol, ArmProbe.on_stack, ArmProbe.floating])}


def main(folder, machine):
    kind, forms = FORMS[machine]
    probes = []
    for _ in range(50):
        p = kind()
        for _ in range(12):
            rng.choice(forms)(p)
        probes.append(p)
    code = ['\t.section .stapsdt.base,"aG",%progbits,.stapsdt.base,comdat', '\t.weak _.stapsdt.base', '\t.hidden _.stapsdt.base',
            '_.stapsdt.base:\t.space 1', '\t.size _.stapsdt.base, 1', '\t.data', '\t.balign 4096', '\t.globl data', 'data:', 'local:']
    code += ['\t.byte ' + ', '.join(map(str, DATA[i:i + 32])) for i in range(0, len(DATA), 32)]
    code += ['\t.type data, %object', '\t.size data, 4096', '\t.type local, %object', '\t.size local, 4096']
    begin, call, end = kind.MAIN
    code += ['\t.text', '\t.globl main', '\t.type main, %function', 'main:', *begin, *(call.format(n) for n in range(len(probes))), *end]
    for n, p in enumerate(probes):
        code += p.code(n)
    with open(os.path.join(folder, 'shapes.S'), 'w') as f:
        f.write('\n'.join(code) + '\n\t.section .note.GNU-stack,"",%progbits\n')
    with open(os.path.join(folder, 'shapes.bt'), 'w') as f:
        for n, p in enumerate(probes):
            values = ', '.join(f'arg{i}' for i in range(len(p.args)))
            f.write(f'usdt:{folder}/shapes:shapes:p{n} {{ print(("p{n}", {values})); }}\n')
    with open(os.path.join(folder, 'expected'), 'w') as f:
        for n, p in enumerate(probes):
            f.write(f'(p{n}, {", ".join(map(str, p.expected))})\n')


assert struct.calcsize('P') == 8
main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else platform.machine())
