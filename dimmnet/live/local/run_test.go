package local

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/memory"
)

const nodes = 3

// newRun returns a run of nodes ranks on procs processors, and the thread of each body.
func newRun(procs int) (*Run, []*Thread) {
	nics := make([]*memory.NIC, nodes)
	for rank := range nics {
		nic := memory.NewNIC(64, 64)
		nics[rank] = &nic
	}
	r, bodies := new(Run), make([]*Thread, nodes)
	r.Init("test", nics, memory.Limits(64, 64), procs, 0)
	for rank := range bodies {
		bodies[rank] = new(Thread)
		r.Enter(bodies[rank], dimmnet.Rank(rank), "")
	}
	return r, bodies
}

// TestLeave lets four threads leave in every order. The others remain: they are listed, and each
// can leave.
func TestLeave(t *testing.T) {
	const threads = nodes + 1
	labels := []string{"0", "1", "1:helper", "2"} // in the order of Labels
	for order := range threads * threads * threads * threads {
		r, bodies := newRun(threads)
		helper := new(Thread)
		bodies[1].Begin(helper, "helper")
		all := []*Thread{bodies[0], bodies[1], helper, bodies[2]}
		left := make([]bool, threads)
		for step, code := 0, order; step < threads; step, code = step+1, code/threads {
			i := code % threads
			if left[i] {
				break // not an order
			}
			left[i] = true
			r.Leave(all[i])
			var want []string
			for j, gone := range left {
				if !gone {
					want = append(want, labels[j])
				}
			}
			if got := r.Labels(); got != fmt.Sprint(want) || r.Threads() != len(want) {
				t.Fatalf("order %d, step %d: %d threads remain: %s, want %v", order, step, r.Threads(), got, want)
			}
		}
	}
}

// TestLabels checks that a run with many threads lists only the first ones.
func TestLabels(t *testing.T) {
	r, bodies := newRun(1)
	for i := range 40 {
		bodies[0].Begin(new(Thread), fmt.Sprint("h", i))
	}
	if got := r.Labels(); !strings.HasPrefix(got, "[0 0:h0 0:h1 ") || !strings.HasSuffix(got, " 0:h30] and 11 more") {
		t.Errorf("the threads are %s", got)
	}
	for more := range 3 { // than fit the list
		r, bodies := newRun(1)
		for i := range 32 + more - nodes {
			bodies[0].Begin(new(Thread), fmt.Sprint("h", i))
		}
		list, rest, _ := strings.Cut(r.Labels(), "]")
		if want := []string{"", " and 1 more", " and 2 more"}[more]; rest != want || strings.Count(list, " ") != 31 {
			t.Errorf("%d threads are %s]%s", 32+more, list, rest)
		}
	}
}

// TestHostLimits: Spend and Charge accept 0, and nothing below; CheckNotify accepts only the run's
// ranks.
func TestHostLimits(t *testing.T) {
	_, bodies := newRun(nodes)
	h := &bodies[1].Host
	h.Spend(0)
	h.Charge(0, 0)
	for rank := range nodes {
		h.CheckNotify(dimmnet.Rank(rank))
	}
	wantPanic(t, "test: Spend of ", func() { h.Spend(-1) })
	wantPanic(t, "test: Charge of -1 units", func() { h.Charge(0, -1) })
	for rank := dimmnet.Rank(nodes); rank <= nodes+1; rank++ {
		wantPanic(t, fmt.Sprintf("test: rank 1 notifies rank %d: the run has 3 nodes", rank), func() { h.CheckNotify(rank) })
	}
}

// TestBodyFails checks what Wait and the ports return when a body returns an error, or panics. The
// first failure counts, and the run waits for all threads.
func TestBodyFails(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name, shown string
		body        func() error
		cause       error // nil: the same as shown
	}{
		{"error", "test: rank 1 failed: boom", func() error { return boom }, boom},
		{"panic", "test: rank 1 panicked: boom", func() error { panic(boom) }, nil},
		{"none", "", func() error { return nil }, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			r, bodies := newRun(nodes)
			for rank, body := range bodies {
				run := func(dimmnet.Host) error {
					time.Sleep(time.Duration(rank) * time.Second)
					switch rank {
					case 1:
						return c.body()
					case 2:
						if err := r.Err(); c.shown == "" && err != nil || c.shown != "" && (err == nil || !strings.HasPrefix(err.Error(), c.shown)) {
							t.Errorf("%s: rank 2 sees %v, want %q", c.name, err, c.shown)
						}
						if c.shown != "" {
							return errors.New("a second failure")
						}
					}
					return nil
				}
				Go("test", "", host{port: port{rank: dimmnet.Rank(rank)}}, run, func(cause, shown error) {
					r.Mu.Lock()
					defer r.Mu.Unlock()
					if cause != nil {
						r.Break(cause, shown)
					}
					r.Leave(body)
				})
			}
			err := r.Wait(time.Hour)
			want := c.cause
			if want == nil {
				want = r.Err()
			}
			if err != want || r.Failed() != (c.shown != "") || r.Elapsed() != 2*time.Second {
				t.Errorf("%s: Wait returned %v after %v, want %v when rank 2 has returned", c.name, err, r.Elapsed(), want)
			}
		})
	}
}

