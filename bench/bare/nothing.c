/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The floor of every process: static, does nothing. */
int main(void)
{
	return 0;
}
