package mesh

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
)

// TestPlacesAgain: connections that were refused or admitted make room for others. Many times as
// many as may be pending connect one after another, and then a rank of the run does.
func TestPlacesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		come := 0
		r := NewRendezvous("test", 0, make([]int, 3), nil, Methods[int, int]{
			Accept: func(ctx context.Context) (int, error) {
				if come++; come <= 3*maxPending+2 {
					return come, nil
				}
				<-ctx.Done()
				return 0, ctx.Err()
			},
			Handshake: func(_ context.Context, raw int) (dimmnet.Rank, int, error) {
				switch {
				case raw == 1:
					return 1, raw, nil
				case raw == 3*maxPending+2:
					return 2, raw, nil
				case raw%2 == 0:
					return 1, raw, nil // connected already
				}
				return 0, 0, errors.New("no rank of the run")
			},
			Refuse: func(int) {},
			Close:  func() {},
		})
		r.Accept(ctx)
		late, stop := context.WithTimeout(ctx, time.Minute)
		defer stop()
		if err := r.Wait(late); err != nil {
			t.Errorf("after %d connections: %v", come, err)
		}
		cancel()
		r.Close()
	})
}

// TestConnectAgain: a rank connects to many times as many ranks as it dials at once, whether they
// answer, refuse, or have connected themselves.
func TestConnectAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const nodes = 5 * maxDialing
		refused := errors.New("refused")
		passed := 0
		r := NewRendezvous("test", 0, make([]int, nodes), func(dimmnet.Rank) bool { return false }, Methods[int, int]{
			Dial: func(_ context.Context, peer dimmnet.Rank, _ string) (int, error) {
				if peer%3 == 1 {
					return 0, refused
				}
				return int(peer), nil
			},
			Retry: func(error) bool { return false },
		})
		r.Serve(&Server[int]{Expect: func(dimmnet.Rank) {}, Pass: func(dimmnet.Rank, int) { passed++ }})
		for peer := dimmnet.Rank(1); peer < nodes; peer++ {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if peer%3 == 2 {
				if r.admit(peer, 1) != welcome {
					t.Fatalf("rank %d is not admitted", peer)
				}
				r.place(peer, 1)
			}
			err := r.Connect(ctx, peer, []string{"any"})
			if want := peer%3 == 1; want != errors.Is(err, refused) || !want && err != nil {
				t.Fatalf("connecting to rank %d: %v", peer, err)
			}
			cancel()
		}
		if want := nodes - 1 - (nodes+1)/3; passed != want {
			t.Errorf("%d connections are passed on, want %d", passed, want)
		}
	})
}

// TestAnswerOfEachAddress: a rank is reached at whichever of its addresses answers. Earlier
// addresses are silent as long as they are given time, and later ones are not tried.
func TestAnswerOfEachAddress(t *testing.T) {
	for answers := range reach.Most {
		synctest.Test(t, func(t *testing.T) {
			var addresses []string
			for i := range reach.Most {
				addresses = append(addresses, fmt.Sprintf("h%d:1", i))
			}
			tried := 0
			r := NewRendezvous("test", 1, make([]int, 2), nil, Methods[int, int]{
				Dial: func(ctx context.Context, _ dimmnet.Rank, address string) (int, error) {
					tried++
					if address == addresses[answers] {
						return 7, ctx.Err()
					}
					<-ctx.Done()
					return 0, ctx.Err()
				},
				Retry: func(error) bool { return false },
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := r.Dial(ctx, []*Endpoint{{Addresses: addresses}}); err != nil || tried != answers+1 {
				t.Errorf("address %d of %d answers: %v, after %d attempts", answers+1, len(addresses), err, tried)
			}
		})
	}
}

// TestEndpointSizes: an endpoint has 1 to reach.Most addresses, of one port, and a share of exactly
// KeyBytes.
func TestEndpointSizes(t *testing.T) {
	make := func(addresses, share, differs int) *Endpoint {
		e := NewEndpoint(&Config{LLCM: 4096}, (&Config{}).Sums(), nil)
		for i := range addresses {
			port := 17003
			if i == differs {
				port++
			}
			e.Addresses = append(e.Addresses, fmt.Sprintf("10.0.0.%d:%d", i, port))
		}
		e.Share = []byte(strings.Repeat("x", share))
		return e
	}
	check := func(what string, e *Endpoint, valid bool) {
		t.Helper()
		if _, err := Decode(encoded(t, e)); (err == nil) != valid {
			t.Errorf("%s: %v, want it valid: %t", what, err, valid)
		}
	}
	for n := range reach.Most + 2 {
		check(fmt.Sprint(n, " addresses"), make(n, KeyBytes, -1), n >= 1 && n <= reach.Most)
	}
	for share := range 2 * KeyBytes {
		check(fmt.Sprint("a share of ", share), make(1, share, -1), share == KeyBytes)
	}
	for n := 2; n <= reach.Most; n++ {
		for differs := range n {
			check(fmt.Sprintf("address %d of %d has another port", differs, n), make(n, KeyBytes, differs), false)
		}
	}
	for _, port := range []string{"0", "1", "65535", "65536", "-1", "", "x"} {
		e := make(0, KeyBytes, -1)
		e.Addresses = []string{"h:" + port}
		check("port "+port, e, port == "0" || port == "1" || port == "65535")
	}
}
