// SPDX-License-Identifier: GPL-2.0-or-later
// Interrupts of each processor, and what they leave for later (softirqs).
import { KIND } from '../data.js';
import { laneId } from '../tiles.js';
import { hue, paintSpans, spanAt } from '../paint.js';
import { duration } from '../words.js';
import { addGroup, hitOf, keysOf } from './registry.js';

/** @param {import('./registry.js').Context} c @param {number} kind @param {string} name @returns {import('./registry.js').Row[]} */
function rowsOf(c, kind, name) {
	return keysOf(c, kind).map(cpu => {
		const id = laneId(kind, cpu);
		return {
			id: name + cpu,
			label: `${name}, processor ${cpu}`,
			height: 16,
			lanes: [id],
			draw: (pen, y) => paintSpans(pen, id, y + 2, 12, { color: arg => hue(c.info.names[arg] || ''), text: arg => c.info.names[arg] || '?' }),
			hit: (parts, time, near) => {
				const s = spanAt(parts, id, time, near);
				return s && hitOf(s, c.info.names[s.arg] || '?', duration);
			},
		};
	});
}

addGroup({
	id: 'interrupts',
	title: 'Interrupts',
	needs: 'interrupts',
	rows: c => [...rowsOf(c, KIND.IRQ, 'interrupts'), ...rowsOf(c, KIND.SOFTIRQ, 'softirqs')],
});
