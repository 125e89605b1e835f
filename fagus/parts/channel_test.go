package parts_test

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// onChannels calls test as everywhere does, and with each way in which helper threads serve
// requests, over tcp, and on a network that loses packets.
func onChannels(t *testing.T, test func(on fagus.Config)) {
	everywhere(t, test)
	simulated := func(cfg sim.Config) dimmnet.Network {
		net, err := sim.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return net
	}
	threaded := fagus.Config{Nodes: 3, Mode: fagus.Threaded, Helpers: true, Net: inproc.New(inproc.Config{})}
	all := []fagus.Config{threaded}
	if shm.Supported() == nil {
		threaded.Helpers, threaded.Net = false, tcp.New(tcp.Config{})
		all = append(all, threaded, fagus.Config{Nodes: 3, Net: tcp.New(tcp.Config{Bulk: 1 << 20})})
	}
	if !testing.Short() {
		for _, threaded.Nodes = range []int{3, 6} { // with 6, trees
			for seed := range uint64(3) {
				threaded.Net = simulated(sim.Config{Seed: seed, Limit: 100 * dimmnet.Second})
				all = append(all, threaded)
				direct, notices := threaded, threaded
				direct.Direct, notices.Notices = true, true
				all = append(all, direct, notices)
			}
		}
		threaded.Net = simulated(sim.Config{UDP: &sim.UDP{Loss: 0.05}, Limit: 100 * dimmnet.Second})
		all = append(all, threaded, fagus.Config{Nodes: 3, Net: threaded.Net})
	}
	for _, on := range longtest.Share(all) {
		test(on)
	}
}

// TestPipeline: every rank receives what the rank before sends, adds its number, and passes it on.
func TestPipeline(t *testing.T) {
	onChannels(t, func(on fagus.Config) {
		on.Check = fagus.CheckOn
		for _, capacity := range []int{1, 3} {
			got := runFor(t, on, func(n *fagus.Node) ([]int64, error) { return pipe(n, 20, capacity) })
			var want []int64
			for i := range int64(20) {
				for r := range int64(on.Nodes) {
					i += r
				}
				want = append(want, i)
			}
			if last := got[on.Nodes-1]; !slices.Equal(last, want) {
				t.Fatalf("%d nodes, %v mode, capacity %d: the last rank has %v, want %v", on.Nodes, on.Mode, capacity, last, want)
			}
		}
	})
}

// pipe sends values through a pipeline of all ranks, and returns those that leave it here.
func pipe(n *fagus.Node, values, capacity int) (got []int64, err error) {
	pipes := make([]*parts.Channel[int64], n.Nodes()) // into each rank
	for r := range pipes {
		if pipes[r], err = parts.NewChannel[int64](n, fmt.Sprint("pipe.", r), capacity, 1); err != nil {
			return nil, err
		}
	}
	me := n.Rank()
	pass := func(value int64) {
		if value += int64(me); me == n.Nodes()-1 {
			got = append(got, value)
			return
		}
		_ = pipes[me+1].Send(value) // an error sticks
	}
	if me == 0 {
		for i := range int64(values) {
			pass(i)
		}
	} else {
		for value, err := range pipes[me].All() {
			if err != nil {
				return nil, err
			}
			pass(value)
		}
	}
	if me < n.Nodes()-1 {
		_ = pipes[me+1].Close()
	}
	return got, n.Err()
}

// TestManySendersAndReceivers: each value is received once, and values of one sender by one
// receiver in their order.
func TestManySendersAndReceivers(t *testing.T) {
	onChannels(t, func(on fagus.Config) {
		on.Check = fagus.CheckOn
		if on.Nodes == 1 {
			return // it would wait for itself
		}
		const each = 15
		senders := (on.Nodes + 1) / 2
		got := runFor(t, on, func(n *fagus.Node) (got []int64, err error) {
			c, err := parts.NewChannel[int64](n, "c", 2, senders)
			if err != nil {
				return nil, err
			}
			if n.Rank() < senders {
				for i := range int64(each) {
					_ = c.Send(int64(n.Rank())*each + i)
				}
				_ = c.Close()
			}
			if n.Rank() >= senders {
				for v, err := range c.All() {
					if err != nil {
						return nil, err
					}
					got = append(got, v)
				}
			}
			return got, n.Err()
		})
		for r, values := range got {
			last := make([]int64, senders)
			for _, v := range values {
				if v < last[v/each] {
					t.Fatalf("%d nodes, %v mode: rank %d has received %v", on.Nodes, on.Mode, r, values)
				}
				last[v/each] = v
			}
		}
		all := slices.Sorted(slices.Values(slices.Concat(got...)))
		for i := range all {
			if all[i] != int64(i) || len(all) != each*senders {
				t.Fatalf("%d nodes, %v mode: received %v, want %d values", on.Nodes, on.Mode, all, each*senders)
			}
		}
	})
}

