# SPDX-License-Identifier: GPL-2.0-or-later
"""check_dumps.py WORKERS TIMES: reads dumps of maps in JSON, one behind the other: values only grow, to the end."""
import json
import sys

want = int(sys.argv[1]) * int(sys.argv[2])
last, back, dumps = {}, 0, 0


def total(value):
    return sum(bucket['count'] for bucket in value) if isinstance(value, list) else value


for line in sys.stdin:
    if not line.startswith('{'):
        continue
    event = json.loads(line)
    if event['type'] not in ('map', 'hist'):
        continue
    dumps += 1
    for name, data in event['data'].items():
        for key, value in data.items() if isinstance(data, dict) else [('', data)]:
            back += total(value) < last.get((name, key), 0)
            last[name, key] = total(value)

for name, factor in (('@c', 1), ('@s', 2), ('@h', 1)):
    got = sum(value for (of, _), value in last.items() if of == name)
    print(name, 'exact' if got == want * factor else f'{got} of {want * factor}')
print(back, 'went back,', 'many dumps' if dumps > 6 else f'{dumps} dumps')
