#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random programs that know what they print.

    programs.py [--sonde PATH] [--keep DIR] [--large] [--limit S] FIRST COUNT [ARGUMENT]...

Each number from FIRST on is the seed of one well-typed program. Its expressions and statements are made
together with a Python function that does the same by the rules of doc/language.md, so the expected output
comes from a second implementation of the language. --large: some 10 KB each, strings for the most part. ARGUMENTs go to sonde (--vm, --no-pass=all). Prints
how many programs there were and how many of them were wrong; those are kept in DIR with what differs.
"""
import argparse
import os
import random
import re
import resource
import subprocess
import sys
import tempfile

INTS = ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64']
ALL_ONES = (1 << 64) - 1
WORDS = ['', 'a', 'ab', 'abc', 'abcdefg', 'abcdefgh', 'abcdefghi', 'hello world', 'x' * 15, 'y' * 16, 'z' * 31,
         'w' * 33, 'a b', 'q' * 70, 'a/b', '/usr/lib/x/']
NUMBERS = [0, 1, 2, 3, 5, 7, 8, 63, 100, 127, 128, 200, 255, 256, 1000, 32767, 32768, 65535, 65536, 100000,
           (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63, ALL_ONES]


class Again(Exception):
    """This choice leads nowhere (a constant overflows, nothing of that kind exists): make another one."""


# ---- integers of the language

def n_bits(name):
    return 8 if name == 'bool' else int(name.lstrip('uint'))


def is_signed(name):
    return name.startswith('int')


def is_unsigned(name):
    return name.startswith('uint')


def cut(value, name):
    """A Python integer as a value of that type."""
    if name == 'bool':
        return int(value & ALL_ONES != 0)
    value &= (1 << n_bits(name)) - 1
    return value - (1 << n_bits(name)) if is_signed(name) and value >> (n_bits(name) - 1) else value


def divide(op, a, b):
    """Rounds towards zero; x / 0 is 0, x % 0 is x."""
    if not b:
        return a if op == '%' else 0
    quotient = abs(a) // abs(b)
    if (a < 0) != (b < 0):
        quotient = -quotient
    return quotient if op == '/' else a - quotient * b


def compute(op, a, b):
    return {'+': lambda: a + b, '-': lambda: a - b, '*': lambda: a * b, '/': lambda: divide('/', a, b),
            '%': lambda: divide('%', a, b), '&': lambda: a & b, '|': lambda: a | b, '^': lambda: a ^ b,
            '<<': lambda: a << (b & 63), '>>': lambda: a >> (b & 63)}[op]()


def compare(op, a, b):
    return int({'==': a == b, '!=': a != b, '<': a < b, '>': a > b, '<=': a <= b, '>=': a >= b}[op])


# ---- types: an integer's name, 'bool', 'string', ('tuple', [types]), ('record', [types]),
# ('array', integer, count); maps have ('keyed', key, value) as well

class Expr:
    """text; type; value(env); const: the value known at compile time; flexible: a positive literal, which
    goes with either sign; typed: a constant that computes as at run time, because it was cast."""

    def __init__(self, text, type_, value, const=None, flexible=False, typed=False):
        self.text, self.type, self.value, self.const, self.flexible = text, type_, value, const, flexible
        self.typed, self.known = typed, False  # known: a tuple or record of constants

    @property
    def inner(self):
        """As an operand."""
        plain = self.text.lstrip('$@').replace('_', '')
        return self.text if plain.isalnum() or not plain else '(%s)' % self.text


def literal(text, value):
    """Of the smallest type that holds the value, as the language has it."""
    if value > (1 << 63) - 1:
        if value > ALL_ONES:
            raise Again
        return Expr(text, 'uint64', lambda env: value, value)
    for name in ('int8', 'int16', 'int32', 'int64'):
        if cut(value, name) == value:
            return Expr(text, name, lambda env: value, value, value >= 0)
    raise Again


def constant(text, name, value, typed=False):
    return Expr(text, name, lambda env: value, value, typed=typed and name != 'bool')


def goes_unsigned(e):
    return not is_signed(e.type) or e.flexible


def common(a, b):
    """The type of both operands of most operators."""
    both = goes_unsigned(a) and goes_unsigned(b)
    return 'uint64' if both and (is_unsigned(a.type) or is_unsigned(b.type)) else 'int64'


def join(a, b):
    """The type of c ? a : b, and whether it is flexible still."""
    loose_a, loose_b = a.flexible or a.type == 'bool', b.flexible or b.type == 'bool'
    size = max(n_bits(a.type), n_bits(b.type))

    def sized(bits, signed):
        return ('int%d' if signed else 'uint%d') % bits, False
    if loose_a and loose_b:
        wider = b if a.type == 'bool' else a if b.type == 'bool' or n_bits(a.type) >= n_bits(b.type) else b
        return wider.type, wider.flexible and wider.type != 'bool'
    if loose_a or loose_b:
        return sized(size, is_signed(b.type if loose_a else a.type))
    if is_signed(a.type) == is_signed(b.type):
        return sized(size, is_signed(a.type))
    unsigned, signed = (b, a) if is_signed(a.type) else (a, b)
    if n_bits(unsigned.type) < n_bits(signed.type):
        return signed.type, False
    return sized(min(n_bits(unsigned.type) * 2, 64), True)


def show(value, type_):
    """As print() does."""
    if type_ == 'bool':
        return 'true' if value else 'false'
    if isinstance(type_, tuple) and type_[0] == 'array':
        return '[%s]' % ','.join(map(str, value))
    if isinstance(type_, tuple) and type_[0] == 'record':
        return '{ %s }' % ', '.join('.%s = %s' % (n, show(v, t)) for n, v, t in zip('abc', value, type_[1]))
    if isinstance(type_, tuple):
        return '(%s)' % ', '.join(show(v, t) for v, t in zip(value, type_[1]))
    return str(value)


def base_name(s):
    return s.rstrip('/').rpartition('/')[2] or ('/' if s.startswith('/') else '.')


def dir_name(s):
    head = s.rstrip('/').rpartition('/')[0].rstrip('/')
    return head or ('/' if s.startswith('/') else '.')


def is_whole(type_):
    return isinstance(type_, tuple) and type_[0] in ('tuple', 'record')


class Expressions:
    def __init__(self, rng):
        self.rng = rng
        self.scopes = []    # of variables: name -> type
        self.maps = {}      # name -> type
        self.functions = []  # (name, parameter types, result type, body(env, arguments))
        self.string_functions = []  # (name, body(env, argument)): of one string
        self.macros = []    # (name, type of its argument, body(Expr))
        self.names = 0
        self.in_function = False
        self.permutes = False  # records may be written in any order: their type is known already

    def chance(self, p):
        return self.rng.random() < p

    def name(self, prefix):
        self.names += 1
        return '%s%d' % (prefix, self.names)

    def variables(self, wanted):
        return [(n, t) for scope in self.scopes for n, t in scope.items() if wanted(t)]

    def pick(self, choices):
        if not choices:
            raise Again
        return self.rng.choice(choices)

    # ---- integers

    def integer(self, depth=0):
        ways = [(12, self.number), (13, self.integer_variable), (10, self.integer_map)]
        if depth <= 4:
            ways += [(5, self.element), (6, self.member), (4, self.choice), (2, self.block_value), (6, self.cast),
                     (6, self.unary), (4, self.condition), (4, self.call), (3, self.character),
                     (3, self.array_element), (5, self.of_strings), (2, self.macro_call), (22, self.binary)]
        return self.rng.choices([w for _, w in ways], [n for n, _ in ways])[0](depth)

    def number(self, depth):
        value = self.rng.choice(NUMBERS + [self.rng.randrange(1 << self.rng.randrange(1, 64))])
        return literal(str(value) if self.chance(.7) else hex(value), value)

    def integer_variable(self, depth):
        name, type_ = self.pick(self.variables(lambda t: t in INTS or t == 'bool'))
        return Expr(name, type_, lambda env: env[name], flexible=name in self.flexible)

    def integer_map(self, depth):
        name, type_ = self.pick([(n, t) for n, t in self.maps.items() if t in INTS])
        return Expr(name, type_, lambda env: env[name])

    def element(self, depth):
        name, type_ = self.pick([(n, t) for n, t in self.maps.items() if t[0] == 'keyed' and t[2] in INTS])
        key = self.key(type_[1], depth + 1)
        return Expr('%s[%s]' % (name, key.text), type_[2], lambda env: env[name].get(key.value(env), 0))

    def member(self, depth):
        name, type_ = self.pick(self.variables(is_whole))
        i = self.pick([i for i, t in enumerate(type_[1]) if t in INTS])
        forms = ['%s.%s' % (name, 'abc'[i])] if type_[0] == 'record' else ['%s.%d' % (name, i), '%s[%d]' % (name, i)]
        return Expr(self.rng.choice(forms), type_[1][i], lambda env: env[name][i])

    def choice(self, depth):
        c, a, b = self.condition(depth + 1), self.integer(depth + 1), self.integer(depth + 1)
        text = '(%s ? %s : %s)' % (c.text, a.text, b.text)
        type_, flexible = join(a, b)  # also where the condition is known
        if c.const is not None:
            live, other = (a, b) if c.const else (b, a)
            if live.const is not None and live.type == 'bool' and other.type != 'bool':
                return Expr(text, type_, live.value, live.const, flexible)
            if live.const is not None and (live.flexible or other.flexible or live.type == type_):
                return Expr(text, live.type, live.value, live.const, live.flexible)
        return Expr(text, type_, lambda env: cut((a if c.value(env) else b).value(env), type_), flexible=flexible)

    def block_value(self, depth):
        if self.in_function:
            raise Again
        name, a = self.name('$b'), self.integer(depth + 2)
        self.scopes.append({name: a.type})
        if a.flexible:
            self.flexible.add(name)
        try:
            b = self.integer(depth + 1)
        finally:
            self.scopes.pop()
        if a.const is not None or b.const is not None:
            raise Again

        def value(env):
            env[name] = a.value(env)
            return b.value(env)
        return Expr('{ let %s = %s; %s }' % (name, a.text, b.text), b.type, value, flexible=b.flexible)

    def cast(self, depth):
        type_, a = self.rng.choice(INTS + ['bool']), self.integer(depth + 1)
        return self.cast_to(type_, a)

    def cast_to(self, type_, a):
        text = '(%s)%s' % (type_, a.inner)
        if a.const is not None:
            return constant(text, type_, cut(a.const, type_), True)
        return Expr(text, type_, lambda env: cut(a.value(env), type_))

    def unary(self, depth):
        op, a = self.rng.choice('-~!'), self.integer(depth + 1)
        text = op + a.inner
        unsigned = is_unsigned(a.type)
        type_ = 'bool' if op == '!' else 'uint64' if unsigned else 'int64'

        def apply(v):
            return int(not v) if op == '!' else cut(-v if op == '-' else ~v, a.type if unsigned else 'int64')
        if a.const is None:
            return Expr(text, type_, lambda env: apply(a.value(env)))
        if op == '!' or a.typed or a.type == 'bool':
            return constant(text, type_, apply(a.const), True)
        if op == '-':
            return literal(text, -a.const)
        if 0 <= a.const < 1 << 63:
            return constant(text, 'uint64', ~a.const & ALL_ONES)
        return literal(text, cut(~a.const, 'int64'))

    def binary(self, depth):
        op = self.rng.choice(['+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>'])
        a, b = self.integer(depth + 1), self.integer(depth + 1)
        text = '%s %s %s' % (a.inner, op, b.inner)
        if op in ('<<', '>>') and b.const is not None and not 0 <= b.const < 64:
            raise Again
        if a.const is not None and b.const is not None:
            return self.folded(op, a, b, text)
        type_ = self.result_type(op, a, b)

        def value(env):
            x, y = a.value(env), b.value(env)
            if op == '>>' and not is_signed(a.type):
                x &= ALL_ONES
            return cut(compute(op, x, y), type_)
        return Expr(text, type_, value)

    @staticmethod
    def result_type(op, a, b):
        if op == '-':
            return 'int64'
        if op in ('<<', '>>'):
            return 'uint64' if is_unsigned(a.type) else 'int64'
        return common(a, b)

    @staticmethod
    def folded(op, a, b, text):
        """Constants are exact, and must fit."""
        def rigid(e):
            return is_signed(e.type) and not e.flexible
        if op in '/%' and not b.const:
            raise Again
        if a.typed or b.typed:
            type_ = Expressions.result_type(op, a, b)
            left = a.const if op in '/%' else cut(a.const, type_)
            right = b.const if op in ('<<', '>>', '/', '%') else cut(b.const, type_)
            if op in '/%' and not right:
                raise Again
            return constant(text, type_, cut(compute(op, left, right), type_), True)
        value = compute(op, a.const, b.const)
        unsigned = is_unsigned(a.type) or (is_unsigned(b.type) and op not in ('<<', '>>'))
        if op == '-' or (op not in ('<<', '>>') and (rigid(a) or rigid(b))):
            unsigned = False
        if not -(1 << 63) <= value <= ALL_ONES or (unsigned and value < 0):
            raise Again
        return constant(text, 'uint64', value) if unsigned else literal(text, value)

    def call(self, depth):
        if self.in_function:
            raise Again
        name, params, result, body = self.pick(self.functions)
        args = [self.integer(depth + 2) for _ in params]

        def value(env):
            return body(env, [cut(a.value(env), p) for a, p in zip(args, params)])
        return Expr('%s(%s)' % (name, ', '.join(a.text for a in args)), result, value)

    def character(self, depth):
        name, _ = self.pick(self.variables(lambda t: t == 'string'))
        i = self.integer(depth + 2)
        if i.const is not None:
            raise Again
        return Expr('%s[(%s) & 1]' % (name, i.text), 'int8',
                    lambda env: ord((env[name] + '\0\0')[i.value(env) & 1]))

    def array_element(self, depth):
        """What is out of bounds is an error where it is known, 0 where not."""
        name, (_, type_, count) = self.pick(self.variables(lambda t: t[0] == 'array'))
        i = self.integer(depth + 2)
        if i.const is not None:
            at = abs(i.const) % count
            return Expr('%s[%d]' % (name, at), type_, lambda env: env[name][at])

        def value(env):
            at = i.value(env) & ALL_ONES
            return env[name][at] if at < count else 0
        return Expr('%s[%s]' % (name, i.text), type_, value)

    def of_strings(self, depth):
        """strlen, strstr, strncmp of strings: numbers."""
        way, s = self.rng.randrange(3), self.string(depth + 2)
        if way == 0:
            return self.called('strlen', 'uint64', [s], lambda a: len(a))
        t = self.string(depth + 2)
        if way == 1:
            return self.called('strstr', 'int64', [s, t], lambda a, b: a.find(b))
        n = self.rng.choice([0, 1, 2, 3, 8, 9, 40])
        return self.called('strncmp', 'uint64', [s, t, str(n)], lambda a, b: int(a[:n] != b[:n]))

    @staticmethod
    def called(name, type_, args, do):
        """A call of a builtin; arguments that are text are not handed to `do`. It is constant when all of them are."""
        text = '%s(%s)' % (name, ', '.join(a if isinstance(a, str) else a.text for a in args))
        given = [a for a in args if not isinstance(a, str)]
        if all(a.const is not None for a in given) and name in ('strlen', 'strstr', 'strncmp', 'glob', 'strcontains', 'str_concat'):
            value = do(*[a.const for a in given])
            return Expr(text, type_, lambda env: value, value, typed=type_ in INTS)
        return Expr(text, type_, lambda env: do(*[a.value(env) for a in given]))

    def macro_call(self, depth):
        """A macro is pasted: its argument is evaluated wherever it stands in the body."""
        name, type_, body = self.pick(self.macros)
        a = self.value_of(type_, depth + 2)
        if a.const is not None:
            raise Again
        e = body(a)
        return Expr('%s(%s)' % (name, a.text), e.type, e.value)

    # ---- conditions

    def condition(self, depth=0):
        way = self.rng.random()
        if way < .15 and depth < 4:
            return self.logic(depth)
        if .15 <= way < .2:
            return self.search(depth)
        if .2 <= way < .24 and depth < 3:
            type_ = ('tuple', self.rng.choice([['int64', 'string'], ['string', 'string'], ['string', 'uint8', 'string']]))
            return self.equality(self.whole(type_, depth + 1), self.whole(type_, depth + 1))
        if way < .35:
            a, b = self.string(depth + 1), self.string(depth + 1)
            return self.equality(a, b)
        if way < .45:
            name, type_ = self.pick(self.variables(is_whole))
            return self.equality(Expr(name, type_, lambda env: env[name]), self.value_of(type_, depth + 1))
        a, b = self.integer(depth + 1), self.integer(depth + 1)
        op, type_ = self.rng.choice(['==', '!=', '<', '>', '<=', '>=']), common(a, b)
        text = '%s %s %s' % (a.inner, op, b.inner)
        if a.const is not None and b.const is not None and not a.typed and not b.typed:
            return constant(text, 'bool', compare(op, a.const, b.const))
        if a.const is not None and b.const is not None:
            return constant(text, 'bool', compare(op, cut(a.const, type_), cut(b.const, type_)))
        return Expr(text, 'bool', lambda env: compare(op, cut(a.value(env), type_), cut(b.value(env), type_)))

    def search(self, depth):
        s = self.string(depth + 1)
        if self.chance(.5):
            return self.called('strcontains', 'bool', [s, self.string(depth + 1)], lambda a, b: int(b in a))
        glob = self.rng.choice(['*', 'a*', '*b*', '?', '??*', '[a-c]*', '*[!a-z]*', '', 'ab?', '*ab*', 'hello*d'])
        rule = re.compile(''.join('.*' if c == '*' else '.' if c == '?' else c for c in glob).replace('[!', '[^') + r'\Z', re.S)
        return self.called('glob', 'bool', [s, '"%s"' % glob], lambda a: int(bool(rule.match(a))))

    def logic(self, depth):
        op, a, b = self.rng.choice(['&&', '||']), self.condition(depth + 1), self.condition(depth + 1)
        text, ends = '(%s) %s (%s)' % (a.text, op, b.text), int(op == '||')
        if a.const is not None and (a.const == ends or b.const is not None):
            return constant(text, 'bool', ends if a.const == ends else b.const)
        return Expr(text, 'bool', lambda env: ends if a.value(env) == ends else b.value(env))

    def equality(self, a, b):
        op = self.rng.choice(['==', '!='])
        text = '%s %s %s' % (a.text, op, b.text)
        if a.const is not None and b.const is not None:
            return constant(text, 'bool', compare(op, a.const, b.const))
        if a.known and b.known:
            return constant(text, 'bool', compare(op, a.value({}), b.value({})))
        return Expr(text, 'bool', lambda env: compare(op, a.value(env), b.value(env)))

    # ---- strings, tuples, records

    def string(self, depth=0):
        ways = [self.word, self.string_variable, self.string_map, self.string_element, self.string_member]
        if depth < 4:
            ways += [self.string_choice, self.part, self.concat, self.field]
            ways += [self.string_call] if self.string_functions and not self.in_function else []
        try:
            return self.rng.choice(ways)(depth)
        except Again:
            return self.word(depth)

    def word(self, depth):
        word = self.rng.choice(WORDS)
        return constant('"%s"' % word, 'string', word)

    def string_variable(self, depth):
        name, _ = self.pick(self.variables(lambda t: t == 'string'))
        return Expr(name, 'string', lambda env: env[name])

    def string_map(self, depth):
        name = self.pick([n for n, t in self.maps.items() if t == 'string'])
        return Expr(name, 'string', lambda env: env[name])

    def string_element(self, depth):
        name, type_ = self.pick([(n, t) for n, t in self.maps.items() if t[0] == 'keyed' and t[2] == 'string'])
        key = self.key(type_[1], depth + 1)
        return Expr('%s[%s]' % (name, key.text), 'string', lambda env: env[name].get(key.value(env), ''))

    def string_member(self, depth):
        name, type_ = self.pick(self.variables(is_whole))
        i = self.pick([i for i, t in enumerate(type_[1]) if t == 'string'])
        return Expr('%s.%s' % (name, 'abc'[i] if type_[0] == 'record' else i), 'string', lambda env: env[name][i])

    def string_choice(self, depth):
        c, a, b = self.condition(depth + 1), self.string(depth + 1), self.string(depth + 1)
        return self.chosen(c, a, b, 'string')

    def part(self, depth):
        s = self.string(depth + 1)
        if self.chance(.25):
            f = self.rng.choice([('basename', base_name), ('dirname', dir_name)])
            return self.called(f[0], 'string', [s], f[1])
        at = self.integer(depth + 2) if self.chance(.5) else literal('1', 1)
        if at.const is not None:
            at = literal(str(abs(at.const) % 9), abs(at.const) % 9)
        at = Expr('(%s) & 7' % at.text if at.const is None else at.text, 'int64',
                  (lambda e: lambda env: e.value(env) & 7 if e.const is None else e.const)(at))
        n = self.rng.choice([0, 1, 3, 10, 200])
        return self.called('substr', 'string', [s, at, str(n)], lambda a, i: a[i:i + n])

    def concat(self, depth):
        return self.called('str_concat', 'string', [self.string(depth + 1), self.string(depth + 1)], lambda a, b: (a + b)[:1023])

    def field(self, depth):
        s, i, separator = self.string(depth + 1), self.rng.randrange(3), self.rng.choice([' ', 'b', 'xx', 'a', 'll'])

        def split(a):
            parts = a.split(separator)
            return parts[i] if i < len(parts) else ''
        return self.called('split', 'string', [s, '"%s"' % separator, str(i)], split)

    def string_call(self, depth):
        name, body = self.pick(self.string_functions)
        a = self.string(depth + 2)
        return Expr('%s(substr(%s, 0, 127))' % (name, a.text), 'string', lambda env: body(env, a.value(env)[:127]))

    @staticmethod
    def chosen(c, a, b, type_):
        text = '(%s ? %s : %s)' % (c.text, a.text, b.text)
        if c.const is not None:
            live = a if c.const else b
            return Expr(text, type_, live.value, live.const)
        return Expr(text, type_, lambda env: (a if c.value(env) else b).value(env))

    def value_of(self, type_, depth=0):
        """Of exactly that type."""
        if type_ == 'string':
            return self.string(depth)
        if not is_whole(type_):
            return self.cast_to(type_, self.integer(depth))
        same = self.variables(lambda t: t == type_)
        if same and self.chance(.2):
            name, _ = self.rng.choice(same)
            return Expr(name, type_, lambda env: env[name])
        if depth < 3 and self.chance(.15):
            c, a, b = self.condition(depth + 1), self.whole(type_, depth + 2), self.whole(type_, depth + 2)
            if c.const is None:
                return self.chosen(c, a, b, type_)
        return self.whole(type_, depth)

    def whole(self, type_, depth):
        parts = [self.value_of(t, depth + 1) for t in type_[1]]
        order = list(range(len(parts)))
        if type_[0] == 'tuple':
            text = '(%s%s)' % (', '.join(p.text for p in parts), ',' if len(parts) == 1 else '')
        else:
            if self.permutes:
                self.rng.shuffle(order)
            text = '(%s)' % ', '.join('%s=%s' % ('abc'[i], parts[i].text) for i in order)

        def value(env):
            made = {i: parts[i].value(env) for i in order}
            return tuple(made[i] for i in range(len(parts)))
        whole = Expr(text, type_, value)
        whole.known = all(p.const is not None or p.known for p in parts)
        return whole

    def key(self, type_, depth):
        e = self.value_of(type_, depth)
        if is_whole(type_) and type_[0] == 'tuple' and len(type_[1]) > 1 and e.text[0] == '(' and self.chance(.5):
            whole = self.whole(type_, depth)
            return Expr(whole.text[1:-1], type_, whole.value)
        return e

    def some_type(self, depth=0):
        if self.chance(.6):
            return self.rng.choice(INTS)
        if depth > 1 or self.chance(.5):
            return 'string'
        return (self.rng.choice(['tuple', 'record']),
                [self.some_type(depth + 1) for _ in range(self.rng.randrange(1, 4))])


# ---- statements: (lines, run(env)); run returns None, 'break' or 'continue'

def run_all(statements, env):
    for _, run in statements:
        jump = run(env)
        if jump:
            return jump
    return None


def indented(statements):
    return ['\t' + line for lines, _ in statements for line in lines]


class Statements(Expressions):
    def __init__(self, rng):
        super().__init__(rng)
        self.fixed = set()    # variables with a declared type
        self.readonly = set()  # those of loops
        self.flexible = set()  # those of them that go with either sign, as a positive literal does
        self.depth = self.loops = 0

    def body(self, count):
        self.scopes.append({})
        made = []
        while len(made) < count:
            before = len(self.scopes), dict(self.scopes[-1]), self.depth, self.loops
            try:
                made.append(self.statement())
            except Again:
                del self.scopes[before[0]:]
                self.scopes[-1], self.depth, self.loops, self.permutes = *before[1:], False
        self.scopes.pop()
        return made

    def statement(self):
        ways = [(25, self.new_variable), (22, self.output), (13, self.assignment), (8, self.map_assignment),
                (7, self.compound), (2, self.ladder), (20 if self.large else 2, self.of_words)]
        if not self.loops and not self.permutes:
            ways += [(2, self.of_stacks)]
        nested = [(11, self.branch), (6, self.range_loop), (3, self.while_loop), (3, self.map_loop), (3, self.unroll),
                  (3, self.block), (3 if self.loops else 0, self.jump)]
        if self.depth < 3:
            ways += nested
        way = self.rng.choices([w for _, w in ways], [n for n, _ in ways])[0]
        self.depth += 1
        made = way()
        self.depth -= 1
        return made

    def ladder(self):
        """if ... else if ... else if, or the same as one expression."""
        pairs = [(self.condition(1), self.string(2)) for _ in range(self.rng.randrange(2, 9))]
        last = self.string(2)
        if self.chance(.5):
            e = last
            for c, s in reversed(pairs):
                e = self.chosen(c, s, e, 'string')
            name = self.name('$v')
            self.scopes[-1][name] = 'string'
            return self.store(name, e)

        def run(env):
            env['out'].append(next((s for c, s in pairs if c.value(env)), last).value(env))
        lines = ['%sif (%s) { printf("%%s\\n", %s); }' % ('} else ' if i else '', c.text, s.text) for i, (c, s) in enumerate(pairs)]
        return [line[:-2] for line in lines] + ['} else { printf("%%s\\n", %s); }' % last.text], run

    def of_words(self):
        """Strings in strings, as keys, and in formats."""
        way = self.rng.randrange(3)
        texts = [self.rng.choice([self.concat, self.part, self.field, self.string_choice])(0) for _ in range(self.rng.randrange(1, 4))]
        if way == 0:
            name = self.name('$v')
            self.scopes[-1][name] = 'string'
            return self.store(name, texts[0])
        if way == 1:
            numbers = [self.of_strings(1) for _ in texts]

            def run_printf(env):
                env['out'].append(''.join('%s|%d;' % (t.value(env), n.value(env)) for t, n in zip(texts, numbers)))
            return ['printf("%s\\n", %s);' % ('%s|%d;' * len(texts), ', '.join(
                '%s, (int64)(%s)' % (t.text, n.text) for t, n in zip(texts, numbers)))], run_printf
        name, value = self.name('@w'), self.integer(3)

        def run_key(env):
            at = tuple(t.value(env) for t in texts)
            env[name] = {at: cut(value.value(env), 'int64')}
            env['out'].append(str(env[name][at]))
        key = ', '.join(t.text for t in texts)
        return ['%s[%s] = (int64)(%s);' % (name, key, value.text), 'print(%s[%s]);' % (name, key)], run_key

    def stack(self):
        n, mode = self.rng.choice([1, 2, 3, 5, 16, 127]), self.rng.choice(['', '', 'raw, ', 'perf, ', 'bpftrace, '])
        return '%s(%s%d)' % (self.rng.choice(['kstack', 'ustack', 'dw_ustack']), mode, n), n

    def of_stacks(self):
        """Stacks as keys, as values, and their lengths: what is on them is not known, how many keys they make is."""
        way, name = self.rng.randrange(3), self.name('@w')
        (text, n), count = self.stack(), self.rng.randrange(1, 3)
        if way == 0:
            return ['print(len(%s) <= %d);' % (text, n)], lambda env: env['out'].append('true')
        if way == 1:
            value, e = self.stack()[0], self.string(2)
            return (['%s[%s, %d] = %s;' % (name, e.text, i, value) for i in range(count)] + ['print(len(%s));' % name],
                    lambda env: env['out'].append(str(count)))
        key = ', '.join([text] + [self.stack()[0] for _ in range(self.rng.randrange(2))])
        return (['%s[%d, %s] = (int64)%d;' % (name, i, key, i) for i in range(count)] + ['print(len(%s));' % name],
                lambda env: env['out'].append(str(count)))

    @staticmethod
    def store(name, e, form='%s = %s;'):
        def run(env):
            env[name] = e.value(env)
        return [form % (name, e.text)], run

    def new_variable(self):
        name = self.name('$v')
        if self.chance(.12):
            return self.new_array(name)
        type_ = self.some_type()
        e = self.value_of(type_)
        form = self.rng.choice(['%s = %s;', 'let %s = %s;'])
        if type_ in INTS and self.chance(.5):
            self.fixed.add(name)
            form = 'let %s: ' + type_ + ' = %s;'
        self.scopes[-1][name] = type_
        return self.store(name, e, form)

    def new_array(self, name):
        type_, e = self.rng.choice(INTS), self.integer(1)
        size = n_bits(type_)
        if e.const is not None:
            raise Again

        def run(env):
            env[name] = [cut((e.value(env) & ALL_ONES) >> (size * i), type_) for i in range(64 // size)]
        self.scopes[-1][name] = ('array', type_, 64 // size)
        return ['%s = (%s[%d])(uint64)%s;' % (name, type_, 64 // size, e.inner)], run

    def assignment(self):
        name, type_ = self.pick([v for v in self.variables(lambda t: t[0] != 'array') if v[0] not in self.readonly])
        self.permutes = True
        e = self.value_of(type_)
        self.permutes = False
        return self.store(name, e)

    def map_assignment(self):
        name, type_ = self.pick(list(self.maps.items()))
        if type_[0] != 'keyed':
            return self.store(name, self.value_of(type_))
        key, e = self.key(type_[1], 1), self.value_of(type_[2], 1)

        def run(env):
            value = e.value(env)
            env[name][key.value(env)] = value
        return ['%s[%s] = %s;' % (name, key.text, e.text)], run

    def compound(self):
        """Declared variables keep their type; maps would grow, so only 64 bits of the same sign do."""
        wide = [(n, t) for n, t in self.maps.items() if t in ('int64', 'uint64')]
        name, type_ = self.pick([v for v in self.variables(lambda t: t in INTS) if v[0] in self.fixed] + wide)
        op = self.rng.choice(['+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>', '++', '--'])
        if op in ('++', '--') and name[0] == '@' and type_ == 'uint64':
            raise Again  # becomes int64
        if op in ('++', '--'):
            def step(env):
                env[name] = cut(env[name] + (1 if op == '++' else -1), type_)
            return [self.rng.choice(['%s%s;' % (name, op), '%s%s;' % (op, name)])], step
        e = self.integer(1)
        result = self.result_type(op, Expr(name, type_, None), e)
        bad_shift = op in ('<<', '>>') and e.const is not None and not 0 <= e.const < 64
        if bad_shift or (op in '/%' and e.const == 0) or (name[0] == '@' and result != type_):
            raise Again

        def run(env):
            a, b = env[name], e.value(env)
            env[name] = cut(cut(compute(op, a, b), result), type_)
        return ['%s %s= %s;' % (name, op, e.text)], run

    def output(self):
        way = self.rng.random()
        if way < .2:
            a, s, c = self.integer(1), self.string(1), self.condition(1)
            letter = 'u' if is_unsigned(a.type) else 'd'

            def run(env):
                env['out'].append('%d|%s|%d' % (a.value(env), s.value(env), c.value(env)))
            return ['printf("%%ll%s|%%s|%%d\\n", %s, %s, %s);' % (letter, a.text, s.text, c.text)], run
        if way < .4:
            name, type_ = self.pick(self.variables(lambda t: isinstance(t, tuple)))
            e = Expr(name, type_, lambda env: env[name])
        else:
            e = self.integer() if way < .8 else self.string()
        if e.text in self.maps:  # print(@m) prints the map
            raise Again

        def run_print(env):
            env['out'].append(show(e.value(env), e.type))
        return ['print(%s);' % e.text], run_print

    def branch(self):
        c, yes = self.condition(), self.body(self.rng.randrange(1, 4))
        no = self.body(self.rng.randrange(1, 3)) if self.chance(.5) else []
        lines = ['if (%s) {' % c.text] + indented(yes) + (['} else {'] + indented(no) if no else []) + ['}']
        return lines, lambda env: run_all(yes if c.value(env) else no, env)

    def loop_body(self, variable, type_='int64'):
        self.scopes.append({variable: type_} if variable else {})
        self.readonly.add(variable)
        self.loops += 1
        made = self.body(self.rng.randrange(1, 4))
        self.loops -= 1
        self.scopes.pop()
        return made

    @staticmethod
    def turns(env, name, numbers, body):
        for i in numbers:
            if name:
                env[name] = i
            if run_all(body, env) == 'break':
                break

    def range_loop(self):
        name, low, count = self.name('$i'), self.rng.randrange(-2, 3), self.rng.randrange(0, 5)
        if not self.loops and self.chance(.15):
            count = 70  # too long for copies: the body becomes a function
        extra = self.integer(3) if self.chance(.4) else None
        if extra and extra.const is not None:
            raise Again
        first = literal(str(low), low)
        last = Expr('', common(first, Expr('', common(extra, literal('3', 3)), None)), None) if extra else \
            literal('', low + count)
        type_, flexible = join(first, last)
        if flexible:
            self.flexible.add(name)
        body = self.loop_body(name, 'uint64' if is_unsigned(type_) else 'int64')
        end = '%d + ((%s) & 3)' % (low, extra.text) if extra else str(low + count)

        def run(env):
            n = extra.value(env) & 3 if extra else count
            self.turns(env, name, range(low, low + n), body)
        return ['for %s : %d..%s {' % (name, low, end)] + indented(body) + ['}'], run

    def while_loop(self):
        name, count = self.name('$w'), self.rng.randrange(0, 5)
        if not self.loops and self.chance(.15):
            count = 70
        body = self.loop_body(name)
        self.scopes[-1][name] = 'int64'

        def run(env):
            env[name] = 0
            while env[name] < count:
                env[name] += 1
                if run_all(body, env) == 'break':
                    break
        return ['%s = (int64)0;' % name, 'while (%s < %d) {' % (name, count), '\t%s++;' % name] + \
            indented(body) + ['}'], run

    def map_loop(self):
        """The order is anybody's guess: a sum does not depend on it."""
        name = self.pick([n for n, t in self.maps.items() if t[0] == 'keyed' and t[2] in INTS])
        pair, total, c = self.name('$kv'), self.name('$t'), self.condition(2)

        def run(env):
            env[total] = 0
            for value in env[name].values():
                if c.value(env):
                    env[total] = cut(env[total] + value, 'int64')
        self.scopes[-1][total] = 'int64'
        return ['%s = (int64)0;' % total, 'for %s : %s {' % (pair, name),
                '\tif (%s) { %s += (int64)%s.1; }' % (c.text, total, pair), '}'], run

    def unroll(self):
        count, body = self.rng.randrange(1, 4), self.loop_body(None)
        return ['unroll (%d) {' % count] + indented(body) + ['}'], \
            lambda env: self.turns(env, None, range(count), body)

    def block(self):
        body = self.body(self.rng.randrange(1, 3))
        return ['{'] + indented(body) + ['}'], lambda env: run_all(body, env)

    def jump(self):
        word, c = self.rng.choice(['break', 'continue']), self.condition()
        if c.const is not None:
            raise Again
        return ['if (%s) { %s; }' % (c.text, word)], lambda env: word if c.value(env) else None


