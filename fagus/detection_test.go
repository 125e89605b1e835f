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

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/internal/pagewatch"
)

// detections returns the methods of write detection that this system supports. It also
// clears FAGUS_WRITE_DETECTION for the rest of the test.
func detections(t testing.TB) []fagus.WriteDetection {
	t.Helper()
	t.Setenv("FAGUS_WRITE_DETECTION", "")
	methods := []fagus.WriteDetection{fagus.DetectAuto, fagus.DetectTwin, fagus.DetectKept, fagus.DetectDeclared}
	w := pagewatch.New()
	if w.Open() == nil {
		methods = append(methods, fagus.DetectKernel)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	return methods
}

// TestRandomProgramsByAllDetections: with every method a program sees what entry consistency
// promises, in both modes, also if only few twins may be kept.
func TestRandomProgramsByAllDetections(t *testing.T) {
	methods := detections(t)
	for name, net := range liveNetworks() {
		for seed := range cases(20, 6) {
			for _, by := range methods {
				cfg := fagus.Config{Nodes: 2 + int(seed%4), Net: net(), Mode: fagus.Mode(seed / 2 % 2), Placement: fagus.PlacePrivate,
					WriteDetection: by, TwinBytes: []int{0, 5000}[seed%2]}
				report := runRandomWith(t, cfg, seed)
				var sum fagus.Writes
				for i := range report.Ranks {
					sum = report.Ranks[i].Writes.Plus(sum)
				}
				all := sum.Twin + sum.Kept + sum.Kernel
				// All variables are below 256 KiB, from which DetectAuto watches pages.
				used := map[fagus.WriteDetection]uint64{
					fagus.DetectAuto: sum.Twin + sum.Kept, fagus.DetectTwin: sum.Twin, fagus.DetectKept: sum.Kept, fagus.DetectKernel: sum.Kernel,
				}[by]
				if used != all || sum.By != by || (all == 0) != (by == fagus.DetectDeclared) || sum.Declared == 0 {
					t.Errorf("%s, seed %d: detection %v: unexpected counts %+v", name, seed, by, sum)
				}
			}
		}
	}
}

// TestDetectionsInVirtualTime: a simulated run has the same events with all methods that find
// exactly what was written, if finding it costs nothing.
func TestDetectionsInVirtualTime(t *testing.T) {
	longtest.OneThread(t)
	methods := detections(t)
	for seed := range uint64(20) {
		hashes := make(map[uint64][]fagus.WriteDetection)
		for _, by := range methods {
			net := newSim(t, sim.Config{Seed: seed, MaxDelay: 100 * fagus.Microsecond, HostCost: presets.HostCostOff})
			runRandomWith(t, fagus.Config{Nodes: 3, Net: net, WriteDetection: by}, seed)
			if by != fagus.DetectDeclared { // it moves more data
				hashes[net.Result().TraceHash] = append(hashes[net.Result().TraceHash], by)
			}
		}
		if len(hashes) > 1 {
			t.Errorf("seed %d: the trace depends on the method: %x", seed, hashes)
		}
	}
}

// TestAutoInVirtualTime: in virtual time DetectAuto is DetectTwin, which does not need the kernel.
func TestAutoInVirtualTime(t *testing.T) {
	t.Setenv("FAGUS_WRITE_DETECTION", "")
	report := runRandomWith(t, fagus.Config{Nodes: 2, Net: newSim(t, sim.Config{Seed: 1})}, 1)
	for _, s := range report.Ranks {
		if w := s.Writes; w.By != fagus.DetectTwin || w.Kept+w.Kernel > 0 {
			t.Errorf("rank %d: counts %+v, want twins only", s.Rank, w)
		}
	}
}

// TestAutoWatchesPages: DetectAuto watches the pages of a large array of which little is
// written, or keeps its twin if the system cannot watch pages.
func TestAutoWatchesPages(t *testing.T) {
	able := len(detections(t)) == 5
	report := succeed(t, fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		a, v, err := guarded[int64](n, 1<<17)
		if err != nil {
			return err
		}
		write, read := n.Set(fagus.Want(v, fagus.Exclusive)), n.Set(fagus.Want(v, fagus.Shared))
		for i := range 12 {
			if err := tenure(n, write, func() { a.Slice()[i%2*4096]++ }); err != nil {
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
	for _, s := range report.Ranks {
		if w := s.Writes; w.By != fagus.DetectAuto || w.Kept+w.Kernel != 12 || (w.Kernel > 5) != able {
			t.Errorf("rank %d: unexpected counts %+v; pages can be watched: %v", s.Rank, w, able)
		}
	}
	open, _ := filepath.Glob("/proc/self/fd/*") // empty without /proc
	for _, fd := range open {
		if to, err := os.Readlink(fd); err == nil && strings.Contains(to, "userfaultfd") {
			t.Errorf("%s is still open: %s", fd, to)
		}
	}
}

// TestInvalidDetection: a method that is unknown, unsupported or forbidden gives an error that
// names the field or the environment variable that selected the method.
func TestInvalidDetection(t *testing.T) {
	nothing := func(*fagus.Node) error { return nil }
	for _, test := range []struct {
		cfg  fagus.Config
		env  string
		want string
	}{
		{fagus.Config{}, "twins", `fagus: FAGUS_WRITE_DETECTION: write detection "twins": want auto, twin, kept, kernel or declared`},
		{fagus.Config{WriteDetection: fagus.DetectDeclared + 1}, "", "fagus: Config.WriteDetection is 5: want auto, twin, kept, kernel or declared"},
		{fagus.Config{Check: fagus.CheckOn}, "kernel", "Config.Check maps arrays twice"},
	} {
		if test.cfg.Check != fagus.CheckOff && runtime.GOOS != "linux" {
			continue
		}
		t.Setenv("FAGUS_WRITE_DETECTION", test.env)
		if _, err := fagus.Run(t.Context(), test.cfg, nothing); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Run: error %v, want one that contains %q", err, test.want)
		}
	}
	able := len(detections(t)) == 5
	t.Setenv("FAGUS_WRITE_DETECTION", "kernel")
	if _, err := fagus.Run(t.Context(), fagus.Config{}, nothing); (err == nil) != able {
		t.Errorf("DetectKernel: error %v; pages can be watched: %v", err, able)
	}
}

// TestEnvironmentOverridesDetection: the environment takes precedence over Config.
func TestEnvironmentOverridesDetection(t *testing.T) {
	t.Setenv("FAGUS_WRITE_DETECTION", "kept")
	report := runRandomWith(t, fagus.Config{Nodes: 2, WriteDetection: fagus.DetectTwin}, 1)
	sum := report.Ranks[0].Writes.Plus(report.Ranks[1].Writes)
	if sum.By != fagus.DetectKept || sum.Twin > 0 || sum.Kept == 0 {
		t.Errorf("counts %+v, want kept twins only", sum)
	}
}

// BenchmarkTenure measures a tenure of 32 MiB on one rank, in which whole pages are written.
// With DetectDeclared only the program itself takes time.
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

// tenures measures exclusive tenures of an array of the given size, in which write is called.
func tenures(b *testing.B, cfg fagus.Config, bytes int, write func(words []uint64)) {
	b.Helper()
	_, err := fagus.Run(b.Context(), cfg, func(n *fagus.Node) error {
		a, v, err := guarded[uint64](n, bytes/8)
		if err != nil {
			return err
		}
		set := n.Set(fagus.Want(v, fagus.Exclusive))
		once := func(write func([]uint64)) error {
			return tenure(n, set, func() { write(a.Slice()) })
		}
		if err := once(func(words []uint64) {
			for i := range words {
				words[i] = 1
			}
		}); err != nil {
			return err
		}
		for range 5 { // DetectAuto adapts to what is written
			if err := once(write); err != nil {
				return err
			}
		}
		for b.Loop() {
			if err := once(write); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
