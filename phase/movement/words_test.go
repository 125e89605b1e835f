package movement

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
)

// TestStandingGrants: a grant stands for its own hop, and only if it says so.
func TestStandingGrants(t *testing.T) {
	var s Standing
	s.keep(3, grant{offset: 64, standing: true})
	s.keep(4, grant{offset: 128})
	s.keep(0, grant{offset: 256, standing: true})
	for hop, want := range map[int]dimmnet.Offset{0: 256, 3: 64} {
		if g, ok := s.of(hop); !ok || g.offset != want {
			t.Errorf("the grant of hop %d is %+v, %t: want %d", hop, g, ok, want)
		}
	}
	for _, hop := range []int{1, 2, 4, 5} {
		if g, ok := s.of(hop); ok {
			t.Errorf("hop %d has the grant %+v", hop, g)
		}
	}
}

// TestAllWordsAreEmptied: ready empties the grant and notice words of all hops each time that they
// are due, and reports done only then.
func TestAllWordsAreEmptied(t *testing.T) {
	err := inproc.New(inproc.Config{Bulk: 2000}).Run(t.Context(), 2, func(h dimmnet.Host) error {
		m := New(h.Port(), consistency.NewSpace(), 0, nil)
		limits := m.Port.Limits()
		m.UsePush(PushConfig{Words: PlacePushWords(&limits, 32, 2)})
		b := m.Push()
		for round := range uint64(3) {
			m.Phase = (1 + round) * clearPhases
			for i := range b.Config.Words.count {
				for _, at := range []dimmnet.Offset{b.Config.Words.grant(i), b.Config.Words.notice(i), b.Config.Words.done(i)} {
					m.Port.Store(m.Rank, at, 5, dimmnet.WordBytes)
				}
			}
			for done := false; !done; {
				_, done = b.ready()
			}
			for i := range b.Config.Words.count {
				if m.Port.Load(b.Config.Words.grant(i)) != 0 || m.Port.Load(b.Config.Words.notice(i)) != 0 {
					return fmt.Errorf("round %d, rank %d: words %d of %d are not empty", round, m.Rank, i, b.Config.Words.count)
				}
				if m.Port.Load(b.Config.Words.done(i)) != 5 {
					return fmt.Errorf("round %d, rank %d: done word %d, which a PUSH may be writing, is changed", round, m.Rank, i)
				}
				m.Port.Store(m.Rank, b.Config.Words.done(i), 0, dimmnet.WordBytes)
			}
			for _, quiet := range []uint64{0, 1, clearPhases - 1, clearPhases + 1} {
				if m.Phase = quiet; quiet%clearPhases != 0 || quiet == 0 {
					if progress, done := b.ready(); progress || !done {
						return fmt.Errorf("phase %d waits for words to be emptied", quiet)
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestRetract: a round that is taken back leaves nothing.
func TestRetract(t *testing.T) {
	b := &Push{rings: rings{mover: new(Mover)}, roles: make([]*role, 3), copies: make([]wholeCopy, 2), foreseen: true, moved: make(map[Source]bool)}
	b.round = b.roles[:2]
	b.Retract()
	if len(b.roles)+len(b.round)+len(b.copies) > 0 || b.foreseen || b.pending() {
		t.Errorf("after it was taken back, a round has %+v", b)
	}
}
