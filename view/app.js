// SPDX-License-Identifier: GPL-2.0-or-later
// The page of a recording: puts the parts together: source, tiles, state, picture, panels, hands.
import { Tiles } from './tiles.js';
import { ViewState } from './state.js';
import { Series } from './series.js';
import { Picture } from './picture.js';
import { listen, markersText, pick } from './input.js';
import { panels } from './panels/registry.js';
import './panels/index.js';
import { lacks } from './panels/needs.js';
import { Filter, listenFilter } from './filter.js';
import { $, make } from './words.js';

/** @param {import('./data.js').Source} source @param {import('./data.js').Info} info */
export function showRecording(source, info) {
	const tiles = new Tiles(source, info, () => picture.later());
	const view = new ViewState(info.range, changed);
	const series = new Series(source, info, () => picture.later());
	const picture = new Picture({ info, tiles, view, series }, view);
	const filter = new Filter(source, info, showFilter);
	const app = { info, source, view, picture, filter };
	let shownPanel = '', shownRange = '', timer = 0;

	function showPanel() {
		const panel = panels.find(p => p.id === view.is.panel) || panels[0], s = view.is;
		const range = [...view.chosen.map(Math.round), info.isDone, s.filter, s.expr, s.first, s.second, s.key, s.flame, s.base].join();
		if (shownPanel === panel.id && (panel.update || shownRange === range)) {
			panel.update?.($('panel'), app);
			return;
		}
		look();
		shownPanel = panel.id;
		shownRange = range;
		for (const tab of $('tabs').children)
			tab.setAttribute('aria-selected', String(tab.dataset.id === panel.id));
		$('panel').textContent = '';
		$('panel').onscroll = null;
		if (info.isDone || panel.update)
			Promise.resolve(panel.show($('panel'), app)).catch(e => make('p', `${e}`, $('panel')));
		else /* the server reads: it would count instead */
			make('p', 'reading the file …', $('panel'));
	}

	function changed() {
		const dark = view.is.theme ? view.is.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
		document.documentElement.dataset.theme = dark ? 'dark' : 'light';
		$('where').textContent = markersText(info, view.is);
		if ($('search').value !== view.is.find)
			$('search').value = view.is.find;
		if (document.activeElement !== $('filter'))
			$('filter').value = view.is.filter;
		filter.set(view.is.filter);
		series.keepOnly(view.lanes);
		picture.later();
		clearTimeout(timer);
		timer = setTimeout(showPanel, 150); /* sums are not counted anew while a hand moves */
	}

	function showFilter() {
		filter.show();
		picture.matches = filter.active ? filter.where : [];
		picture.later();
		panels.find(p => p.id === shownPanel)?.filtered?.();
	}

	/** @param {number} step */
	async function nextMatch(step) {
		const row = filter.active ? await filter.next(view.is.at, step) : null;
		if (!row)
			return;
		const id = 'task' + row[3];
		view.center(row[0]);
		view.set({ at: row[0], picked: picture.rowOf(id) ? id : view.is.picked });
		picture.scrollToRow(view.is.picked);
		$('said').textContent = `${info.formats[row[2]]} ${row[6]}`;
	}

	/** Lanes whose name has the words of the search; the next one after the picked lane. @param {number} step */
	function find(step) {
		const words = view.is.find, hits = picture.found;
		$('found').textContent = words ? `${hits.length} lane${hits.length === 1 ? '' : 's'}` : '';
		if (!words || !hits.length || !step)
			return;
		const now = hits.findIndex(r => r.id === view.is.picked), next = hits[(now + step + hits.length) % hits.length] || hits[0];
		pick(hands, next, view.is.at ?? (view.is.from + view.is.to) / 2);
		picture.scrollToRow(next.id);
	}

	/** Adds the fields of an event that has been selected. @param {import('./picture.js').PlacedRow} row @param {import('./lanes/registry.js').Hit} hit */
	async function tell(row, hit) {
		const rows = row.id.startsWith('event:') && hit.t0 === hit.t1 && await source.rows?.(await source.numberAt(hit.t0, ''), 20, '');
		const found = rows && rows.find(r => r[0] === hit.t0 && info.formats[r[2]] === row.label);
		if (found && view.is.at === hit.t0)
			$('said').textContent += ': ' + found[6];
	}

	const hands = { view, picture, find, nextMatch, tell };

	/** While the server still reads the file: of a small one the rest is there soon. */
	async function wait() {
		for (let ms = 25; !info.isDone; ms = Math.min(2 * ms, 200)) {
			await new Promise(done => setTimeout(done, ms));
			Object.assign(info, await source.info());
			await tiles.again();
			changed();
		}
		notice();
	}

	/** What is asked for next may not be in the file any more. */
	async function look() {
		const now = info.isDone && source.state ? await source.state().catch(() => null) : null;
		if (!now || now.change === info.change && now.damage === info.damage)
			return;
		Object.assign(info, await source.info());
		notice();
		picture.later();
	}

	function notice() {
		$('notice').textContent = lacks(info, source.rows !== null).join('\n');
	}

	for (const panel of panels) {
		const tab = make('button', panel.title, $('tabs'));
		tab.setAttribute('role', 'tab');
		tab.dataset.id = panel.id;
		tab.addEventListener('click', () => view.set({ panel: panel.id }));
	}
	document.title = $('title').textContent = info.file;
	$('title').title = info.command;
	$('search').oninput = () => {
		view.set({ find: $('search').value });
		find(0);
	};
	$('search').onkeydown = (/** @type {KeyboardEvent} */ e) => {
		if (e.key === 'Enter') /* a handler that returns false would swallow the key */
			find(e.shiftKey ? -1 : 1);
	};
	listenFilter(filter, view);
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
	if (!view.is.lanes)
		view.setLanes(source.scripts(info));
	listen(hands);
	source.listen(() => {
		info.isGone = true;
		notice();
	});
	notice();
	changed();
	wait();
	/** For tests and the bench. */
	Object.assign(globalThis, { sondeView: app });
}
