// SPDX-License-Identifier: GPL-2.0-or-later
// sonde-example-go of doc/builtins.md: a second goroutine calls work().
package main

//go:noinline
func work(n int) int { return n + 1 }

func main() {
	done := make(chan int)
	go func() { done <- work(1) }()
	println(work(<-done))
}
