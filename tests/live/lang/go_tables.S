// The tables of Go's runtime in the layout of each of its versions (-DMAGIC, -DPTR: how a word is written), for two functions.
	.text
	.globl _start
_start:	call one
	jmp two
	.p2align 4
one:	nop
	ret
	.p2align 4
two:	mov $60, %eax
	xor %edi, %edi
	syscall
end:
	.section .go.buildinfo, "a"
	.quad 1
#ifdef HIDDEN /* among other data, as linkers of C leave it in programs that may be loaded anywhere */
	.section .data.rel.ro, "aw"
	.quad 0x123456, table
#else
	.section .gopclntab, "aw"
#endif
	.p2align 5
table:	.long MAGIC
	.byte 0, 0, 1, 8
#if MAGIC == 0xfffffffb
	.quad 2
list:	.quad one, f_one - table, two, f_two - table, end
f_one:	.quad one
	.long n_one - table
f_two:	.quad two
	.long n_two - table
names:
#elif MAGIC == 0xfffffffa
	.quad 2, 0, names - table, 0, 0, 0, list - table
list:	.quad one, f_one - list, two, f_two - list, end
f_one:	.quad one
	.long n_one - names
f_two:	.quad two
	.long n_two - names
names:
#else
	.quad 2, 0, one, names - table, 0, 0, 0, list - table
list:	.long 0, f_one - list, two - one, f_two - list, end - one
f_one:	.long 0, n_one - names
f_two:	.long two - one, n_two - names
names:
#endif
	.byte 0
n_one:	.asciz "main.one"
n_two:	.asciz "main.(*T).two"
