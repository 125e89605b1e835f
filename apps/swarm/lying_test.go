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

// lyingNetwork damages the data of some posts. The swarm must notice the damage.
type lyingNetwork struct {
	dimmnet.Network
	lie lie
}

// lie selects the posts of data to damage: those from a rank's post number at on. If swallow is
// set, the posts are dropped instead.
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

// lyingCase returns a case in phase mode with rings, where every write is at least a block.
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

// TestLiesAreFoundAndShrunk checks that damaged data violates an axiom, that the case is reduced
// deterministically, and that the reduced case can be stored as JSON and run again.
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
				continue // the case posts too little data to be damaged
			}
			found[o.Failure.Kind]++
			small, f, err := shrink(t.Context(), c, o.Failure, 1000, run)
			if err != nil || f.Kind != o.Failure.Kind || len(small.Faults) > 0 || len(small.String()) >= len(c.String()) {
				t.Fatalf("seed %d: %v was reduced to %v (%v):\n%v", seed, o.Failure, f, err, small)
			}
			again, _, _ := shrink(t.Context(), c, o.Failure, 1000, run)
			if !reflect.DeepEqual(small, again) {
				t.Errorf("seed %d: reduced to\n%v\nand then to\n%v", seed, small, again)
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
				t.Errorf("seed %d: after reading it again the failure is %v (%v), not %v", seed, o.Failure, err, f)
			}
		}
		t.Logf("swallowed %v: %v", swallow, found)
		if len(found) == 0 {
			t.Errorf("swallow %v: the swarm found nothing", swallow)
		}
	}
}

// TestOracle checks that expected contents follow from the order in which tenures are granted.
func TestOracle(t *testing.T) {
	first := granted{&Tenure{Wants: []Want{{Exclusive: true, Writes: []Write{{0, 4, 1}}}}}, 0}
	second := granted{&Tenure{Wants: []Want{{Exclusive: true, Writes: []Write{{2, 6, 2}}}}}, 0}
	c := Case{Nodes: 2, Variables: []int{8}}
	a, b := newProgram(&c), newProgram(&c)
	a.granted(first)
	a.granted(second)
	b.granted(second)
	b.granted(first)
	x, y := a.contents()[0], b.contents()[0]
	if x[0] != y[0] || x[5] != y[5] || x[2] == y[2] || x[7] != 0 {
		t.Errorf("contents %v and %v do not follow the order of tenures", x, y)
	}
}

// TestCrashMustBeReported checks that a crash that a rank does not report is a failure.
func TestCrashMustBeReported(t *testing.T) {
	c := Case{Nodes: 2, Variables: []int{8}, Faults: []sim.Fault{{Kind: sim.Crash, Rank: 1, At: 5}}}
	crash := &sim.CrashError{Rank: 1, At: 5}
	for name, errs := range map[string][]error{"": {crash, crash}, failCrash: {crash, nil}} {
		p := newProgram(&c)
		p.errs = errs
		f := c.judge(crash, p, history.New(), &Outcome{Result: sim.Result{Struck: []bool{true}}})
		if (f == nil) != (name == "") || f != nil && (f.Kind != name || !strings.Contains(f.Words, "rank 1")) {
			t.Errorf("%v: %v", errs, f)
		}
	}
}
