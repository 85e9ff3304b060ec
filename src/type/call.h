/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls as text, as data: how each argument is shown (views), and which memory of the
 * process a program copies for that (a snapshot). sym makes both from its tables, ir compiles the
 * snapshot, trace shows the value:
 *
 *	u64 head            bytes in use, number of the call, whether it has returned, n_args,
 *	                    the protocol of a netlink socket
 *	s64 result          0 at the entry
 *	u64 args[n_args]
 *	then pieces of memory, each: u64 address (48 bits) | length << 48, the bytes, padded to 8
 *
 * Showing looks pieces up by their address. If an address occurs twice, the first is of the entry
 * of the call and the last of its return.
 */
#ifndef SONDE_TYPE_CALL_H
#define SONDE_TYPE_CALL_H

#include "type/loc.h"

enum {
	CALL_MAX_ARGS = 6,
	CALL_FILE_NAME =
		4096, /* bytes that are copied of a file name at most: max_strlen, but not more */
	CALL_USED = 0xffff, /* of head: bytes in use */
	CALL_NUMBER_SHIFT = 16,
	CALL_NUMBER = 0xffff,
	CALL_RESULT_SHIFT = 32, /* 1: the call has returned */
	CALL_ARGS_SHIFT = 40,   /* n_args */
	/* of the netlink socket that is argument 0, and 1; 0: it is none */
	CALL_PROTOCOL_SHIFT = 48,
	CALL_PROTOCOL = 0xff,
	CALL_AT_RESULT = 8,
	CALL_AT_ARGS = 16,
	CALL_PIECE_HEAD = 8,
	CALL_PIECE_SHIFT = 48,
};

/* ---- views */

enum view_kind {
	VIEW_HIDDEN,
	VIEW_LITERAL,   /* the name of set */
	VIEW_NUMBER,    /* is_signed, base */
	VIEW_ERROR,     /* 0, ENOENT, -ENOENT */
	VIEW_PID,       /* of a process: 12, or 12<cat> */
	VIEW_FD,        /* a descriptor: 3, or 3</etc/passwd> */
	VIEW_ADDRESS,   /* NULL or 0x7f12 */
	VIEW_FLAGS,     /* names of bits, from set */
	VIEW_NAMES,     /* a name, from set */
	VIEW_AT,        /* AT_FDCWD or a descriptor */
	VIEW_MODE,      /* 0644 */
	VIEW_FILE_MODE, /* S_IFREG|0644 */
	VIEW_DEVICE,    /* makedev(0x8, 0x1) */
	VIEW_ID,        /* of a user or group: -1 is shown as that */
	VIEW_PORT,      /* htons(80) */
	VIEW_INET,      /* inet_addr("127.0.0.1") */
	VIEW_INET6,     /* inet_pton(AF_INET6, "::1") */
	VIEW_SIGNALS,   /* a set: [INT TERM], ~[KILL] */
	VIEW_WAIT,      /* [{WIFEXITED(s) && WEXITSTATUS(s) == 0}] */
	VIEW_CHARS,     /* text in place, up to a NUL; base 1: "..." follows if there is none */
	VIEW_BYTES,     /* bytes in place, as text */
	VIEW_PATH,      /* text in place, of an AF_UNIX address */
	VIEW_HARDWARE,  /* an address in place: 00:1a:2b:3c:4d:5e */
	VIEW_FD_SET,    /* descriptors: [3 4] */
	VIEW_STRUCT,
	VIEW_MEMBERS,     /* of a structure, without its braces */
	VIEW_TICKS,       /* of the clock of times(2), and seconds */
	VIEW_RLIMIT,      /* 8192*1024, RLIM64_INFINITY */
	VIEW_HANDLER,     /* SIG_IGN, or an address */
	VIEW_DATE,        /* seconds, with the date */
	VIEW_DATED,       /* a timespec or timeval (size digits of a second), with the date */
	VIEW_CAPS,        /* two words, 12 bytes apart */
	VIEW_FUTEX_OP,    /* FUTEX_OP_ADD<<28|... */
	VIEW_NUMBER_NAME, /* 10, and its name */
	VIEW_BIT_FIELDS,  /* disabled=1, inherit=1 */
	VIEW_INT_OR_DATA, /* an int if it has 4 bytes, else bytes */
	VIEW_QUOTA,       /* QCMD(Q_GETQUOTA, USRQUOTA) */
	VIEW_VERSION,     /* KERNEL_VERSION(6, 1, 0) */
	VIEW_PRIORITY,    /* IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 4) */
	VIEW_PAIR,  /* of two words: the low half and the high half; base 1: the other way round */
	VIEW_PAGES, /* a number of pages, in bytes */
	VIEW_INTERFACE,   /* the index of a network interface */
	VIEW_ATTRS,       /* netlink attributes: attrs */
	VIEW_BY_KIND,     /* what attrs has for the name that an attribute before it has */
	VIEW_NET_ADDRESS, /* IPv4 or IPv6, by the family of the netlink message */
	VIEW_RECORDS,     /* st and attrs, several times, each with its length in two bytes */
	VIEW_LEFT,        /* shows nothing: `len` bytes are in the buffers that follow */
	VIEW_ARRAY,       /* of, len */
	VIEW_CHOICE,      /* by the value of another argument or member */
	VIEW_POINTER,     /* to of */
	/* what only a pointer leads to */
	VIEW_DATA,     /* bytes, len, as text */
	VIEW_HEX_DATA, /* bytes, len, all of them in hex */
	/* its address, and how many there are; st: one, for styles that show all members */
	VIEW_DIRENTS,
	/* a program of classic BPF, len instructions: its address, but for styles that show all
	 * members; size 1: of seccomp; 2: of eBPF */
	VIEW_FILTER,
	VIEW_CONTROL,   /* control messages; st: one */
	VIEW_MESSAGE,   /* bytes, len, as text; of a netlink socket as messages */
	VIEW_STRING,    /* NUL-terminated */
	VIEW_FILE_NAME, /* likewise, shown whole */
	/* ["ls", "/"]: an array of pointers (size: 4 or 8 bytes each) that ends with NULL */
	VIEW_STRINGS,
	VIEW_ENVIRON, /* its address, and how many there are */
	N_VIEW_KINDS
};