# ---- programs

class Program(Statements):
    def __init__(self, seed, large=False):
        super().__init__(random.Random(seed))
        self.env = {'out': []}
        self.large = large or self.chance(.03)
        self.head, start = [], []
        self.make_maps(start)
        for i in range(self.rng.randrange(0, 3)):
            self.make_function('f%d' % i)
        for i in range(self.rng.randrange(0, 2)):
            self.make_string_function('s%d' % i)
        for i in range(self.rng.randrange(0, 3)):
            self.make_macro('mac%d' % i)
        parts = [self.body(self.rng.randrange(3, 12) if not self.large else self.rng.randrange(20, 60))]
        if self.chance(.5):
            parts.append(self.body(self.rng.randrange(2, 8)))
        for part in parts:
            run_all(part, self.env)
        lines = ['config = { print_maps_on_exit = false; str_trunc_trailer = "" }'] + self.head
        lines += ['begin {'] + ['\t' + line for line in start] + indented(parts[0]) + ['}']
        for part in parts[1:]:
            lines += ['begin {'] + indented(part) + ['}']
        self.text = '\n'.join(lines) + '\n'
        self.expected = '\n'.join(self.env['out']).strip('\n')

    def make_maps(self, start):
        made = {}
        for i in range(self.rng.randrange(2, 5)):
            name, type_ = '@m%d' % i, self.rng.choice(INTS)
            value = cut(self.rng.choice([0, 1, -1, 5, 1000, 1 << 31, self.rng.randrange(1 << 64)]), type_)
            made[name], self.env[name] = type_, value
            start.append('%s = (%s)(%d);' % (name, type_, value))
        if self.chance(.6):
            word = self.rng.choice(WORDS)
            made['@s'], self.env['@s'] = 'string', word
            start.append('@s = "%s";' % word)
        self.maps = made
        for i in range(self.rng.randrange(0, 3)):
            self.make_keyed('@k%d' % i, start)

    def make_keyed(self, name, start):
        key_type, type_ = self.some_type(1), self.some_type(1)
        known, self.maps = self.maps, {n: t for n, t in self.maps.items() if t[0] != 'keyed'}
        while True:
            try:
                key, value = self.key(key_type, 3), self.value_of(type_, 3)
                break
            except Again:
                pass
        self.maps = known
        self.maps[name] = ('keyed', key_type, type_)
        start.append('%s[%s] = %s;' % (name, key.text, value.text))
        self.env[name] = {key.value(self.env): value.value(self.env)}

    def make_function(self, name):
        params, result = [self.rng.choice(INTS) for _ in range(self.rng.randrange(1, 3))], self.rng.choice(INTS)
        names = ['$p%d' % i for i in range(len(params))]
        self.scopes.append(dict(zip(names, params)))
        self.in_function = True
        while True:
            try:
                c, a, b = self.condition(2), self.integer(2), self.integer(2)
                break
            except Again:
                pass
        self.in_function = False
        self.scopes.pop()
        if any(e.const is not None for e in (c, a, b)):
            return

        def body(env, args):
            outer = {n: env.get(n) for n in names}
            env.update(zip(names, args))
            value = cut((a if c.value(env) else b).value(env), result)
            env.update(outer)
            return value
        self.functions.append((name, params, result, body))
        self.head.append('fn %s(%s): %s { if (%s) { return (%s)(%s); } return (%s)(%s); }' % (
            name, ', '.join('%s: %s' % p for p in zip(names, params)), result, c.text, result, a.text, result, b.text))


    def make_string_function(self, name):
        self.scopes.append({'$s': 'string'})
        self.in_function = True
        c, a = self.fitting(lambda: (self.condition(2), self.string(1)))
        self.in_function = False
        self.scopes.pop()
        if c.const is not None or a.const is not None:
            return
        result = a

        def body(env, s):
            outer, env['$s'] = env.get('$s'), s
            value = result.value(env) if c.value(env) else s
            env['$s'] = outer
            return value[:127]
        self.string_functions.append((name, body))
        self.head.append('fn %s($s: string[128]): string[128] { if (%s) { return substr(%s, 0, 127); } return $s; }' % (
            name, c.text, result.text))

    def make_macro(self, name):
        """Expressions of the argument alone, which stands there several times."""
        if self.chance(.5):
            glob = self.rng.choice(['a', 'b', 'lo'])
            self.macros.append((name, 'string', lambda a: Expr('', 'int64', lambda env: (
                len(a.value(env)) + 1 if glob in a.value(env) else a.value(env).find('b') * 2))))
            self.head.append('macro %s(s) { (strcontains(s, "%s") ? (int64)strlen(s) + 1 : strstr(s, "b") * 2) }' % (name, glob))
            return
        n = self.rng.randrange(1, 100)
        self.macros.append((name, 'int64', lambda a: Expr('', 'int64', lambda env: (
            cut(a.value(env) * n, 'int64') if a.value(env) > n else cut(n - a.value(env), 'int64')))))
        self.head.append('macro %s(e) { ((e) > %d ? (e) * %d : %d - (e)) }' % (name, n, n, n))

    @staticmethod
    def fitting(make):
        while True:
            try:
                return make()
            except Again:
                pass


