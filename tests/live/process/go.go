// Goroutines whose stacks grow, that are preempted and whose garbage is collected; the results must not change.
package main

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

type node struct {
	l, r *node
	v    int
}

//go:noinline
func build(n int) *node {
	if n == 0 {
		return nil
	}
	return &node{build(n - 1), build(n - 1), n}
}

//go:noinline
func sum(n *node) int {
	if n == nil {
		return 0
	}
	return n.v + sum(n.l) + sum(n.r)
}

//go:noinline
func deep(n int) int {
	var a [64]int
	if n == 0 {
		return 1
	}
	a[n%64] = n
	return deep(n-1) + a[n%64] - n
}

func round(out chan int) {
	s := deep(3000)
	for i := 0; i < 5; i++ {
		s += sum(build(8))
	}
	out <- s
}

func main() {
	out := make(chan int)
	if len(os.Args) > 1 {
		time.Sleep(time.Hour)
	}
	for i := 0; i < 40; i++ {
		s := 0
		for k := 0; k < 8; k++ {
			go round(out)
		}
		for k := 0; k < 8; k++ {
			s += <-out
		}
		runtime.GC()
		if i == 39 {
			fmt.Println(s)
		}
	}
}
