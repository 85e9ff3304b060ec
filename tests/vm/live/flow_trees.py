#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""flow_trees.py FUNC [--without REGEX] <TEXT: the tree of FUNC that most of its calls made, of what `sonde flow` or ftrace's
function_graph prints, without times. --without: functions that the other does not show, with what they call. An interrupt or a switch
to another thread may be within any one call; in most there is none."""
import collections
import re
import sys

wanted, without = sys.argv[1], sys.argv[3] if len(sys.argv) > 3 else '$^'
trees, lines, depth, skip = collections.Counter(), [], 0, None
for line in sys.stdin:
    call = re.match(r'[^|]*\| +([\w.]+)\(.*\)( = \S+)?( \{|;)', line)
    if call:
        name, opens = call.group(1), call.group(3) == ' {'
        if depth == 0 and name != wanted:
            skip = None
            continue
        if skip is None and re.fullmatch(without, name):
            skip = depth
        if skip is None:
            lines.append('  ' * depth + name)
        depth += opens
        if skip == depth:
            skip = None
    elif re.match(r'[^|]*\| +\}', line) and depth:
        depth -= 1
        if skip == depth:
            skip = None
    else:
        continue
    if depth == 0 and lines:
        trees['\n'.join(lines)] += 1
        lines = []
print(trees.most_common(1)[0][0] if trees else 'none')
