// SPDX-License-Identifier: GPL-2.0-or-later
// The critical path of the selected wait, step by step; the picture draws it while this panel is shown.
import { duration, clock, make, stateText, taskName } from '../words.js';
import { showNeeds } from '../needs.js';
import { addPanel } from './registry.js';
import { pathOf } from '../path.js';

/** @param {HTMLElement} box @param {import('./registry.js').App} app */
function showPath(box, { info, view, picture }) {
	const path = pathOf(picture.parts, picture.rowOf(view.is.picked)?.task, view.is.at);
	box.textContent = '';
	if (!path) {
		make('p', 'Select a wait of a thread (gray or red): here is what others did until they woke it.', box);
		showNeeds(box, info, ['switches', 'wakeups']);
		return;
	}
	const { wait, steps, why } = path, whole = wait.t1 - wait.t0, table = make('table', '', box), body = make('tbody', '', table);
	make('caption', `${taskName(info, wait.task)} is ${stateText(info, wait.state, 0)} for ${duration(whole)}, from ${clock(info, wait.t0)} s: it waits for`, table);
	for (const s of steps) {
		const row = make('tr', '', body);
		for (const [text, name] of [[taskName(info, s.task), 'word'], [stateText(info, s.state, s.extra), 'word'], [duration(s.t1 - s.t0), ''], [(100 * (s.t1 - s.t0) / whole).toFixed(1) + ' %', '']])
			make('td', text, row, name);
	}
	make('p', why, box);
}

addPanel({ id: 'path', title: 'Critical path', show: showPath, update: showPath });
