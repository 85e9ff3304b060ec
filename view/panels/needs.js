// SPDX-License-Identifier: GPL-2.0-or-later
// What the recording has and lacks, and the command that records it.
import { wallTime, clock, make } from '../words.js';
import { addPanel } from './registry.js';

/** @type {[string, string, string][]} member of Info.has, what needs it, what records it */
const NEEDS = [
	['switches', 'processors and states of threads', '-e sched:sched_switch'],
	['wakeups', 'who wakes whom, and arrows', "-e 'sched:sched_wak*'"],
	['calls', 'system calls', "-e 'raw_syscalls:*'"],
	['interrupts', 'interrupts', "-a -e 'irq:*'"],
	['stacks', 'flame graphs', '-g'],
];

/** What is missing, in lines: losses, damage, what a page leaves out. @param {import('../data.js').Info} info @param {boolean} isWhole */
export function lacks(info, isWhole) {
	const lines = [], sums = new Map();
	for (const [, n, why] of info.losses)
		sums.set(why, (sums.get(why) || 0) + n);
	if (info.damage)
		lines.push(`The file is damaged: ${info.damage}. What can be read is shown.`);
	if (sums.size)
		lines.push(`${[...sums.values()].reduce((a, b) => a + b, 0)} events were lost: hatched in the picture; reasons in “About”.`);
	if (!isWhole)
		lines.push(`${info.events} events, drawn in steps: for single events export a part (--time=FROM,TO), or use sonde view.`);
	if (!info.events && info.isDone)
		lines.push('No events.');
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
		for (const [has, what, how] of NEEDS)
			if (!info.has[has])
				make('p', `Not recorded: ${what}. It needs: `, box).append(make('code', `sonde record ${how} COMMAND`));
		const sums = new Map();
		for (const [, n, why] of info.losses)
			sums.set(why, (sums.get(why) || 0) + n);
		for (const [why, n] of sums)
			make('p', `Lost: ${n} events (${why})`, box);
	},
	update: () => undefined,
});
