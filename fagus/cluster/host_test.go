//go:build linux

package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus/cluster"
)

// soon bounds operations that should take milliseconds.
const soon = 20 * time.Second

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	t.Cleanup(cancel)
	return ctx
}

func places(t *testing.T, size int) []cluster.Place {
	all := make([]cluster.Place, size)
	for rank := range all {
		all[rank] = cluster.Place{Rank: rank, Size: size, LocalRank: -1, Job: fmt.Sprintf("%s %d", t.Name(), os.Getpid())}
	}
	return all
}

// each runs f for all ranks at once and returns the results.
func each[T any](n int, f func(rank int) (T, error)) ([]T, []error) {
	results, errs := make([]T, n), make([]error, n)
	var wg sync.WaitGroup
	for rank := range n {
		wg.Go(func() { results[rank], errs[rank] = f(rank) })
	}
	wg.Wait()
	return results, errs
}

func noErrors(t *testing.T, errs []error) {
	t.Helper()
	for rank, err := range errs {
		if err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

// join joins a job of size ranks. The Hosts are closed at the end of the test.
func join(t *testing.T, size int) []*cluster.Host {
	t.Helper()
	ctx, all := within(t), places(t, size)
	hosts, errs := each(size, func(rank int) (*cluster.Host, error) {
		return cluster.JoinHost(ctx, all[rank], cluster.Spec{Drivers: cluster.AllDrivers()})
	})
	noErrors(t, errs)
	t.Cleanup(func() { closeHosts(hosts) })
	return hosts
}

func closeHosts[J cluster.Job](hosts []J) []error {
	_, errs := each(len(hosts), func(rank int) (any, error) {
		ctx, cancel := context.WithTimeout(context.Background(), soon)
		defer cancel()
		return nil, hosts[rank].Close(ctx)
	})
	return errs
}

func TestRanks(t *testing.T) {
	for _, size := range []int{1, 2, 5} {
		hosts := join(t, size)
		for rank, h := range hosts {
			if h.Rank() != dimmnet.Rank(rank) || h.Size() != size {
				t.Errorf("rank %d of %d has joined as rank %d of %d", rank, size, h.Rank(), h.Size())
			}
		}
		noErrors(t, closeHosts(hosts))
	}
}

// TestGather checks blobs of the sizes at which the number of messages changes, in two calls in a
// row.
func TestGather(t *testing.T) {
	const body = 64<<10 - 16
	sizes := []int{0, 1, body, body + 1, 1 << 20}
	hosts := join(t, len(sizes))
	for round := range 3 {
		_, errs := each(len(hosts), func(rank int) (any, error) {
			blobs, err := hosts[rank].Gather(within(t), bytes.Repeat([]byte{byte(rank + round)}, sizes[(rank+round)%len(sizes)]))
			if err != nil {
				return nil, err
			}
			for r, b := range blobs {
				if want := bytes.Repeat([]byte{byte(r + round)}, sizes[(r+round)%len(sizes)]); !bytes.Equal(b, want) {
					return nil, fmt.Errorf("the blob of rank %d has %d bytes or wrong content: want %d bytes", r, len(b), len(want))
				}
			}
			return nil, nil
		})
		noErrors(t, errs)
	}
	if _, err := hosts[0].Gather(within(t), make([]byte, 1<<20+1)); err == nil {
		t.Error("Gather accepts a blob of 1 MiB + 1")
	}
}

// TestSwap swaps more files than fit into one message. Every rank must receive the file of every
// rank and own the copies.
func TestSwap(t *testing.T) {
	const size = 70
	closeHosts(join(t, 2)) // the runtime opens files of its own for the first sockets
	before := cluster.OpenFiles(t)
	hosts := join(t, size)
	_, errs := each(size, func(rank int) (any, error) {
		own, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			return nil, err
		}
		defer own.Close()
		if _, err := own.WriteString(fmt.Sprint("file ", rank)); err != nil {
			return nil, err
		}
		files, err := hosts[rank].Swap(within(t), own)
		if err != nil {
			return nil, err
		}
		for r, f := range files {
			b := make([]byte, 100)
			n, _ := f.ReadAt(b, 0)
			if want := fmt.Sprint("file ", r); string(b[:n]) != want {
				return nil, fmt.Errorf("the file of rank %d contains %q", r, b[:n])
			}
			if r == rank && f != own {
				return nil, fmt.Errorf("the entry of this rank is not its own file")
			}
			if err := f.Close(); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	noErrors(t, errs)
	noErrors(t, closeHosts(hosts))
	sameFiles(t, before)
}

// sameFiles fails unless as many descriptors are open as before. It waits, because rank 0 closes
// a refused connection a little after it has sent the refusal.
func sameFiles(t *testing.T, before int) {
	t.Helper()
	start := time.Now()
	for cluster.OpenFiles(t) != before {
		if time.Since(start) > time.Second {
			t.Errorf("%d descriptors are open: want %d as before", cluster.OpenFiles(t), before)
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// TestSwapAbandoned fails the job at every point of a Swap. No descriptor may stay open.
func TestSwapAbandoned(t *testing.T) {
	const size = 5
	cluster.NoCollection(t)
	closeHosts(join(t, size)) // the runtime opens files of its own for the first sockets
	before := cluster.OpenFiles(t)
	for absent := range size {
		t.Run(fmt.Sprint("without rank ", absent), func(t *testing.T) {
			hosts := join(t, size)
			for rank, h := range hosts {
				h.OnLoss(func(lost dimmnet.Rank, why error) {
					if lost != dimmnet.Rank(absent) {
						t.Errorf("rank %d: rank %d is reported lost: %v", rank, lost, why)
					}
				})
			}
			_, errs := each(size, func(rank int) (any, error) {
				ctx := within(t)
				if rank == absent {
					time.Sleep(20 * time.Millisecond) // the other ranks have sent their files
					var cancel context.CancelFunc
					ctx, cancel = context.WithCancel(ctx)
					cancel()
				}
				own := pipe(t)
				files, err := hosts[rank].Swap(ctx, own)
				for _, f := range files {
					if f != own {
						_ = f.Close()
					}
				}
				return nil, err
			})
			for rank, err := range errs {
				if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("rank %d ", absent)) {
					t.Errorf("rank %d: %v", rank, err)
				}
			}
			closeHosts(hosts)
		})
	}
	sameFiles(t, before)
}

// pipe returns a file that is closed at the end of the test.
func pipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestDeadlinesEnd makes a call after the timeouts of the joining, which must no longer count: the
// timeouts of the other ranks and, in long tests, of the hellos at rank 0.
func TestDeadlinesEnd(t *testing.T) {
	t.Parallel() // the test mostly waits
	var hosts []*cluster.Hosts
	var here []*cluster.Host
	patiently(t, time.Second, func(timeout time.Duration) error {
		all, cfgs := spread(t, 2)
		var errs, more []error
		hosts, errs = each(2, func(rank int) (*cluster.Hosts, error) {
			cfgs[rank].Timeout = timeout
			return cluster.JoinHostsWithAll(within(t), all[rank], cfgs[rank])
		})
		here, more = each(2, func(rank int) (*cluster.Host, error) {
			all[rank].Rendezvous = ""
			return cluster.JoinHost(within(t), all[rank], cluster.Spec{Drivers: cluster.AllDrivers(), Timeout: timeout})
		})
		time.Sleep(max(timeout+1500*time.Millisecond, time.Duration(longtest.Cases(5500, 0))*time.Millisecond))
		err := errors.Join(append(errs, more...)...)
		for rank := range 2 {
			if err != nil && hosts[rank] != nil {
				_ = hosts[rank].Close(within(t)) // the others have not joined
			}
			if err != nil && here[rank] != nil {
				_ = here[rank].Close(within(t))
			}
		}
		return err
	})
	if t.Failed() {
		return
	}
	_, errs := each(2, func(rank int) (any, error) {
		_, err := hosts[rank].Gather(within(t), nil)
		_, here := here[rank].Gather(within(t), nil)
		return nil, errors.Join(err, here)
	})
	noErrors(t, errs)
	noErrors(t, append(closeHosts(hosts), closeHosts(here)...))
}

// TestOtherCalls checks the error of ranks that make different calls.
func TestOtherCalls(t *testing.T) {
	hosts := join(t, 3)
	_, errs := each(3, func(rank int) (any, error) {
		if rank == 1 {
			_, err := hosts[rank].Swap(within(t), pipe(t))
			return nil, err
		}
		_, err := hosts[rank].Gather(within(t), nil)
		return nil, err
	})
	for rank, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "rank 1 makes Swap as its call 1, but rank 0 makes Gather") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// TestGatherAfterClose checks the error of a Gather that the other rank does not call because it
// has closed.
func TestGatherAfterClose(t *testing.T) {
	for closes := range 2 {
		hosts := join(t, 2)
		_, errs := each(2, func(rank int) (any, error) {
			if rank == closes {
				return nil, hosts[rank].Close(within(t))
			}
			_, err := hosts[rank].Gather(within(t), nil)
			return nil, err
		})
		if err := errs[1-closes]; err == nil || !strings.Contains(err.Error(), fmt.Sprintf("rank %d calls Gather", 1-closes)) && !strings.Contains(err.Error(), "has closed") {
			t.Errorf("rank %d has closed, and Gather at the other rank returns %v", closes, err)
		}
		if _, err := hosts[closes].Gather(within(t), nil); err == nil {
			t.Error("Gather succeeds after Close")
		}
	}
}

// TestCloseWaits checks that rank 0's Close waits for the others until its context ends.
func TestCloseWaits(t *testing.T) {
	hosts := join(t, 2)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	lost := make(chan error, 1)
	hosts[1].OnLoss(func(rank dimmnet.Rank, why error) { lost <- fmt.Errorf("%d: %w", rank, why) })
	if err := hosts[0].Close(ctx); err == nil || ctx.Err() == nil {
		t.Errorf("Close of rank 0 does not wait for rank 1: it returns %v", err)
	}
	select {
	case err := <-lost:
		if !strings.HasPrefix(err.Error(), "0: cluster: rank 0 stops waiting for the others to close") {
			t.Error(err)
		}
	case <-time.After(soon):
		t.Error("OnLoss of rank 1 does not report that rank 0 has closed")
	}
}

// TestOnLoss checks losses before and after OnLoss, and OnLoss with nil.
func TestOnLoss(t *testing.T) {
	hosts := join(t, 3)
	hosts[1].OnLoss(func(dimmnet.Rank, error) { t.Error("OnLoss(nil) did not remove the function") })
	hosts[1].OnLoss(nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := hosts[2].Gather(ctx, nil); err == nil || !strings.Contains(err.Error(), "rank 2 (pid") {
		t.Errorf("Gather with a cancelled context returns %v, want an error about rank 2", err)
	}
	if _, err := hosts[0].Gather(within(t), nil); err == nil || !strings.Contains(err.Error(), "rank 2 (pid") {
		t.Errorf("Gather at rank 0 after the loss of rank 2 returns %v", err)
	}
	calls := 0
	for range 2 {
		hosts[0].OnLoss(func(rank dimmnet.Rank, why error) {
			if calls++; rank != 2 {
				t.Errorf("OnLoss reports rank %d (%v), want rank 2", rank, why)
			}
		})
	}
	if calls != 1 {
		t.Errorf("the loss is reported %d times, want once", calls)
	}
	if _, err := hosts[1].Gather(within(t), nil); err == nil || !strings.Contains(err.Error(), "rank 2 (pid") {
		t.Errorf("Gather at rank 1 after the loss of rank 2 returns %v", err)
	}
}

// TestManyCalls makes collective calls without any pause.
func TestManyCalls(t *testing.T) {
	hosts := join(t, 4)
	_, errs := each(4, func(rank int) (any, error) {
		for i := range 300 {
			blobs, err := hosts[rank].Gather(within(t), []byte{byte(i), byte(rank)})
			if err != nil {
				return nil, err
			}
			for r, b := range blobs {
				if !bytes.Equal(b, []byte{byte(i), byte(r)}) {
					return nil, fmt.Errorf("call %d: rank %d gives %v", i, r, b)
				}
			}
		}
		return nil, nil
	})
	noErrors(t, errs)
}

// TestFewFiles checks that a rank that cannot open all received files gets an error and keeps no
// received file open.
func TestFewFiles(t *testing.T) {
	hosts := join(t, 4)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	own := make([]*os.File, 4)
	for rank := range own {
		own[rank] = pipe(t)
	}
	before := cluster.OpenFiles(t)
	few := limit
	few.Cur = uint64(before)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	_, errs := each(4, func(rank int) (any, error) {
		_, err := hosts[rank].Swap(within(t), own[rank])
		return nil, err
	})
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	for rank, err := range errs {
		if err == nil {
			t.Errorf("rank %d received 4 files: want an error, because too few descriptors are free", rank)
		}
	}
	closeHosts(hosts)
	if now := cluster.OpenFiles(t); now > before {
		t.Errorf("%d descriptors are open: want %d as before", now, before)
	}
}
