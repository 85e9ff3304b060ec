// SPDX-License-Identifier: GPL-2.0-or-later
// Charts of the maps of a script that runs: numbers over time as lines, histograms as heat maps: a column for each interval, a row for
// each bucket, darker the more came in that time.
import { LOSS_PERIOD } from './data.js';
import { liveLines } from './source.js';
import { hatch, lineHue } from './paint.js';
import { flatten } from './series.js';
import { bucketsOf, heatOf, paintColumn } from './heat.js';
import { $, make } from './words.js';

const WIDTH = 560, HEIGHT = 150, MOST_LINES = 8, MOST_FRAMES = 1200, LEFT = 100;

/** @typedef {{ms: number, value: any}} Frame */

class Chart {
	/** @param {string} name @param {number[]} losses when they were noticed, ms */
	constructor(name, losses) {
		this.name = name;
		this.losses = losses;
		/** @type {Frame[]} */
		this.frames = [];
		this.box = /** @type {HTMLElement} */ (make('section', '', $('charts')));
		make('h2', name, this.box);
		this.canvas = /** @type {HTMLCanvasElement} */ (make('canvas', '', this.box));
		this.canvas.setAttribute('role', 'img');
		this.canvas.setAttribute('aria-label', name + ' over time');
		this.table = make('table', '', this.box);
	}
	/** @param {Frame} frame */
	add(frame) {
		this.frames.push(frame);
		if (this.frames.length > MOST_FRAMES)
			this.frames.shift();
	}
	get ctx() {
		const by = devicePixelRatio || 1, ctx = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d')), style = getComputedStyle(document.documentElement);
		this.canvas.width = WIDTH * by;
		this.canvas.height = HEIGHT * by;
		this.canvas.style.width = WIDTH + 'px';
		ctx.scale(by, by);
		ctx.font = '11px system-ui, sans-serif';
		ctx.textBaseline = 'middle';
		ctx.fillStyle = style.getPropertyValue('--soft');
		return ctx;
	}
	/** @param {number} ms */
	xOf(ms) {
		const first = this.frames[0].ms, last = this.frames[this.frames.length - 1].ms;
		return LEFT + (WIDTH - LEFT) * (ms - first) / Math.max(1, last - first);
	}
	/** @param {string[][]} rows @param {string[]} colors */
	fillTable(rows, colors) {
		this.table.textContent = '';
		rows.forEach((cells, i) => {
			const tr = make('tr', '', this.table);
			cells.forEach((cell, c) => make(c ? 'td' : 'th', cell, tr, c ? '' : 'word'));
			if (colors[i])
				/** @type {HTMLElement} */ (tr.firstChild).style.borderLeft = '12px solid ' + colors[i];
		});
	}
	draw() {
		if (bucketsOf(this.frames[this.frames.length - 1].value))
			this.drawHeat(this.frames.map(f => bucketsOf(f.value) || []));
		else
			this.drawLines();
		this.drawGaps();
	}
	/** What was lost happened in the second before it was noticed: nothing is known there. */
	drawGaps() {
		const ctx = this.canvas.getContext('2d'), first = this.frames[0].ms, last = this.frames[this.frames.length - 1].ms;
		if (!ctx || first === last)
			return;
		ctx.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue('--lost');
		ctx.lineWidth = 1;
		for (const ms of this.losses) {
			const x0 = this.xOf(Math.max(first, ms - LOSS_PERIOD / 1e6)), x1 = this.xOf(Math.min(last, ms));
			if (ms < first || x1 < x0)
				continue;
			hatch(ctx, x0, Math.max(x1, x0 + 1), HEIGHT);
		}
	}
	drawLines() {
		const ctx = this.ctx, all = this.frames.map(f => flatten(f.value, '', new Map())), last = all[all.length - 1];
		const keys = [...last].sort((a, b) => b[1] - a[1]).slice(0, MOST_LINES).map(k => k[0]);
		const most = Math.max(1, ...all.flatMap(m => keys.map(k => m.get(k) || 0))), least = Math.min(0, ...all.flatMap(m => keys.map(k => m.get(k) || 0)));
		const y = (/** @type {number} */ n) => HEIGHT - 8 - (HEIGHT - 16) * (n - least) / (most - least);
		ctx.fillText(String(most), 2, y(most));
		ctx.fillText(String(least), 2, y(least));
		for (const key of keys) {
			ctx.strokeStyle = lineHue(key);
			ctx.lineWidth = 2;
			ctx.beginPath();
			this.frames.forEach((f, i) => all[i].has(key) && ctx.lineTo(this.xOf(f.ms), y(all[i].get(key) || 0)));
			ctx.stroke();
		}
		const before = all[Math.max(0, all.length - 3)], seconds = (this.frames[all.length - 1].ms - this.frames[Math.max(0, all.length - 3)].ms) / 1000;
		this.fillTable(keys.map(k => [k || this.name, String(last.get(k)), seconds ? `${Math.round(((last.get(k) || 0) - (before.get(k) || 0)) / seconds)} a second` : '']),
			keys.map(lineHue));
	}
	/** @param {import('./heat.js').Buckets[]} frames */
	drawHeat(frames) {
		const heat = heatOf(frames), ctx = this.ctx, high = (HEIGHT - 4) / Math.max(1, heat.rows.length), end = frames.length - 1;
		heat.rows.forEach((r, k) => high >= 9 && ctx.fillText(r, 2, HEIGHT - 2 - (k + .5) * high));
		for (let i = 0; i <= end; i++)
			paintColumn(ctx, heat, i, { x0: this.xOf(this.frames[Math.max(0, i - 1)].ms), x1: this.xOf(this.frames[i].ms), bottom: HEIGHT - 2, height: HEIGHT - 4 });
		this.fillTable(heat.rows.map((r, k) => [r, String(heat.last[k]), `${heat.added[end][k]} new`]).reverse(), []);
	}
}

