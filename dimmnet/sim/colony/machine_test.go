package colony

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/fagus-dsm/fagus/dimmnet"
)

func build(t *testing.T, cfg Config) *Machine {
	t.Helper()
	m, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestProgramCosts checks the times of a program's accesses to local and remote memory.
func TestProgramCosts(t *testing.T) {
	for _, c := range []struct {
		call        bool
		node        Node
		write, read dimmnet.Time
	}{
		{false, 0, 440, 960},
		{true, 0, 3360, 4280},
		{false, 1, (writeCost + 112) * 20, (readCost + 131) * 20},
	} {
		m := build(t, Config{SystemCall: c.call})
		err := m.Run(func(b *Board) error {
			start := b.Now()
			if err := b.Write(At(c.node, 9), 77); err != nil {
				return err
			}
			write := b.Now() - start
			b.Spend(100)
			start = b.Now()
			v, err := b.Read(At(c.node, 9))
			read := b.Now() - start
			if v != 77 || write != c.write*dimmnet.Nanosecond || read != c.read*dimmnet.Nanosecond {
				t.Errorf("node %d, call %t: write %v ps, read %v ps of %d, want %v and %v ns", c.node, c.call, write, read, v, c.write, c.read)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestOrderOfWrites checks that a read sees the write before it, although the SSRAM is written
// after the write has returned.
func TestOrderOfWrites(t *testing.T) {
	m := build(t, Config{})
	err := m.Run(func(b *Board) error {
		for i := range uint32(50) {
			a := At(Node(i%2), i)
			if err := b.Write(a, i); err != nil {
				return err
			}
			if v, err := b.Read(a); v != i || err != nil {
				return fmt.Errorf("%v is %d, error %v, want %d", a, v, err, i)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestMachineMisuse(t *testing.T) {
	m := build(t, Config{Damage: 0.999999, Tries: 3})
	err := m.Run(func(b *Board) error {
		if err := b.Write(At(1, 0), NackWord); err == nil {
			t.Error("NackWord was written")
		}
		if _, err := b.Read(At(2, 0)); err == nil {
			t.Error("read from node 2 of two boards")
		}
		_, err := b.Read(At(1, 0))
		return err
	})
	if !errors.Is(err, ErrTries) {
		t.Errorf("error %v, want %v", err, ErrTries)
	}
	if err := m.Run(); err == nil {
		t.Error("a machine ran twice")
	}
	m = build(t, Config{})
	if err := m.Run(nil, nil, nil); err == nil {
		t.Error("three programs ran on two boards")
	}
}

// operation is an access in a history.
type operation struct {
	write bool
	addr  Addr
	word  uint32
}

// register returns porcupine's model of a memory, in which each word is a partition.
func register() porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
			index := map[Addr]int{}
			for _, o := range history {
				a := o.Input.(operation).addr
				i, ok := index[a]
				if !ok {
					i = len(parts)
					index[a] = i
					parts = append(parts, nil)
				}
				parts[i] = append(parts[i], o)
			}
			return parts
		},
		Init: func() any { return uint32(0) },
		Step: func(state, in, out any) (bool, any) {
			if o := in.(operation); o.write {
				return true, o.word
			}
			return state == out, state
		},
	}
}

// memory is a shared memory as a program sees it.
type memory interface {
	Read(Addr) (uint32, error)
	Write(Addr, uint32) error
}

// programs runs random accesses to a few words on all boards, and returns their history.
func programs(m *Machine, seed uint64, steps int, addrs []Addr, open func(*Board) memory) ([]porcupine.Operation, error) {
	var history []porcupine.Operation
	var list []func(*Board) error
	for i := range m.boards {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		list = append(list, func(b *Board) error {
			s := open(b)
			for step := range steps {
				o := operation{random.IntN(2) == 0, addrs[random.IntN(len(addrs))], uint32(i*steps + step + 1)}
				b.Spend(random.IntN(60))
				op := porcupine.Operation{ClientId: i, Input: o, Call: int64(b.Now())}
				var err error
				if o.write {
					err = s.Write(o.addr, o.word)
				} else {
					op.Output, err = s.Read(o.addr)
				}
				if err != nil {
					return err
				}
				op.Return = int64(b.Now())
				history = append(history, op)
			}
			return nil
		})
	}
	err := m.Run(list...)
	return history, err
}

// TestRandomPrograms checks that the shared memory is linearizable, and so sequentially
// consistent, whatever damage occurs that parity detects.
func TestRandomPrograms(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 15
	}
	for seed := range seeds {
		cfg := Config{Boards: 2 + int(seed%4), Link: Link(seed % 3), Damage: float64(seed%5) * 0.08, Seed: seed + 1,
			Mix: &Mix{Bits: 1, Lost: 1, Header: 1}, SystemCall: seed%7 == 6}
		var addrs []Addr
		for i := range 4 {
			addrs = append(addrs, At(Node(i%cfg.Boards), uint32(i)))
		}
		m := build(t, cfg)
		history, err := programs(m, seed, 40, addrs, func(b *Board) memory { return b })
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if m.Counts().Unseen == 0 && !porcupine.CheckOperations(register(), history) {
			t.Errorf("seed %d, %+v: not linearizable", seed, cfg)
		}
	}
}
