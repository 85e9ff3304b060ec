# SPDX-License-Identifier: GPL-2.0-or-later
"""selftest.py RESULT INFO: what sonde info --selftest says, against what sonde info says."""
import json
import sys

result, info = (json.load(open(path)) for path in sys.argv[1:])
rows = {r['probe']: r for r in result['selftest']}
wrong = [r for r in rows.values() if r['result'] == 'wrong']
refused = {r['probe'] for r in rows.values() if r['result'] == 'refused'}
missing = {name for name, has in info['probe_types'].items() if not has}
print('wrong:', *(f'{r["probe"]} {r["counted"]} {r["reason"]}' for r in wrong))
print('refused, and not missing:', *sorted(refused - missing))
print('missing, and not refused:', *sorted(missing & set(rows) - refused))
print('without a reason:', *sorted(p for p in refused if not rows[p]['reason']))
print('the sums are right:', len(rows) == result['right'] + result['wrong'] + result['refused'] and result['right'] > 10)
