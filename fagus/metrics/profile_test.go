package metrics_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/metrics"
)

// TestProfile: the samples of a profile say the rank, and the set that it holds while it computes.
func TestProfile(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		m, url := serve(t, metrics.About{})
		looked, done := make(chan struct{}), make(chan error)
		go func() {
			_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Mode: mode, Meter: m}, func(n *fagus.Node) error {
				x := fagus.NewGuarded[int64](n, "x", 1000)
				set := n.Set(x.Read())
				if n.Rank() == 1 {
					set = n.Set()
				}
				for {
					if err := set.Do(func() { compute(5 * time.Millisecond) }); err != nil {
						return err
					}
					over := uint64(0)
					select {
					case <-looked:
						over = 1
					default:
					}
					if over, err := fagus.Reduce(n, over, func(a, b uint64) uint64 { return max(a, b) }); over > 0 || err != nil {
						return err
					}
				}
			})
			done <- err
		}()
		for m.Ready() != nil {
			time.Sleep(time.Millisecond)
		}
		code, text := get(t, url+"/profile?seconds=1")
		close(looked)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		p, err := profile.Parse(strings.NewReader(text))
		if err != nil {
			t.Fatalf("/profile says %d: %v", code, err)
		}
		found := make(map[string]int64) // by rank and set, of samples in no call
		for _, s := range p.Sample {
			if rank := s.Label["fagus rank"]; len(rank) > 0 && strings.Join(s.Label["call"], "") == "" {
				found[rank[0][:1]+strings.Join(s.Label["set"], "")] += s.Value[0]
			}
		}
		if found[`0"x" (shared)`] < 3 || found["1an empty set"] < 3 {
			t.Errorf("%v mode: ranks compute in these samples: %v", mode, found)
		}
	}
}

// compute takes processor time.
func compute(d time.Duration) {
	for begun := time.Now(); time.Since(begun) < d; {
	}
}

// TestProfileRefused: times that are no times are refused, and a second profile at a time.
func TestProfileRefused(t *testing.T) {
	_, url := serve(t, metrics.About{})
	for _, seconds := range []string{"", "0", "-1", "NaN", "Inf", "21", "x", "1e300"} {
		if code, text := get(t, url+"/profile?seconds="+seconds); code != http.StatusBadRequest {
			t.Errorf("%q seconds: the answer is %d: %.100q", seconds, code, text)
		}
	}
	codes := make(chan int)
	for range 2 {
		go func() {
			code, _ := get(t, url+"/profile?seconds=0.5")
			codes <- code
		}()
	}
	if a, b := <-codes, <-codes; a+b != http.StatusOK+http.StatusConflict {
		t.Errorf("two profiles at a time have the answers %d and %d", a, b)
	}
}
