// SPDX-License-Identifier: GPL-2.0-or-later
// What the recording has and lacks.
import { wallTime, clock, make } from '../words.js';
import { NEEDS, showNeeds } from '../needs.js';
import { addPanel } from './registry.js';

/** What is missing, in lines: losses, damage, what a page leaves out. @param {import('../data.js').Info} info @param {boolean} isWhole */
export function lacks(info, isWhole) {
	const lines = [], sums = new Map();
	for (const [, n, why] of info.losses)
		sums.set(why, (sums.get(why) || 0) + n);
	if (info.isGone)
		lines.push('sonde view has ended: what it did not send is missing here. Start it again, and open its new address.');
	if (info.change)
		lines.push(info.change === 1 ? 'The file has grown since it was opened: opened again, it has more.' :
			'The file has changed since it was opened: what is counted and listed now may be wrong. Open it again.');
	if (info.damage)
		lines.push(`The file is damaged: ${info.damage}. What can be read is shown.`);
	if (info.chunksGone)
		lines.push('The oldest events were overwritten: what is left of their time is hatched.');
	if (!info.hasEnd)
		lines.push('The recording has no end, as if its recorder was killed or goes on: what it may not have written is hatched.');
	if (sums.size)
		lines.push(`${[...sums.values()].reduce((a, b) => a + b, 0)} events were lost: hatched in the picture; reasons in “About”.`);
	if (!isWhole)
		lines.push(`${info.events} events, drawn in steps: for single events export a part (--time=FROM,TO), or use sonde view.`);
	if (!info.events && info.isDone)
		lines.push('No events: none of those that were recorded happened.');
	return lines;
}

addPanel({
	id: 'about',
	title: 'About',
	show: (box, { info }) => {
		const list = make('dl', '', box);
		for (const [what, text] of [['file', info.file], ['command', info.command], ['system', info.uname.replace(/\n/g, ' ')],
			['begins', info.events ? `${clock(info, 0)} s, ${wallTime(info, 0)}` : ''], ['events', String(info.events)],
			['recorded', info.wholeMachine ? 'all processes' : 'some processes: what others did is a gap']])
			if (text) {
				make('dt', what, list);
				make('dd', text, list);
			}
		showNeeds(box, info, Object.keys(NEEDS));
		const sums = new Map();
		for (const [, n, why] of info.losses)
			sums.set(why, (sums.get(why) || 0) + n);
		for (const [why, n] of sums)
			make('p', `Lost: ${n} events (${why})`, box);
	},
	update: () => undefined,
});