// TestChannelOfTexts: values of any size go through a channel, also such as are longer than it.
func TestChannelOfTexts(t *testing.T) {
	type page struct {
		Name  string
		Lines []string
		Links map[string]int
	}
	var pages []page
	for i := range 12 {
		p := page{Name: fmt.Sprint("page ", i), Links: map[string]int{"up": i, "down": -i}}
		for j := range i * i * i / 2 {
			p.Lines = append(p.Lines, strings.Repeat("x", j%17))
		}
		pages = append(pages, p)
	}
	onChannels(t, func(on fagus.Config) {
		if on.Nodes == 1 {
			return
		}
		on.Check = fagus.CheckOn
		got := runFor(t, on, func(n *fagus.Node) (got []page, err error) {
			c, err := parts.NewChannel[page](n, "pages", 1+n.Nodes()%2, 1)
			if err != nil {
				return nil, err
			}
			if n.Rank() == 0 {
				for _, p := range pages {
					if err := c.Send(p); err != nil {
						return nil, err
					}
				}
				return nil, c.Close()
			}
			for p, err := range c.All() {
				if err != nil {
					return nil, err
				}
				got = append(got, p)
			}
			return got, nil
		})
		all := slices.Concat(got...)
		slices.SortFunc(all, func(a, b page) int { return a.Links["up"] - b.Links["up"] })
		if !reflect.DeepEqual(all, pages) {
			t.Fatalf("%d nodes, %v mode: received %d pages, want %d equal ones", on.Nodes, on.Mode, len(all), len(pages))
		}
	})
}

// TestChannelMistakes: errors say what is wrong.
func TestChannelMistakes(t *testing.T) {
	make := func(n *fagus.Node) *parts.Channel[int] {
		c, err := parts.NewChannel[int](n, "c", 2, 1)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for want, f := range map[string]func(n *fagus.Node) error{
		"Send after Close":    func(n *fagus.Node) error { c := make(n); _ = c.Close(); return c.Send(1) },
		"Close by more ranks": func(n *fagus.Node) error { c := make(n); _ = c.Close(); return c.Close() },
		"room for 0 values":   func(n *fagus.Node) error { return second(parts.NewChannel[int](n, "c", 0, 1)) },
		"1 to 1 senders":      func(n *fagus.Node) error { return second(parts.NewChannel[int](n, "c", 1, 2)) },
		"is empty, and 0 of its 1 senders have called Close": func(n *fagus.Node) error { _, _, err := make(n).Receive(); return err },
		"every rank waits":        func(n *fagus.Node) error { _, _, err := make(n).Receive(); return err },
		"parts: channel \"c\": c": func(n *fagus.Node) error { return second(parts.NewChannel[func()](n, "c", 1, 1)) },
	} {
		checks := []fagus.Check{fagus.CheckOff}
		if runtime.GOOS == "linux" {
			checks = append(checks, fagus.CheckOn)
		}
		for _, check := range checks {
			_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1, Check: check}, f)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("check %v: error %v, want %q", check, err, want)
			}
		}
	}
}

