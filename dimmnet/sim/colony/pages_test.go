package colony

import (
	"fmt"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/fagus-dsm/fagus/dimmnet"
)

func buildPages(t *testing.T, m *Machine, cfg PagesConfig) *Pages {
	t.Helper()
	p, err := NewPages(m, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPagesRandomPrograms checks that the paged memory is linearizable, and so sequentially
// consistent, while pages are copied, invalidated and evicted and parity detects all damage.
func TestPagesRandomPrograms(t *testing.T) {
	seeds := uint64(80)
	if testing.Short() {
		seeds = 20
	}
	var total PagesCounts
	for seed := range seeds {
		cfg := Config{Boards: 2 + int(seed%4), Link: Link(seed % 3), Damage: float64(seed%4) * 0.05, Seed: seed + 1}
		m := build(t, cfg)
		pages := buildPages(t, m, PagesConfig{Frames: 1 + int(seed%3), Reads: 1 + int(seed%2)})
		var addrs []Addr
		for i := range 6 { // two words of one block, and words of other pages
			addrs = append(addrs, At(Node(i/2%cfg.Boards), uint32(i%2+i/4*PageWords)))
		}
		history, err := programs(m, seed, 40, addrs, func(b *Board) memory { return pages.Open(b) })
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if m.Counts().Unseen == 0 && !porcupine.CheckOperations(register(), history) {
			t.Errorf("seed %d, %+v: not linearizable", seed, cfg)
		}
		c := pages.Counts()
		total.Local += c.Local
		total.Misses += c.Misses
		total.Invalidations += c.Invalidations
		total.Evicts += c.Evicts
		total.Remote += c.Remote
	}
	if total.Local == 0 || total.Misses == 0 || total.Invalidations == 0 || total.Evicts == 0 || total.Remote == 0 {
		t.Errorf("some event never occurred: %+v", total)
	}
}

// TestPagesCosts checks that a dummy page costs a remote read, that its second read fetches a
// block, and that the block is then read locally until another board writes into it.
func TestPagesCosts(t *testing.T) {
	m := build(t, Config{})
	pages := buildPages(t, m, PagesConfig{})
	costs := map[string]dimmnet.Time{}
	a := At(1, 5)
	reader := func(b *Board) error {
		c := pages.Open(b)
		read := func(what string, addr Addr, want uint32) error {
			b.Spend(100)
			start := b.Now()
			v, err := c.Read(addr)
			costs[what] = (b.Now() - start) / Clock
			if err == nil && v != want {
				err = fmt.Errorf("%s: %v is %d, want %d", what, addr, v, want)
			}
			return err
		}
		b.Spend(20_000) // by then board 1 has written 7
		for _, step := range []struct {
			what  string
			addr  Addr
			want  uint32
			spend int
		}{
			{"dummy", a, 7, 0}, {"first", a, 7, 0}, {"copy", a, 7, 0}, {"neighbour", a + 1, 0, 0},
			{"other block", a + BlockWords, 0, 100_000}, {"still", a, 7, 100_000}, {"invalid", a, 8, 0},
		} {
			if err := read(step.what, step.addr, step.want); err != nil {
				return err
			}
			b.Spend(step.spend)
		}
		p, _, _, err := c.locate(a)
		if err == nil && p.kind != PageCopy {
			err = fmt.Errorf("the page has kind %d, want a copy", p.kind)
		}
		return err
	}
	writer := func(b *Board) error {
		c := pages.Open(b)
		if err := c.Write(a, 7); err != nil {
			return err
		}
		b.Spend(90_000)
		if err := c.Write(a+BlockWords, 9); err != nil { // another block of the page
			return err
		}
		b.Spend(70_000)
		return c.Write(a, 8)
	}
	if err := m.Run(reader, writer); err != nil {
		t.Fatal(err)
	}
	local, remote := dimmnet.Time(48), dimmnet.Time(readCost+131)
	if costs["dummy"] != remote || costs["copy"] != local || costs["neighbour"] != local || costs["still"] != local ||
		costs["first"] < 8*remote || costs["invalid"] < 8*remote || costs["other block"] < 8*remote {
		t.Errorf("clocks %v, want %d for a dummy and %d for a valid copy", costs, remote, local)
	}
}

func TestPagesMisuse(t *testing.T) {
	m := build(t, Config{})
	for _, cfg := range []PagesConfig{{Home: 255}, {Home: -1}, {Frames: -1}, {Reads: -1}} {
		if _, err := NewPages(m, cfg); err == nil {
			t.Errorf("NewPages accepts %+v", cfg)
		}
	}
	pages := buildPages(t, m, PagesConfig{})
	err := m.Run(func(b *Board) error {
		c := pages.Open(b)
		for _, a := range []Addr{At(2, 0), At(1, 4*PageWords)} {
			if _, err := c.Read(a); err == nil {
				t.Errorf("%v was read", a)
			}
			if err := c.Write(a, 1); err == nil {
				t.Errorf("%v was written", a)
			}
			if _, _, _, err := c.locate(a); err == nil {
				t.Errorf("%v has a page", a)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
