# SPDX-License-Identifier: GPL-2.0-or-later
"""json_events.py <LINES: objects of sonde trace without what varies."""
import json
import re
import sys

for line in sys.stdin:
    event = json.loads(line)['data']
    stack = [frame.split('+')[0] for frame in event.get('ustack', '').split()]
    text = re.sub('[0-9]+', 'N', event.get('text', '')).replace(' group_dead=true', '')  # of new kernels
    if event['event'] == 'sched:sched_process_exit':  # of 6.1 after the memory is gone
        stack = []
    fields = event.get('fields', {})
    fields.pop('part', None)
    print(event['comm'], event['event'].split('/')[-1], sorted(event), fields, text, stack[:2])