// host and port implement as much of a rank's interfaces as dimmnet.RunThread needs.
type host struct {
	dimmnet.Host
	port port
}

type port struct {
	dimmnet.Port
	rank dimmnet.Rank
}

func (h host) Port() dimmnet.Port { return h.port }
func (p port) Rank() dimmnet.Rank { return p.rank }

// TestGrace checks that Wait returns grace after a failure, that its error names the remaining
// threads, and that these can no longer post.
func TestGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, bodies := newRun(nodes)
		boom := errors.New("boom")
		if !bodies[1].Store(2, 8, 5, word) {
			t.Error("a Store is refused")
		}
		time.AfterFunc(time.Minute, func() {
			r.Mu.Lock()
			defer r.Mu.Unlock()
			if !r.Break(boom, fmt.Errorf("shown: %w", boom)) || r.Break(errors.New("second"), errors.New("second")) {
				t.Error("not the first failure breaks the run")
			}
			r.Leave(bodies[0])
		})
		err := r.Wait(3 * time.Second)
		const want = "test: ranks [1 2] have not returned 3s after the failure: shown: boom"
		if err == nil || err.Error() != want || !errors.Is(err, boom) || r.Elapsed() != time.Minute+3*time.Second {
			t.Errorf("Wait returned %v after %v, want %s after 1m3s", err, r.Elapsed(), want)
		}
		for name, posted := range map[string]bool{
			"Store": bodies[1].Store(2, 0, 1, word),
			"Write": bodies[1].Write(2, 0, []byte{1}),
			"Push":  bodies[1].Push(2, 0, 0, 8, 16),
			"Pull":  bodies[1].Pull(2, 8, 0, 8, 16),
		} {
			if posted {
				t.Errorf("a %s after the failure succeeds", name)
			}
		}
		if got := bodies[2].Load(0) + bodies[1].Load(0) + bodies[1].Load(16); got != 0 {
			t.Errorf("posts after the failure have stored %d", got)
		}
	})
}

// TestStartAfterReturn checks that a thread that has returned cannot start another.
func TestStartAfterReturn(t *testing.T) {
	r, bodies := newRun(nodes)
	r.Leave(bodies[1])
	wantPanic(t, "rank 1 starts a thread after it has returned", func() { bodies[1].Begin(new(Thread), "late") })
	if r.Threads() != nodes-1 {
		t.Errorf("%d threads, want %d", r.Threads(), nodes-1)
	}
}

// TestCrowded checks that a run is crowded while more threads want a processor than there are, and
// that a thread that waits for an event wants none.
func TestCrowded(t *testing.T) {
	r, bodies := newRun(nodes)
	want := func(crowded bool, when string) {
		t.Helper()
		if r.Crowded() != crowded {
			t.Errorf("%s, crowded is %t, want %t", when, r.Crowded(), crowded)
		}
	}
	want(false, "with a processor for each body")
	helper := new(Thread)
	bodies[0].Begin(helper, "helper")
	want(true, "with a thread more")
	var waited bool
	r.BeginWait(0, &waited)
	want(false, "while a thread waits")
	wantPanic(t, "two threads of rank 0 wait for one event", func() { r.BeginWait(0, &waited) })
	r.EndWait(&waited)
	want(true, "after the wait")
	r.Leave(helper)
	want(false, "without the helper")
}

// TestCheckRun checks that a run without a body, or whose context is done, does not start.
func TestCheckRun(t *testing.T) {
	body := func(dimmnet.Host) error { return nil }
	if err := CheckRun(t.Context(), "test", body); err != nil {
		t.Error(err)
	}
	if err := CheckRun(t.Context(), "test", nil); err == nil || !strings.Contains(err.Error(), "nil body") {
		t.Errorf("without a body: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("why")
	cancel(why)
	if err := CheckRun(ctx, "test", body); !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
		t.Errorf("with a context that is done: %v, want its error and its cause", err)
	}
}

func wantPanic(t *testing.T, part string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if text := fmt.Sprint(recover()); !strings.Contains(text, part) {
			t.Errorf("the panic is %q, want one with %q", text, part)
		}
	}()
	f()
}
