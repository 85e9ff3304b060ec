// SPDX-License-Identifier: GPL-2.0-or-later
// Threads by processes: what each does, who woke it, and its system calls below.
import { KIND, STATE, unzigzag } from '../data.js';
import { MERGED, laneId } from '../tiles.js';
import { countStates, hue, paintSpans, paintStack, spanAt } from '../paint.js';
import { duration, processName, stateText, taskName } from '../words.js';
import { addGroup, hitOf, isTraced, keysOf } from './registry.js';

const STATE_COLORS = ['', 'sleeping', 'sleeping', 'sleeping', 'blocked', 'stopped'];

/** How long it runs, about, else how much it calls: the order of rows. In a recording of some processes, their threads are first.
 * @param {import('./registry.js').Context} c @param {import('../tiles.js').Tile} tile @param {number} task */
function weight(c, tile, task) {
	const lane = tile.lanes.get(laneId(KIND.TASK, task)), calls = tile.lanes.get(laneId(KIND.CALL, task));
	let sum = (calls ? calls.n * 1e-3 : 0) + (isTraced(c, task) ? c.info.range * c.info.cpus : 0);
	for (let i = 0; lane && i < lane.n; i++)
		sum += (lane.t1[i] - lane.t0[i]) * (lane.flags[i] & MERGED ? (lane.extra[i] & 255) / 255 : Number(lane.arg[i] === STATE.RUNNING));
	return sum;
}

/** @param {import('./registry.js').Context} c @param {number} task @param {string} group @returns {import('./registry.js').Row} */
function rowOf({ info, tiles }, task, group) {
	const states = laneId(KIND.TASK, task), calls = laneId(KIND.CALL, task), hasCalls = tiles.whole?.lanes.has(calls), top = info.has.switches ? 14 : 0;
	return {
		id: 'task' + info.tasks[task][0],
		label: taskName(info, task),
		height: top + (hasCalls ? 12 : 0) + 4,
		group,
		task,
		lanes: [states, calls],
		draw: (pen, y) => {
			paintSpans(pen, states, y + 2, top, { color: arg => pen.colors[STATE_COLORS[arg]] || pen.colors.line, thin: true });
			if (top) { /* the shares of what is narrower than a pixel; of wide spans the same as above */
				const { runs, waits } = countStates(pen, [states]);
				paintStack(pen, y + 2, top, 1, [[runs, pen.colors.running], [waits, pen.colors.runnable]]);
			}
			paintSpans(pen, calls, y + 2 + top, 11, { color: arg => hue(info.names[arg] || ''), text: arg => info.names[arg] || '?' });
		},
		hit: (parts, time, near, part) => {
			const call = spanAt(parts, calls, time, near), state = spanAt(parts, states, time, near);
			if (call && (!state || part * (top + 16) > top + 2))
				return hitOf(call, info.names[call.arg] + '()' + (call.merged || call.open ? '' : ' = ' + unzigzag(call.extra)), duration);
			return state && hitOf(state, stateText(info, state.arg, state.merged ? 0 : state.extra) + (call && !call.merged ? `, in ${info.names[call.arg]}()` : ''), duration);
		},
	};
}

addGroup({
	id: 'tasks',
	title: 'Processes',
	needs: 'switches',
	rows: c => {
		const { info, tiles } = c, whole = tiles.whole;
		/** @type {Map<number, {task: number, weight: number}[]>} */
		const processes = new Map();
		for (const task of whole ? new Set([...keysOf(c, KIND.TASK), ...keysOf(c, KIND.CALL)]) : []) {
			const pid = info.tasks[task]?.[1] || 0;
			if (!info.tasks[task])
				continue;
			processes.set(pid, [...processes.get(pid) || [], { task, weight: weight(c, /** @type {any} */ (whole), task) }]);
		}
		const sum = (/** @type {{weight: number}[]} */ list) => list.reduce((a, t) => a + t.weight, 0);
		const rows = [];
		for (const [pid, list] of [...processes].sort((a, b) => sum(b[1]) - sum(a[1]) || a[0] - b[0])) {
			const group = 'process' + pid;
			if (pid && list.length === 1) { /* a process of one thread needs no head */
				rows.push(rowOf(c, list[0].task, ''));
				continue;
			}
			const ids = list.map(t => laneId(KIND.TASK, t.task)), most = Math.min(list.length, info.cpus);
			rows.push({ id: group, draw: (/** @type {import('../paint.js').Pen} */ pen, /** @type {number} */ y) => paintStack(pen, y + 2, 14, most, [[countStates(pen, ids).runs, pen.colors.running]]), label: `${processName(info, pid)}, ${list.length} threads`, height: 18, isHead: true });
			for (const { task } of list.sort((a, b) => b.weight - a.weight || a.task - b.task))
				rows.push(rowOf(c, task, group));
		}
		return rows;
	},
});