enum view_dir {
	VIEW_IN,
	VIEW_OUT,    /* the call fills it in: an address until it has succeeded */
	VIEW_INOUT,  /* what it was, then what it is */
	VIEW_APART,  /* likewise, each in brackets of its own */
	VIEW_WAS,    /* what it was, although the call changes it */
	VIEW_FAILED, /* the call fills it in if it fails */
	VIEW_NOW,    /* what it is: once the call has returned, what that has left */
};

enum call_len_kind {
	LEN_NONE,
	LEN_CONST,
	LEN_ARG,     /* the value of an argument */
	LEN_RESULT,  /* the result of the call */
	LEN_POINTEE, /* the u32 to which an argument points */
	LEN_MEMBER,  /* a member of the structure: offset, size */
	LEN_BITS,    /* words of 8 bytes for as many bits as the value of an argument */
	/* the same of one bit less; of one bit, nothing is known (mm/mempolicy.c: get_nodes) */
	LEN_NODES,
	LEN_PAGES, /* pages of the value of an argument, in bytes */
};

struct call_len {
	enum call_len_kind kind;
	u16 value; /* LEN_CONST; number of the argument; offset of the member */
	/* Bytes of the member. LEN_POINTEE: the length to use if the call gives 0. */
	u8 size;
	bool exact; /* it must be the size of what is there, else the address is shown */
	bool least; /* likewise, or more than that */
};

struct call_name {
	const char *name;
	s64 value;
	u64 mask; /* flags: the bits to compare */
};

struct call_set;

/* ioctl requests that have a number or a size in them: EVIOCGBIT(EV_KEY, 96). */
struct call_request {
	u8 type, nr, more; /* numbers that follow nr */
	u8 in;             /* 1 << direction */
	bool has_size;
	const char *name;
	const char *of_set;
	struct call_set *of; /* of_set: names of the number */
};

