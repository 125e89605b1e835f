package colony

import (
	"reflect"
	"testing"
)

// TestRunPages checks that every kind of access and every state change occurs, that no read is
// wrong, and that a seed gives one report.
func TestRunPages(t *testing.T) {
	run := func(cfg Config, load PagesLoad) *PagesReport {
		t.Helper()
		r, err := RunPages(cfg, PagesConfig{Home: 2, Frames: 1}, load)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	load := PagesLoad{Writes: 0.1, Words: 32, Think: 50}
	for _, cfg := range []Config{{}, {Boards: 4, Link: Twice, Damage: 0.1, Seed: 7}} {
		r := run(cfg, load)
		total := int64(0)
		for _, a := range r.Access {
			total += a.Count
			if a.Count == 0 || a.Mean() < 27 {
				t.Errorf("%+v: %s occurred %d times, mean %.1f clocks", cfg, a.Kind, a.Count, a.Mean())
			}
		}
		if total != int64(1000*r.Boards) || r.Wrong > r.Network.Unseen {
			t.Errorf("%+v: %d accesses, %d wrong reads", cfg, total, r.Wrong)
		}
		if p := r.Pages; p.Copied == 0 || p.Evicts == 0 || p.Invalidations == 0 || p.Misses == 0 {
			t.Errorf("%+v: a state change did not occur: %+v", cfg, p)
		}
		if again := run(cfg, load); !reflect.DeepEqual(r, again) {
			t.Errorf("%+v: two runs differ: %+v, %+v", cfg, r, again)
		}
	}
	if r := run(Config{}, PagesLoad{}); r.Access[pageWrite].Count != 0 || r.Pages.Invalidations != 0 {
		t.Errorf("a program without writes: %+v", r)
	}
	if r := run(Config{}, PagesLoad{Writes: 1}); r.Access[pageWrite].Count != 2000 {
		t.Errorf("a program of writes: %+v", r)
	}
}

func TestRunPagesMisuse(t *testing.T) {
	for _, load := range []PagesLoad{{Accesses: -1}, {Writes: 1.5}, {Writes: -1}, {Words: PageWords + 1}, {Words: 1}, {Think: -1}} {
		if _, err := RunPages(Config{}, PagesConfig{}, load); err == nil {
			t.Errorf("RunPages accepts %+v", load)
		}
	}
	if _, err := RunPages(Config{Boards: 17}, PagesConfig{}, PagesLoad{}); err == nil {
		t.Error("RunPages accepts 17 boards")
	}
	if _, err := RunPages(Config{}, PagesConfig{Home: 300}, PagesLoad{}); err == nil {
		t.Error("RunPages accepts more pages than fit into a board")
	}
}
