/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys. */
#include <linux/keyctl.h>
#include "calls.h"

int main(void)
{
	char b[128];
	int ring = syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, "sonde"), key;

	key = syscall(SYS_add_key, "user", "name", "payload", 7, KEY_SPEC_SESSION_KEYRING);
	syscall(SYS_add_key, "keyring", "ring", NULL, 0, KEY_SPEC_PROCESS_KEYRING);
	syscall(SYS_request_key, "user", "name", NULL, KEY_SPEC_SESSION_KEYRING);
	syscall(SYS_request_key, "user", "none", "info", 0);
	syscall(SYS_keyctl, KEYCTL_DESCRIBE, key, b, sizeof(b));
	syscall(SYS_keyctl, KEYCTL_READ, key, b, sizeof(b));
	syscall(SYS_keyctl, KEYCTL_SEARCH, ring, "user", "name", 0);
	syscall(SYS_keyctl, KEYCTL_SETPERM, key, 0x3f3f0000);
	syscall(SYS_keyctl, KEYCTL_CHOWN, key, 0, 0);
	syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, 100);
	syscall(SYS_keyctl, KEYCTL_UPDATE, key, "new", 3);
	syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, 0);
	syscall(SYS_keyctl, KEYCTL_LINK, key, KEY_SPEC_PROCESS_KEYRING);
	syscall(SYS_keyctl, KEYCTL_UNLINK, key, KEY_SPEC_PROCESS_KEYRING);
	syscall(SYS_keyctl, KEYCTL_REVOKE, key);
	syscall(SYS_keyctl, KEYCTL_CLEAR, ring);
	syscall(SYS_keyctl, 99, 1, 2, 3, 4);
	return 0;
}
