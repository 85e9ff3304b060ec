// SPDX-License-Identifier: GPL-2.0-or-later
// Groups of lanes. A group is a file here that calls addGroup(), and its line in index.js.
import { KIND } from '../data.js';
import { laneId } from '../tiles.js';

/**
 * @typedef {object} Context
 * @property {import('../data.js').Info} info
 * @property {import('../tiles.js').Tiles} tiles
 * @property {import('../series.js').Series} series
 * @property {import('../state.js').ViewState} view
 */
/**
 * @typedef {object} Row
 * @property {string} id unique; part of addresses
 * @property {string} label
 * @property {number} height
 * @property {boolean} [isHead] it opens and closes those of which it is the group
 * @property {string} [group] id of the head
 * @property {number} [task] whose row it is: arrows of wake-ups end here
 * @property {number[]} [lanes] ids, the most important first: what keys step through
 * @property {(pen: import('../paint.js').Pen, y: number) => void} [draw]
 * @property {(parts: import('../tiles.js').Part[], time: number, near: number, part: number) => Hit | null} [hit] part: 0 at the top of the row, 1 at its end
 */
/** @typedef {{t0: number, t1: number, text: string}} Hit */
/** @typedef {{id: string, title: string, needs?: string, rows: (c: Context) => Row[]}} Group rows: none if there is nothing to show; needs: the member of
 * Info.has that is missing then */

/** @type {Group[]} */
export const groups = [];
/** @param {Group} group */
export const addGroup = group => groups.push(group);

/** Keys of lanes of a kind that the coarsest tile has. @param {Context} c @param {number} kind */
export function keysOf(c, kind) {
	const keys = [];
	for (const id of c.tiles.whole?.lanes.keys() || [])
		if (id % 8 === kind)
			keys.push(Math.floor(id / 8));
	return keys.sort((a, b) => a - b);
}

/** Whether all that the thread did is recorded: of other processes, only what has to do with the recorded ones is, and none of their calls. @param {Context} c
 * @param {number} task */
export const isTraced = ({ info, tiles }, task) => info.wholeMachine || !info.has.calls || !!tiles.whole?.lanes.has(laneId(KIND.CALL, task));

/** "12 spans within 1 ms; the longest: text", or the text and how long it took. @param {any} span @param {string} text
 * @param {(ns: number) => string} duration @returns {Hit} */
export function hitOf(span, text, duration) {
	const long = duration(span.t1 - span.t0);
	return { t0: span.t0, t1: span.t1,
		text: span.merged && span.n > 1 ? `${span.n} within ${long}; the longest: ${text}` : span.t1 > span.t0 ? `${text}: ${span.open ? 'at least ' : ''}${long}` : text };
}
