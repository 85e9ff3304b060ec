/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of the test module: every way to declare a field and to print it that include/trace
 * has, a class with several events, and a tracepoint without an event.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM sonde_test

#if !defined(SONDE_TEST_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SONDE_TEST_TRACE_H

#include <linux/tracepoint.h>
#include <linux/version.h>
#include "types.h"

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0) /* the source is named once, in __string() */
#define sonde_assign_str(field, text) __assign_str(field)
#else
#define sonde_assign_str(field, text) __assign_str(field, text)
#endif

TRACE_EVENT(foo_bar,
	TP_PROTO(const char *foo, int bar),
	TP_ARGS(foo, bar),
	TP_STRUCT__entry(
		__array(char, foo, 10)
		__field(int, bar)
	),
	TP_fast_assign(
		strscpy(__entry->foo, foo, sizeof(__entry->foo));
		__entry->bar = bar;
	),
	TP_printk("foo %s %d", __entry->foo, __entry->bar)
);

DECLARE_EVENT_CLASS(sonde_pair,
	TP_PROTO(int first, u64 second),
	TP_ARGS(first, second),
	TP_STRUCT__entry(
		__field(int, first)
		__field(u64, second)
	),
	TP_fast_assign(
		__entry->first = first;
		__entry->second = second;
	),
	TP_printk("first=%d second=%llu", __entry->first, __entry->second)
);
DEFINE_EVENT(sonde_pair, sonde_pair_begin, TP_PROTO(int first, u64 second), TP_ARGS(first, second));
DEFINE_EVENT(sonde_pair, sonde_pair_step, TP_PROTO(int first, u64 second), TP_ARGS(first, second));
DEFINE_EVENT_PRINT(sonde_pair, sonde_pair_end, TP_PROTO(int first, u64 second), TP_ARGS(first, second),
	TP_printk("second=0x%llx first=%04d", __entry->second, __entry->first));

TRACE_EVENT(sonde_text,
	TP_PROTO(const char *text, int n),
	TP_ARGS(text, n),
	TP_STRUCT__entry(
		__string(one, text)
		__field(int, n)
		__string(two, "fixed")
		__dynamic_array(u16, numbers, 3)
	),
	TP_fast_assign(
		u16 *numbers = __get_dynamic_array(numbers);
		int i;

		sonde_assign_str(one, text);
		sonde_assign_str(two, "fixed");
		__entry->n = n;
		for (i = 0; i < 3; i++)
			numbers[i] = n + i;
	),
	TP_printk("one=%s two=%s n=%d numbers=%s", __get_str(one), __get_str(two), __entry->n,
		  __print_array(__get_dynamic_array(numbers), 3, sizeof(u16)))
);

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
TRACE_EVENT(sonde_rel,
	TP_PROTO(const char *text, int n),
	TP_ARGS(text, n),
	TP_STRUCT__entry(
		__field(int, n)
		__rel_dynamic_array(char, text, 16)
		__rel_dynamic_array(u32, numbers, 2)
	),
	TP_fast_assign(
		u32 *numbers = __get_rel_dynamic_array(numbers);

		strscpy((char *)__get_rel_dynamic_array(text), text, 16);
		numbers[0] = n;
		numbers[1] = n * 2;
		__entry->n = n;
	),
	TP_printk("text=%s numbers=%s n=%d", __get_rel_str(text),
		  __print_array(__get_rel_dynamic_array(numbers), 2, sizeof(u32)), __entry->n)
);
#endif

TRACE_DEFINE_ENUM(SONDE_RED);
TRACE_DEFINE_ENUM(SONDE_GREEN);
TRACE_DEFINE_ENUM(SONDE_BLUE);

#define SONDE_FLAGS {1, "READ"}, {2, "WRITE"}, {4, "EXEC"}
#define SONDE_COLORS {SONDE_RED, "red"}, {SONDE_GREEN, "green"}, {SONDE_BLUE, "blue"}

TRACE_EVENT(sonde_names,
	TP_PROTO(unsigned long flags, enum sonde_color color, const void *fn),
	TP_ARGS(flags, color, fn),
	TP_STRUCT__entry(
		__field(unsigned long, flags)
		__field(int, color)
		__field(const void *, fn)
		__array(u8, bytes, 4)
		__array(s16, shorts, 3)
		__field(bool, odd)
	),
	TP_fast_assign(
		int i;

		__entry->flags = flags;
		__entry->color = color;
		__entry->fn = fn;
		for (i = 0; i < 4; i++)
			__entry->bytes[i] = 0xa0 + i;
		for (i = 0; i < 3; i++)
			__entry->shorts[i] = -i;
		__entry->odd = flags & 1;
	),
	TP_printk("flags=%s color=%s fn=%ps bytes=%s hex=%s shorts=%s odd=%d", __print_flags(__entry->flags, "|", SONDE_FLAGS),
		  __print_symbolic(__entry->color, SONDE_COLORS), __entry->fn, __print_hex(__entry->bytes, 4),
		  __print_hex_str(__entry->bytes, 4), __print_array(__entry->shorts, 3, sizeof(s16)), __entry->odd)
);

TRACE_EVENT(sonde_address,
	TP_PROTO(dev_t dev, const struct sockaddr_in *in, const struct sockaddr_in6 *in6),
	TP_ARGS(dev, in, in6),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__array(u8, v4, 4)
		__array(u8, v6, 16)
		__array(u8, sock, sizeof(struct sockaddr_in6))
	),
	TP_fast_assign(
		__entry->dev = dev;
		memcpy(__entry->v4, &in->sin_addr, 4);
		memcpy(__entry->v6, &in6->sin6_addr, 16);
		memcpy(__entry->sock, in6, sizeof(*in6));
	),
	TP_printk("dev=%d:%d v4=%pI4 v6=%pI6c sock=%pISpc", MAJOR(__entry->dev), MINOR(__entry->dev), __entry->v4,
		  __entry->v6, __entry->sock)
);

/* Without an event. Linux 6.16 and later append the _tp themselves. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
DECLARE_TRACE(sonde_file, TP_PROTO(struct file *file, int value), TP_ARGS(file, value));
#define trace_sonde_file trace_sonde_file_tp
#else
DECLARE_TRACE(sonde_file_tp, TP_PROTO(struct file *file, int value), TP_ARGS(file, value));
#define trace_sonde_file trace_sonde_file_tp
#endif

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
