// SPDX-License-Identifier: GPL-2.0-or-later
// What sonde report prints, for the range between the markers, else for what is visible.
import { clock, duration, make } from '../words.js';
import { showNeeds } from '../needs.js';
import { addPanel } from './registry.js';

/** Microseconds with a digit, cut off, as the command prints them. @param {number} ns */
const us = ns => (Math.floor(ns / 100) / 10).toFixed(1);
/** @param {import('../report.js').Spans} s */
const spans = s => [us(s.sum), us(s.n ? Math.floor(s.sum / s.n) : 0), us(s.max)];

/** @param {HTMLElement} box @param {string} title @param {string[]} heads the first is a word @param {any[][]} rows */
function addTable(box, title, heads, rows) {
	const table = make('table', '', box);
	make('caption', title, table);
	const head = make('tr', '', make('thead', '', table)), body = make('tbody', '', table);
	heads.forEach((h, i) => make('th', h, head, i ? '' : 'word').setAttribute('scope', 'col'));
	for (const row of rows)
		row.reduce((tr, cell, i) => (make('td', String(cell), tr, i ? '' : 'word'), tr), make('tr', '', body));
}

/** @param {HTMLElement} box @param {import('../report.js').Report} r */
function showReport(box, r) {
	addTable(box, 'Threads', ['thread', 'number', 'events', ...r.hasSwitches ? ['runs', 'on CPU, µs', 'average', 'longest', 'waits, µs', 'average', 'longest'] : []],
		r.threads.map(t => [t.comm, t.tid, t.n, ...r.hasSwitches ? [t.onCpu.n, ...spans(t.onCpu), ...spans(t.waits)] : []]));
	if (r.calls.length)
		addTable(box, 'System calls', ['system call', 'calls', ...r.hasExits ? ['errors'] : [], ...r.hasExits && r.hasEntries ? ['time, µs', 'average', 'longest'] : []],
			r.calls.map(c => [c.name, c.n, ...r.hasExits ? [c.errors] : [], ...r.hasExits && r.hasEntries ? spans(c.times) : []]));
	addTable(box, 'Events', ['event', 'number'], r.events.map(e => [e.name, e.n]));
}

addPanel({
	id: 'sums',
	title: 'Sums',
	show: async (box, { info, source, view }) => {
		const [a, b] = view.chosen, from = Math.floor(a), to = Math.ceil(b);
		const range = `--time=${clock(info, from)},${clock(info, to)}`;
		make('p', `${duration(to - from)} from ${clock(info, from)} s. `, box).append('The same in a terminal: ', make('code', `sonde report ${range} ${info.file}`));
		if (!source.report) {
			make('p', `This page has ${info.events} events in steps, not one by one. A page with sums: `, box)
				.append(make('code', `sonde export --html ${range} ${info.file}`), ', or ', make('code', `sonde view ${info.file}`));
			return;
		}
		const place = make('div', 'counting …', box), report = await source.report(from, to);
		place.textContent = '';
		if (report)
			showReport(place, report);
		showNeeds(place, info, ['switches', 'wakeups', 'calls']);
	},
});
