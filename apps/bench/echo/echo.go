package echo

import (
	"context"
	"fmt"
	"time"
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
	"github.com/fagus-dsm/fagus/dimmnet/live/memory"
	"github.com/fagus-dsm/fagus/ringbuf"
)

type network struct{}

const (
	name      = "echo"
	llcmBytes = 1 << 16
	pageBytes = 4096
)

// New returns the network.
func New() dimmnet.Network { return network{} }

// Clock returns dimmnet.Wall.
func (network) Clock() dimmnet.Clock { return dimmnet.Wall }

// Run runs the body of rank 0. nodes must be 2.
func (network) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	if nodes != 2 {
		return fmt.Errorf("echo: a run of %d nodes: want 2", nodes)
	}
	if err := local.CheckRun(ctx, name, body); err != nil {
		return err
	}
	limits := memory.Limits(llcmBytes, 0)
	h := &host{Host: local.NewHost(name, "", time.Now(), 0, nodes, limits), llcm: make(memory.Words, llcmBytes/dimmnet.WordBytes)}
	var failure error
	dimmnet.RunBody(name, h, body, func(cause, _ error) { failure = cause })
	return failure
}

// host is the Host and the Port of rank 0.
type host struct {
	local.Host
	llcm memory.Words
}

// As on shared memory, a rank prefetches, can share one copy, and has a processor to itself.
var (
	_ dimmnet.Host       = (*host)(nil)
	_ dimmnet.Prefetcher = (*host)(nil)
	_ dimmnet.Sharer     = (*host)(nil)
	_ dimmnet.Viewer     = (*host)(nil)
)

func (h *host) Port() dimmnet.Port { return h }

// Sharing returns true.
func (h *host) Sharing() bool { return true }

// Share returns memory of rank 0.
func (h *host) Share(n int) ([]byte, error) { return pages(n), nil }

// View returns memory for both ranks.
func (h *host) View(n int) ([][]byte, error) { return [][]byte{pages(n), pages(n)}, nil }

// Mapped returns false: the memory is the Go heap's.
func (h *host) Mapped() bool { return false }

// OwnProcessor returns true.
func (h *host) OwnProcessor() bool { return true }

func pages(n int) []byte {
	mem := make([]byte, n+pageBytes)
	skip := -uintptr(unsafe.Pointer(&mem[0])) % pageBytes
	return mem[skip:][:n:n]
}

// The requests of a run of two ranks are at these offsets, at both ranks (phase, inline.go).
const (
	evenRequest = llcmBytes - 256
	oddRequest  = llcmBytes - 128
)

// Parts of an inline request (syncvar, inline.go).
const (
	tag       = 1<<12 - 1
	otherCall = 1<<12 | 7<<13 // no Acquire, or the list follows
	access    = 3 << 16
	exclusive = 2 << 16
)

// answer returns the request with which rank 1 answers.
func answer(request uint64) uint64 {
	switch {
	case request&otherCall != 0:
		return request
	case request&access == 0:
		return request&tag | exclusive
	}
	return request & tag
}

// Store performs the post of rank 0, and the same post of rank 1 to rank 0: the memories of the
// two ranks have the same layout.
func (h *host) Store(_ dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	if off == evenRequest || off == oddRequest {
		v = answer(v)
	} else if header, err := ringbuf.Decode(v, 0, 0, llcmBytes); err == nil && header.Kind == ringbuf.List && header.Len > 0 {
		header.Sender = 1
		v, _ = header.Encode()
	}
	h.llcm.Store(off, v, size)
	h.Counts.Stores++
	return true
}

// Write performs the post of rank 0, and the same post of rank 1.
func (h *host) Write(_ dimmnet.Rank, off dimmnet.Offset, p []byte) bool {
	h.llcm.Write(off, p)
	h.Counts.Writes++
	return true
}

func (h *host) Load(off dimmnet.Offset) uint64 {
	h.Counts.Polls++
	return h.llcm.Load(off)
}

func (h *host) Read(p []byte, off dimmnet.Offset) { h.llcm.Read(p, off) }

func (h *host) PrefetchWord(_ dimmnet.Rank, off dimmnet.Offset) {
	memory.Prefetch(h.llcm.Bytes()[off:][:dimmnet.WordBytes], true)
}

func (h *host) Prefetch(p []byte, write bool) { memory.Prefetch(p, write) }

// Arrivals returns dimmnet.Awake: the answer to every post is there.
func (h *host) Arrivals() dimmnet.Mark { return dimmnet.Awake }

func (h *host) Idle(dimmnet.Mark) {}
func (h *host) Err() error        { return nil }

// The network has no bulk memory, other threads, or notices.
func (h *host) Fill(dimmnet.Offset, []byte) { panic("echo: no bulk memory") }

func (h *host) Push(dimmnet.Rank, dimmnet.Offset, dimmnet.Offset, int, dimmnet.Offset) bool {
	panic("echo: no bulk memory")
}

func (h *host) Pull(dimmnet.Rank, dimmnet.Offset, dimmnet.Offset, int, dimmnet.Offset) bool {
	panic("echo: no bulk memory")
}

func (h *host) Go(string, func(dimmnet.Host) error) { panic("echo: no threads") }
func (h *host) NewEvent() dimmnet.Event             { panic("echo: no threads") }
func (h *host) Notify(dimmnet.Rank)                 { panic("echo: no notices") }
func (h *host) Notice() dimmnet.Event               { panic("echo: no notices") }
func (h *host) Notices() uint64                     { return 0 }
