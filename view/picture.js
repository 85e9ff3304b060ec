// SPDX-License-Identifier: GPL-2.0-or-later
// The picture: overview, ruler, labels and lanes. It reads the state and draws; what hands do is in input.js.
import { COLUMNS, KIND, LOSS_PERIOD, STATE } from './data.js';
import { MERGED, firstAfter, laneId } from './tiles.js';
import { needText } from './needs.js';
import { hatch } from './paint.js';
import { pathOf } from './path.js';
import { $, clock, duration, make } from './words.js';
import { groups } from './lanes/registry.js';
import './lanes/index.js';

const HEAD_HEIGHT = 20, MOST_ARROWS = 300, LEAST_GAP = 3;
const COLORS = ['back', 'text', 'soft', 'line', 'band', 'pick', 'running', 'runnable', 'sleeping', 'blocked', 'stopped', 'call', 'irq', 'event', 'wake', 'lost'];

/** @typedef {import('./lanes/registry.js').Row & {y: number}} PlacedRow */

export class Picture {
	/** @param {import('./lanes/registry.js').Context} context @param {import('./state.js').ViewState} view */
	constructor(context, view) {
		this.context = context;
		this.view = view;
		/** @type {PlacedRow[]} */
		this.rows = [];
		/** @type {import('./tiles.js').Part[]} */
		this.parts = [];
		this.scroll = this.height = this.frame = 0;
		/** @type {Record<string, string>} */
		this.colors = {};
		/** @type {number[]} how long drawing took, ms: the last ones */
		this.took = [];
		this.layoutKey = '';
		/** @type {number[]} pairs of a column of the overview and how many events match there */
		this.matches = [];
		this.counts = new Float64Array(0);
		/** @type {import('./tiles.js').Tile | null} of which they are the counts */
		this.counted = null;
	}
	/** Draws with the next frame. */
	later() {
		this.frame ||= requestAnimationFrame(() => {
			this.frame = 0;
			const start = performance.now();
			this.draw();
			this.took.push(performance.now() - start);
			this.took.splice(0, this.took.length - 500);
		});
	}
	readColors() {
		const style = getComputedStyle(document.documentElement);
		for (const name of COLORS)
			this.colors[name] = style.getPropertyValue('--' + name);
	}
	/** A canvas of the size of its place, in pixels of the screen. @param {string} id @param {number} width @param {number} height */
	canvas(id, width, height) {
		const e = $(id), by = devicePixelRatio || 1;
		if (e.width !== Math.round(width * by) || e.height !== Math.round(height * by)) {
			e.width = Math.round(width * by);
			e.height = Math.round(height * by);
			e.style.width = width + 'px';
			e.style.height = height + 'px';
		}
		const ctx = /** @type {CanvasRenderingContext2D} */ (e.getContext('2d'));
		ctx.setTransform(by, 0, 0, by, 0, 0);
		ctx.clearRect(0, 0, width, height);
		ctx.font = '11px system-ui, sans-serif';
		ctx.textBaseline = 'middle';
		return ctx;
	}
	get left() {
		return $('labels').offsetWidth;
	}
	get width() {
		return Math.max(10, $('picture').clientWidth - this.left);
	}
	/** @param {number} time */
	xOf(time) {
		const s = this.view.is;
		return (time - s.from) / (s.to - s.from) * this.width;
	}
	/** @param {number} x */
	timeAt(x) {
		const s = this.view.is;
		return s.from + x / this.width * (s.to - s.from);
	}
	/** Length of a pixel. */
	get pixel() {
		const s = this.view.is;
		return (s.to - s.from) / this.width;
	}
	/** All rows, from top to bottom; they change with the tiles that are there and with groups that close. */
	layout() {
		const { tiles, info } = this.context, key = [this.view.is.closed, this.view.is.lanes, tiles.whole?.lanes.size, info.tasks.length, info.done, this.view.is.find, this.context.series.shape].join();
		if (key === this.layoutKey)
			return;
		this.layoutKey = key;
		this.rows = [];
		let y = 0;
		const add = (/** @type {import('./lanes/registry.js').Row} */ row) => {
			this.rows.push({ ...row, y });
			y += row.height;
		};
		for (const group of groups) {
			const rows = group.rows(this.context);
			const why = !rows.length && group.needs && info.isDone && !info.has[group.needs] ? needText(group.needs) : '';
			if (!rows.length && !why)
				continue;
			add({ id: group.id, label: group.title, height: HEAD_HEIGHT, isHead: true, draw: (pen, y) => {
				pen.ctx.fillStyle = pen.colors.soft;
				pen.ctx.fillText(why, 4, y + HEAD_HEIGHT / 2);
			} });
			for (const row of this.view.isClosed(group.id) ? [] : rows)
				if (!row.group || !this.view.isClosed(row.group))
					add(row);
		}
		this.height = y;
	}
	get visible() {
		const room = $('picture').clientHeight;
		return this.rows.filter(r => r.y + r.height > this.scroll && r.y < this.scroll + room);
	}
	/** @param {number} to */
	scrollTo(to) {
		this.scroll = Math.max(0, Math.min(to, this.height - $('picture').clientHeight + 8));
		this.later();
	}
	/** @param {string} id */
	rowOf(id) {
		return this.rows.find(r => r.id === id);
	}
	/** @param {string} id */
	scrollToRow(id) {
		const row = this.rowOf(id), room = $('picture').clientHeight;
		if (row && (row.y < this.scroll || row.y + row.height > this.scroll + room))
			this.scrollTo(row.y - room / 3);
	}
	/** @param {number} y in the picture */
	rowAt(y) {
		return this.rows.find(r => y + this.scroll >= r.y && y + this.scroll < r.y + r.height);
	}
	/** @param {PlacedRow} row @param {number} time @param {number} [part] */
	hit(row, time, part = 0) {
		return row.hit?.(this.parts, time, this.pixel * 3, part) || null;
	}