// TestResumeWithOtherSenders: a run that resumes after a Close needs as many senders as before.
func TestResumeWithOtherSenders(t *testing.T) {
	for _, nodes := range []int{2, 4} {
		directory := t.TempDir()
		start := func(nodes int) error {
			store, err := checkpoint.OpenDirectory(directory)
			if err != nil {
				t.Fatal(err)
			}
			keeper := checkpoint.New(checkpoint.Config{Store: store})
			defer keeper.Close()
			_, err = fagus.Run(t.Context(), fagus.Config{Nodes: nodes, Checkpoints: keeper}, func(n *fagus.Node) error {
				c, err := parts.NewChannel[int](n, "c", 4, n.Nodes()-1)
				if err != nil {
					return err
				}
				if n.Resume() {
					if n.Rank() > 0 {
						return nil
					}
					_, _, err := c.Receive()
					return err
				}
				if n.Rank() == 1 {
					c.Close() // errors stick
				}
				return n.Checkpoint()
			})
			return err
		}
		if err := start(3); err != nil {
			t.Fatal(err)
		}
		if err := start(nodes); err == nil || !strings.Contains(err.Error(), "there were 2, of which 1 have called Close") {
			t.Errorf("on %d ranks: error %v, want that there were other senders", nodes, err)
		}
	}
}

// TestReceiveOnce: a rank that receives one value leaves the rest to others, in both modes.
func TestReceiveOnce(t *testing.T) {
	onChannels(t, func(on fagus.Config) {
		if on.Nodes < 3 {
			return
		}
		got := runFor(t, on, func(n *fagus.Node) (got []int, err error) {
			c, err := parts.NewChannel[int](n, "c", 8, 1)
			if err != nil {
				return nil, err
			}
			for i := 0; n.Rank() == 0 && i < 8; i++ {
				if err := c.Send(i); err != nil {
					return nil, err
				}
			}
			if err := n.Barrier(); err != nil {
				return nil, err
			}
			times := map[int]int{1: 1, 2: 7}[n.Rank()]
			for range times {
				v, ok, err := c.Receive()
				if err != nil || !ok {
					return nil, err
				}
				got = append(got, v)
			}
			return got, n.Err()
		})
		all := slices.Sorted(slices.Values(slices.Concat(got...)))
		if len(got[1]) != 1 || !slices.Equal(all, []int{0, 1, 2, 3, 4, 5, 6, 7}) {
			t.Fatalf("%d nodes, %v mode: received %v", on.Nodes, on.Mode, got)
		}
	})
}

// TestClosedEarly: if a rank closes a channel in the middle of another rank's value, both who sends
// and who receives hear of it.
func TestClosedEarly(t *testing.T) {
	var sent, received error
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 3, Mode: fagus.Threaded}, func(n *fagus.Node) error {
		c, err := parts.NewChannel[[]byte](n, "c", 1, 1)
		if err != nil {
			return err
		}
		switch n.Rank() {
		case 0:
			sent = c.Send(make([]byte, 10000))
			return nil
		case 1:
			_ = c.AwaitPart() // errors stick
			return c.Close()
		}
		_ = c.AwaitClose()
		_, _, received = c.Receive()
		return nil
	})
	if err != nil || sent == nil || !strings.Contains(sent.Error(), "Send after Close") ||
		received == nil || !strings.Contains(received.Error(), "of which a part was sent") {
		t.Errorf("sent %v, received %v, %v: want errors", sent, received, err)
	}
}

// TestRoundsOfChannels is the pipeline of docs/guide/checkpoints.md.
func TestRoundsOfChannels(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		got := runFor(t, fagus.Config{Nodes: 4, Mode: mode}, func(n *fagus.Node) (sum []int, err error) {
			const items = 20
			tasks, err := parts.NewChannel[int](n, "tasks", 4, 1)
			if err != nil {
				return nil, err
			}
			results, err := parts.NewChannel[int](n, "results", 4, n.Nodes()-2)
			if err != nil {
				return nil, err
			}
			workers, last := n.Nodes()-2, n.Nodes()-1
			sum = make([]int, 1)
			for lo, hi := range n.Rounds(items) {
				switch n.Rank() {
				case 0:
					for i := lo; i < hi; i++ {
						tasks.Send(i)
					}
				case last:
					for range hi - lo {
						square, _, _ := results.Receive()
						sum[0] += square
					}
				default:
					first, end := parts.Block(hi-lo, workers, n.Rank()-1)
					for range end - first {
						i, _, _ := tasks.Receive()
						results.Send(i * i)
					}
				}
			}
			return sum, n.Err()
		})
		if got[3][0] != 2470 {
			t.Errorf("%v mode: the sum is %d, want 2470", mode, got[3][0])
		}
	}
}
