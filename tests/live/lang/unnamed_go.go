// SPDX-License-Identifier: GPL-2.0-or-later
// Parameters without a name, which debug information leaves out, generic functions, whose dictionary it leaves out,
// and types that are strings by another name.
package main

import "fmt"

type T struct{ a, b, c int }
type Name string
type Raw []byte
type Stack[V any] struct{ items []V }

//go:noinline
func blank(_ int, b int, _ string, d int) int { return b + d }

//go:noinline
func (T) receiver(x int) int { return x + 1 }

//go:noinline
func (*T) pointer(x int, _ struct{}, y int) int { return x + y }

//go:noinline
func large(_ [3]int, a, b, c, d, e, f, g, h, i, j, k int, _ [2]int, l int) int { return a + k + l }

//go:noinline
func named(n Name, r Raw, p *Name) Name { return n + Name(r) + *p }

//go:noinline
func (s *Stack[V]) Push(v V) { s.items = append(s.items, v) }

//go:noinline
func Max[V int | string](a, b V) V {
	if a > b {
		return a
	}
	return b
}

func main() {
	t, pointed, words := T{1, 2, 3}, Name("ghi"), &Stack[string]{}
	sum := blank(1, 2, "s", 4) + t.receiver(50) + (&t).pointer(60, struct{}{}, 61)
	sum += large([3]int{}, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, [2]int{}, 12)
	text := named("abc", Raw("def"), &pointed)
	words.Push("pushed")
	(&Stack[int]{}).Push(77)
	if sum+Max(3, 9) == 0 || Max("aa", "bb") == string(text) {
		fmt.Println(words)
	}
}
