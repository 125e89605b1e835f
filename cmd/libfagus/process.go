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
	"syscall"
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/target"
)

// process is this process as a rank: a C program has one, and hands no pointer to it around.
type process struct {
	mutex   sync.Mutex // of begin and end
	began   bool
	session target.Calls  // nil before begin and after end
	arrays  []memory      // by address
	finish  chan struct{} // closed: the rank's program returns
	ended   chan error    // then says what became of the run
	err     string        // what led to the last code that was not 0
}

// memory is that of an array.
type memory struct {
	from, to uintptr
	array    int
}

// begin joins the job and waits until this rank's program has begun.
func (p *process) begin() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.began {
		return &target.Error{Code: target.Running, Text: "fagus: fagus_init for the second time: a process takes part once"}
	}
	if line := os.Getenv("FAGUS_LINE"); line != "" {
		return p.beginAt(line)
	}
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
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.session == nil {
		return notRunning("fagus_finalize")
	}
	if err := p.session.End(); err != nil {
		return err
	}
	p.session, p.arrays = nil, nil
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

// do makes a call of the session, and remembers why it fails.
func (p *process) do(call string, f func(target.Calls) error) (code target.Code) {
	defer func() {
		if r := recover(); r != nil {
			p.err, code = fmt.Sprintf("fagus: %s: %v", call, r), target.Internal
		}
	}()
	if p.session == nil {
		return p.code(notRunning(call))
	}
	return p.code(f(p.session))
}

// code is what err is to a C program.
func (p *process) code(err error) target.Code {
	if err == nil {
		return target.OK
	}
	p.err = err.Error()
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
