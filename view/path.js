// SPDX-License-Identifier: GPL-2.0-or-later
// The critical path of a wait: who had to do what until the thread was woken, from the wake-up back to the beginning of the wait. A thread that
// ran before was woken by another one, and so on.
import { KIND, STATE, lowerBound } from './data.js';
import { MERGED, laneId } from './tiles.js';
import { spanAt } from './paint.js';

/** @typedef {{t0: number, t1: number, task: number, state: number, extra: number}} Step */
/** @typedef {{wait: Step, steps: Step[], why: string}} Path why: what the steps lack, or '' */
/** @typedef {import('./tiles.js').Part} Part */

const MOST_STEPS = 2000;

/** What a thread does just before a time. @param {Part[]} parts @param {number} task @param {number} time @returns {Step & {merged: boolean} | null} */
function before(parts, task, time) {
	for (const part of parts) {
		const lane = part.from < time && time <= part.to ? part.tile.lanes.get(laneId(KIND.TASK, task)) : null;
		const i = lane ? lowerBound(lane.t1, lane.n, time) : 0;
		if (lane && i < lane.n && lane.t0[i] < time)
			return { t0: lane.t0[i], t1: time, task, state: lane.arg[i], extra: lane.extra[i], merged: !!(lane.flags[i] & MERGED) };
	}
	return null;
}

/** Who woke a thread at that time, by what it did then. @param {Part[]} parts @param {number} task @param {number} time */
function wakerAt(parts, task, time) {
	const s = spanAt(parts, laneId(KIND.TASK, task), time, 0);
	return s && s.t0 === time && s.arg === STATE.RUNNABLE && !s.merged ? s.extra - 1 : -1;
}

/** @param {Part[]} parts what is drawn @param {number | undefined} task @param {number | null} at @returns {Path | null} null: no wait is there */
export function pathOf(parts, task, at) {
	const s = task === undefined || at === null ? null : spanAt(parts, laneId(KIND.TASK, task), at, 0);
	if (!s || task === undefined || (s.arg !== STATE.SLEEPING && s.arg !== STATE.BLOCKED))
		return null;
	/** @type {Path} */
	const path = { wait: { t0: s.t0, t1: s.t1, task, state: s.arg, extra: s.extra }, steps: [], why: '' };
	let now = s.t1, who = s.merged ? -1 : wakerAt(parts, task, s.t1);
	const end = (/** @type {string} */ why) => ({ ...path, steps: path.steps.reverse(), why });
	if (s.merged)
		return end('Zoom in until single spans are drawn.');
	for (let n = 0; now > s.t0 && n < MOST_STEPS; n++) {
		if (who <= 0)
			return end(who ? 'Before that it is not recorded who woke the thread.' : 'Before that: an interrupt (a timer, a device) on an idle processor.');
		const is = before(parts, who, now);
		if (!is || is.merged)
			return end(is ? 'Zoom in until single spans are drawn.' : 'Before that nothing is recorded of the thread.');
		is.t0 = Math.max(is.t0, s.t0);
		path.steps.push(is);
		now = is.t0;
		if (is.state === STATE.RUNNABLE && is.extra)
			who = is.extra - 1;
	}
	return end('');
}
