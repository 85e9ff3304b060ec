// SPDX-License-Identifier: GPL-2.0-or-later
// A lane for each event, own probes first.
import { KIND } from '../data.js';
import { laneId } from '../tiles.js';
import { paintInstants, spanAt } from '../paint.js';
import { taskName } from '../words.js';
import { addGroup, hitOf, keysOf } from './registry.js';

const OWN = /^(uprobe|uretprobe|usdt|kprobe|kretprobe|sonde|user|sdt)[:_]/;

addGroup({
	id: 'events',
	title: 'Events',
	rows: c => keysOf(c, KIND.EVENT).map(format => ({ format, name: c.info.formats[format] || '?' }))
		.sort((a, b) => Number(OWN.test(b.name)) - Number(OWN.test(a.name)) || (a.name < b.name ? -1 : 1)).map(({ format, name }) => {
			const id = laneId(KIND.EVENT, format);
			return {
				id: 'event:' + name,
				label: name,
				height: 16,
				lanes: [id],
				draw: (pen, y) => paintInstants(pen, id, y + 2, 12, pen.colors.event),
				hit: (parts, time, near) => {
					const s = spanAt(parts, id, time, near);
					return s && (s.merged ? { t0: s.t0, t1: s.t1, text: `${s.n} times ${name}` } :
						hitOf(s, `${name} by ${taskName(c.info, s.arg)} on processor ${s.extra}`, String));
				},
			};
		}),
});
