package porttest

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
)

// alter is inproc with its ports changed.
func alter(port func(dimmnet.Port) dimmnet.Port) func() dimmnet.Network {
	return func() dimmnet.Network {
		return Wrap(inproc.New(inproc.Config{Grace: 200 * time.Millisecond}), port)
	}
}

// testEnv is an impatient env.
func testEnv(network func() dimmnet.Network) *env {
	e := newEnv(network, uint64(time.Now().UnixNano()), true)
	e.patience = 20 * time.Millisecond
	return e
}

// pass runs all cases; none may fail.
func pass(t *testing.T, network func() dimmnet.Network) {
	for _, c := range cases() {
		for _, nodes := range c.nodes {
			e := testEnv(network)
			if err := c.check(e, nodes); err != nil {
				t.Errorf("PORTTEST_SEED=%d: %s/nodes=%d: %v", e.seed, c.name, nodes, err)
			}
		}
	}
}

// TestAccepts runs the suite on ports that use the freedom that the contract
// leaves them.
func TestAccepts(t *testing.T) {
	for name, port := range map[string]func(dimmnet.Port) dimmnet.Port{
		"few credits": func(p dimmnet.Port) dimmnet.Port { return &fewCredits{Port: p} },
		"idles not":   func(p dimmnet.Port) dimmnet.Port { return idlesNot{p} },
		"small": func(p dimmnet.Port) dimmnet.Port {
			return small{p, dimmnet.Limits{Store: 8, Block: 464, LLCM: 1 << 17}}
		},
		"no powers of 2": func(p dimmnet.Port) dimmnet.Port {
			return small{p, dimmnet.Limits{Store: 3, Block: 100, RDMA: 77, LLCM: 4096}}
		},
		"tiny": func(p dimmnet.Port) dimmnet.Port {
			return small{p, dimmnet.Limits{Store: 1, Block: 1, RDMA: 1, LLCM: 2056}}
		},
	} {
		t.Run(name, func(t *testing.T) { pass(t, alter(port)) })
	}
}

// fewCredits refuses every third post; its Idle after that gives credit at once.
type fewCredits struct {
	dimmnet.Port
	posts   int
	refused bool
}

func (p *fewCredits) room() bool {
	if p.Err() != nil {
		return true
	}
	p.posts++
	p.refused = p.posts%3 == 0
	return !p.refused
}

func (p *fewCredits) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	p.Limits().CheckStore(p.Nodes(), dst, off, size)
	return p.room() && p.Port.Store(dst, off, v, size)
}

func (p *fewCredits) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	p.Limits().CheckWrite(p.Nodes(), dst, off, len(b))
	return p.room() && p.Port.Write(dst, off, b)
}

func (p *fewCredits) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.Limits().CheckRDMA(p.Nodes(), dst, from, to, n, done)
	return p.room() && p.Port.Push(dst, from, to, n, done)
}

func (p *fewCredits) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.Limits().CheckRDMA(p.Nodes(), src, from, to, n, done)
	return p.room() && p.Port.Pull(src, from, to, n, done)
}

func (p *fewCredits) Idle(since dimmnet.Mark) {
	if p.refused {
		p.refused = false
		return
	}
	p.Port.Idle(since)
}

// idlesNot returns early from every Idle; nobody then sees a deadlock.
type idlesNot struct{ dimmnet.Port }

func (p idlesNot) Idle(dimmnet.Mark) { runtime.Gosched() }

// small has other limits.
type small struct {
	dimmnet.Port
	limits dimmnet.Limits
}

func (p small) Limits() dimmnet.Limits { return p.limits }

func (p small) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	p.limits.CheckStore(p.Nodes(), dst, off, size)
	return p.Port.Store(dst, off, v, size)
}

func (p small) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	p.limits.CheckWrite(p.Nodes(), dst, off, len(b))
	return p.Port.Write(dst, off, b)
}

func (p small) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.limits.CheckRDMA(p.Nodes(), dst, from, to, n, done)
	return p.Port.Push(dst, from, to, n, done)
}

func (p small) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.limits.CheckRDMA(p.Nodes(), src, from, to, n, done)
	return p.Port.Pull(src, from, to, n, done)
}

func (p small) Load(off dimmnet.Offset) uint64 {
	p.limits.CheckLoad(off)
	return p.Port.Load(off)
}

func (p small) Read(b []byte, off dimmnet.Offset) {
	p.limits.CheckRead(off, len(b))
	p.Port.Read(b, off)
}

// hung never returns from Run.
type hung struct{ *inproc.Network }

