// SPDX-License-Identifier: GPL-2.0-or-later
// All events in the order of time. Only the visible rows are there; the bar stands for millions.
import { $, clock, make } from '../words.js';
import { addPanel } from './registry.js';

const ROW = 20, MOST_HEIGHT = 8e6; /* browsers limit the height of elements */
const HEADS = ['time, s', 'CPU', 'thread', 'event', 'fields'];

class EventTable {
	/** @param {HTMLElement} box @param {import('./registry.js').App} app */
	constructor(box, app) {
		this.app = app;
		this.box = box;
		this.sizer = /** @type {HTMLElement} */ (make('div', '', box, 'sizer'));
		this.table = /** @type {HTMLElement} */ (make('table', '', this.sizer, 'events'));
		const head = make('tr', '', make('thead', '', this.table));
		for (const h of HEADS)
			make('th', h, head).setAttribute('scope', 'col');
		this.body = /** @type {HTMLTableSectionElement} */ (make('tbody', '', this.table));
		this.asked = 0;
		/** @type {import('../data.js').EventRow[]} */
		this.rows = [];
		/** @type {number | null} the time that the table was last moved to */
		this.shown = null;
		this.table.addEventListener('click', e => {
			const row = this.rows[Number(/** @type {HTMLElement} */ (e.target).closest('tr')?.dataset.i)];
			if (row)
				this.choose(row);
		});
		box.onscroll = () => this.fill(this.numberAt(box.scrollTop));
		this.resize();
		this.fill(0);
	}
	resize() {
		this.sizer.style.height = Math.min(MOST_HEIGHT, (this.app.filter.events + 1) * ROW + 40) + 'px';
	}
	get room() {
		return Math.ceil(this.box.clientHeight / ROW) + 2;
	}
	/** @param {number} top */
	numberAt(top) {
		const { events } = this.app.filter, high = this.sizer.offsetHeight - this.box.clientHeight;
		return events * ROW < MOST_HEIGHT ? Math.floor(top / ROW) : Math.floor(top / Math.max(high, 1) * Math.max(0, events - this.room + 3));
	}
	/** @param {number} number */
	topOf(number) {
		const { events } = this.app.filter, high = this.sizer.offsetHeight - this.box.clientHeight;
		return events * ROW < MOST_HEIGHT ? number * ROW : number / Math.max(1, events - this.room + 3) * high;
	}
	/** @param {import('../data.js').EventRow} row */
	choose(row) {
		const { view, picture } = this.app;
		this.shown = row[0];
		view.center(row[0]);
		view.set({ at: row[0], picked: picture.rowOf('task' + row[3]) ? 'task' + row[3] : view.is.picked });
		picture.scrollToRow(view.is.picked);
		this.mark();
	}
	mark() {
		for (const tr of this.table.querySelectorAll('tr[data-i]'))
			tr.className = this.rows[Number(/** @type {HTMLElement} */ (tr).dataset.i)][0] === this.app.view.is.at ? 'picked' : '';
	}
	/** @param {number} first */
	async fill(first) {
		const ask = ++this.asked, rows = await this.app.source.rows?.(first, this.room, this.app.filter.active) || [];
		if (ask !== this.asked)
			return;
		const { info, filter } = this.app;
		this.rows = rows;
		this.table.style.top = this.box.scrollTop + 'px';
		/* Elements stay as long as they are needed: they may have the focus. */
		while (this.body.rows.length > rows.length)
			this.body.deleteRow(-1);
		rows.forEach(([time, cpu, format, tid, , comm, text], i) => {
			const tr = this.body.rows[i] || make('tr', '', this.body);
			tr.dataset.i = String(i);
			[clock(info, time), String(cpu), `${comm} ${tid}`, info.formats[format], text].forEach((cell, c) => {
				(tr.cells[c] || make('td', '', tr)).textContent = cell;
			});
		});
		this.table.setAttribute('aria-rowcount', String(filter.events));
		this.table.setAttribute('aria-label', `events ${first + 1} to ${first + rows.length} of ${filter.events}`);
		this.mark();
	}
	/** Other events are to be seen. */
	again() {
		this.resize();
		this.fill(this.numberAt(this.box.scrollTop));
	}
	/** Follows the picture. */
	async follow() {
		const { at } = this.app.view.is;
		this.resize();
		this.mark();
		if (at === null || at === this.shown)
			return;
		this.shown = at;
		this.box.scrollTop = this.topOf(Math.max(0, await this.app.source.numberAt(at, this.app.filter.active)));
	}
}

/** @type {EventTable | null} */
let shown = null;

addPanel({
	id: 'events',
	title: 'Events',
	show: (box, app) => {
		shown = null;
		if (!app.source.rows) {
			make('p', `This page has ${app.info.events} events in steps, not one by one. Export a part of it (--time=FROM,TO), or: `, box).append(make('code', `sonde view ${app.info.file}`));
			return;
		}
		shown = new EventTable(box, app);
		shown.follow();
	},
	update: () => void shown?.follow(),
	filtered: () => void shown?.again(),
});

export const isShown = () => !!$('panel').querySelector('.events');
