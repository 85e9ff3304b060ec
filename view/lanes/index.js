// SPDX-License-Identifier: GPL-2.0-or-later
// The groups of lanes, from top to bottom.
import './cpus.js';
import './counters.js';
import './tasks.js';
import './interrupts.js';
import './events.js';