func (h hung) Run(ctx context.Context, _ int, _ func(dimmnet.Host) error) error {
	<-ctx.Done()
	time.Sleep(time.Second)
	return ctx.Err()
}

// goexit ends the goroutine that calls Run.
type goexit struct{ *inproc.Network }

func (g goexit) Run(context.Context, int, func(dimmnet.Host) error) error {
	runtime.Goexit()
	return nil
}

// TestNeverHangs: a Run that ignores its context, or never returns, is an error.
func TestNeverHangs(t *testing.T) {
	for want, network := range map[string]dimmnet.Network{
		"has not returned":    hung{inproc.New(inproc.Config{})},
		"ended its goroutine": goexit{inproc.New(inproc.Config{})},
	} {
		e := testEnv(func() dimmnet.Network { return network })
		e.bound, e.grace = 10*time.Millisecond, 10*time.Millisecond
		if err := e.run(2, (*thread).stuck); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// results is inproc with what Run returns changed.
type results struct {
	*inproc.Network
	change func(error) error
}

func (r results) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	return r.change(r.Network.Run(ctx, nodes, body))
}

// TestCatches runs the cases that should fail on ports that break a rule.
func TestCatches(t *testing.T) {
	result := func(change func(error) error) func() dimmnet.Network {
		return func() dimmnet.Network { return results{inproc.New(inproc.Config{}), change} }
	}
	for _, m := range []struct {
		rule    string
		network func() dimmnet.Network
		cases   string
	}{
		{"a Write overtakes nothing", alter(func(p dimmnet.Port) dimmnet.Port { return &lateWrite{Port: p} }), "Order WriteNeighbours"},
		{"a Push overtakes nothing", alter(func(p dimmnet.Port) dimmnet.Port { return &latePush{Port: p} }), "Order Push"},
		{"a store appears at once", alter(func(p dimmnet.Port) dimmnet.Port { return tornStore{p} }), "WordsAtOnce"},
		{"a store has its own size", alter(func(p dimmnet.Port) dimmnet.Port { return wideStore{p} }), "StoreNeighbours BytesOfAWord"},
		{"a Write has its own size", alter(func(p dimmnet.Port) dimmnet.Port { return wideWrite{p} }), "WriteNeighbours"},
		{"the buffer of a Write is taken", alter(func(p dimmnet.Port) dimmnet.Port { return &lazyWrite{Port: p} }), "Reuse"},
		{"Idle knows the mark", alter(func(p dimmnet.Port) dimmnet.Port { return deafIdle{p} }), "ArrivalBeforeIdle"},
		{"Idle returns when the port has failed", alter(func(p dimmnet.Port) dimmnet.Port { return endlessIdle{p} }), "BodyFails Cancelled Deadlock"},
		{"polls are counted", alter(func(p dimmnet.Port) dimmnet.Port { return miscounts{p} }), "Counters"},
		{"wrong sizes panic", alter(func(p dimmnet.Port) dimmnet.Port { return lenient{p} }), "Misuse"},
		{"Err stays", alter(func(p dimmnet.Port) dimmnet.Port { return moody{p} }), "BodyFails"},
		{"ports fail", alter(func(p dimmnet.Port) dimmnet.Port { return cheerful{p} }), "Cancelled"},
		{"what is refused has not landed", alter(func(p dimmnet.Port) dimmnet.Port { return &liar{Port: p} }), "FullWindowWrite FullWindowStore"},
		{"what is refused is not counted", alter(func(p dimmnet.Port) dimmnet.Port { return &overcounts{fewCredits: fewCredits{Port: p}} }), "FullWindowWrite FullWindowStore"},
		{"done has the size", alter(func(p dimmnet.Port) dimmnet.Port { return wrongDone{p} }), "Push Pull Order"},
		{"memory starts as zeros", alter(dirty), "Fresh"},
		{"Run reports failures", result(func(error) error { return nil }), "NodeCount BodyFails BodyPanics Cancelled Deadlock"},
		{"Run returns the cause", result(func(error) error { return errors.New("failed") }), "BodyFails BodyPanics Cancelled DeadlineExceeded CancelledBefore"},
	} {
		if raceDetector && strings.Contains(m.rule, "overtakes") {
			continue
		}
		for _, c := range cases() {
			if !strings.Contains(" "+m.cases+" ", " "+c.name+" ") {
				continue
			}
			e := testEnv(m.network)
			e.bound = 300 * time.Millisecond
			nodes := c.nodes[len(c.nodes)-1]
			if err := c.check(e, nodes); err == nil {
				t.Errorf("PORTTEST_SEED=%d: %s: %s/nodes=%d passes without it", e.seed, m.rule, c.name, nodes)
			}
		}
	}
}
