// SPDX-License-Identifier: GPL-2.0-or-later
// What hands do: keys, wheel, drag. Keys are rows; the list that ? shows is made of them.
import { firstAfter } from './tiles.js';
import { $, clock, duration, make } from './words.js';

/** @typedef {{view: import('./state.js').ViewState, picture: import('./picture.js').Picture, find: (step: number) => void,
 * nextMatch: (step: number) => void, tell: (row: import('./picture.js').PlacedRow, hit: import('./lanes/registry.js').Hit) => void}} Hands */

/** The time that keys act on: of the selection if it is visible, else the middle. @param {Hands} h */
function focus(h) {
	const s = h.view.is;
	return s.at !== null && s.at >= s.from && s.at <= s.to ? s.at : (s.from + s.to) / 2;
}

/** Selects what is there. @param {Hands} h @param {import('./picture.js').PlacedRow | undefined} row @param {number} time @param {number} [part] */
export function pick(h, row, time, part) {
	const hit = row && h.picture.hit(row, time, part);
	h.view.set({ picked: row ? row.id : h.view.is.picked, at: hit ? Math.max(hit.t0, h.view.is.from) : time });
	$('said').textContent = row ? `${row.label}: ${hit ? hit.text : 'nothing'} at ${clock(h.picture.context.info, hit ? hit.t0 : time)} s` : '';
	if (row && hit)
		h.tell(row, hit);
}

/** @param {Hands} h @param {number} step */
function pickRow(h, step) {
	const rows = h.picture.rows, now = rows.findIndex(r => r.id === h.view.is.picked);
	const row = rows[Math.max(0, Math.min(rows.length - 1, now + step))];
	if (row) {
		pick(h, row, focus(h));
		h.picture.scrollToRow(row.id);
	}
}

/** The next or last span of the row. @param {Hands} h @param {number} step */
function pickSpan(h, step) {
	const row = h.picture.rowOf(h.view.is.picked), at = h.view.is.at ?? (step > 0 ? h.view.is.from : h.view.is.to);
	let best = null;
	for (const part of h.picture.parts)
		for (const id of row?.lanes || []) {
			const lane = part.tile.lanes.get(id);
			for (let i = lane ? Math.max(0, firstAfter(lane, at) - 2) : 0; lane && i < lane.n; i++) {
				const t = lane.t0[i];
				if (step > 0 && t > at) {
					best = best === null ? t : Math.min(best, t);
					break;
				}
				if (step < 0 && t < at)
					best = best === null ? t : Math.max(best, t);
				if (t > at)
					break;
			}
		}
	if (best !== null) {
		h.view.center(best);
		h.picture.draw();
		pick(h, row, best);
		h.view.set({ at: best });
	}
}

/** To a span, with a little room beside it. @param {Hands} h @param {import('./lanes/registry.js').Hit} hit */
function zoomTo(h, hit) {
	const room = (hit.t1 - hit.t0) * .1;
	if (room)
		h.view.set({ from: hit.t0 - room, to: hit.t1 + room });
}
/** @param {Hands} h @param {number} by */
const zoom = (h, by) => h.view.zoom(by, focus(h));
/** @param {Hands} h @param {number} by */
const move = (h, by) => h.view.move((h.view.is.to - h.view.is.from) * by);

