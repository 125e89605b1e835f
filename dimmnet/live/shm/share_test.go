//go:build linux

package shm

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestWholePages checks that shared memory begins at a page, whatever was allocated before, and
// that the heap has room for as many allocations as pages.
func TestWholePages(t *testing.T) {
	sizes := []int{1, pageBytes - 1, pageBytes, pageBytes + 1, 100}
	err := New(Config{Heap: 6 * pageBytes}).Run(t.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port().(*port)
		for i, n := range sizes {
			views := make([][]byte, 1)
			var err error
			if i%2 == 0 {
				views[0], err = p.Share(n)
			} else {
				views, err = p.View(n)
			}
			if err != nil {
				return err
			}
			for _, b := range views {
				if at := uintptr(unsafe.Pointer(&b[0])); at%pageBytes != 0 || len(b) != n {
					return fmt.Errorf("allocation %d: %d bytes at %#x, want %d bytes at a page", i, len(b), at, n)
				}
			}
		}
		if _, err := p.Share(1); err == nil {
			return fmt.Errorf("a page more than the heap has is allocated")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLimits: under limits of the process a run has a smaller heap. An error names the limit.
func TestLimits(t *testing.T) {
	const variable = "SHM_TEST_LIMIT"
	if of, limited := os.LookupEnv(variable); limited {
		resource, bytes := 0, 0
		fmt.Sscan(of, &resource, &bytes)
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}); err != nil {
			t.Fatal(err)
		}
		s, f, err := func() (*segment, *os.File, error) {
			cfg, err := Config{}.withDefaults(2)
			if err != nil {
				return nil, nil, err
			}
			return create(&cfg)
		}()
		if err != nil {
			fmt.Println("error:", err, errors.Is(err, syscall.ENOMEM))
			return
		}
		defer f.Close()
		defer s.unmap()
		p := &port{run: &run{segments: []*segment{s, s}}, own: s}
		_, err = p.Share(64 << 20)
		fmt.Println("64 MiB:", err)
		_, err = p.Share(1 << 46)
		fmt.Println("64 TiB:", err)
		return
	}
	if _, f, err := create(&Config{LLCM: 1 << 17, Heap: pageBytes}); err != nil {
		t.Skip(err)
	} else {
		f.Close()
	}
	for _, c := range []struct {
		resource, bytes int
		want            []string
	}{
		{unix.RLIMIT_FSIZE, 1 << 28, []string{"64 MiB: <nil>", "64 TiB: shm: allocating", "which ulimit -f raises"}},
		{unix.RLIMIT_FSIZE, 1 << 26, []string{"64 MiB: shm: allocating", "which ulimit -f raises"}},
		{unix.RLIMIT_FSIZE, 1 << 17, []string{"error: shm: a segment of", "which ulimit -f raises", "true"}},
		{unix.RLIMIT_AS, 1 << 33, []string{"64 MiB: <nil>", "64 TiB: shm: allocating", "which ulimit -v raises"}},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLimits$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d", variable, c.resource, c.bytes))
		out, err := cmd.CombinedOutput()
		for _, want := range c.want {
			if err != nil || !strings.Contains(string(out), want) {
				t.Errorf("limit %d of %d bytes: %v, %s, want %q", c.resource, c.bytes, err, out, want)
			}
		}
	}
}

// TestHeapEnds: a heap can be used up to its last byte, and no further.
func TestHeapEnds(t *testing.T) {
	for last, valid := range map[int]bool{pageBytes: true, pageBytes + 1: false, 0: true, -1: false} {
		_, ports := newTestRun(t, 1)
		p := ports[0]
		if _, err := p.allocate(len(p.own.heap) - pageBytes); err != nil {
			t.Fatal(err)
		}
		if _, err := p.allocate(last); (err == nil) != valid {
			t.Errorf("%d bytes where %d are free: %v; want it valid: %t", last, pageBytes, err, valid)
		}
	}
}

// TestOwnProcessor: as many processors as ranks are enough.
func TestOwnProcessor(t *testing.T) {
	r, ports := newTestRun(t, 2)
	for procs, want := range map[int]bool{1: false, 2: true, 3: true} {
		if r.procs = procs; ports[0].OwnProcessor() != want {
			t.Errorf("2 ranks, %d processors: each has its own: %t", procs, !want)
		}
	}
}
