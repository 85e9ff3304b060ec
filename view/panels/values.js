// SPDX-License-Identifier: GPL-2.0-or-later
// How values are distributed: of a field or an expression, or the times from one event to another; of the events that match the filter.
import { duration, make } from '../words.js';
import { addPanel } from './registry.js';

/** @type {[string, string, string][]} member of the state, label, placeholder */
const INPUTS = [['expr', 'values of', 'next_prio'], ['first', 'or times (ns) from', 'sched:sched_waking'], ['second', 'to', 'sched:sched_switch'],
	['key', 'with the same', 'pid,next_pid']];

/** What is often asked: label, events, key. @type {[string, string, string, string][]} */
const OFTEN = [['how long threads wait for a processor', 'sched:sched_waking', 'sched:sched_switch', 'pid,next_pid'],
	['how long system calls take', 'raw_syscalls:sys_enter', 'raw_syscalls:sys_exit', 'tid']];

/** @param {HTMLElement} box @param {import('./registry.js').App} app */
function addInputs(box, { info, view }) {
	const form = /** @type {HTMLFormElement} */ (make('form', '', box)), state = /** @type {any} */ (view.is);
	const lists = { expr: [...new Set(info.fields.flat())].sort(), first: info.formats, second: info.formats, key: [] };
	for (const [id, label, example] of INPUTS) {
		const input = /** @type {HTMLInputElement} */ (make('input', '', make('label', label + ' ', form))), list = make('datalist', '', form);
		Object.assign(input, { name: id, value: state[id], placeholder: example, maxLength: 200, autocomplete: 'off' });
		list.id = 'list-' + id;
		input.setAttribute('list', list.id);
		list.append(.../** @type {any} */ (lists)[id].map((/** @type {string} */ text) => new Option('', text)));
		form.append(' ');
	}
	make('button', 'count', form);
	for (const [label, first, second, key] of OFTEN)
		if (info.formats.includes(first) && info.formats.includes(second)) {
			const button = /** @type {HTMLButtonElement} */ (make('button', label, form));
			button.type = 'button';
			button.onclick = () => view.set({ expr: '', first, second, key });
			form.append(' ');
		}
	form.onsubmit = e => {
		e.preventDefault();
		const typed = Object.fromEntries(/** @type {any} */ (new FormData(form)));
		/* what has been changed is meant */
		view.set(typed.expr && typed.expr !== view.is.expr ? { expr: typed.expr, first: '', second: '', key: '' } :
			typed.first && typed.second && typed.key ? { ...typed, expr: '' } : typed);
	};
}

/** @param {HTMLElement} box @param {string} what @param {import('../counts.js').Counted} c @param {boolean} isTime */
function showCounted(box, what, c, isTime) {
	const rows = c.wrong ? [] : c.rows, most = Math.max(...rows.map(r => r[1]), 1), value = (/** @type {number | undefined} */ n) => isTime ? `${n} (${duration(n || 0)})` : String(n);
	make('p', c.wrong || (!c.n ? 'no event has such a value' : c.least === undefined ? `${c.n} values` :
		`${c.n} values: least ${value(c.least)}, p50 ${value(c.p50)}, p90 ${value(c.p90)}, p99 ${value(c.p99)}, largest ${value(c.largest)}`), box, 'counted');
	const table = make('table', '', box), body = make('tbody', '', table);
	make('caption', what, table);
	for (const [label, n] of rows) {
		const row = make('tr', '', body);
		make('th', label, row, 'word').setAttribute('scope', 'row');
		make('td', String(n), row);
		make('td', (100 * n / c.n).toFixed(0) + ' %', row);
		const bar = /** @type {HTMLElement} */ (make('div', '', make('td', '', row), 'bar'));
		bar.style.width = 300 * n / most + 'px';
	}
}

addPanel({
	id: 'values',
	title: 'Values',
	show: async (box, app) => {
		const { source, view, filter } = app, { expr, first, second, key } = view.is, [from, to] = view.chosen;
		if (!source.values) {
			make('p', 'This page has steps, not single events: ', box).append(make('code', `sonde view ${app.info.file}`));
			return;
		}
		addInputs(box, app);
		if (!expr && !(first && second && key))
			return;
		const place = make('div', 'counting …', box);
		const found = await source.values({ ...expr ? { expr } : { first, second, key }, filter: filter.active, from, to });
		place.textContent = '';
		showCounted(place, (expr || `from ${first} to ${second} with the same ${key}`) + (filter.active && ', of events where ' + filter.active), found, !expr);
	},
});
