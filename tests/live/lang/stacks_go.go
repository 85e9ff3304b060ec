// SPDX-License-Identifier: GPL-2.0-or-later
// Calls Probe in many ways. Each time it prints the return addresses that Go's own runtime finds, behind the probe.
package main

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"sort"
	"sync"
	"time"
)

var (
	lock sync.Mutex
	out  []string
	sink int
)

//go:noinline
func Probe(n int) { sink += n }

// The frame of check itself differs by the place of the two calls.
//
//go:noinline
func check(name string) {
	var pcs [100]uintptr
	n := runtime.Callers(2, pcs[:])
	lock.Lock()
	line := name
	for _, pc := range pcs[:n] {
		line += fmt.Sprintf(" %x", pc)
	}
	out = append(out, line)
	lock.Unlock()
	Probe(n)
}

type caller interface{ call(int) }
type small struct{ name string }
type large struct {
	name string
	room [3000]int
}

//go:noinline
func (s small) call(n int) { check(s.name) }

//go:noinline
func (l large) call(n int) {
	l.room[n] = n
	check(l.name)
	sink += l.room[n+1]
}

//go:noinline
func deep(n int) int {
	var room [16]int
	room[n%16] = n
	if n == 0 {
		check("deep")
		return room[1]
	}
	return deep(n-1) + room[n%16]
}

//go:noinline
func panics() {
	defer func() {
		check("deferred")
		recover()
		check("recovered")
	}()
	defer check("deferred-first")
	var p *int
	if sink < 0 {
		p = &sink
	}
	sink += *p // a signal
}

func start(f func()) {
	var w sync.WaitGroup
	w.Add(1)
	go func() { defer w.Done(); f() }()
	w.Wait()
}

func init() { check("init") }

func main() {
	check("main")
	for _, c := range []caller{small{"small"}, &small{"pointer"}} {
		c.call(3)
	}
	start(func() { large{name: "large"}.call(3) })
	deep(60)
	start(func() { check("goroutine"); deep(30) })
	start(panics)
	panics()
	numbers := []int{2, 1}
	sort.Slice(numbers, func(i, k int) bool { check("sort"); return numbers[i] < numbers[k] })
	reflect.ValueOf(check).Call([]reflect.Value{reflect.ValueOf("reflect")})
	made := reflect.MakeFunc(reflect.TypeOf(check), func(a []reflect.Value) []reflect.Value { check("made"); return nil })
	made.Interface().(func(string))("x")
	var once sync.Once
	once.Do(func() { check("once") })
	var w sync.WaitGroup
	w.Add(1)
	time.AfterFunc(time.Millisecond, func() { check("timer"); w.Done() })
	w.Wait()
	w.Add(1)
	func() {
		object := &large{}
		runtime.SetFinalizer(object, func(*large) { check("finalizer"); w.Done() })
	}()
	runtime.GC()
	w.Wait()
	runtime.LockOSThread()
	check("locked")
	for _, line := range out {
		fmt.Fprintln(os.Stdout, "go", line)
	}
}
