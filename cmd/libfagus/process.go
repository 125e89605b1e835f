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
	"unsafe"

	"github.com/fagus-dsm/fagus/cmd/internal/csession"
	"github.com/fagus-dsm/fagus/dimmnet/live/quic"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/gossip"
)

// process is this process as one rank of a run.
type process struct {
	busy    sync.Mutex     // held during a call; a concurrent call returns Busy
	began   bool           // begin has been called in a valid environment
	session csession.Calls // nil before begin and after end
	arrays  []memory       // sorted by address
	finish  chan struct{}  // closed by end, which makes the program on the Node return
	ended   chan error     // receives the error of the run after finish is closed

	// Other threads may read place and err during a call.
	place atomic.Pointer[place]  // nil before begin and after end
	err   atomic.Pointer[string] // text of the last error
}

type place struct{ rank, size int }

type memory struct {
	from, to uintptr
	array    int
}

func (p *process) begin() error {
	if p.began {
		return &csession.Error{Code: csession.Running, Text: "fagus: fagus_init was called before: a process can take part in one run only"}
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
		}, gossip.Driver{}, quic.Driver{})
		p.ended <- err
	}()
	select {
	case n := <-ready:
		p.session = csession.Begin(n)
		return nil
	case err := <-p.ended:
		return &csession.Error{Code: csession.Job, Text: err.Error()}
	}
}

// beginAt connects to the simulator of `fagus launch`, which runs this rank's Node. line has the
// form "fd:3" and names the file descriptor of the connection.
func (p *process) beginAt(line string) error {
	fd, err := strconv.Atoi(strings.TrimPrefix(line, "fd:"))
	if err != nil || fd < 3 {
		return &csession.Error{Code: csession.Job, Text: fmt.Sprintf("fagus: FAGUS_LINE is %q: want fd: and a file descriptor, 3 or more", line)}
	}
	p.began = true
	c, err := connect(fd)
	if err != nil {
		return &csession.Error{Code: csession.Job, Text: err.Error()}
	}
	p.session = c
	return nil
}

// configOf returns the configuration that the environment selects: one rank without a launcher.
func configOf(getenv func(string) string) (fagus.Config, error) {
	cfg := fagus.Config{Nodes: 1}
	switch mode := getenv("FAGUS_MODE"); mode {
	case "", fagus.Phase.String():
	case fagus.Threaded.String():
		cfg.Mode = fagus.Threaded
	default:
		return cfg, &csession.Error{Code: csession.Job, Text: fmt.Sprintf("fagus: FAGUS_MODE is %q: want %v or %v", mode, fagus.Phase, fagus.Threaded)}
	}
	return cfg, nil
}

func (p *process) end() error {
	if p.session == nil {
		return notRunning("fagus_finalize")
	}
	if err := p.session.End(); err != nil {
		return err
	}
	p.session, p.arrays = nil, nil
	p.place.Store(nil)
	if p.finish == nil { // the Node is in another process
		return nil
	}
	close(p.finish)
	if err := <-p.ended; err != nil {
		return &csession.Error{Code: csession.Lost, Text: err.Error()}
	}
	return nil
}

func notRunning(call string) error {
	return &csession.Error{Code: csession.NotRunning, Text: fmt.Sprintf("fagus: %s: the run has not begun or has already ended", call)}
}

func (p *process) do(call string, f func(csession.Calls) error) csession.Code {
	return p.call(call, func() error {
		if p.session == nil {
			return notRunning(call)
		}
		return f(p.session)
	})
}

// call calls f and records its error, or returns Busy if another thread is in a call.
func (p *process) call(call string, f func() error) (code csession.Code) {
	if !p.busy.TryLock() {
		return p.code(&csession.Error{Code: csession.Busy, Text: fmt.Sprintf("fagus: %s: another thread is in a call: make calls from one thread at a time", call)})
	}
	defer p.busy.Unlock()
	defer func() {
		if r := recover(); r != nil {
			code = p.code(fmt.Errorf("fagus: %s: %v", call, r))
		}
	}()
	return p.code(f())
}

func (p *process) code(err error) csession.Code {
	if err == nil {
		return csession.OK
	}
	text := err.Error()
	p.err.Store(&text)
	var known *csession.Error
	if errors.As(err, &known) {
		return known.Code
	}
	return csession.Internal
}

func (p *process) alloc(s csession.Calls, name string, bytes int) (unsafe.Pointer, error) {
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

func (p *process) span(addr uintptr, bytes uint64) (csession.Span, error) {
	i := sort.Search(len(p.arrays), func(i int) bool { return p.arrays[i].from > addr }) - 1
	if i < 0 || addr >= p.arrays[i].to || bytes < 1 || bytes > uint64(p.arrays[i].to-addr) {
		return csession.Span{}, &csession.Error{Code: csession.Address, Text: fmt.Sprintf("fagus: %d bytes at address %#x: want at least 1 byte, inside an array made by fagus_alloc", bytes, addr)}
	}
	return csession.Span{Array: p.arrays[i].array, Offset: int(addr - p.arrays[i].from), Bytes: int(bytes)}, nil
}
