/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde fmt: the script again, in canonical layout. Nothing is printed when it does not parse. */
#include "cli/front.h"

static int run(struct cli *c)
{
	struct buf out = { 0 };
	struct front f;
	int rc = script_read(c);

	if (rc)
		return rc;
	front_init(&f, c);
	rc = format_script(&f.lang, f.src, &out) ? 0 : 1;
	say_diags(c, &f.diags);
	if (!rc)
		rc = put_out(c, &out);
	front_release(&f);
	buf_release(&out);
	return rc;
}

const struct command command_fmt = {
	.name = "fmt",
	.args = "FILE",
	.brief = "print a script in canonical layout",
	.doc = "Comments are kept. Needs no privilege. -o writes to a file, which may be the "
	       "script itself.",
	.example = "sonde fmt -o biolatency.bt biolatency.bt",
	.run = run,
};