/* Its names are read when they are first needed. */
struct call_set {
	const char *name, *members;
	struct call_name *v;
	u32 n;
	const char *
		unknown; /* "MSG_": how other values are called; NULL: by what the names have in common */
	const char *others; /* likewise, of the flags that follow a field; NULL: not said */
	const char *shift;  /* "MAP_HUGE_SHIFT": what bits 26 to 31 are; NULL: flags */
	u64 field;          /* bits that are one of several values; 0: none */
	bool any_field;     /* the field is shown apart also if its value has no name */
	bool is_exact;      /* a number with other bits has no name */
	/* NULL: not ioctl's. The names are sorted by number, several may have the same; the last
	 * row has no name. */
	const struct call_request *requests;
	void (*complete)(struct call_set *set); /* NULL once complete */
};

struct call_view {
	u8 kind, size; /* bytes of a number, of a pointer */
	u8 base;       /* VIEW_NUMBER: 8, 10, 16; 17: 8 hex digits */
	bool is_signed;
	u8 dir;
	u16 count; /* VIEW_CHARS, VIEW_BYTES: bytes in place */
	struct call_len len;
	struct call_set *set;
	const struct call_struct *st;
	const struct call_choice *choice;
	const struct call_view *of;
	const struct call_attrs *attrs; /* what follows st, too */
	const struct call_messages *messages;
};

struct call_field {
	const char *name;
	u32 offset;
	struct call_view view;
};

struct call_struct {
	const char *name;
	u32 size, n;
	struct call_field *v;
	bool has_more;       /* members are left out: ", ..." */
	const char *between; /* members; NULL: ", " */
	bool is_whole;       /* a netlink message that has less is shown as bytes */
	bool has_tail;       /* what a call passes after the members is shown as bytes, */
	bool tail_is_more;   /* or as ", ...", */
	bool tail_is_extra;  /* or so if one is not zero */
	bool is_cut;         /* what is there of a member is shown in hex */
	/* used instead by styles that show all members; NULL: these */
	const struct call_struct *full;
	/* what a successful call has changed, shown as " => {...}"; NULL: nothing */
	const struct call_struct *after;
	/* what of it a call that has failed shows; NULL: all */
	const struct call_struct *failed;
};

struct call_case {
	s64 value;
	u32 least; /* bytes that the structure must have */
	struct call_view view;
};

struct call_choice {
	bool by_member; /* else by an argument */
	u16 where;      /* its offset; number of the argument */
	u8 size;        /* of the member */
	u32 mask;       /* of the value that is compared, and of the cases */
	struct call_case *v;
	u32 n;
	struct call_view rest; /* for any other value */
	u32 rest_least;
};

/* ---- netlink */

struct call_attr {
	u32 type;
	const char *kind; /* VIEW_BY_KIND */
	struct call_view view;
};

struct call_attrs {
	struct call_set *set; /* their names */
	struct call_attr *v;
	u32 n;
};

enum { CALL_PROTOCOLS = 32 };

/* By protocol: struct nlmsghdr, which may depend on the message, and what follows it, as a choice
 * by the message. */
struct call_messages {
	struct {
		const struct call_struct *head;
		struct call_view payload; /* VIEW_HIDDEN: bytes */
	} of[CALL_PROTOCOLS], other;
	const struct call_attrs *error;  /* of NLMSG_ERROR, behind the message */
	const struct call_struct *event; /* of NETLINK_KOBJECT_UEVENT */
};

/* One call. */
struct call_format {
	const char *name;
	u32 n;
	struct call_field arg[CALL_MAX_ARGS]; /* offset: number of the argument */
	const struct call_struct *whole;      /* shown so, as members; NULL: by arg */
	/*
	 * What follows the result, as members of the words result, args[0], ...: VIEW_HIDDEN
	 * (nothing), VIEW_MEMBERS, or a choice of those.
	 */
	struct call_view result;
};

/* ---- snapshots */

