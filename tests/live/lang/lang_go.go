// A Go program for uprobes: arguments and results in registers, on the stack, stacks that grow.
package main

import (
	"errors"
)

type Point struct {
	X, Y int32
	Name string
}

type Shape interface{ Area() int }

func (p *Point) Area() int { return int(p.X) * int(p.Y) }

//go:noinline
func Add(a int, b int32, s string, ok bool, f float64) (sum int, err error) {
	if a < 0 {
		return -1, errors.New("negative")
	}
	return a + int(b) + len(s), nil
}

//go:noinline
func Sum(list []int, p Point, q *Point, m uint8) (int, string) {
	t := 0
	for _, v := range list {
		t += v
	}
	return t + int(p.X) + int(q.Y) + int(m), p.Name + q.Name
}

//go:noinline
func Deep(n int) int {
	var pad [256]int
	pad[n%256] = n
	if n == 0 {
		return pad[0]
	}
	return Deep(n-1) + pad[n%256]
}

//go:noinline
func Many(a, b, c, d, e, f, g, h, i, j, k int) int { return a + b + c + d + e + f + g + h + i + j + k }

func main() {
	q := &Point{3, -4, "second"}
	s, _ := Add(40, 2, "text", true, 1.5)
	_, err := Add(-1, 2, "no", false, 2.5)
	t, n := Sum([]int{10, 20}, Point{1, 2, "first"}, q, 200)
	done := make(chan int)
	go func() { done <- Deep(1000) }()
	println(s, err != nil, t, n, <-done, Many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11))
}
