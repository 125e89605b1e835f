package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/target"
)

// process is this process as a rank: a C program has one, and hands no pointer to it around.
type process struct {
	busy    sync.Mutex // a call: who finds it locked is told so
	began   bool
	session target.Calls  // nil before begin and after end
	arrays  []memory      // by address
	finish  chan struct{} // closed: the rank's program returns
	ended   chan error    // then says what became of the run

	// These are asked for while another thread is in a call.
	place atomic.Pointer[place]  // nil before begin and after end
	err   atomic.Pointer[string] // what led to the last code that was not 0
}

// place is which rank this process is, and of how many.
type place struct{ rank, size int }

// memory is that of an array.
type memory struct {
	from, to uintptr
	array    int
}

// begin joins the job and waits until this rank's program has begun.
func (p *process) begin() error {
	if p.began {
		return &target.Error{Code: target.Running, Text: "fagus: fagus_init for the second time: a process takes part once"}
	}
	begin := p.beginHere
	if line := os.Getenv("FAGUS_LINE"); line != "" {
		begin = func() error { return p.beginAt(line) }
	}
	err := begin()
	if err == nil {
		p.place.Store(&place{p.session.Rank(), p.session.Size()})
	}
	return err
}

// beginHere is begin where the rank's Node is in this process.
func (p *process) beginHere() error {
	cfg, err := configOf(os.Getenv)
	if err != nil {
		return err
	}
	p.began = true
	p.finish, p.ended = make(chan struct{}), make(chan error, 1)
	ready := make(chan *fagus.Node)
	go func() {
		_, err := cluster.Run(context.Background(), cfg, func(n *fagus.Node) error {
			ready <- n
			<-p.finish
			return n.Err()
		})
		p.ended <- err
	}()
	select {
	case n := <-ready:
		p.session = target.Begin(n)
		return nil
	case err := <-p.ended:
		return &target.Error{Code: target.Job, Text: err.Error()}
	}
}

// beginAt is begin where `fagus launch` simulates: this rank's Node is at the other end of the line.
func (p *process) beginAt(line string) error {
	fd, err := strconv.Atoi(strings.TrimPrefix(line, "fd:"))
	if err != nil || fd < 3 {
		return &target.Error{Code: target.Job, Text: fmt.Sprintf("fagus: FAGUS_LINE is %q: want fd: and a descriptor", line)}
	}
	p.began = true
	syscall.CloseOnExec(fd) // a child of the program would keep the line open
	c, err := target.Connect(os.NewFile(uintptr(fd), "line"), func(bytes int) ([]byte, error) {
		return syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	})
	if err != nil {
		return &target.Error{Code: target.Job, Text: err.Error()}
	}
	p.session = c
	return nil
}

// configOf reads the environment. A process that nobody has started as one of several is alone.
func configOf(getenv func(string) string) (fagus.Config, error) {
	cfg := fagus.Config{Nodes: 1}
	switch mode := getenv("FAGUS_MODE"); mode {
	case "", fagus.Phase.String():
	case fagus.Threaded.String():
		cfg.Mode = fagus.Threaded
	default:
		return cfg, &target.Error{Code: target.Job, Text: fmt.Sprintf("fagus: FAGUS_MODE is %q: want %v or %v", mode, fagus.Phase, fagus.Threaded)}
	}
	return cfg, nil
}

// end returns from this rank's program and waits for the others.
func (p *process) end() error {
	if p.session == nil {
		return notRunning("fagus_finalize")
	}
	if err := p.session.End(); err != nil {
		return err
	}
	p.session, p.arrays = nil, nil
	p.place.Store(nil)
	if p.finish == nil { // the run is in another process
		return nil
	}
	close(p.finish)
	if err := <-p.ended; err != nil {
		return &target.Error{Code: target.Lost, Text: err.Error()}
	}
	return nil
}

func notRunning(call string) error {
	return &target.Error{Code: target.NotRunning, Text: fmt.Sprintf("fagus: %s: the run has not begun, or has ended", call)}
}

// do makes a call of the session.
func (p *process) do(call string, f func(target.Calls) error) target.Code {
	return p.call(call, func() error {
		if p.session == nil {
			return notRunning(call)
		}
		return f(p.session)
	})
}

// call makes a call, if no other thread is in one, and remembers why it fails.
func (p *process) call(call string, f func() error) (code target.Code) {
	if !p.busy.TryLock() {
		return p.code(&target.Error{Code: target.Busy, Text: fmt.Sprintf("fagus: %s: another thread is in a call: calls are for one thread at a time", call)})
	}
	defer p.busy.Unlock()
	defer func() {
		if r := recover(); r != nil {
			code = p.code(fmt.Errorf("fagus: %s: %v", call, r))
		}
	}()
	return p.code(f())
}

// code is what err is to a C program.
func (p *process) code(err error) target.Code {
	if err == nil {
		return target.OK
	}
	text := err.Error()
	p.err.Store(&text)
	var known *target.Error
	if errors.As(err, &known) {
		return known.Code
	}
	return target.Internal
}

// alloc makes an array and remembers where it lies.
func (p *process) alloc(s target.Calls, name string, bytes int) (unsafe.Pointer, error) {
	array, err := s.Alloc(name, bytes)
	if err != nil {
		return nil, err
	}
	at := unsafe.Pointer(unsafe.SliceData(s.Memory(array)))
	from := uintptr(at)
	i := sort.Search(len(p.arrays), func(i int) bool { return p.arrays[i].from > from })
	p.arrays = slices.Insert(p.arrays, i, memory{from, from + uintptr(bytes), array})
	return at, nil
}

// span is where a range of addresses lies.
func (p *process) span(addr uintptr, bytes uint64) (target.Span, error) {
	i := sort.Search(len(p.arrays), func(i int) bool { return p.arrays[i].from > addr }) - 1
	if i < 0 || addr >= p.arrays[i].to || bytes < 1 || bytes > uint64(p.arrays[i].to-addr) {
		return target.Span{}, &target.Error{Code: target.Address, Text: fmt.Sprintf("fagus: %d bytes at %#x: want at least 1, inside an array of fagus_alloc", bytes, addr)}
	}
	return target.Span{Array: p.arrays[i].array, Offset: int(addr - p.arrays[i].from), Bytes: int(bytes)}, nil
}
