// SPDX-License-Identifier: GPL-2.0-or-later
// Spans as rectangles. What is narrower than a pixel is added up, so that a column is as high as the part of its time that is filled.
import { STATE } from './data.js';
import { MERGED, OPEN, firstAfter } from './tiles.js';

/**
 * @typedef {object} Pen
 * @property {CanvasRenderingContext2D} ctx
 * @property {number} from @property {number} scale x = (time - from) * scale
 * @property {number} width of the canvas
 * @property {import('./tiles.js').Part[]} parts
 * @property {Record<string, string>} colors
 */
/** @typedef {{color: (arg: number, extra: number, isOpen: boolean) => string, text?: (arg: number, extra: number) => string, thin?: boolean}} Style */

/** @param {Pen} pen @param {number} id of the lane @param {number} y @param {number} height @param {Style} style */
export function paintSpans(pen, id, y, height, style) {
	for (const part of pen.parts) {
		const lane = part.tile.lanes.get(id);
		if (lane)
			paintPart(pen, lane, part, y, height, style);
	}
}

/** @param {Pen} pen @param {import('./tiles.js').Lane} lane @param {import('./tiles.js').Part} part @param {number} y @param {number} height
 * @param {Style} style */
function paintPart(pen, lane, part, y, height, style) {
	const { ctx, from, scale, width } = pen;
	const start = Math.max(part.from, from), end = Math.min(part.to, from + width / scale);
	let column = -1, filled = 0, most = 0, arg = 0, extra = 0;
	const flush = () => {
		if (column < 0)
			return;
		const share = Math.min(1, Math.max(filled, .2)), h = style.thin ? height : Math.max(2, height * share);
		ctx.fillStyle = style.color(arg, extra, false);
		ctx.fillRect(column, y + height - h, 1, h);
		column = -1;
		filled = most = 0;
	};
	for (let i = firstAfter(lane, start); i < lane.n && lane.t0[i] < end; i++) {
		const t0 = Math.max(lane.t0[i], start), t1 = Math.min(lane.t1[i], end), merged = lane.flags[i] & MERGED;
		const x0 = (t0 - from) * scale, x1 = (t1 - from) * scale, wide = x1 - x0;
		const full = merged ? (lane.extra[i] & 255) / 255 : 1;
		if (wide < 1) {
			const x = Math.floor(x0);
			if (x !== column)
				flush();
			column = x;
			filled += wide * full;
			const weight = style.thin ? wide : wide * full; /* of threads it says how long they run */
			if (weight >= most) {
				most = weight;
				arg = lane.arg[i];
				extra = merged ? 0 : lane.extra[i];
			}
			continue;
		}
		flush();
		const h = style.thin || !merged ? height : Math.max(2, height * Math.max(full, .2));
		ctx.fillStyle = style.color(lane.arg[i], merged ? 0 : lane.extra[i], !!(lane.flags[i] & OPEN));
		ctx.fillRect(x0, y + height - h, merged ? wide : Math.max(1, wide - .5), h);
		if (style.text && !merged && wide > 28 && height > 9)
			paintText(pen, style.text(lane.arg[i], lane.extra[i]), Math.max(x0, 0), Math.min(x1, width), y, height);
	}
	flush();
}

/** @param {Pen} pen @param {string} text @param {number} x0 @param {number} x1 @param {number} y @param {number} height */
function paintText(pen, text, x0, x1, y, height) {
	const room = Math.floor((x1 - x0 - 6) / 6);
	if (room < 3)
		return;
	pen.ctx.fillStyle = '#000';
	pen.ctx.fillText(text.length > room ? text.slice(0, room - 1) + '…' : text, x0 + 3, y + height / 2 + .5);
}

/** Instants: a line each; the more there are in a column, the higher it is. @param {Pen} pen @param {number} id @param {number} y @param {number} height
 * @param {string} color */
export function paintInstants(pen, id, y, height, color) {
	const { ctx, from, scale, width } = pen, counts = new Float64Array(Math.ceil(width) + 1);
	for (const part of pen.parts) {
		const lane = part.tile.lanes.get(id), end = Math.min(part.to, from + width / scale), start = Math.max(part.from, from);
		for (let i = lane ? firstAfter(lane, start) : 0; lane && i < lane.n && lane.t0[i] < end; i++) {
			const merged = lane.flags[i] & MERGED, n = merged ? Math.floor(lane.extra[i] / 65536) : 1;
			const x0 = Math.max(0, Math.floor((lane.t0[i] - from) * scale)), x1 = merged ? Math.max(x0 + 1, Math.min(width, (lane.t1[i] - from) * scale)) : x0 + 1;
			for (let x = x0; x < x1; x++)
				counts[x] += n / Math.max(1, x1 - x0);
		}
	}
	ctx.fillStyle = color;
	for (let x = 0; x < width; x++)
		if (counts[x]) {
			const h = Math.ceil(height * (.4 + .6 * Math.min(1, Math.log2(counts[x] + 1) / 10)));
			ctx.fillRect(x, y + height - h, 1, h);
		}
}

