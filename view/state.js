// SPDX-License-Identifier: GPL-2.0-or-later
// What is shown. Every change goes through set(), so that the address always has it: a link shows the same picture.

/**
 * @typedef {object} State
 * @property {number} from @property {number} to what is visible, in ns
 * @property {number | null} a @property {number | null} b markers
 * @property {string} picked id of the row
 * @property {number | null} at time of what is selected
 * @property {string} closed ids of closed groups, with commas
 * @property {string} find words of lanes
 * @property {string} filter of events
 * @property {string} expr @property {string} first @property {string} second @property {string} key what the panel of values counts
 * @property {string} flame what is in the flame graph: '' all, 'off' the time off the CPU, else an event
 * @property {string} base FROM,TO of the range that flame graphs are compared with; or "file NAME"
 * @property {string} lanes of counters: an array of texts as JSON
 * @property {string} panel
 * @property {string} theme '' is that of the system
 */

const NUMBERS = ['from', 'to', 'a', 'b', 'at'], TEXTS = ['picked', 'closed', 'find', 'filter', 'expr', 'first', 'second', 'key', 'flame', 'base', 'lanes', 'panel', 'theme'];

export class ViewState {
	/** @param {number} range @param {() => void} changed */
	constructor(range, changed) {
		this.range = Math.max(range, 1);
		this.changed = changed;
		/** @type {State} */
		this.is = { from: 0, to: this.range, a: null, b: null, picked: '', at: null, closed: '', find: '', filter: '', expr: '', first: '', second: '', key: '', flame: '', base: '', lanes: '', panel: 'sums', theme: '' };
		this.timer = 0;
		this.readAddress();
		addEventListener('hashchange', () => {
			if (location.hash.slice(1) !== this.address()) {
				this.readAddress();
				this.changed();
			}
		});
	}
	readAddress() {
		const has = new URLSearchParams(location.hash.slice(1));
		const change = /** @type {any} */ ({});
		for (const [key, value] of has)
			if (TEXTS.includes(key))
				change[key] = value;
			else if (NUMBERS.includes(key) && value !== '' && isFinite(Number(value)))
				change[key] = Number(value);
		Object.assign(this.is, change);
		this.clip();
	}
	address() {
		const to = new URLSearchParams(), is = /** @type {any} */ (this.is);
		for (const key of [...NUMBERS, ...TEXTS])
			if (is[key] !== null && is[key] !== '' && !(key === 'panel' && is[key] === 'sums'))
				to.set(key, typeof is[key] === 'number' ? String(Math.round(is[key])) : is[key]);
		return to.toString();
	}
	/** Within the recording, with a little room beside it; not finer than 20 ns. */
	clip() {
		const s = this.is, room = this.range * .02;
		const wide = Math.min(Math.max(s.to - s.from, 20), this.range + 2 * room);
		s.from = Math.min(Math.max(s.from, -room), this.range + room - wide);
		s.to = s.from + wide;
	}
	/** @param {Partial<State>} change */
	set(change) {
		Object.assign(this.is, change);
		this.clip();
		this.changed();
		clearTimeout(this.timer); /* browsers refuse many changes of the address in a short time */
		this.timer = setTimeout(() => history.replaceState(null, '', '#' + this.address()), 200);
	}
	/** @param {number} by @param {number} at the time that stays where it is */
	zoom(by, at) {
		const s = this.is;
		this.set({ from: at - (at - s.from) * by, to: at + (s.to - at) * by });
	}
	/** @param {number} ns */
	move(ns) {
		this.set({ from: this.is.from + ns, to: this.is.to + ns });
	}
	/** Shows that time, as close as now. @param {number} time */
	center(time) {
		const s = this.is, half = (s.to - s.from) / 2;
		if (time < s.from || time > s.to)
			this.set({ from: time - half, to: time + half });
	}
	/** The range for sums: between the markers, else what is visible. @returns {[number, number]} */
	get chosen() {
		const s = this.is;
		if (s.a !== null && s.b !== null && s.a !== s.b)
			return [Math.min(s.a, s.b), Math.max(s.a, s.b)];
		return [Math.max(0, s.from), Math.min(this.range, s.to)];
	}
	/** @returns {string[]} */
	get lanes() {
		try {
			return JSON.parse(this.is.lanes).map(String);
		} catch (e) { /* none, or an address that someone typed */
			return [];
		}
	}
	/** @param {string[]} lanes */
	setLanes(lanes) {
		this.set({ lanes: lanes.length ? JSON.stringify([...new Set(lanes)]) : '' });
	}
	/** @param {string} id */
	isClosed(id) {
		return this.is.closed.split(',').includes(id);
	}
	/** @param {string} id */
	toggle(id) {
		const closed = this.is.closed.split(',').filter(Boolean);
		this.set({ closed: (closed.includes(id) ? closed.filter(c => c !== id) : [...closed, id]).join() });
	}
}
