// SPDX-License-Identifier: GPL-2.0-or-later
// The filter of events: a predicate, how many events match, its error with a caret, and what may come next in it.
import { $ } from './words.js';

const MOST_WORDS = 30;

export class Filter {
	/** @param {import('./data.js').Source} source @param {import('./data.js').Info} info @param {() => void} changed */
	constructor(source, info, changed) {
		this.source = source;
		this.info = info;
		this.changed = changed;
		this.text = this.wrong = '';
		this.n = this.at = 0;
		this.isDone = true;
		/** @type {string[]} */
		this.words = [];
		/** @type {number[]} pairs of a column of the overview and its matches */
		this.where = [];
	}
	/** The predicate that decides; '': there is none, or it is wrong. */
	get active() {
		return this.wrong ? '' : this.text;
	}
	/** How many events there are to see. */
	get events() {
		return this.active ? this.n : this.info.events;
	}
	/** @param {string} text */
	async set(text) {
		text = text.trim();
		if (text === this.text)
			return;
		Object.assign(this, { text, wrong: '', n: 0, at: 0, where: [], isDone: !text });
		for (let wait = 20; !this.isDone && text === this.text; wait = Math.min(wait * 2, 300)) {
			const found = await this.source.filter(text).catch(e => ({ n: 0, isDone: true, at: 0, where: [], wrong: String(e) }));
			if (text !== this.text)
				return;
			Object.assign(this, found);
			this.changed();
			if (!this.isDone)
				await new Promise(done => setTimeout(done, wait));
		}
		this.changed();
	}
	/** The time of the next match, or of the one before; null: there is none. @param {number | null} at @param {number} step */
	async next(at, step) {
		let number = at === null ? 0 : await this.source.numberAt(at, this.active);
		if (at !== null && step < 0)
			number--;
		for (let rows; number >= 0 && (rows = await this.source.rows?.(number, 20, this.active))?.length; number += 20) {
			const hit = step < 0 ? rows[0] : rows.find(r => at === null || r[0] > at);
			if (hit)
				return hit;
		}
		return null;
	}
	/** "12 of 345 events". */
	get said() {
		if (!this.text)
			return '';
		return this.wrong ? '' : `${this.n} of ${this.info.events} events${this.isDone ? '' : ', searching …'}`;
	}
	/** Offers what the last word may become. @param {string} typed */
	async offer(typed) {
		if (!this.words.length)
			this.words = [...new Set([...this.info.fields.flat(), ...await this.source.words()])].sort();
		const word = /[A-Za-z_]\w*$/.exec(typed)?.[0] || '', before = typed.slice(0, typed.length - word.length);
		$('words').textContent = '';
		for (const w of word && !/(^|[^\\])"[^"]*$/.test(before) ? this.words.filter(w => w.startsWith(word) && w !== word).slice(0, MOST_WORDS) : [])
			$('words').append(new Option('', before + w));
	}
	show() {
		const mark = ' '.repeat([...this.text.slice(0, this.at)].length) + '^ ';
		$('matches').textContent = this.said;
		$('wrong').textContent = this.wrong ? `${this.text}\n${mark}${this.wrong}` : '';
		$('filter').setAttribute('aria-invalid', String(!!this.wrong));
	}
}

/** @param {Filter} filter @param {import('./state.js').ViewState} view */
export function listenFilter(filter, view) {
	$('filter').oninput = () => filter.offer($('filter').value);
	$('filter').onchange = () => view.set({ filter: $('filter').value.trim() });
}
