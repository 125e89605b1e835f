package mesh

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestSilentConnections checks that connections that never complete their handshake are refused
// after HandshakeTime: as many as may be pending do not keep a rank of the run out.
func TestSilentConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		const silent = -1
		incoming := make(chan int, maxPending+1)
		for range maxPending {
			incoming <- silent
		}
		incoming <- 1 // rank 1
		refused := make(chan int, maxPending+1)
		r := NewRendezvous("test", 0, make([]int, 2), nil, Methods[int, int]{
			Accept: func(ctx context.Context) (int, error) {
				select {
				case raw := <-incoming:
					return raw, nil
				case <-ctx.Done():
					return 0, ctx.Err()
				}
			},
			Handshake: func(ctx context.Context, raw int) (dimmnet.Rank, int, error) {
				if raw == silent {
					<-ctx.Done()
					return 0, 0, ctx.Err()
				}
				return dimmnet.Rank(raw), raw, nil
			},
			Refuse: func(raw int) { refused <- raw },
			Close:  func() {},
		})
		begun := time.Now()
		r.Accept(ctx)
		late, stop := context.WithTimeout(ctx, time.Minute)
		defer stop()
		if err := r.Wait(late); err != nil {
			t.Error(err)
		}
		if took := time.Since(begun); took > HandshakeTime {
			t.Errorf("rank 1 is connected after %v, want at most %v", took, HandshakeTime)
		}
		synctest.Wait()
		if got := len(refused); got < 1 || len(incoming) > 0 {
			t.Errorf("%d silent connections are refused, and %d wait; want some, and none", got, len(incoming))
		}
		cancel()
		r.Close()
		if got := len(refused); got != maxPending {
			t.Errorf("%d silent connections are refused in the end, want %d", got, maxPending)
		}
	})
}

// TestAcceptAgain checks that an error of Accept keeps no later connection out, that the error of
// the rendezvous names it, and that accepting ends when the listener is closed.
func TestAcceptAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		errs   []error // of Accept, before rank 1 connects
		closed bool    // the listener is closed then: rank 1 does not connect
		took   time.Duration
		want   string // the error of Wait after a minute
	}{
		{"no errors", nil, false, 0, ""},
		{"no descriptor, a reset connection", []error{syscall.EMFILE, syscall.ECONNRESET}, false, 2 * retryPause, ""},
		{"never a descriptor", slices.Repeat([]error{syscall.EMFILE}, int(2*time.Minute/retryPause)), false, time.Minute,
			"test: 1 of 2 ranks have not connected, the lowest is rank 1: context deadline exceeded: this rank cannot accept connections: too many open files"},
		{"closed", []error{syscall.EMFILE}, true, time.Minute, "test: 1 of 2 ranks have not connected"},
	} {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			r := NewRendezvous("test", 0, make([]int, 2), nil, Methods[int, int]{
				Accept: func(ctx context.Context) (int, error) {
					switch calls++; {
					case calls <= len(c.errs):
						return 0, c.errs[calls-1]
					case c.closed:
						return 0, &net.OpError{Op: "accept", Net: "tcp", Err: net.ErrClosed}
					case calls == len(c.errs)+1:
						return 1, nil
					}
					<-ctx.Done()
					return 0, ctx.Err()
				},
				Handshake: func(_ context.Context, raw int) (dimmnet.Rank, int, error) {
					return dimmnet.Rank(raw), raw, nil
				},
				Refuse: func(int) {},
				Close:  func() {},
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			begun := time.Now()
			r.Accept(ctx)
			err := r.Wait(ctx)
			if took := time.Since(begun); took != c.took {
				t.Errorf("%s: the rendezvous takes %v, want %v", c.name, took, c.took)
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
				t.Errorf("%s: Wait returned %v, want %q", c.name, err, c.want)
			}
			cancel()
			r.Close()
			if c.closed && calls != len(c.errs)+1 {
				t.Errorf("%s: Accept is called %d times after the listener is closed", c.name, calls-len(c.errs)-1)
			}
		})
	}
}

// TestWaitNames checks that the error of a rendezvous names the lowest rank that is missing.
func TestWaitNames(t *testing.T) {
	r := NewRendezvous("test", 1, make([]int, 6), nil, Methods[int, int]{})
	for _, rank := range []dimmnet.Rank{5, 2} {
		if r.admit(rank, 1) != welcome {
			t.Errorf("rank %d is not admitted", rank)
		}
		r.place(rank, 1)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	const want = "test: 2 of 6 ranks have not connected, the lowest is rank 3: context canceled"
	if err := r.Wait(ctx); err == nil || err.Error() != want || !errors.Is(err, context.Canceled) {
		t.Errorf("Wait returned %v, want %s", err, want)
	}
}

// TestNoAnswer checks that Dial reports an address that does not answer in time, as the end of the
// context, whichever of the two timers of the connection runs out.
func TestNoAnswer(t *testing.T) {
	for _, timeout := range []error{os.ErrDeadlineExceeded, context.DeadlineExceeded} {
		r := NewRendezvous("test", 1, make([]int, 2), nil, Methods[int, int]{
			Dial: func(context.Context, dimmnet.Rank, string) (int, error) {
				return 0, &net.OpError{Op: "dial", Net: "tcp", Err: timeout}
			},
			Retry: func(error) bool { return false },
		})
		want := "test: connecting to rank 0: h0:17003: dial tcp: " + timeout.Error() + ": is the port open?"
		err := r.Dial(t.Context(), []*Endpoint{{Addresses: []string{"h0:17003"}}})
		if err == nil || err.Error() != want || !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, timeout) {
			t.Errorf("Dial returned %v, want %s", err, want)
		}
	}
}

