package phase_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/phase"
	"github.com/fagus-dsm/fagus/syncvar"
)

// turns lets ranks hand over two variables, each of which counts the tenures that change it. A
// rank seldom deviates: it wants both variables, or one when it is the other rank's turn, or it
// changes nothing. So turns and other phases follow each other.
type turns struct {
	seed    uint64
	changes [2]atomic.Uint64 // by variable: how many tenures have changed it
}

// TestTurns: a rank that acquires a variable finds what the last tenure left, whether the contents
// come with a request (24 bytes) or through the rings (200 bytes), and whichever rank deviates.
func TestTurns(t *testing.T) {
	for seed := range uint64(8) {
		c := &turns{seed: seed}
		nodes := 2 + int(seed%4)/3
		if err := inproc.New(inproc.Config{}).Run(t.Context(), nodes, c.run); err != nil {
			t.Fatalf("seed %d, %d ranks: %v", seed, nodes, err)
		}
	}
}

func (c *turns) run(h dimmnet.Host) error {
	const phases, seldom = 1500, 100
	rank, nodes := int(h.Port().Rank()), h.Port().Nodes()
	random := rand.New(rand.NewPCG(c.seed, uint64(rank)))
	space, mem := consistency.NewSpace(), make([]byte, 4096)
	base, err := space.AddRegion("array", "bytes", 1, mem)
	if err != nil {
		return err
	}
	at := [2]int{0, 1024}
	for id, size := range [...]int{24, 200} {
		lo := base + consistency.Addr(at[id])
		if _, err := space.Bind(fmt.Sprint(id), []consistency.Range{{Lo: lo, Hi: lo + 16}, {Lo: lo + 32, Hi: lo + 16 + consistency.Addr(size)}}); err != nil {
			return err
		}
	}
	e, err := phase.New(h.Port(), space, phase.Config{Live: true, Polls: true})
	if err != nil {
		return err
	}
	var next syncvar.List // what the last tenure reports
	for i := range phases {
		l := next
		l.Call = syncvar.Acquire
		deviates := random.IntN(seldom) == 0
		switch {
		case deviates && random.IntN(2) == 0:
			l.Exclusive = []syncvar.ID{0, 1}
		case i%nodes == rank || deviates:
			l.Exclusive = []syncvar.ID{syncvar.ID(i / nodes % 3 / 2)}
		}
		wanted := l.Exclusive
		if err := e.Call(&l); err != nil {
			return err
		}
		next = syncvar.List{}
		for _, id := range wanted {
			first, last := mem[at[id]:], mem[at[id]+32:]
			got, want := binary.NativeEndian.Uint64(first), c.changes[id].Load()
			if torn := binary.NativeEndian.Uint64(last); got != want || torn != want {
				return fmt.Errorf("phase %d: rank %d found %d and %d in variable %d, want %d", i, rank, got, torn, id, want)
			}
			space.BeginWrite(id, nil)
			if random.IntN(seldom) > 0 {
				binary.NativeEndian.PutUint64(first, want+1)
				binary.NativeEndian.PutUint64(last, want+1)
				c.changes[id].Add(1)
			}
			if space.EndWrite(id, e.Version(id)) {
				next.Attached = []syncvar.ID{id}
			} else {
				next.Clean = append(next.Clean, id)
			}
		}
		if len(wanted) > 1 {
			next.Attached = nil
		}
	}
	return e.Call(&syncvar.List{Call: syncvar.End, Clean: next.Clean})
}

// TestTurnsOfBlocks: from the third tenure on, 200 bytes go with the request every time.
func TestTurnsOfBlocks(t *testing.T) {
	err := inproc.New(inproc.Config{}).Run(t.Context(), 2, func(h dimmnet.Host) error {
		e, space, mem, err := turnEngine(h, 200)
		if err != nil {
			return err
		}
		var next syncvar.List
		for i := range 20 {
			l := next
			l.Call, next = syncvar.Acquire, syncvar.List{}
			mine := i%2 == int(h.Port().Rank())
			if mine {
				l.Exclusive = []syncvar.ID{0}
			}
			if err := e.Call(&l); err != nil {
				return err
			}
			if mine {
				space.BeginWrite(0, nil)
				mem[i]++
				space.EndWrite(0, e.Version(0))
				next.Attached = []syncvar.ID{0}
			}
		}
		if n := e.Counts().Slots; n > 1 {
			return fmt.Errorf("rank %d has sent %d slots, want at most 1", h.Port().Rank(), n)
		}
		return e.Call(&syncvar.List{Call: syncvar.End})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTurnsCompareDeclarations: ranks that have bound different ranges fail in a call that wants
// nothing, and would be a turn.
func TestTurnsCompareDeclarations(t *testing.T) {
	err := inproc.New(inproc.Config{}).Run(t.Context(), 2, func(h dimmnet.Host) error {
		e, _, _, err := turnEngine(h, 200+int(h.Port().Rank()))
		if err != nil {
			return err
		}
		return e.Call(&syncvar.List{Call: syncvar.Acquire})
	})
	if err == nil || !strings.Contains(err.Error(), "declared different things") {
		t.Errorf("error %v, want one about declarations", err)
	}
}

// turnEngine returns an engine whose only variable guards so many bytes.
func turnEngine(h dimmnet.Host, bytes int) (*phase.Engine, *consistency.Space, []byte, error) {
	space, mem := consistency.NewSpace(), make([]byte, 4096)
	base, err := space.AddRegion("array", "bytes", 1, mem)
	if err != nil {
		return nil, nil, nil, err
	}
	if _, err := space.Bind("variable", []consistency.Range{{Lo: base, Hi: base + consistency.Addr(bytes)}}); err != nil {
		return nil, nil, nil, err
	}
	e, err := phase.New(h.Port(), space, phase.Config{Live: true, Polls: true})
	return e, space, mem, err
}