/** @param {string} file the script */
export function showLive(file) {
	/** @type {Map<string, Chart>} */
	const charts = new Map();
	/** @type {number[]} */
	const losses = [];
	let from = 0, paused = false, over = false, lost = 0;
	document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
	document.title = file;
	document.body.textContent = '';
	const head = make('header', '', document.body), place = make('main', '', document.body);
	place.id = 'charts';
	make('h1', file, head);
	const pause = /** @type {HTMLElement} */ (make('button', 'pause (space)', head)), said = make('span', 'waiting for the first maps', head);
	said.setAttribute('role', 'status');
	const draw = () => {
		if (!paused)
			charts.forEach(c => c.draw());
		said.textContent = (over ? 'the run is over' : paused ? 'paused; the run goes on' : charts.size ? 'running' : 'waiting for the first maps') +
			(lost ? `; ${lost} events were lost: hatched` : '');
	};
	const toggle = () => {
		paused = !paused;
		pause.textContent = paused ? 'go on (space)' : 'pause (space)';
		draw();
	};
	pause.onclick = toggle;
	addEventListener('keydown', e => {
		if (e.key === ' ' && e.target !== pause) {
			e.preventDefault();
			toggle();
		}
	});
	const ask = async () => {
		const found = await liveLines(from);
		over = !found;
		for (const [ms, line] of found?.lines || []) {
			if (line.type === 'lost_events') {
				losses.push(ms);
				lost += line.data.events;
				continue;
			}
			for (const [name, value] of Object.entries(line.data)) {
				const chart = charts.get(name) || new Chart(name, losses);
				charts.set(name, chart);
				chart.add({ ms, value });
			}
		}
		from = found ? found.next : from;
		draw();
		if (found)
			setTimeout(ask, 500);
	};
	ask();
	Object.assign(globalThis, { sondeLive: { charts } });
}
