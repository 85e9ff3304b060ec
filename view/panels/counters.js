// SPDX-License-Identifier: GPL-2.0-or-later
// Chooses lanes of numbers: fields of events, maps of scripts.
import { make } from '../words.js';
import { showNeeds } from '../needs.js';
import { addPanel } from './registry.js';

const MOST_SCRIPT = 1500;

/** "EVENT.FIELD", by the processor that the event is about if it says so. @param {import('../data.js').Info} info */
const choices = info => info.formats.flatMap((event, i) => info.fields[i].map(field => `${event}.${field}${info.fields[i].includes('cpu_id') && field !== 'cpu_id' ? ' by cpu_id' : ''}`));

/** @param {HTMLElement} box @param {import('./registry.js').App} app @param {string} label @param {string} tag @param {object} is */
function addForm(box, { view }, label, tag, is) {
	const form = /** @type {HTMLFormElement} */ (make('form', '', box)), input = /** @type {HTMLInputElement} */ (make(tag, '', make('label', label + ' ', form)));
	Object.assign(input, { required: true, autocomplete: 'off', spellcheck: false, ...is });
	form.append(' ');
	make('button', 'add', form);
	form.onsubmit = e => {
		e.preventDefault();
		view.setLanes([...view.lanes, input.value.trim()]);
	};
	return input;
}

/** @param {HTMLElement} box @param {import('./registry.js').App} app */
function listLanes(box, { view, picture }) {
	const list = /** @type {HTMLElement} */ (box.querySelector('ul')), lanes = view.lanes;
	if ([...list.children].map(e => e.firstChild?.textContent).join('\n\n') === lanes.join('\n\n'))
		return;
	list.textContent = '';
	for (const text of lanes) {
		const item = make('li', '', list);
		make('code', text, item);
		item.append(' ');
		make('button', 'remove', item).onclick = () => view.setLanes(lanes.filter(l => l !== text));
	}
	picture.scrollToRow('counter:' + lanes[lanes.length - 1]);
}

addPanel({
	id: 'counters',
	title: 'Counters',
	show: (box, app) => {
		const list = make('datalist', '', box), all = choices(app.info);
		list.id = 'list-fields';
		list.append(...all.map(text => new Option('', text)));
		make('p', 'A lane over time of a field of an event, for each value of something (by cpu_id, by comm), or of the maps of a script, which runs over the recording.', box);
		addForm(box, app, 'field', 'input', { size: 50, maxLength: 200, placeholder: all.find(text => !/comm|name/.test(text)) || 'EVENT.FIELD by comm' }).setAttribute('list', list.id);
		addForm(box, app, 'script', 'textarea', { rows: 3, cols: 80, maxLength: MOST_SCRIPT, value: app.info.script,
			placeholder: 'tracepoint:sched:sched_switch { @[args.next_comm] = count(); }' });
		make('ul', '', box);
		showNeeds(box, app.info, ['switches']);
		listLanes(box, app);
	},
	update: listLanes,
});
