package fagus_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/pagewatch"
)

// detections are the ways that this system has. Nothing in the environment forces one
// any more.
func detections(t testing.TB) []fagus.WriteDetection {
	t.Helper()
	t.Setenv("FAGUS_WRITE_DETECTION", "")
	ways := []fagus.WriteDetection{fagus.DetectAuto, fagus.DetectTwin, fagus.DetectKept, fagus.DetectDeclared}
	w := pagewatch.New()
	if w.Open() == nil {
		ways = append(ways, fagus.DetectKernel)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	return ways
}

// TestRandomProgramsByAllDetections: with every way a program sees what entry consistency
// promises, in both engines, also where there is room for few twins.
func TestRandomProgramsByAllDetections(t *testing.T) {
	seeds := uint64(20)
	if testing.Short() {
		seeds = 6
	}
	ways := detections(t)
	for name, net := range liveNetworks() {
		for seed := range seeds {
			for _, by := range ways {
				cfg := fagus.Config{Nodes: 2 + int(seed%4), Net: net(), Mode: fagus.Engine(seed / 2 % 2), Placement: fagus.PlacePrivate,
					WriteDetection: by, TwinBytes: []int{0, 5000}[seed%2]}
				report := runRandomWith(t, cfg, seed)
				var sum fagus.Writes
				for i := range report.Ranks {
					sum = report.Ranks[i].Writes.Plus(sum)
				}
				all := sum.Twin + sum.Kept + sum.Kernel
				used := map[fagus.WriteDetection]uint64{ // no variable has the 256 KiB of which auto watches the pages
					fagus.DetectAuto: sum.Twin + sum.Kept, fagus.DetectTwin: sum.Twin, fagus.DetectKept: sum.Kept, fagus.DetectKernel: sum.Kernel,
				}[by]
				if used != all || sum.By != by || (all == 0) != (by == fagus.DetectDeclared) || sum.Declared == 0 {
					t.Errorf("%s, seed %d: by %v it was %+v", name, seed, by, sum)
				}
			}
		}
	}
}

// TestDetectionsInVirtualTime: a simulated run is the same event by event, whether the
// pages are compared or watched.
func TestDetectionsInVirtualTime(t *testing.T) {
	ways := detections(t)
	for seed := range uint64(20) {
		hashes := make(map[uint64][]fagus.WriteDetection)
		for _, by := range ways {
			net := newSim(t, sim.Config{Seed: seed, MaxDelay: 100 * fagus.Microsecond})
			runRandomWith(t, fagus.Config{Nodes: 3, Net: net, WriteDetection: by}, seed)
			if by != fagus.DetectDeclared { // which moves more
				hashes[net.Result().TraceHash] = append(hashes[net.Result().TraceHash], by)
			}
		}
		if len(hashes) > 1 {
			t.Errorf("seed %d: trace hashes %x", seed, hashes)
		}
	}
}

// TestAutoInVirtualTime: there a run costs what the model says, and the kernel is not asked.
func TestAutoInVirtualTime(t *testing.T) {
	t.Setenv("FAGUS_WRITE_DETECTION", "")
	report := runRandomWith(t, fagus.Config{Nodes: 2, Net: newSim(t, sim.Config{Seed: 1})}, 1)
	for _, s := range report.Ranks {
		if w := s.Writes; w.By != fagus.DetectTwin || w.Kept+w.Kernel > 0 {
			t.Errorf("rank %d: %+v", s.Rank, w)
		}
	}
}

// TestAutoWatchesPages: the pages of a large array of which little is written are
// watched where the system can, and elsewhere its twin is kept.
func TestAutoWatchesPages(t *testing.T) {
	able := len(detections(t)) == 5
	report, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		a, err := fagus.NewArray[int64](n, "a", 1<<17)
		if err != nil {
			return err
		}
		v, err := n.Bind("v", a.All())
		if err != nil {
			return err
		}
		write, read := n.Set(fagus.Want(v, fagus.Exclusive)), n.Set(fagus.Want(v, fagus.Shared))
		for i := range 12 {
			if err := n.Acquire(write); err != nil {
				return err
			}
			a.Slice()[i%2*4096]++
			if err := n.Release(write); err != nil {
				return err
			}
		}
		if err := errors.Join(n.Barrier(), n.Acquire(read)); err != nil {
			return err
		}
		for at, got := range a.Slice() {
			if want := int64(map[int]int{0: 12, 4096: 12}[at]); got != want {
				return fmt.Errorf("a[%d] is %d, want %d", at, got, want)
			}
		}
		return n.Release(read)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range report.Ranks {
		if w := s.Writes; w.By != fagus.DetectAuto || w.Kept+w.Kernel != 12 || (w.Kernel > 5) != able {
			t.Errorf("rank %d: %+v, and pages can be watched: %v", s.Rank, w, able)
		}
	}
	open, _ := filepath.Glob("/proc/self/fd/*") // none where there is no /proc
	for _, fd := range open {
		if to, err := os.Readlink(fd); err == nil && strings.Contains(to, "userfaultfd") {
			t.Errorf("%s is still %s", fd, to)
		}
	}
}

// TestDetectionThatCannotBe: what is forced and impossible is told, with the name of
// what forced it.
func TestDetectionThatCannotBe(t *testing.T) {
	nothing := func(*fagus.Node) error { return nil }
	for _, test := range []struct {
		cfg  fagus.Config
		env  string
		want string
	}{
		{fagus.Config{}, "twins", `fagus: FAGUS_WRITE_DETECTION: write detection "twins": want auto, twin, kept, kernel or declared`},
		{fagus.Config{WriteDetection: fagus.DetectDeclared + 1}, "", "fagus: detection 5: want auto, twin, kept, kernel or declared"},
		{fagus.Config{Check: fagus.CheckOn}, "kernel", "Config.Check maps arrays twice"},
	} {
		if test.cfg.Check != fagus.CheckOff && runtime.GOOS != "linux" {
			continue
		}
		t.Setenv("FAGUS_WRITE_DETECTION", test.env)
		if _, err := fagus.Run(t.Context(), test.cfg, nothing); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
	able := len(detections(t)) == 5
	t.Setenv("FAGUS_WRITE_DETECTION", "kernel")
	if _, err := fagus.Run(t.Context(), fagus.Config{}, nothing); (err == nil) != able {
		t.Errorf("the pages are to be watched: error %v", err)
	}
}

// TestEnvironmentForcesDetection: it goes before what the program says.
func TestEnvironmentForcesDetection(t *testing.T) {
	t.Setenv("FAGUS_WRITE_DETECTION", "kept")
	report := runRandomWith(t, fagus.Config{Nodes: 2, WriteDetection: fagus.DetectTwin}, 1)
	sum := report.Ranks[0].Writes.Plus(report.Ranks[1].Writes)
	if sum.By != fagus.DetectKept || sum.Twin > 0 || sum.Kept == 0 {
		t.Errorf("%+v", sum)
	}
}

// BenchmarkTenure is a tenure of 32 MiB at one rank, in which whole pages are written. What
// DetectDeclared takes is the program's own.
func BenchmarkTenure(b *testing.B) {
	const size, page = 32 << 20, 4096
	b.Setenv("FAGUS_WRITE_DETECTION", "")
	for _, percent := range []float64{0.01, 1, 10, 20, 35, 50, 100} {
		order := rand.New(rand.NewPCG(1, 0)).Perm(size / page)[:max(1, int(size/page*percent/100))]
		for _, by := range []fagus.WriteDetection{fagus.DetectTwin, fagus.DetectKept, fagus.DetectKernel, fagus.DetectAuto, fagus.DetectDeclared} {
			b.Run(fmt.Sprintf("%v%%/%v", percent, by), func(b *testing.B) {
				tenures(b, fagus.Config{Nodes: 1, WriteDetection: by}, size, func(words []uint64) {
					for _, p := range order {
						for i := range page / 8 {
							words[p*page/8+i]++
						}
					}
				})
			})
		}
	}
}

// tenures measures exclusive tenures of bytes in which write is called.
func tenures(b *testing.B, cfg fagus.Config, bytes int, write func(words []uint64)) {
	b.Helper()
	_, err := fagus.Run(b.Context(), cfg, func(n *fagus.Node) error {
		a, err := fagus.NewArray[uint64](n, "a", bytes/8)
		if err != nil {
			return err
		}
		v, err := n.Bind("v", a.All())
		if err != nil {
			return err
		}
		set := n.Set(fagus.Want(v, fagus.Exclusive))
		tenure := func(write func([]uint64)) error {
			if err := n.Acquire(set); err != nil {
				return err
			}
			write(a.Slice())
			return n.Release(set)
		}
		if err := tenure(func(words []uint64) {
			for i := range words {
				words[i] = 1
			}
		}); err != nil {
			return err
		}
		for range 5 { // by then DetectAuto knows what is written
			if err := tenure(write); err != nil {
				return err
			}
		}
		for b.Loop() {
			if err := tenure(write); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
