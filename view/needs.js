// SPDX-License-Identifier: GPL-2.0-or-later
// What a recording needs for each view, and the command that records it.
import { make } from './words.js';

/** By member of Info.has: what needs it, the command. @type {Record<string, [string, string]>} */
export const NEEDS = {
	switches: ['processors, states of threads, their times', 'sonde record COMMAND'],
	wakeups: ['who wakes whom, how long threads wait', 'sonde record COMMAND'],
	calls: ['system calls', 'sonde record COMMAND'],
	interrupts: ['interrupts', "sonde record -a -e 'irq:*,sched:*' COMMAND"],
	stacks: ['flame graphs', 'sonde record -g COMMAND'],
};

/** "not recorded; it needs: …" @param {string} has */
export const needText = has => `not recorded: ${NEEDS[has][0]}. It needs: ${NEEDS[has][1]}`;

/** A line for each that is missing. @param {Element} box @param {import('./data.js').Info} info @param {string[]} wanted */
export function showNeeds(box, info, wanted) {
	for (const has of wanted)
		if (!info.has[has])
			make('p', `Not recorded: ${NEEDS[has][0]}. It needs: `, box).append(make('code', NEEDS[has][1]));
}
