//go:build linux

package shm

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// office is where the ranks of a test exchange the files of their segments.
type office struct {
	mu       sync.Mutex
	own      []*os.File
	given    []*os.File // all files that ranks received, and their own
	arrived  int
	complete chan struct{}
}

func newOffice(size int) *office {
	return &office{own: make([]*os.File, size), complete: make(chan struct{})}
}

// clerk is a rank of an office, which behaves like a process of its own.
type clerk struct {
	*office
	rank dimmnet.Rank
}

func (c clerk) Rank() dimmnet.Rank               { return c.rank }
func (c clerk) Size() int                        { return len(c.own) }
func (c clerk) OnLoss(func(dimmnet.Rank, error)) {}

func (c clerk) Gather(context.Context, []byte) ([][]byte, error) {
	return nil, errors.New("not used")
}

// Swap gives every rank descriptors of its own, as a Unix socket does.
func (c clerk) Swap(_ context.Context, own *os.File) (files []*os.File, err error) {
	c.mu.Lock()
	c.own[c.rank] = own
	if c.arrived++; c.arrived == len(c.own) {
		for range len(c.own) * (len(c.own) - 1) {
			c.given = append(c.given, nil)
		}
		for i := range c.given {
			to, from := i/(len(c.own)-1), i%(len(c.own)-1)
			if from >= to {
				from++
			}
			fd, err := unix.FcntlInt(c.own[from].Fd(), unix.F_DUPFD_CLOEXEC, 0)
			if err != nil {
				return nil, err
			}
			c.given[i] = os.NewFile(uintptr(fd), "segment")
		}
		close(c.complete)
	}
	c.mu.Unlock()
	<-c.complete
	others := len(c.own) - 1
	files = slices.Clone(c.given[int(c.rank)*others:][:others])
	return slices.Insert(files, int(c.rank), own), nil
}

// joinAll runs body on all ranks of an office, and returns the results of Run, by rank.
func joinAll(o *office, cfg Config, body func(dimmnet.Host) error) []error {
	errs := make([]error, len(o.own))
	var all sync.WaitGroup
	for rank := range errs {
		all.Go(func() {
			n := Join(cfg, clerk{o, dimmnet.Rank(rank)})
			errs[rank] = n.Run(context.Background(), len(errs), body)
		})
	}
	all.Wait()
	return errs
}

// TestFilesClosed checks that no descriptor of a segment stays open, whether the run succeeds or a
// rank refuses another's segment.
func TestFilesClosed(t *testing.T) {
	for _, size := range []int{1 << 14, 1 << 15} { // of the last rank
		o := newOffice(3)
		var all sync.WaitGroup
		for rank := range 3 {
			cfg := Config{LLCM: 1 << 14, Heap: pageBytes, Stall: -1}
			if rank == 2 {
				cfg.LLCM = size
			}
			all.Go(func() {
				_ = Join(cfg, clerk{o, dimmnet.Rank(rank)}).Run(t.Context(), 3, func(dimmnet.Host) error { return nil })
			})
		}
		all.Wait()
		for i, f := range append(o.own, o.given...) {
			if err := f.Close(); !errors.Is(err, os.ErrClosed) {
				t.Errorf("the last rank has %d bytes: file %d is still open: %v", size, i, err)
			}
		}
	}
}

// TestSegmentsOnce checks that a rank that refuses another's segment returns its own once, and so
// unmaps it once. A second Munmap would remove what has been mapped there since.
func TestSegmentsOnce(t *testing.T) {
	o := newOffice(2)
	var all sync.WaitGroup
	for rank := range 2 {
		all.Go(func() {
			cfg, err := Config{LLCM: 1 << (14 + rank), Heap: pageBytes}.withDefaults(2)
			if err != nil {
				t.Error(err)
			}
			segments, err := Join(cfg, clerk{o, dimmnet.Rank(rank)}).segments(t.Context(), &cfg, 2)
			if len(segments) != 1 || err == nil {
				t.Errorf("rank %d: %d segments, error %v: want its own segment, and that the other differs", rank, len(segments), err)
			}
			for _, s := range segments {
				s.unmap()
			}
		})
	}
	all.Wait()
}

