/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cache of the index of vmlinux BTF until reboot: /run/sonde/btf-index. Input: an opened file.
 * Output: type offsets, the table of names and, for kernels that cannot map their BTF (before
 * 6.16), a copy of the file, all used in place from one mapping.
 *
 *	struct head | u32 offset[n] | u32 names[names_cap] | copy of the BTF file, or nothing
 *
 * Entries of the index are not validated, so the cache is used only if the user of this process
 * owns the file and its directory, and no other user can write to them. A new one is written under
 * a temporary name, then renamed. It is valid for one boot (the kernel cannot change), one size of
 * BTF, and one hash function.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include "base/fd.h"
#include "base/hash.h"
#include "sym/btf_file.h"

static const char dir[] = "/run/sonde", file[] = "/run/sonde/btf-index";

struct head {
	char magic[8];
	char boot_id[36];
	u32 hash_check; /* hash_bytes() of the magic: detects a changed hash function */
	u64 btf_len;
	u32 n, names_cap;
	u64 copy_len;
};

static const char magic[8] = "sondeBT1";

static bool read_boot_id(char *id)
{
	_fd int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	return fd >= 0 && read(fd, id, 36) == 36;
}

static bool private_to_us(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & 077);
}

static bool dir_is_ours(void)
{
	struct stat st;

	return lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && private_to_us(&st);
}

static bool head_fits(const struct head *h, u64 file_len)
{
	char id[36];

	return !memcmp(h->magic, magic, sizeof magic) &&
	       h->hash_check == hash_bytes(magic, sizeof magic) && read_boot_id(id) &&
	       !memcmp(h->boot_id, id, sizeof id) && h->names_cap &&
	       !(h->names_cap & (h->names_cap - 1)) && h->names_cap > h->n &&
	       (!h->copy_len || h->copy_len == h->btf_len) &&
	       file_len == sizeof *h + 4ULL * h->n + 4ULL * h->names_cap + h->copy_len;
}

/* Uses the bytes of the copy unless b maps the kernel's file. */
static bool use(struct btf *b, const struct head *h, size_t len)
{
	const u8 *at = (const void *)(h + 1);

	if (b->bytes ? b->len != h->btf_len : !h->copy_len)
		return false;
	b->offset = (u32 *)(uintptr_t)at;
	b->n = h->n;
	b->names = b->offset + h->n;
	b->names_cap = h->names_cap;
	b->index_map = (void *)(uintptr_t)h;
	b->index_len = len;
	if (!b->bytes) {
		b->bytes = (const u8 *)(b->names + h->names_cap);
		b->len = h->copy_len;
	}
	return true;
}

bool btf_cache_load(struct btf *b)
{
	_fd int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	void *map;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !private_to_us(&st) ||
	    !dir_is_ours() || (u64)st.st_size < sizeof(struct head))
		return false;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return false;
	if (head_fits(map, (u64)st.st_size) && use(b, map, (size_t)st.st_size))
		return true;
	munmap(map, (size_t)st.st_size);
	return false;
}

/* /run is in memory: no cache is written if less than four times its size is free. */
static bool has_room(u64 size)
{
	struct sysinfo s;

	return sysinfo(&s) == 0 && size < (u64)s.freeram * s.mem_unit / 4;
}

static bool write_index(int fd, const struct btf *b, const struct head *h)
{
	return write_all(fd, h, sizeof *h) == 0 &&
	       write_all(fd, b->offset, sizeof(u32) * (size_t)b->n) == 0 &&
	       write_all(fd, b->names, sizeof(u32) * (size_t)b->names_cap) == 0 &&
	       write_all(fd, b->bytes, h->copy_len) == 0;
}

/* A failure is harmless: the next run builds the index again. */
void btf_cache_store(const struct btf *b)
{
	struct head h = { .btf_len = b->len,
			  .n = b->n,
			  .names_cap = b->names_cap,
			  .hash_check = hash_bytes(magic, sizeof magic),
			  .copy_len = b->mapped ? 0 : b->len };
	char tmp[64];
	int fd;

	memcpy(h.magic, magic, sizeof magic);
	if (!b->names || !has_room(sizeof(u32) * ((u64)b->n + b->names_cap) + h.copy_len))
		return;
	if (!read_boot_id(h.boot_id) || (mkdir(dir, 0700) < 0 && errno != EEXIST) || !dir_is_ours())
		return;
	snprintf(tmp, sizeof tmp, "%s.XXXXXX", file);
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0)
		return;
	if (!write_index(fd, b, &h) || rename(tmp, file) < 0)
		unlink(tmp);
	close(fd);
}