// TestKeyOfAll checks that the key of a run depends on everything in every endpoint.
func TestKeyOfAll(t *testing.T) {
	cfg := Config{LLCM: 4096}
	own := NewEndpoint(&cfg, cfg.Sums(), []string{"127.0.0.1:1"})
	other := NewEndpoint(&cfg, cfg.Sums(), []string{"127.0.0.1:3", "[::1]:3"})
	key := func(own, other *Endpoint) []byte {
		t.Helper()
		p, err := NewPeers("test", [][]byte{encoded(t, own), encoded(t, other)}, own, first{})
		if err != nil {
			t.Fatal(err)
		}
		return p.Key
	}
	usual := key(own, other)
	if !bytes.Equal(usual, key(own, other)) {
		t.Error("the same endpoints give two keys")
	}
	for name, change := range map[string]func(e *Endpoint){
		"share":     func(e *Endpoint) { e.Share = bytes.Repeat([]byte{1}, KeyBytes) },
		"address":   func(e *Endpoint) { e.Addresses = []string{"127.0.0.1:9"} },
		"addresses": func(e *Endpoint) { e.Addresses = append(e.Addresses[:1:1], e.Addresses[0]) },
		"identity":  func(e *Endpoint) { e.Identities = [][]byte{{1}} },
		"processor": func(e *Endpoint) { e.CPUs[0] ^= 1 },
	} {
		for rank := range 2 {
			pair := []Endpoint{*own, *other}
			change(&pair[rank])
			if bytes.Equal(usual, key(&pair[0], &pair[1])) {
				t.Errorf("another %s of rank %d does not change the key", name, rank)
			}
		}
	}
}

// TestHangUps checks that a rank that hangs up in the handshake, as a busy one does, is dialed
// again a few times, and no more.
func TestHangUps(t *testing.T) {
	hangUp := &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	for _, c := range []struct {
		name  string
		errs  []error // of Dial, before it succeeds
		dials int
		want  error
	}{
		{"none", nil, 1, nil},
		{"two", []error{io.EOF, hangUp}, 3, nil},
		{"always", slices.Repeat([]error{io.ErrUnexpectedEOF}, 100), maxHangUps, io.ErrUnexpectedEOF},
		{"a refusal behind one", []error{io.EOF, syscall.ECONNREFUSED}, 2, syscall.ECONNREFUSED},
	} {
		synctest.Test(t, func(t *testing.T) {
			dials := 0
			r := NewRendezvous("test", 1, make([]int, 2), nil, Methods[int, int]{
				Dial: func(context.Context, dimmnet.Rank, string) (int, error) {
					if dials++; dials <= len(c.errs) {
						return 0, c.errs[dials-1]
					}
					return 1, nil
				},
				Retry: func(error) bool { return false },
			})
			err := r.Dial(t.Context(), []*Endpoint{{Addresses: []string{"h0:17003"}}})
			if !errors.Is(err, c.want) || dials != c.dials {
				t.Errorf("%s: Dial dials %d times and returns %v, want %d and %v", c.name, dials, err, c.dials, c.want)
			}
		})
	}
}

// TestFewDials checks that at most maxDialing calls of Connect dial at the same time, and that one
// that must wait too long returns an error.
func TestFewDials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const nodes = 3 * maxDialing
		dials := make(chan struct{}, nodes)
		answer := make(chan struct{})
		r := NewRendezvous("test", 0, make([]int, nodes), func(dimmnet.Rank) bool { return false }, Methods[int, int]{
			Dial: func(context.Context, dimmnet.Rank, string) (int, error) {
				dials <- struct{}{}
				<-answer
				return 1, nil
			},
		})
		r.Serve(&Server[int]{Expect: func(dimmnet.Rank) {}, Pass: func(dimmnet.Rank, int) {}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		results := make(chan error, nodes)
		for peer := dimmnet.Rank(1); peer < nodes; peer++ {
			go func() { results <- r.Connect(ctx, peer, []string{"any"}) }()
		}
		synctest.Wait()
		if len(dials) != maxDialing {
			t.Errorf("%d calls dial at the same time, want %d", len(dials), maxDialing)
		}
		time.Sleep(2 * time.Second)
		close(answer)
		connected, late := 0, 0
		for range nodes - 1 {
			switch err := <-results; {
			case err == nil:
				connected++
			case errors.Is(err, context.DeadlineExceeded):
				late++
			default:
				t.Error(err)
			}
		}
		if connected != maxDialing || late != nodes-1-maxDialing {
			t.Errorf("%d ranks are connected and %d not in time, want %d and %d", connected, late, maxDialing, nodes-1-maxDialing)
		}
	})
}
