package fagus_test

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestRefusedPosts runs random programs on ports that refuse posts at random.
func TestRefusedPosts(t *testing.T) {
	for seed := range cases(60, 4) {
		nodes := 2 + int(seed%4)
		wrap := porttest.Refusing(seed, float64(seed%7)/8)
		runRandom(t, porttest.Wrap(newSim(t, sim.Config{Seed: seed}), wrap), nodes, seed)
		runRandom(t, porttest.Wrap(inproc.New(inproc.Config{LLCM: 4000}), wrap), nodes, seed)
		bulk := bulkBytes[seed%uint64(len(bulkBytes))]
		runRandomBy(t, fagus.Push, porttest.Wrap(bulkNet(0, bulk, bulk/2), wrap), nodes, seed)
		runRandomBy(t, fagus.Auto, porttest.Wrap(bulkNet(0, bulk, bulk/2), wrap), nodes, seed)
		runRandomBy(t, fagus.Push, porttest.Wrap(bulkNet(smallLLCM, bulk, bulk/2), wrap), 15+nodes, seed)
	}
}

// TestSlowPushes runs random programs on ports whose PUSHes complete late.
func TestSlowPushes(t *testing.T) {
	for seed := range cases(60, 4) {
		nodes, bulk := 2+int(seed%5), bulkBytes[seed%uint64(len(bulkBytes))]
		wrap := porttest.Late(seed, 10+int(seed%4)*10)
		runRandomBy(t, fagus.Push, porttest.Wrap(bulkNet(0, bulk, bulk/2), wrap), nodes, seed)
		runRandomBy(t, fagus.Auto, porttest.Wrap(bulkNet(smallLLCM, bulk, bulk), wrap), 15+nodes, seed)
	}
}

// TestEveryPostRefusedOnce runs a program once for each of its posts, and refuses that post one
// to three times.
func TestEveryPostRefusedOnce(t *testing.T) {
	longtest.Third(t)
	longtest.OneThread(t)
	const seed, nodes, most = 6, 3, 600
	total := 1
	for at := 0; at < total; at++ {
		posts, again := 0, 1+at%3
		runRandom(t, porttest.Wrap(newSim(t, sim.Config{}), func(p dimmnet.Port) dimmnet.Port {
			return porttest.Refuse(p, func() bool { // ranks are coroutines
				if posts == at && again > 0 {
					again--
					return true
				}
				posts++
				return false
			})
		}), nodes, seed)
		total = min(posts, most)
	}
	if total < 100 {
		t.Errorf("%d posts were refused, want at least 100", total)
	}
}

// TestStepsArePure checks that polling passes of random programs have no side effects. The
// simulator runs all passes, also those that it could skip, so that many follow each other.
func TestStepsArePure(t *testing.T) {
	for seed := uint64(1); seed <= cases(20, 4); seed++ {
		var first *porttest.Watched // the port of rank 0 in the last run
		watch := func(p dimmnet.Port) dimmnet.Port {
			w := porttest.Watch(p, func(what string) { t.Errorf("seed %d, rank %d: %s", seed, p.Rank(), what) })
			if p.Rank() == 0 {
				first = w
			}
			return w
		}
		net := newSim(t, sim.Config{Preset: smallBuffers(t, seed), Spin: true, Limit: 10 * dimmnet.Second})
		runRandom(t, porttest.Wrap(net, watch), 2+int(seed%4), seed)
		if first.Compared == 0 {
			t.Errorf("seed %d: no passes were compared", seed)
		}
		bulk := bulkBytes[seed%uint64(len(bulkBytes))]
		runRandomBy(t, fagus.Push, porttest.Wrap(bulkNet(0, bulk, bulk/2), watch), 2+int(seed%4), seed)
	}
}

// TestRefusedAttachments hands contents over that go with a request in more than one post, while
// the port refuses many posts.
func TestRefusedAttachments(t *testing.T) {
	const words, turns = 1000, 60
	for seed := range uint64(4) {
		net := porttest.Wrap(goroutines(), porttest.Refusing(seed, 0.5))
		if _, err := runFor(t, fagus.Config{Nodes: 2, Net: net}, func(n *fagus.Node) error {
			a, v, err := guarded[uint64](n, words)
			if err != nil {
				return err
			}
			none, mine := n.Set(), n.Set(fagus.Want(v, fagus.Exclusive))
			for turn := range uint64(turns) {
				set := none
				if n.Rank() == int(turn)%2 {
					set = mine
				}
				if err := n.During(set, func() error {
					for i, x := range a.Slice() {
						if set == mine && x != turn {
							return fmt.Errorf("word %d is %d in turn %d", i, x, turn)
						}
						if set == mine {
							a.Slice()[i]++
						}
					}
					return nil
				}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}
