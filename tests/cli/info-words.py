# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a report (sonde --info) and says what it does not hold of the keys that bpftrace 0.27 prints, by title."""
import re
import sys

WORDS = {
    'System': ['OS', 'Arch'],
    'Build': ['version', 'LLVM', 'bfd', 'libdw (DWARF support)', 'libsystemd (systemd notify support)',
              'blazesym (advanced symbolization)', 'dwunwind (DWARF stack unwinding)'],
    'Kernel helpers': ['dpath', 'get_tai_ns', 'get_func_ip', 'lookup_percpu_elem', 'loop'],
    'Kernel features': ['Instruction limit', 'btf', 'module btf'],
    'Probe types': ['kprobe_multi', 'uprobe_multi', 'kprobe_session', 'iter'],
}

sections, title = {}, None
for line in sys.stdin.read().split('\n'):
    if re.match(r'[A-Z]', line):
        title = line.strip()
    elif title:
        sections[title] = sections.get(title, '') + '  ' + line + '  '
for title, words in WORDS.items():
    for word in words:
        if not re.search(rf'(?<=  ){re.escape(word)}: \S', sections.get(title, '')):
            print(f'{title}: {word} is not there')
print(sum(map(len, WORDS.values())), 'words')
