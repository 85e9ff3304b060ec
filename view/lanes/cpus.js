// SPDX-License-Identifier: GPL-2.0-or-later
// Processors: which thread runs.
import { KIND } from '../data.js';
import { laneId } from '../tiles.js';
import { hue, paintSpans, spanAt } from '../paint.js';
import { duration, taskName } from '../words.js';
import { addGroup, hitOf } from './registry.js';

addGroup({
	id: 'cpus',
	title: 'Processors',
	needs: 'switches',
	rows: ({ info }) => !info.has.switches ? [] : Array.from({ length: info.cpus }, (_, cpu) => {
		const id = laneId(KIND.CPU, cpu);
		return {
			id: 'cpu' + cpu,
			label: 'processor ' + cpu,
			height: 22,
			lanes: [id],
			draw: (pen, y) => paintSpans(pen, id, y + 2, 18, { color: arg => hue(info.tasks[arg]?.[2] || arg), text: arg => taskName(info, arg) }),
			hit: (parts, time, near) => {
				const s = spanAt(parts, id, time, near);
				return s && hitOf(s, taskName(info, s.arg), duration);
			},
		};
	}),
});
