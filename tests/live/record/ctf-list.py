#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the metadata of a CTF trace declares, a line for each thing:

    env NAME... | clock KEY... | header FIELD:TYPE... | packet FIELD:TYPE... | context FIELD:TYPE...
    event NAME FIELD:TYPE...

    ctf-list.py METADATA                          prints them
    ctf-list.py METADATA --compare LIST EVENTS    compares with the lines of LIST, in which "event" is
                                                  followed by the kernel's name SYSTEM:EVENT or "-"

TYPE is s32, u64, char[16], string, u32[] (a sequence), or ? for enumerations and variants. EVENTS is a file with the
kernel's names of the events that the trace has, a line each. Exits of system calls have `ret` and what the call
returned in memory; entries have registers where LTTng copies memory.
"""
import re
import sys

# What the kernel's records do not have; where they have more, that is not listed.
LACKING = {
    'sched_process_fork': 'parent_ns_inum vtids child_ns_inum', 'syscall_entry_connect': 'family dport', 'sched_stat_runtime': 'vruntime',
    'net_dev_queue': 'network_header_type network_header', 'net_if_receive_skb': 'network_header_type network_header',
    'net_if_rx': 'network_header_type network_header', 'mm_vmscan_lru_shrink_inactive': 'nr_activate_anon nr_activate_file',
}
# Fields whose type is the kernel's record's: text in an array, or the reverse; bytes as they are on the wire; wider flags.
TYPES = {('string', 'char[32]'), ('u16be', 'u16'), ('u32', 'u64'), ('u8', 'u64'), ('?', 'u32'), ('?', 's32'),
         ('char[]', 'string'), ('string', 'u64'), ('char[16]', 'string')}
# Of arguments: registers without a sign.
REGISTERS = {('s32', 'u64'), ('s64', 'u64'), ('u16', 'u32'), ('u32', 's32'), ('s32', 'u32')}
SIGNED = 'fd dfd pid upid which who niceval timeout pos'.split()


def block(text, at):
    """From the brace at `at`: what is inside, and where it ends."""
    depth = 0
    for m in re.compile('[{}]').finditer(text, at):
        depth += 1 if m[0] == '{' else -1
        if not depth:
            return text[at + 1:m.start()], m.end()
    raise ValueError('a brace is not closed')


def statements(text):
    """Parts that end with a semicolon outside of braces."""
    start = depth = 0
    for m in re.finditer('[{};]', text):
        depth += {'{': 1, '}': -1, ';': 0}[m[0]]
        if m[0] == ';' and not depth:
            yield text[start:m.start()].strip()
            start = m.end()


def keys(text):
    return dict(re.split(r'\s*=\s*', s, maxsplit=1) for s in statements(text) if '=' in s)


class Metadata:
    def __init__(self, text):
        text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
        self.alias, self.structs, self.lines, self.events = {}, {}, [], {}
        for m in re.finditer(r'typealias integer (?=\{)', text):
            inside, end = block(text, m.end())
            self.alias[re.match(r'\s*:=\s*([\w ]+)', text[end:])[1].strip()] = self.integer(inside)
        for m in re.finditer(r'^struct (\w+) (?=\{)', text, re.M):
            self.structs[m[1]] = block(text, m.end())[0]
        self.env = list(keys(self.part(text, 'env')))
        self.clock = list(keys(self.part(text, 'clock')))
        self.header = self.fields(self.struct(text, 'packet.header'))
        self.packet = self.fields(self.struct(text, 'packet.context'))
        self.context = self.fields(self.struct(text, 'event.context'))
        for m in re.finditer(r'^event (?=\{)', text, re.M):
            inside = block(text, m.end())[0]
            self.events[re.search(r'name = "([^"]*)"', inside)[1]] = self.fields(self.struct(inside, 'fields'))

    @staticmethod
    def part(text, name):
        return block(text, re.search(rf'^{name} (?=\{{)', text, re.M).end())[0]

    def struct(self, text, name):
        m = re.search(re.escape(name) + r' := struct (\w*)\s*', text)
        return self.structs[m[1]] if m[1] else block(text, m.end())[0]

    @staticmethod
    def integer(text):
        k = keys(text)
        if k.get('encoding', 'none') != 'none':
            return 'char'
        return ('s' if k['signed'] in ('1', 'true') else 'u') + k['size'] + ('be' if k.get('byte_order') == 'be' and k['size'] != '8' else '')

    def fields(self, text):
        found = {}
        for s in statements(text):
            m = re.fullmatch(r'(integer \{.*?\}|string|(?:enum|variant|struct)\b.*\}(?: align\(\d+\))?|[\w ]+?)\s+(\w+)((?:\[[^]]*\])?)', s, re.S)
            if not m or m[2].endswith('_padding') or (m[2].startswith('__') and m[2].endswith('_length')):
                continue
            name, kind = m[2].removeprefix('_'), m[1]
            kind = self.integer(kind[kind.index('{') + 1:-1]) if kind.startswith('integer') else 'string' if kind == 'string' else self.alias.get(kind, '?')
            size = m[3].strip('[] ')
            found[name] = kind + (f'[{size}]' if size.isdigit() else '[]' if m[3] else '')
        return found

    def listing(self):
        text = lambda f: ' '.join(f'{n}:{t}' for n, t in f.items())
        yield 'env ' + ' '.join(self.env)
        yield 'clock ' + ' '.join(self.clock)
        for name in ('header', 'packet', 'context'):
            yield f'{name} {text(getattr(self, name))}'
        for name, fields in self.events.items():
            yield f'event {name} {text(fields)}'.rstrip()


def differences(m, path, events):
    known, call, wanted = {}, {}, {}
    for line in open(path):
        what, *words = line.split() or ['']
        typed = lambda ws: dict(w.split(':', 1) for w in ws)
        if what in ('env', 'clock'):
            yield from (f'{what}: no {w}' for w in words if w not in getattr(m, what))
        elif what in ('header', 'packet', 'context'):
            have = getattr(m, what)
            yield from (f'{what}: {n} is {have.get(n)}, not {t}' for n, t in typed(words).items() if have.get(n) != t)
        elif what == 'event':
            known[words[0]] = typed(words[2:])
            wanted[words[1]] = words[0]
    for kernel in events:
        if kernel in wanted and wanted[kernel] not in m.events:
            yield f'{kernel}: no {wanted[kernel]}'
    for name, have in m.events.items():
        if name.startswith('syscall_exit_'):
            if have.get('ret') != 's64':
                yield f'{name}: ret is {have.get("ret")}'
            continue
        want, is_call = known.get(name), name.startswith('syscall_entry_')
        for field, kind in (want or {}).items():
            mine = have.get(field)
            if mine is None and field not in LACKING.get(name, '').split() and not (is_call and kind[-1] in '?]'):
                yield f'{name}: no {field}'
            elif mine and mine != kind and (kind, mine) not in TYPES and not (is_call and kind[-1] in '?]g'):
                if not is_call or (kind, mine) not in REGISTERS or (field in SIGNED and kind[0] == 's' != mine[0]):
                    yield f'{name}: {field} is {mine}, not {kind}'


def main():
    m = Metadata(open(sys.argv[1], errors='replace').read())
    if len(sys.argv) > 2:
        print(*differences(m, sys.argv[3], open(sys.argv[4]).read().split()), sep='\n')
    else:
        print(*m.listing(), sep='\n')


if __name__ == '__main__':
    main()