	draw() {
		const s = this.view.is;
		this.readColors();
		this.layout();
		this.scroll = Math.max(0, Math.min(this.scroll, this.height - $('picture').clientHeight + 8));
		this.parts = this.context.tiles.parts(s.from, s.to, this.pixel);
		this.drawOverview();
		this.drawRuler();
		this.drawLabels();
		this.drawLanes();
	}
	drawLanes() {
		const s = this.view.is, height = $('picture').clientHeight, ctx = this.canvas('lanes', this.width, height);
		const pen = { ctx, from: s.from, scale: 1 / this.pixel, width: this.width, parts: this.parts, colors: this.colors };
		for (const row of this.visible) {
			const y = row.y - this.scroll;
			ctx.fillStyle = row.isHead || row.id === s.picked ? this.colors.band : this.colors.line;
			if (row.isHead || row.id === s.picked)
				ctx.fillRect(0, y, this.width, row.height);
			else
				ctx.fillRect(0, y + row.height - 1, this.width, 1);
			row.draw?.(pen, y);
		}
		this.drawGaps(ctx, height);
		this.drawArrows(pen);
		this.drawPath(ctx);
		this.drawMarkers(ctx, height);
	}
	/** Where events were lost or the file is not read yet: nothing is known there. @param {CanvasRenderingContext2D} ctx @param {number} height */
	drawGaps(ctx, height) {
		const { info } = this.context;
		/** @type {[number, number, string][]} */
		const gaps = info.losses.map(([time]) => [time - LOSS_PERIOD, time, this.colors.lost]);
		for (const [from, to] of info.gaps)
			gaps.push([from, to, this.colors.lost]);
		if (!info.isDone)
			gaps.push([info.done, info.range, this.colors.soft]);
		gaps.sort((a, b) => a[0] - b[0]);
		let drawn = -1;
		for (const [from, to, color] of gaps) {
			const begin = Math.max(0, drawn, this.xOf(from)), end = Math.min(this.width, this.xOf(Math.min(to, info.range)));
			if (end <= begin)
				continue;
			/** However short it is, it can be seen: also at the end of the picture. */
			const x0 = Math.max(0, Math.min(begin, this.width - LEAST_GAP)), x1 = Math.max(end, x0 + LEAST_GAP);
			drawn = x1;
			ctx.save();
			ctx.globalAlpha = .25;
			ctx.strokeStyle = color;
			hatch(ctx, x0, x1, height);
			ctx.restore();
		}
	}
	/** From who wakes to who is woken: all if there are few, else those of the picked row. @param {import('./paint.js').Pen} pen */
	drawArrows(pen) {
		const rows = new Map(), s = this.view.is, { ctx } = pen;
		for (const row of this.visible)
			if (row.task !== undefined)
				rows.set(row.task, row);
		/** @type {[number, PlacedRow, PlacedRow][]} */
		const all = [], picked = this.rowOf(s.picked);
		for (const [task, row] of rows)
			for (const part of this.parts) {
				const lane = part.tile.lanes.get(laneId(KIND.WAKE, task)), end = Math.min(part.to, s.to);
				for (let i = lane ? firstAfter(lane, Math.max(part.from, s.from)) : 0; lane && i < lane.n && lane.t0[i] < end && all.length < 20 * MOST_ARROWS; i++)
					if (!(lane.flags[i] & MERGED) && rows.has(lane.arg[i]) && lane.arg[i] !== task)
						all.push([lane.t0[i], rows.get(lane.arg[i]), row]);
			}
		const few = all.length <= MOST_ARROWS ? all : all.filter(a => a[1] === picked || a[2] === picked).slice(0, MOST_ARROWS);
		ctx.strokeStyle = ctx.fillStyle = this.colors.wake;
		for (const [time, waker, woken] of few) {
			const x = this.xOf(time), y0 = waker.y - this.scroll + 9, y1 = woken.y - this.scroll + (y0 < woken.y - this.scroll ? 2 : 16);
			const up = y1 > y0 ? -5 : 5;
			ctx.beginPath();
			ctx.moveTo(x, y0);
			ctx.lineTo(x, y1);
			ctx.stroke();
			ctx.beginPath();
			ctx.moveTo(x, y1);
			ctx.lineTo(x - 3, y1 + up);
			ctx.lineTo(x + 3, y1 + up);
			ctx.fill();
		}
	}
	/** The critical path of the selected wait, if its panel is shown: a line through the threads. @param {CanvasRenderingContext2D} ctx */
	drawPath(ctx) {
		const s = this.view.is, path = s.panel === 'path' ? pathOf(this.parts, this.rowOf(s.picked)?.task, s.at) : null;
		ctx.strokeStyle = this.colors.text;
		ctx.lineWidth = 3;
		ctx.beginPath();
		for (const step of path ? [...path.steps, { ...path.wait, t0: path.wait.t1 }] : []) {
			const row = this.rows.find(r => r.task === step.task), y = row ? row.y - this.scroll + 9 : 0;
			ctx.lineTo(this.xOf(step.t0), y);
			ctx.lineTo(this.xOf(step.t1), y);
		}
		ctx.stroke();
		ctx.lineWidth = 1;
	}
	/** @param {CanvasRenderingContext2D} ctx @param {number} height */
	drawMarkers(ctx, height) {
		const s = this.view.is;
		const lines = /** @type {[number | null, string, string][]} */ ([[s.a, 'A', this.colors.pick], [s.b, 'B', this.colors.pick], [s.at, '', this.colors.text]]);
		if (s.a !== null && s.b !== null) {
			ctx.globalAlpha = .1;
			ctx.fillStyle = this.colors.pick;
			ctx.fillRect(this.xOf(Math.min(s.a, s.b)), 0, this.xOf(Math.max(s.a, s.b)) - this.xOf(Math.min(s.a, s.b)), height);
			ctx.globalAlpha = 1;
		}
		for (const [time, name, color] of lines) {
			if (time === null)
				continue;
			const x = Math.round(this.xOf(time));
			ctx.fillStyle = color;
			ctx.fillRect(x, 0, 1, height);
			ctx.fillText(name, x + 3, 8);
		}
	}
	drawRuler() {
		const s = this.view.is, ctx = this.canvas('ruler', this.left + this.width, 26), wide = s.to - s.from;
		let step = 10 ** Math.floor(Math.log10(wide / this.width * 130));
		for (const by of [1, 2, 5, 10])
			if (step * by / wide * this.width >= 110) {
				step *= by;
				break;
			}
		const digits = Math.max(0, Math.min(9, Math.ceil(9 - Math.log10(step)))), origin = Number(BigInt(this.context.info.from) % 10n ** 15n);
		if (!this.context.info.events)
			return;
		ctx.fillStyle = this.colors.soft;
		ctx.fillText(`${duration(wide)} from ${clock(this.context.info, s.from, digits + 1)} s`, 8, 13);
		for (let t = Math.ceil((s.from + origin) / step) * step - origin; t < s.to; t += step) {
			const x = this.left + this.xOf(t);
			ctx.fillStyle = this.colors.line;
			ctx.fillRect(x, 16, 1, 10);
			ctx.fillStyle = this.colors.soft;
			ctx.fillText(clock(this.context.info, t, digits), x + 3, 13);
		}
	}
	/** Events of each column of the overview; kept as long as they are the same. @param {import('./tiles.js').Tile | null} tile @param {number} width
	 * @param {number} scale */
	countsOf(tile, width, scale) {
		if (this.counts.length === width + 1 && this.counted === tile)
			return this.counts;
		this.counted = tile;
		this.counts = new Float64Array(width + 1);
		for (const [id, lane] of tile?.lanes || [])
			if (id % 8 === KIND.EVENT)
				for (let i = 0; i < lane.n; i++)
					this.counts[Math.min(width, Math.floor(lane.t0[i] * scale))] += lane.flags[i] & MERGED ? Math.floor(lane.extra[i] / 65536) : 1;
		return this.counts;
	}
	drawOverview() {
		const { info, tiles } = this.context, width = $('picture').clientWidth, ctx = this.canvas('overview', width, 34), s = this.view.is;
		const scale = width / Math.max(info.range, 1), counts = this.countsOf(tiles.whole, width, scale);
		const most = counts.reduce((a, b) => Math.max(a, b), 1);
		ctx.fillStyle = this.colors.event;
		for (let x = 0; x <= width; x++)
			if (counts[x]) {
				const h = Math.max(2, 30 * Math.sqrt(counts[x] / most));
				ctx.fillRect(x, 34 - h, 1, h);
			}
		this.drawMatches(ctx, width, scale);
		ctx.fillStyle = this.colors.lost;
		for (const [time] of info.losses)
			ctx.fillRect(time * scale, 0, 2, 5);
		for (const [from, to] of info.gaps)
			ctx.fillRect(from * scale, 0, Math.max(2, (to - from) * scale), 5);
		ctx.globalAlpha = .18;
		ctx.fillStyle = this.colors.pick;
		ctx.fillRect(s.from * scale, 0, Math.max(3, (s.to - s.from) * scale), 34);
		ctx.globalAlpha = 1;
	}
	/** Where events match the filter, as bars; where lanes of the search have something (threads run), as a line below. @param {CanvasRenderingContext2D} ctx
	 * @param {number} width @param {number} scale */
	drawMatches(ctx, width, scale) {
		const wide = width / COLUMNS, most = Math.max(...this.matches.filter((_, i) => i % 2), 1);
		ctx.fillStyle = this.colors.runnable;
		for (let i = 0; i < this.matches.length; i += 2) {
			const h = 8 + 26 * Math.sqrt(this.matches[i + 1] / most);
			ctx.fillRect(Math.floor(this.matches[i] * wide), 34 - h, Math.max(2, wide), h);
		}
		ctx.fillStyle = this.colors.wake;
		for (const row of this.found)
			for (const id of row.lanes || []) {
				const lane = this.context.tiles.whole?.lanes.get(id);
				for (let i = 0; lane && i < lane.n; i++)
					if (id % 8 !== KIND.TASK || lane.arg[i] === STATE.RUNNING)
						ctx.fillRect(lane.t0[i] * scale, 30, Math.max(2, (lane.t1[i] - lane.t0[i]) * scale), 4);
			}
	}
	/** Rows whose label has the words of the search. */
	get found() {
		const words = this.view.is.find.toLowerCase();
		return words ? this.rows.filter(r => r.label.toLowerCase().includes(words)) : [];
	}
	/** Elements for the visible rows only: they are buttons, for keys and for readers of the screen. */
	drawLabels() {
		const box = $('labels'), old = new Map([...box.children].map(e => [/** @type {HTMLElement} */ (e).dataset.id, e]));
		for (const row of this.visible) {
			const e = /** @type {HTMLElement} */ (old.get(row.id) || make('div', '', box));
			old.delete(row.id);
			if (!e.firstChild) {
				e.dataset.id = row.id;
				e.setAttribute('role', 'listitem');
				make('button', '', e);
			}
			const button = /** @type {HTMLElement} */ (e.firstChild), closed = this.view.isClosed(row.id);
			const label = (row.isHead ? closed ? '▸ ' : '▾ ' : '') + row.label;
			if (button.textContent !== label) {
				button.textContent = label;
				button.title = row.label;
			}
			if (row.isHead)
				button.setAttribute('aria-expanded', String(!closed));
			e.className = (row.isHead ? 'head' : '') + (row.id === this.view.is.picked ? ' picked' : '');
			e.style.top = row.y - this.scroll + 'px';
			e.style.height = row.height + 'px';
		}
		for (const e of old.values())
			e.remove();
	}
}
