// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers over time: threads that run and that wait for a processor, and what the user has chosen (panels/counters.js).
import { KIND, lowerBound } from '../data.js';
import { laneId } from '../tiles.js';
import { countStates, lineHue, paintStack } from '../paint.js';
import { paintColumn } from '../heat.js';
import { addGroup, isTraced, keysOf } from './registry.js';

const LANE_HEIGHT = 44, HEAT_HEIGHT = 64, LANE_LINES = 8;

/** @param {number} n */
const short = n => String(Number(n.toPrecision(3)));

/** @param {import('./registry.js').Context} c @returns {import('./registry.js').Row} */
function threadsRow(c) {
	const ids = keysOf(c, KIND.TASK).filter(task => task && isTraced(c, task)).map(task => laneId(KIND.TASK, task));
	return {
		id: 'counter:threads',
		label: 'threads that run, and wait',
		height: LANE_HEIGHT,
		draw: (pen, y) => {
			const { runs, waits } = countStates(pen, ids), most = Math.max(c.info.cpus, ...runs.map((n, i) => n + waits[i]));
			paintStack(pen, y + 2, LANE_HEIGHT - 5, most, [[runs, pen.colors.running], [waits, pen.colors.runnable]]);
			pen.ctx.fillStyle = pen.colors.text;
			pen.ctx.fillText(short(most), 2, y + 8);
		},
		hit: (parts, time, near) => {
			const { runs, waits } = countStates({ parts, from: time - near / 6, scale: 3 / near, width: 1 }, ids);
			return { t0: time, t1: time, text: `${short(runs[0])} run, ${short(waits[0])} wait for a processor` };
		},
	};
}

/** The largest lines, each with its largest number. @param {import('../series.js').Kept} kept @returns {[string, import('../series.js').Line, number][]} */
function largest(kept) {
	return [...kept.lines].map(([key, line]) => /** @type {[string, import('../series.js').Line, number]} */ ([key, line, line.high.reduce((a, b) => Math.max(a, b), -Infinity)]))
		.sort((a, b) => b[2] - a[2]).slice(0, LANE_LINES);
}

/** @param {import('../paint.js').Pen} pen @param {string} said @param {number} y */
function drawSaid({ ctx, colors }, said, y) {
	ctx.fillStyle = colors.back;
	ctx.fillRect(0, y - 6, ctx.measureText(said).width + 5, 12);
	ctx.fillStyle = colors.text;
	ctx.fillText(said, 2, y);
}

/** @param {import('../paint.js').Pen} pen @param {import('../series.js').Kept} kept @param {number} top */
function drawLines(pen, kept, top) {
	const { ctx, from, scale, width } = pen, lines = largest(kept), most = lines[0]?.[2] ?? 0, least = Math.min(0, ...lines.map(l => Math.min(...l[1].low)));
	const y = (/** @type {number} */ n) => top + LANE_HEIGHT - 4 - (LANE_HEIGHT - 8) * (n - least) / Math.max(most - least, 1e-9);
	ctx.lineWidth = 1.5;
	for (const [key, line] of lines) {
		ctx.strokeStyle = lineHue(key);
		ctx.beginPath();
		let i = Math.max(0, lowerBound(line.time, line.time.length, from) - 1);
		for (; i < line.time.length; i++) {
			const x = Math.max(0, (line.time[i] - from) * scale);
			if (x > width)
				break;
			ctx.lineTo(x, i ? y(line.last[i - 1]) : y(line.low[i]));
			ctx.lineTo(x, y(line.low[i]));
			ctx.lineTo(x, y(line.high[i]));
			ctx.lineTo(x, y(line.last[i]));
		}
		if (i)
			ctx.lineTo(width, y(line.last[i - 1]));
		ctx.stroke();
	}
	const said = kept.wrong || (kept.busy && !lines.length ? 'counting …' : lines.length ? `${short(most)}${kept.lines.size > LANE_LINES ? `, the ${LANE_LINES} largest of ${kept.lines.size}` : ''}` : 'no values');
	ctx.lineWidth = 1;
	drawSaid(pen, said, top + 8);
	if (least < 0)
		ctx.fillText(short(least), 2, top + LANE_HEIGHT - 8);
}