/** Adds to each column the share of it that is between. @param {Float64Array} to @param {number} x0 @param {number} x1 @param {number} share */
function addColumns(to, x0, x1, share) {
	for (let x = Math.max(0, Math.floor(x0)); share && x < x1 && x < to.length; x++)
		to[x] += share * (Math.min(x1, x + 1) - Math.max(x0, x));
}

/** How many of the threads run, and wait for a processor, in each column. @param {{parts: import('./tiles.js').Part[], from: number, scale: number, width: number}} pen
 * @param {number[]} ids of lanes */
export function countStates({ parts, from, scale, width }, ids) {
	const runs = new Float64Array(Math.ceil(width)), waits = new Float64Array(Math.ceil(width));
	for (const part of parts) {
		const start = Math.max(part.from, from), end = Math.min(part.to, from + width / scale);
		for (const id of ids) {
			const lane = part.tile.lanes.get(id);
			for (let i = lane ? firstAfter(lane, start) : 0; lane && i < lane.n && lane.t0[i] < end; i++) {
				const x0 = (Math.max(lane.t0[i], start) - from) * scale, x1 = (Math.min(lane.t1[i], end) - from) * scale, merged = lane.flags[i] & MERGED;
				addColumns(runs, x0, x1, merged ? (lane.extra[i] & 255) / 255 : Number(lane.arg[i] === STATE.RUNNING));
				addColumns(waits, x0, x1, merged ? (lane.extra[i] >> 8 & 255) / 255 : Number(lane.arg[i] === STATE.RUNNABLE));
			}
		}
	}
	return { runs, waits };
}

/** Layers upon each other, of a number for each column. @param {Pen} pen @param {number} y @param {number} height @param {number} most
 * @param {[Float64Array, string][]} layers */
export function paintStack({ ctx, width }, y, height, most, layers) {
	const at = new Float64Array(Math.ceil(width)).fill(y + height);
	for (const [counts, color] of layers) {
		ctx.fillStyle = color;
		for (let x = 0; x < width; x++)
			if (counts[x])
				ctx.fillRect(x, at[x] -= counts[x] / most * height, 1, counts[x] / most * height);
	}
}

/** Hatches what is not known, in the pen's style. @param {CanvasRenderingContext2D} ctx @param {number} x0 @param {number} x1 @param {number} height */
export function hatch(ctx, x0, x1, height) {
	ctx.save();
	ctx.beginPath();
	ctx.rect(x0, 0, x1 - x0, height);
	ctx.clip();
	ctx.beginPath();
	for (let x = x0 - height - (x0 - height) % 10; x < x1; x += 10) {
		ctx.moveTo(x, height);
		ctx.lineTo(x + height, 0);
	}
	ctx.stroke();
	ctx.restore();
}
/** The same for a line on the ground of the page. @param {string} of */
export const lineHue = of => hue(of, document.documentElement.dataset.theme === 'dark' ? 68 : 42);

/** The span of a lane at a time, or null. @param {import('./tiles.js').Part[]} parts @param {number} id @param {number} time @param {number} near
 * @returns {{t0: number, t1: number, arg: number, extra: number, merged: boolean, open: boolean, n: number} | null} */
export function spanAt(parts, id, time, near) {
	for (const part of parts) {
		const lane = part.from <= time && time < part.to ? part.tile.lanes.get(id) : null;
		if (!lane)
			continue;
		let best = -1, far = near;
		for (let i = Math.max(0, firstAfter(lane, time - near) - 1); i < lane.n && lane.t0[i] <= time + near; i++) {
			const d = Math.max(0, lane.t0[i] - time, time - lane.t1[i]);
			if (d <= far) {
				best = i;
				far = d;
				if (!d && lane.t1[i] > time)
					break;
			}
		}
		if (best >= 0) {
			const merged = !!(lane.flags[best] & MERGED);
			return { t0: lane.t0[best], t1: lane.t1[best], arg: lane.arg[best], extra: lane.extra[best], merged, open: !!(lane.flags[best] & OPEN),
				n: merged ? Math.floor(lane.extra[best] / 65536) : 1 };
		}
	}
	return null;
}

/** A color for a name or number, readable below black text. @param {number | string} of @param {number} [light] */
export function hue(of, light = 68) {
	let h = 7;
	for (const c of String(of))
		h = (h * 31 + c.charCodeAt(0)) >>> 0;
	return `hsl(${(h * 137) % 360} 55% ${light}%)`;
}