enum {
	SNAPSHOT_MAX_OPS = 250,
	SNAPSHOT_NONE = 0xff, /* no op */
	SNAPSHOT_TAIL = 64,   /* bytes after the members of a structure */
	SNAPSHOT_PAGES = 5,
	SNAPSHOT_PAGE = 256,
	SNAPSHOT_CONTROL = 256,           /* bytes of control messages */
	SNAPSHOT_MESSAGES = 20 << 10,     /* bytes of netlink messages: of the first buffer, … */
	SNAPSHOT_MORE_MESSAGES = 2 << 10, /* … and of each other one */
};

/* Bytes by the value of an argument, for values in some pages of 256. */
struct snapshot_table {
	u32 mask;                 /* of the value */
	u32 page[SNAPSHOT_PAGES]; /* value of its first entry */
	u8 bytes[SNAPSHOT_PAGES * SNAPSHOT_PAGE];
	bool by_request; /* of other values the size that an ioctl request has in its bits */
};

/* One piece of memory to copy. */
struct snapshot_op {
	/* where its address is: an argument, or a word at src_off in the piece of op `parent` */
	u8 parent, arg;
	u16 src_off;
	u8 width;            /* bytes of a pointer there, and of each of a list: 4 or 8 */
	u16 plus;            /* added to the address */
	bool is_string;      /* NUL-terminated; cap includes the NUL */
	bool is_link;        /* a pointer in a list that ends with NULL */
	bool is_partial;     /* if memory ends within it, what is before is copied */
	bool is_count;       /* of directory entries: two words, how many and their bytes */
	bool on_success;     /* only if the result is not negative */
	bool on_failure;     /* only if it is */
	bool stored;         /* the call may change it; or an op that does needs its piece */
	struct call_len len; /* LEN_MEMBER: in the piece of `parent` */
	u16 scale, cap;      /* bytes for each of len; at most */
	const struct snapshot_table *table; /* of the value of len's argument; NULL: len itself */
	u16 skip;                           /* number of following ops that need its piece */
	/* only if what the choice is by has this value; NULL: always */
	const struct call_choice *choice;
	u32 value;
	u16 choice_base; /* offset of the structure in the piece of `parent` */
	enum { OF_ANY_FILE, OF_NETLINK, NOT_OF_NETLINK } of; /* only if argument 0 is that */
	/* bytes at most; LEN_MEMBER: in the piece of the op bound_in */
	struct call_len bound;
	u8 bound_in;
};

struct snapshot {
	bool wants_entry; /* at the return: pieces of the entry are needed, too */
	bool is_half; /* argstr_rest: what is not `stored` the entry has copied, unless it failed */
	bool has_messages; /* ops with `of` */
	u32 n_args;        /* to send: an even number */
	u32 n;
	struct snapshot_op *v;
	u32 size; /* bytes of the value at most */
	/*
	 * One program for many calls: no ops, but a row for each call, with what its snapshot
	 * copies. is_half is that of all, n_args the most, row_cap the most that an op copies.
	 */
	bool is_rows;
	u32 row_cap;
};

/*
 * A row: n_args, then ops until a word that is 0. An op of arguments alone is a word:
 *
 *	0 scale | 16 cap | 32 most units | 48 argument | 51 source of the length | 54 shift | 58 flags
 *
 * source: an argument, the result, or 1. The length is (source rounded up >> shift) * scale.
 */
enum snapshot_row {
	ROW_OPS = 4,
	ROW_WORDS = 1 + ROW_OPS,
	ROW_CAP_MOST = 4104,
	ROW_CAP_SHIFT = 16,
	ROW_MOST_SHIFT = 32,
	ROW_ARG_SHIFT = 48,
	ROW_SOURCE_SHIFT = 51,
	ROW_UNIT_SHIFT = 54,
	ROW_SOURCE_RESULT = 6,
	ROW_SOURCE_ONE = 7,
	ROW_SOURCES = 8,
	ROW_WORD_MASK = 0xffff,
	ROW_INDEX_MASK = 7,
	ROW_UNIT_MASK = 15,
};
#define ROW_STRING (1ull << 58)
#define ROW_PARTIAL (1ull << 59)
#define ROW_ON_SUCCESS (1ull << 60)
#define ROW_ON_FAILURE (1ull << 61)
#define ROW_STORED (1ull << 62)
#define ROW_IS_OP (1ull << 63)

#endif
