package mesh

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestSilentConnections checks that connections which never complete their handshake are refused
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
		r := NewRendezvous("test", 0, make([]int, 2), Methods[int, int]{
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

// TestWaitNames checks that the error of a rendezvous names the lowest rank that is missing.
func TestWaitNames(t *testing.T) {
	r := NewRendezvous("test", 1, make([]int, 6), Methods[int, int]{})
	for _, rank := range []dimmnet.Rank{5, 2} {
		if !r.admit(rank, 1) {
			t.Errorf("rank %d is not admitted", rank)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	const want = "test: 2 of 6 ranks have not connected, the lowest is rank 3: context canceled"
	if err := r.Wait(ctx); err == nil || err.Error() != want || !errors.Is(err, context.Canceled) {
		t.Errorf("Wait returned %v, want %s", err, want)
	}
}

// TestNoAnswer checks that an address that does not answer in time is reported by Dial, and as the
// end of the context, whichever of the two timers of the connection has run out.
func TestNoAnswer(t *testing.T) {
	for _, timeout := range []error{os.ErrDeadlineExceeded, context.DeadlineExceeded} {
		r := NewRendezvous("test", 1, make([]int, 2), Methods[int, int]{
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
