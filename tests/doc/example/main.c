// SPDX-License-Identifier: GPL-2.0-or-later
// sonde-example of doc/builtins.md and doc/probes.md. tests/doc/run builds it with the section watched at 0x10000000.
static volatile int total __attribute__((section("watched"))) = 1;

int main(void)
{
	for (int count = 1; count <= 3; count++)
		total += count;
	return 0;
}
