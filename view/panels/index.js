// SPDX-License-Identifier: GPL-2.0-or-later
// The panels, from left to right.
import './sums.js';
import './events.js';
import './values.js';
import './counters.js';
import './path.js';
import './flame.js';
import './needs.js';
