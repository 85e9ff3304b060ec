// SPDX-License-Identifier: GPL-2.0-or-later
// A recording, or a script that runs.
import { openSource } from './source.js';
import { showRecording } from './app.js';
import { showLive } from './live.js';

const opened = openSource(), about = await opened.info();
if (about.isLive)
	showLive(about.file);
else
	showRecording(opened, about);
