// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of Go that return a number, a text and an error: nil, of the standard library, wrapped, of a type of its own.
package main

import (
	"errors"
	"fmt"
)

type myErr struct{ code int; msg string }

func (e *myErr) Error() string { return e.msg }

//go:noinline
func Three(n int) (int, string, error) {
	if n == 1 {
		return -1, "bad", errors.New("plain error")
	}
	if n == 2 {
		return -2, "wrapped", fmt.Errorf("wrap: %w", errors.New("inner"))
	}
	if n == 3 {
		return -3, "mine", &myErr{7, "my error"}
	}
	return n, fmt.Sprint("ok", n), nil
}

//go:noinline
func Named(n int) (count int, text string, err error) {
	count, text, err = Three(n)
	return
}

//go:noinline
func Any(v interface{}, s []string, m map[string]int, f func(int) int, c chan int) interface{} { return v }

func main() {
	for i := 0; i < 4; i++ {
		a, b, c := Three(i)
		d, e, f := Named(i)
		println(a, b, c != nil, d, e, f != nil)
	}
	Any(42, []string{"a", "bc"}, map[string]int{"x": 1}, func(i int) int { return i }, make(chan int))
	Any("text", nil, nil, nil, nil)
}
