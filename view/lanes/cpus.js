// SPDX-License-Identifier: GPL-2.0-or-later
// Processors: which thread runs.
import { KIND } from '../data.js';
import { laneId } from '../tiles.js';
import { hue, paintSpans, spanAt } from '../paint.js';
import { duration, taskName } from '../words.js';
import { addGroup, hitOf, keysOf } from './registry.js';

addGroup({
	id: 'cpus',
	title: 'Processors',
	needs: 'switches',
	/* a text does not say how many there are */
	rows: c => !c.info.has.switches ? [] : Array.from({ length: Math.max(c.info.cpus, ...keysOf(c, KIND.CPU).map(cpu => cpu + 1)) }, (_, cpu) => {
		const { info } = c, id = laneId(KIND.CPU, cpu);
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
