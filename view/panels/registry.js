// SPDX-License-Identifier: GPL-2.0-or-later
// Panels below the picture. A panel is a file here that calls addPanel(), and its line in index.js.

/**
 * @typedef {object} Panel
 * @property {string} id
 * @property {string} title
 * @property {(box: HTMLElement, app: App) => void | Promise<void>} show fills the empty box
 * @property {(box: HTMLElement, app: App) => void} [update] after changes of the state; else show() is called again for another range
 * @property {() => void} [filtered] while it is shown: the filter has found more
 */
/**
 * @typedef {object} App
 * @property {import('../data.js').Info} info
 * @property {import('../data.js').Source} source
 * @property {import('../state.js').ViewState} view
 * @property {import('../picture.js').Picture} picture
 * @property {import('../filter.js').Filter} filter
 */
/** @type {Panel[]} */
export const panels = [];
/** @param {Panel} panel */
export const addPanel = panel => panels.push(panel);