def processor_seconds():
    """Of the programs that were run; a busy machine does not add to it as it does to the clock's."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def wrong(program, path, command, limit):
    """What is wrong, or None."""
    with open(path, 'w') as f:
        f.write(program.text)
    begin = processor_seconds()
    done = subprocess.run(command + ['-q', '--no-warnings', path], capture_output=True, text=True, timeout=600)
    got = done.stdout.strip('\n')
    seconds = processor_seconds() - begin
    if not done.returncode and got == program.expected:
        if seconds > limit:
            return '%.1f s' % seconds
        os.unlink(path)
        return None
    lines = list(zip(got.split('\n'), program.expected.split('\n')))
    first = next((i for i, (a, b) in enumerate(lines) if a != b), len(lines))
    return 'status %d, line %d of the output: %r, expected %r\n%s' % (
        done.returncode, first + 1, *(lines[first] if first < len(lines) else ('', '')), done.stderr[:500])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--sonde', default=os.environ.get('SONDE', 'build/sonde'))
    p.add_argument('--keep', default=tempfile.gettempdir())
    p.add_argument('--large', action='store_true')
    p.add_argument('--limit', type=float, default=60, metavar='S', help='what takes more of a processor is wrong')
    p.add_argument('first', type=int)
    p.add_argument('count', type=int)
    args, rest = p.parse_known_args()
    n_wrong = 0
    for seed in range(args.first, args.first + args.count):
        path = os.path.join(args.keep, 'random-%d.bt' % seed)
        why = wrong(Program(seed, args.large), path, [args.sonde] + rest, args.limit)
        if why:
            n_wrong += 1
            print('seed %d (%s): %s' % (seed, path, why))
    print('%d programs, %d wrong' % (args.count, n_wrong))
    sys.exit(bool(n_wrong))


if __name__ == '__main__':
    main()