/** @type {[string, string, string, (h: Hands) => void][]} keys, how they are shown, what they do */
export const KEYS = [
	['w + =', 'w, +', 'zoom in', h => zoom(h, .6)],
	['s -', 's, -', 'zoom out', h => zoom(h, 1 / .6)],
	['a ArrowLeft', 'a, ←', 'move left', h => move(h, -.2)],
	['d ArrowRight', 'd, →', 'move right', h => move(h, .2)],
	['ArrowUp', '↑', 'the lane above', h => pickRow(h, -1)],
	['ArrowDown', '↓', 'the lane below', h => pickRow(h, 1)],
	['.', '.', 'the next span of the lane', h => pickSpan(h, 1)],
	[',', ',', 'the span before', h => pickSpan(h, -1)],
	['Enter', 'Enter', 'open or close the group', h => h.picture.rowOf(h.view.is.picked)?.isHead && h.view.toggle(h.view.is.picked)],
	['[', '[', 'marker A here', h => h.view.set({ a: focus(h) })],
	[']', ']', 'marker B here', h => h.view.set({ b: focus(h) })],
	['f', 'f', 'zoom to the markers, else to the selected span', h => {
		const [from, to] = h.view.chosen, s = h.view.is, row = h.picture.rowOf(s.picked), hit = row && s.at !== null && h.picture.hit(row, s.at);
		if (s.a === null && s.b === null && hit)
			zoomTo(h, hit);
		else
			h.view.set({ from, to });
	}],
	['Escape', 'Esc', 'no markers', h => h.view.set({ a: null, b: null, at: null })],
	['0', '0', 'all of it', h => h.view.set({ from: 0, to: h.view.range })],
	['/', '/', 'search lanes', () => $('search').focus()],
	['n', 'n', 'the next lane of the search', h => h.find(1)],
	['N', 'N', 'the lane before', h => h.find(-1)],
	['e', 'e', 'filter events by a predicate', () => $('filter').focus()],
	['m', 'm', 'the next event that matches', h => h.nextMatch(1)],
	['p', 'p', 'the one before', h => h.nextMatch(-1)],
	['PageUp', 'Page ↑', 'lanes further up', h => h.picture.scrollTo(h.picture.scroll - 300)],
	['PageDown', 'Page ↓', 'lanes further down', h => h.picture.scrollTo(h.picture.scroll + 300)],
	['t', 't', 'light or dark', h => h.view.set({ theme: document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark' })],
	['c', 'c', 'the critical path of the selected wait', h => h.view.set({ panel: 'path' })],
	['?', '?', 'these keys', () => showKeys()],
];
const MOUSE = [['drag', 'move'], ['wheel', 'zoom; with shift: lanes up and down'], ['click', 'select'], ['double click', 'zoom to the span'], ['drag beside the tabs', 'more room for the picture, or less'],
	['shift and drag, or drag above the lanes', 'markers A and B']];

const COLOR_NAMES = [['running', 'run'], ['runnable', 'wait for a processor'], ['sleeping', 'sleep'], ['blocked', 'are blocked'], ['stopped', 'are stopped']];

export function showKeys() {
	const box = $('keys');
	box.textContent = '';
	make('button', 'close', make('h2', 'Keys and colors ', box)).addEventListener('click', () => box.close());
	const colors = make('p', 'Threads: ', box);
	for (const [name, what] of COLOR_NAMES) {
		/** @type {HTMLElement} */ (make('span', '', colors, 'key')).style.background = `var(--${name})`;
		colors.append(what);
	}
	const list = make('dl', '', box);
	for (const [what, does] of [...KEYS.map(k => [k[1], k[2]]), ...MOUSE]) {
		make('dt', what, list);
		make('dd', does, list);
	}
	box.showModal();
}

/** @param {Hands} h */
function onKeys(h) {
	addEventListener('keydown', e => {
		const at = /** @type {HTMLElement} */ (e.target);
		if (e.ctrlKey || e.metaKey || e.altKey || $('keys').open)
			return;
		if (/^(INPUT|TEXTAREA)$/.test(at.tagName)) {
			if (e.key === 'Escape')
				at.blur();
			return;
		}
		const inPanel = at.closest('#below, header, form, #labels'), key = KEYS.find(k => k[0].split(' ').includes(e.key));
		if (!key || (inPanel && /^(Arrow|Page|Enter)/.test(e.key)))
			return;
		e.preventDefault();
		key[3](h);
	});
}

/** Where the pointer is. @param {Hands} h @param {MouseEvent} e */
function place(h, e) {
	const box = $('lanes').getBoundingClientRect(), y = e.clientY - box.top, row = h.picture.rowAt(y);
	return { x: e.clientX - box.left, y, row, time: h.picture.timeAt(e.clientX - box.left), part: row ? (y + h.picture.scroll - row.y) / row.height : 0 };
}

/** @param {Hands} h */
function onLanes(h) {
	const lanes = $('lanes');
	/** @type {any} */
	let drag = null;
	const down = (/** @type {PointerEvent} */ e, /** @type {boolean} */ marks) => {
		if (e.button)
			return;
		drag = { ...place(h, e), from: h.view.is.from, to: h.view.is.to, scroll: h.picture.scroll, marks, moved: false };
		/** @type {HTMLElement} */ (e.currentTarget).setPointerCapture(e.pointerId);
	};
	const moveTo = (/** @type {PointerEvent} */ e) => {
		const now = place(h, e);
		if (!drag)
			return;
		drag.moved ||= Math.abs(now.x - drag.x) + Math.abs(now.y - drag.y) > 3;
		if (!drag.moved)
			return;
		if (drag.marks) {
			h.view.set({ a: drag.time, b: now.time });
		} else {
			const by = (drag.x - now.x) * h.picture.pixel;
			h.picture.scrollTo(drag.scroll + drag.y - now.y);
			h.view.set({ from: drag.from + by, to: drag.to + by });
		}
	};
	const up = (/** @type {PointerEvent} */ e) => {
		if (drag && !drag.moved && e.currentTarget === lanes)
			pick(h, drag.row, drag.time, drag.part);
		drag = null;
	};
	lanes.addEventListener('pointerdown', (/** @type {PointerEvent} */ e) => down(e, e.shiftKey));
	$('ruler').addEventListener('pointerdown', (/** @type {PointerEvent} */ e) => down(e, true));
	for (const e of [lanes, $('ruler')]) {
		e.addEventListener('pointermove', moveTo);
		e.addEventListener('pointerup', up);
	}
	lanes.addEventListener('dblclick', (/** @type {MouseEvent} */ e) => {
		const { row, time, part } = place(h, e), hit = row && h.picture.hit(row, time, part);
		if (hit)
			zoomTo(h, hit);
	});
	lanes.addEventListener('mousemove', (/** @type {MouseEvent} */ e) => showTip(h, e, !!drag));
	lanes.addEventListener('mouseleave', () => ($('tip').hidden = true));
}

/** @param {Hands} h @param {MouseEvent} e @param {boolean} isDrag */
function showTip(h, e, isDrag) {
	const tip = $('tip'), { row, time, part, x, y } = place(h, e), hit = row && !isDrag && h.picture.hit(row, time, part);
	tip.hidden = !hit;
	if (!hit)
		return;
	tip.textContent = `${row.label}\n${hit.text}`;
	tip.style.left = Math.min(h.picture.left + x + 14, $('picture').clientWidth - tip.offsetWidth - 4) + 'px';
	tip.style.top = Math.min(y + 14, $('picture').clientHeight - tip.offsetHeight - 4) + 'px';
}

/** @param {Hands} h */
function onWheel(h) {
	$('picture').addEventListener('wheel', (/** @type {WheelEvent} */ e) => {
		e.preventDefault();
		if (e.shiftKey || place(h, e).x < 0)
			h.picture.scrollTo(h.picture.scroll + (e.deltaY || e.deltaX));
		else if (Math.abs(e.deltaX) > Math.abs(e.deltaY))
			h.view.move(e.deltaX * h.picture.pixel);
		else
			h.view.zoom(Math.exp(Math.max(-200, Math.min(200, e.deltaY)) * .003), place(h, e).time);
	}, { passive: false });
}

/** @param {Hands} h */
function onOverview(h) {
	const go = (/** @type {PointerEvent} */ e) => {
		const box = $('overview').getBoundingClientRect(), half = (h.view.is.to - h.view.is.from) / 2;
		const at = (e.clientX - box.left) / box.width * h.view.range;
		if (e.buttons)
			h.view.set({ from: at - half, to: at + half });
	};
	$('overview').addEventListener('pointerdown', go);
	$('overview').addEventListener('pointermove', go);
}

/** The bar of tabs moves the border between the picture and the panels. @param {Hands} h */
function onTabs(h) {
	const bar = $('tabs'), main = /** @type {HTMLElement} */ (document.querySelector('main'));
	bar.addEventListener('pointerdown', (/** @type {PointerEvent} */ e) => e.target === bar && bar.setPointerCapture(e.pointerId));
	bar.addEventListener('pointermove', (/** @type {PointerEvent} */ e) => {
		if (!bar.hasPointerCapture(e.pointerId))
			return;
		const top = main.getBoundingClientRect().top;
		main.style.flex = `0 0 ${Math.max(120, Math.min(e.clientY - top, innerHeight - top - 60))}px`;
		h.picture.later();
	});
}

/** @param {Hands} h */
function onLabels(h) {
	$('labels').addEventListener('click', (/** @type {MouseEvent} */ e) => {
		const id = /** @type {HTMLElement} */ (e.target).closest('div')?.dataset.id, row = id && h.picture.rowOf(id);
		if (row && row.isHead)
			h.view.toggle(row.id);
		if (row)
			pick(h, row, focus(h));
	});
}

/** @param {Hands} h */
export function listen(h) {
	onKeys(h);
	onLanes(h);
	onWheel(h);
	onOverview(h);
	onLabels(h);
	onTabs(h);
	$('help').onclick = showKeys;
	$('before').onclick = () => h.nextMatch(-1);
	$('after').onclick = () => h.nextMatch(1);
	$('predicate').onsubmit = (/** @type {Event} */ e) => e.preventDefault();
	$('in').onclick = () => zoom(h, .6);
	$('out').onclick = () => zoom(h, 1 / .6);
	$('fit').onclick = () => h.view.set({ from: 0, to: h.view.range });
	$('theme').onclick = () => KEYS.find(k => k[0] === 't')?.[3](h);
	addEventListener('resize', () => h.picture.later());
}

/** "A to B" for the header. @param {import('./data.js').Info} info @param {import('./state.js').State} s */
export function markersText(info, s) {
	const parts = [];
	for (const [name, at] of /** @type {[string, number | null][]} */ ([['A', s.a], ['B', s.b]]))
		if (at !== null)
			parts.push(`${name} ${clock(info, at)} s`);
	if (s.a !== null && s.b !== null)
		parts.push(`B − A = ${duration(s.b - s.a)}`);
	return parts.join(', ');
}
