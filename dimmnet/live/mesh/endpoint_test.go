package mesh

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// first is the dimmnet.Member of rank 0 of two ranks.
type first struct{ dimmnet.Member }

func (first) Rank() dimmnet.Rank { return 0 }
func (first) Size() int          { return 2 }

func (first) Gather(context.Context, []byte) ([][]byte, error) { return nil, nil }

func encoded(t *testing.T, e *Endpoint) []byte {
	t.Helper()
	b, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestWrongEndpoints checks that ranks with invalid or different endpoints do not start.
func TestWrongEndpoints(t *testing.T) {
	endpoint := func(cfg Config, addresses ...string) *Endpoint {
		return NewEndpoint(&cfg, cfg.Sums(), addresses)
	}
	own := endpoint(Config{LLCM: 4096}, "127.0.0.1:1")
	good := encoded(t, endpoint(Config{LLCM: 4096}, "127.0.0.1:3", "[::1]:3"))
	p, err := NewPeers("test", [][]byte{encoded(t, own), good}, own, first{})
	if err != nil || len(p.Key) != KeyBytes || len(p.Endpoints[1].Addresses) != 2 {
		t.Errorf("valid endpoints give %+v, %v, want no error", p, err)
	}
	noShare := endpoint(Config{LLCM: 4096}, "127.0.0.1:1")
	noShare.Share = nil
	for _, c := range []struct {
		name, want string
		second     []byte
	}{
		{"another LLCM", "test: rank 1 has 8192 bytes of LLCM, this rank 4096: all must have the same configuration", encoded(t, endpoint(Config{LLCM: 8192}, "127.0.0.1:2"))},
		{"unsummed", "test: rank 1 has checksums of all but large pieces (Config.Unsummed), this rank of all bytes: all must", encoded(t, endpoint(Config{LLCM: 4096, Unsummed: true}, "127.0.0.1:2"))},
		{"truncated", "rank 1", good[:20]},
		{"too long", "rank 1", append(good[:len(good):len(good)], make([]byte, 1000)...)},
		{"no share", "0 bytes of a key share", encoded(t, noShare)},
		{"no address", "0 addresses", encoded(t, endpoint(Config{LLCM: 4096}))},
		{"many addresses", "17 addresses", encoded(t, endpoint(Config{LLCM: 4096}, make([]string, 17)...))},
		{"no port", "missing port", encoded(t, endpoint(Config{LLCM: 4096}, "127.0.0.1"))},
		{"two ports", "want port 2", encoded(t, endpoint(Config{LLCM: 4096}, "127.0.0.1:2", "127.0.0.1:3"))},
	} {
		if _, err := NewPeers("test", [][]byte{encoded(t, own), c.second}, own, first{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
	for name, blobs := range map[string][][]byte{"not the own": {good, good}, "none": nil} {
		if _, err := NewPeers("test", blobs, own, first{}); err == nil || !strings.Contains(err.Error(), "own endpoint") {
			t.Errorf("%s: %v, want an error about the own endpoint", name, err)
		}
	}
	if _, err := own.Exchange(t.Context(), "test", first{}); err == nil {
		t.Error("an empty exchange is accepted")
	}
}

// TestFormDifference checks that ranks with different forms learn which property differs, whichever
// it is, and that equal forms have no difference.
func TestFormDifference(t *testing.T) {
	own := Form{LLCM: 1, Bulk: 2, Sums: stream.SumNone, Beats: true, Identified: true, Direct: 3}
	if got := own.Difference(own); got != "" {
		t.Errorf("equal forms have the difference %q", got)
	}
	words := map[string]string{
		"LLCM": "bytes of LLCM", "Bulk": "bytes of bulk memory", "Sums": "checksums",
		"Beats": "no signs of life (Config.Stall), this rank some", "Identified": "no identity (Config.Identity), this rank one", "Direct": "connections on demand",
	}
	for i := range reflect.TypeFor[Form]().NumField() {
		other := own
		field := reflect.ValueOf(&other).Elem().Field(i)
		field.SetZero()
		name := reflect.TypeFor[Form]().Field(i).Name
		if got := other.Difference(own); words[name] == "" || !strings.Contains(got, words[name]) {
			t.Errorf("another %s: the difference is %q, want one with %q", name, got, words[name])
		}
		if got := own.Difference(other); got == "" || got == other.Difference(own) {
			t.Errorf("another %s: both ranks say %q", name, got)
		}
	}
}

func TestSums(t *testing.T) {
	for want, cfg := range map[stream.Sums]Config{stream.SumAll: {}, stream.SumSmall: {Unsummed: true}, stream.SumNone: {Unsummed: true, Encrypt: true}} {
		if got := cfg.Sums(); got != want {
			t.Errorf("%+v: checksums %v, want %v", cfg, got, want)
		}
	}
}

// TestAdmitOnce checks that only the first connection of each rank is admitted.
func TestAdmitOnce(t *testing.T) {
	conns := make([]string, 3)
	r := NewRendezvous("test", 0, conns, nil, Methods[int, string]{})
	if r.admit(1, "first") != welcome || r.admit(1, "second") != refused {
		t.Error("the second connection of rank 1 is admitted")
	}
	r.place(1, "first")
	if r.admit(2, "second") != welcome {
		t.Error("rank 2 is refused")
	}
	r.place(2, "second")
	if conns := r.Take(); conns[1] != "first" || conns[2] != "second" {
		t.Errorf("the connections are %q, want the first of each rank", conns)
	}
	if err := r.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}
