package swarm

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// lyingNetwork damages what is posted at its ports: the swarm has to find out.
type lyingNetwork struct {
	dimmnet.Network
	lie lie
}

// lie is what a port does with the n-th post of data of its rank: damage it or
// swallow it.
type lie struct {
	at      int
	swallow bool
}

func (w lyingNetwork) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	return w.Network.Run(ctx, nodes, func(h dimmnet.Host) error {
		return body(&lyingHost{h, &lyingPort{Port: h.Port(), lie: w.lie}})
	})
}

type lyingHost struct {
	dimmnet.Host
	port dimmnet.Port
}

func (h *lyingHost) Port() dimmnet.Port { return h.port }

type lyingPort struct {
	dimmnet.Port
	lie   lie
	posts int
}

func (p *lyingPort) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	if p.posts++; p.posts >= p.lie.at && len(b) > 40 {
		if p.lie.swallow {
			return true
		}
		damaged := append([]byte{}, b...)
		damaged[len(b)-1] ^= 0x10
		b = damaged
	}
	return p.Port.Write(dst, off, b)
}

// lyingCase has phases that go through rings, whose every write is a block or more.
func lyingCase(t *testing.T, seed uint64) Case {
	c := New(seed, nil)
	c.Engine, c.UDP = Engine{CPUs: 1}, nil
	c.Rounds = c.Rounds[:min(6, len(c.Rounds))]
	c.Faults = append(c.Faults, sim.Fault{Kind: sim.Pause, Rank: 1, At: 10, For: 10})
	c.Faults = c.Faults[len(c.Faults)-1:]
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestLiesAreFoundAndShrunk: damaged data break an axiom; the case that shows it is
// made small, always the same, and survives being written and read.
func TestLiesAreFoundAndShrunk(t *testing.T) {
	for _, swallow := range []bool{false, true} {
		found := make(map[string]int)
		for seed := range uint64(10) {
			c := lyingCase(t, seed)
			run := func(c *Case) (Outcome, error) {
				return c.runOn(t.Context(), func(net dimmnet.Network) dimmnet.Network {
					return lyingNetwork{net, lie{3, swallow}}
				})
			}
			o, err := run(&c)
			if err != nil {
				t.Fatal(err)
			}
			if o.Failure == nil {
				continue // it has too little to send
			}
			found[o.Failure.Kind]++
			small, f, err := shrink(t.Context(), c, o.Failure, 1000, run)
			if err != nil || f.Kind != o.Failure.Kind || len(small.Faults) > 0 || len(small.String()) >= len(c.String()) {
				t.Fatalf("seed %d: %v became %v (%v):\n%v", seed, o.Failure, f, err, small)
			}
			again, _, _ := shrink(t.Context(), c, o.Failure, 1000, run)
			if !reflect.DeepEqual(small, again) {
				t.Errorf("seed %d was made\n%v\nand then\n%v", seed, small, again)
			}
			text, err := json.Marshal(small)
			if err != nil {
				t.Fatal(err)
			}
			var read Case
			if err := json.Unmarshal(text, &read); err != nil {
				t.Fatal(err)
			}
			if o, err := run(&read); err != nil || o.Failure == nil || *o.Failure != *f {
				t.Errorf("seed %d: read again it says %v (%v), not %v", seed, o.Failure, err, f)
			}
		}
		t.Logf("swallowed %v: %v", swallow, found)
		if len(found) == 0 {
			t.Errorf("swallowed %v: nothing was found", swallow)
		}
	}
}

// TestOracle: content is held against the order in which tenures were granted, not
// against what the ranks have.
func TestOracle(t *testing.T) {
	first := &Tenure{Wants: []Want{{Exclusive: true, Writes: []Write{{0, 4, 1}}}}}
	second := &Tenure{Wants: []Want{{Exclusive: true, Writes: []Write{{2, 6, 2}}}}}
	c := Case{Nodes: 2, Variables: []int{8}}
	a, b := newProgram(&c), newProgram(&c)
	a.granted(first)
	a.granted(second)
	b.granted(second)
	b.granted(first)
	x, y := a.contents()[0], b.contents()[0]
	if x[0] != y[0] || x[5] != y[5] || x[2] == y[2] || x[7] != 0 {
		t.Errorf("%v and %v", x, y)
	}
}

// TestCrashMustBeTold: a crash that a rank does not speak of is a failure.
func TestCrashMustBeTold(t *testing.T) {
	c := Case{Nodes: 2, Variables: []int{8}, Faults: []sim.Fault{{Kind: sim.Crash, Rank: 1, At: 5}}}
	told := &sim.CrashError{Rank: 1, At: 5}
	for name, errs := range map[string][]error{"": {told, told}, failCrash: {told, nil}} {
		p := newProgram(&c)
		p.errs = errs
		f := c.judge(told, p, history.New(), &Outcome{Result: sim.Result{Struck: []bool{true}}})
		if (f == nil) != (name == "") || f != nil && (f.Kind != name || !strings.Contains(f.Words, "rank 1")) {
			t.Errorf("%v: %v", errs, f)
		}
	}
}