/** The column that a time is in, from the time before to its own. @param {import('../series.js').HeatLine} heat @param {number} time */
const columnAt = (heat, time) => lowerBound(heat.time, heat.time.length, time);

/** @param {import('../paint.js').Pen} pen @param {import('../series.js').Kept} kept @param {string} map @param {number} top */
function drawHeatLane(pen, kept, map, top) {
	const heat = kept.heats.get(map), { ctx, from, scale, width } = pen, bottom = top + HEAT_HEIGHT - 3, height = HEAT_HEIGHT - 6;
	if (!heat)
		return;
	for (let i = columnAt(heat, from); i < heat.time.length; i++) {
		const begin = i ? heat.time[i - 1] : heat.time[i] - kept.step;
		if (begin > from + width / scale)
			break;
		const x0 = Math.max(0, (begin - from) * scale);
		paintColumn(ctx, heat, i, { x0, x1: Math.min(width, (heat.time[i] - from) * scale), bottom, height });
	}
	if (heat.rows.length) {
		drawSaid(pen, heat.rows[heat.rows.length - 1], top + 8);
		drawSaid(pen, heat.rows[0], bottom - 6);
	}
}

/** A row for a map of a script that is a histogram. @param {import('./registry.js').Context} c @param {string} text @param {string} map @param {string} id
 * @returns {import('./registry.js').Row} */
function heatRow({ series }, text, map, id) {
	return {
		id,
		label: `${map}: ${text.replace(/\s+/g, ' ')}`,
		height: HEAT_HEIGHT,
		draw: (pen, y) => drawHeatLane(pen, series.get(text, pen.from, pen.from + pen.width / pen.scale, 1 / pen.scale), map, y),
		hit: (parts, time, near, part) => {
			const kept = series.kept.get(text), heat = kept?.heats.get(map), i = heat ? columnAt(heat, time) : 0;
			if (!kept || !heat || i >= heat.time.length || !heat.rows.length)
				return { t0: time, t1: time, text: 'no value' };
			const row = Math.min(heat.rows.length - 1, Math.max(0, Math.floor((1 - part) * heat.rows.length)));
			return { t0: i ? heat.time[i - 1] : heat.time[i] - kept.step, t1: heat.time[i], text: `${map}, ${heat.rows[row]}: ${heat.added[i][row]}` };
		},
	};
}

/** A row of all numbers, and one for each histogram. @param {import('./registry.js').Context} c @param {string} text @returns {import('./registry.js').Row[]} */
function lanesOf(c, text) {
	const kept = c.series.kept.get(text), heats = [...kept ? kept.heats.keys() : []], hasNumbers = !heats.length || kept?.lines.size || kept?.wrong;
	const rows = heats.map((map, i) => heatRow(c, text, map, 'counter:' + text + (i || hasNumbers ? '\n' + map : '')));
	return hasNumbers ? [chosenRow(c, text), ...rows] : rows;
}

/** @param {import('./registry.js').Context} c @param {string} text @returns {import('./registry.js').Row} */
function chosenRow({ series }, text) {
	return {
		id: 'counter:' + text,
		label: text.replace(/\s+/g, ' '),
		height: LANE_HEIGHT,
		draw: (pen, y) => drawLines(pen, series.get(text, pen.from, pen.from + pen.width / pen.scale, 1 / pen.scale), y),
		hit: (parts, time) => {
			const kept = series.kept.get(text), said = [];
			for (const [key, line] of kept ? largest(kept) : []) {
				const i = lowerBound(line.time, line.time.length, time + 1) - 1;
				if (i >= 0)
					said.push(`${key ? key + ': ' : ''}${line.last[i]}${line.low[i] < line.high[i] ? ` (${line.low[i]} to ${line.high[i]})` : ''}`);
			}
			return { t0: time, t1: time, text: kept?.wrong || said.join('\n') || 'no value yet' };
		},
	};
}

addGroup({
	id: 'counters',
	title: 'Counters',
	rows: c => [...c.info.has.switches ? [threadsRow(c)] : [], ...c.view.lanes.flatMap(text => lanesOf(c, text))],
});