// TestEndedRank checks that a rank that has ended is not taken for a stopped one.
func TestEndedRank(t *testing.T) {
	t.Parallel()
	for rank, err := range joinAll(newOffice(2), Config{Heap: pageBytes, Stall: 2 * beatTime}, func(h dimmnet.Host) error {
		if h.Port().Rank() == 0 {
			time.Sleep(20 * beatTime) // more than Stall
		}
		return nil
	}) {
		if err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// TestBlame checks that every rank is told which rank failed, and why.
func TestBlame(t *testing.T) {
	for failing := range dimmnet.Rank(3) {
		for rank, err := range joinAll(newOffice(3), Config{Heap: pageBytes, Stall: -1}, func(h dimmnet.Host) error {
			if h.Port().Rank() == failing {
				return errors.New("boom")
			}
			return dimmnet.Drive(h.Port(), still{}, func() bool { return false })
		}) {
			if dimmnet.Rank(rank) == failing {
				continue
			}
			var f *dimmnet.Failed
			if !errors.As(err, &f) || f.Rank != failing || f.Why != "boom" || dimmnet.IsGone(err) {
				t.Errorf("rank %d: Run returned %v, want that rank %d failed with boom", rank, err, failing)
			}
		}
	}
}

// TestPanicReason checks that a process that panics returns the stack, and that the others get the
// first line, without the stack.
func TestPanicReason(t *testing.T) {
	const want = "shm: rank 0 panicked: boom"
	errs := joinAll(newOffice(2), Config{Heap: pageBytes, Stall: -1}, func(h dimmnet.Host) error {
		if h.Port().Rank() == 0 {
			panic("boom")
		}
		return dimmnet.Drive(h.Port(), still{}, func() bool { return false })
	})
	if err := errs[0]; err == nil || !strings.HasPrefix(err.Error(), want+"\n") || !strings.Contains(err.Error(), "member_test.go:") {
		t.Errorf("rank 0: Run returned %v, want the panic and its stack", err)
	}
	var f *dimmnet.Failed
	if !errors.As(errs[1], &f) || f.Rank != 0 || f.Why != want {
		t.Errorf("rank 1: Run returned %v, want only %q", errs[1], want)
	}
}

// TestBlameInWait: a process whose only thread waits for an event of its own learns that another
// process has failed. It asks after longestSleep, or the watch wakes it.
func TestBlameInWait(t *testing.T) {
	t.Parallel()
	boom, begun := errors.New("boom"), time.Now()
	errs := joinAll(newOffice(2), Config{Heap: pageBytes, Stall: -1, Patience: 10 * longestSleep}, func(h dimmnet.Host) error {
		if h.Port().Rank() == 0 {
			time.Sleep(longestSleep / 20) // by now rank 1 sleeps
			return boom
		}
		return h.NewEvent().Wait()
	})
	var f *dimmnet.Failed
	if !errors.As(errs[1], &f) || f.Rank != 0 || f.Why != "boom" {
		t.Errorf("rank 1: Run returned %v, want that rank 0 failed with boom", errs[1])
	}
	if took := time.Since(begun); took > 8*longestSleep {
		t.Errorf("rank 1 learns of the failure after %v, want some %v", took, longestSleep)
	}
}

// TestBlameInComputing: a process whose thread computes, and never asks, learns that another
// process has failed: when the thread returns, and also if it goes on for longer than Grace.
func TestBlameInComputing(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		failed, over := make(chan struct{}), make(chan struct{})
		errs := joinAll(newOffice(2), Config{Heap: pageBytes, Stall: -1, Grace: 10 * time.Millisecond}, func(h dimmnet.Host) error {
			if h.Port().Rank() == 0 {
				defer close(failed)
				return errors.New("boom")
			}
			<-failed
			time.Sleep(20 * time.Millisecond) // rank 0 has reported its error
			if late {
				<-over
			}
			return nil
		})
		close(over)
		var f *dimmnet.Failed
		if !errors.As(errs[1], &f) || f.Rank != 0 || f.Why != "boom" {
			t.Errorf("late %v: rank 1: Run returned %v, want that rank 0 failed with boom", late, errs[1])
		}
	}
}

// TestFalseReason: a broken process writes any bytes as the reason for its failure, or as the rank
// that failed. That harms no other process.
func TestFalseReason(t *testing.T) {
	const text = "boom"
	for _, c := range []struct {
		length, failed uint32
		rank           dimmnet.Rank
		why            string // the beginning of the reason that rank 1 learns
	}{
		{length: uint32(len(text)), failed: 1, rank: 0, why: text},
		{length: 1025, failed: 1, rank: 0, why: text},
		{length: 1<<31 - 1, failed: 1, rank: 0, why: text},
		{length: 1<<32 - 1, failed: 1, rank: 0, why: text},
		{length: 1<<32 - 1, failed: 3, rank: 2, why: "it gave no reason"}, // there is no rank 2
		{length: 1<<32 - 1, failed: 1<<32 - 1, rank: 1<<16 - 2, why: "it gave no reason"},
	} {
		errs := joinAll(newOffice(2), Config{Heap: pageBytes, Stall: -1}, func(h dimmnet.Host) error {
			p := h.Port().(*port)
			if p.Rank() == 1 {
				return dimmnet.Drive(p, still{}, func() bool { return false })
			}
			p.own.setReason(text, false)
			p.own.reasonBytes.Store(c.length)
			p.run.segments[1].failed.Store(c.failed)
			p.run.segments[1].wake()
			return nil
		})
		var f *dimmnet.Failed
		if !errors.As(errs[1], &f) || f.Rank != c.rank || !strings.HasPrefix(f.Why, c.why) || len(f.Why) > len(header{}.reason) {
			t.Errorf("%+v: rank 1: Run returned %v", c, errs[1])
		}
	}
}

// TestLeftBehind checks that a thread that has not returned when Run does may continue to use its
// port and shared memory: the segments remain mapped.
func TestLeftBehind(t *testing.T) {
	const mark = 0x7a65
	cfg := Config{Heap: pageBytes, Stall: -1, Grace: time.Millisecond}
	for name, run := range map[string]func(body func(dimmnet.Host) error) []error{
		"one process":   func(body func(dimmnet.Host) error) []error { return []error{New(cfg).Run(t.Context(), 2, body)} },
		"two processes": func(body func(dimmnet.Host) error) []error { return joinAll(newOffice(2), cfg, body) },
	} {
		over, returned := make(chan struct{}), make(chan struct{})
		errs := run(func(h dimmnet.Host) error {
			p := h.Port().(*port)
			if p.Rank() == 0 {
				return errors.New("boom")
			}
			defer close(returned)
			defer func() {
				if v := recover(); v != nil {
					t.Errorf("%s: a thread that is left behind: %v", name, v)
				}
			}()
			defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
			shared, err := p.View(8)
			if err != nil {
				return err
			}
			shared[1][0] = 7
			p.own.LLCM.Store(0, mark, word)
			_ = dimmnet.Drive(p, still{}, func() bool { return false }) // until rank 0 has failed
			<-over
			if p.Load(0) != mark || shared[1][0] != 7 {
				t.Errorf("%s: the memory of a thread that is left behind has changed", name)
			}
			shared[0][1] = 1
			if p.Store(0, 8, 1, word) || p.Err() == nil {
				t.Errorf("%s: a post after the run succeeds", name)
			}
			return nil
		})
		if err := errs[len(errs)-1]; err == nil || !strings.Contains(err.Error(), "ranks [1] have not returned 1ms after") {
			t.Errorf("%s: Run returned %v, want that rank 1 has not returned", name, err)
		}
		close(over)
		<-returned
	}
}

// still is a Stepper that never makes progress.
type still struct{}

func (still) Step() (bool, error) { return false, nil }

// TestSeals checks that no rank can change the size of a segment, and that a rank refuses
// another's segment if it could.
func TestSeals(t *testing.T) {
	cfg, err := Config{LLCM: pageBytes, Heap: pageBytes}.withDefaults(1)
	if err != nil {
		t.Fatal(err)
	}
	s, f, err := create(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.unmap()
	defer f.Close()
	for _, size := range []int64{0, int64(cfg.segmentBytes()) - pageBytes, int64(cfg.segmentBytes()) + pageBytes} {
		if err := f.Truncate(size); !errors.Is(err, unix.EPERM) {
			t.Errorf("changing the size of a segment to %d: %v, want %v", size, err, unix.EPERM)
		}
	}
	all := []int{unix.F_SEAL_SHRINK, unix.F_SEAL_GROW, unix.F_SEAL_SEAL}
	for without := range all {
		fd, err := unix.MemfdCreate("half sealed", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
		if err != nil {
			t.Fatal(err)
		}
		half := os.NewFile(uintptr(fd), "half sealed")
		defer half.Close()
		if err := half.Truncate(int64(cfg.segmentBytes())); err != nil {
			t.Fatal(err)
		}
		for i, seal := range all {
			if i != without {
				// F_SEAL_SEAL is the last, because it forbids further seals.
				if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seal); err != nil {
					t.Fatal(err)
				}
			}
		}
		if s, err := open(half, 0, &cfg); err == nil {
			s.unmap()
			t.Errorf("a segment without seal %#x is accepted", all[without])
		} else if want := "not sealed"; !strings.Contains(err.Error(), want) {
			t.Errorf("a segment without seal %#x: %v, want %q", all[without], err, want)
		}
	}
}
