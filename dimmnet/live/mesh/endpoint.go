package mesh

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strconv"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/cpuset"
	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// Endpoint describes a rank to its peers before they connect: its addresses and a part of its
// configuration. Ranks exchange endpoints in JSON, by dimmnet.Member.
type Endpoint struct {
	Share      []byte // share of the run's key: KeyBytes random bytes
	Form       Form
	CPUs       cpuset.Set // the processors that the process may use
	Addresses  []string   // host and port, in the order in which peers should try them
	Identities [][]byte   // by rank, encoded; nil unless this rank issues the identities of a run
}

// Form is the part of an Endpoint that must be the same on all ranks.
type Form struct {
	LLCM, Bulk int // bytes
	Sums       stream.Sums
	Beats      bool // the rank sends beats
	Identified bool // Config.Identity is set
	Direct     int  // Config.Direct
}

// Difference says in which property f, the form of another rank, differs from own; "": in none.
func (f Form) Difference(own Form) string {
	either := func(yes bool, text, other string) string {
		if yes {
			return text
		}
		return other
	}
	switch {
	case f.LLCM != own.LLCM:
		return fmt.Sprintf("%d bytes of LLCM, this rank %d", f.LLCM, own.LLCM)
	case f.Bulk != own.Bulk:
		return fmt.Sprintf("%d bytes of bulk memory, this rank %d", f.Bulk, own.Bulk)
	case f.Identified != own.Identified: // changes the checksums, too
		return either(f.Identified, "an identity (Config.Identity), this rank none", "no identity (Config.Identity), this rank one")
	case f.Sums != own.Sums:
		return fmt.Sprintf("checksums of %v (Config.Unsummed), this rank of %v", f.Sums, own.Sums)
	case f.Direct != own.Direct:
		return fmt.Sprintf("connections on demand with more than %d ranks, this rank %d", f.Direct, own.Direct)
	case f.Beats != own.Beats:
		return either(f.Beats, "signs of life (Config.Stall), this rank none", "no signs of life (Config.Stall), this rank some")
	}
	return ""
}

// KeyBytes is the size in bytes of a run's key, of a rank's share of the key, and of a MAC.
const KeyBytes = sha256.Size

// NewEndpoint returns the description of a rank that can be reached at addresses.
func NewEndpoint(cfg *Config, sums stream.Sums, addresses []string) *Endpoint {
	e := &Endpoint{
		Share:     make([]byte, KeyBytes),
		Form:      Form{LLCM: cfg.LLCM, Bulk: cfg.Bulk, Sums: sums, Beats: cfg.Stall > 0, Identified: cfg.Identity != nil, Direct: cfg.Direct},
		CPUs:      cpuset.Own(),
		Addresses: addresses,
	}
	_, _ = rand.Read(e.Share) // never fails
	return e
}

// Encode returns e in JSON.
func (e *Endpoint) Encode() ([]byte, error) { return json.Marshal(e) }

// Decode returns the endpoint that b encodes, or an error if the endpoint is invalid.
func Decode(b []byte) (*Endpoint, error) {
	e := new(Endpoint)
	if err := json.Unmarshal(b, e); err != nil {
		return nil, err
	}
	if n := len(e.Addresses); len(e.Share) != KeyBytes || n < 1 || n > reach.Most {
		return nil, fmt.Errorf("it has %d addresses and %d bytes of a key share: want 1 to %d addresses and %d bytes", n, len(e.Share), reach.Most, KeyBytes)
	}
	_, err := e.Port()
	return e, err
}

// Port returns the port, which is the same in all addresses of the rank.
func (e *Endpoint) Port() (port uint16, err error) {
	for i, address := range e.Addresses {
		_, text, err := net.SplitHostPort(address)
		if err != nil {
			return 0, fmt.Errorf("its address %q: %w", address, err)
		}
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || i > 0 && uint16(n) != port {
			return 0, fmt.Errorf("its address %q: want port %d, as in its first address", address, port)
		}
		port = uint16(n)
	}
	return port, nil
}

// SameHost reports whether e and own have the same addresses, apart from the port.
func (e *Endpoint) SameHost(own *Endpoint) bool {
	return slices.EqualFunc(e.Addresses, own.Addresses, func(a, b string) bool {
		x, _, _ := net.SplitHostPort(a)
		y, _, _ := net.SplitHostPort(b)
		return x == y
	})
}

// Peers describes all ranks of a run. A rank needs it to connect to the others.
type Peers struct {
	Endpoints []*Endpoint // by rank
	Key       []byte      // the run's key, derived from the shares of all endpoints
}

// Exchange passes e to all ranks, and returns the endpoints of all ranks. It is a barrier.
func (e *Endpoint) Exchange(ctx context.Context, network string, m dimmnet.Member) (*Peers, error) {
	own, err := e.Encode()
	if err != nil {
		return nil, fmt.Errorf("%s: encoding the own endpoint: %w", network, err)
	}
	blobs, err := m.Gather(ctx, own)
	if err != nil {
		return nil, fmt.Errorf("%s: gathering addresses: %w", network, err)
	}
	return NewPeers(network, blobs, e, m)
}

// NewPeers decodes blobs, the endpoints of all ranks. own is the endpoint of rank m.
func NewPeers(network string, blobs [][]byte, own *Endpoint, m dimmnet.Member) (*Peers, error) {
	mine, err := own.Encode()
	if err != nil {
		return nil, fmt.Errorf("%s: encoding the own endpoint: %w", network, err)
	}
	if len(blobs) != m.Size() || !bytes.Equal(blobs[m.Rank()], mine) {
		return nil, fmt.Errorf("%s: gathering addresses: got %d endpoints for %d ranks, or this rank's own endpoint is missing", network, len(blobs), m.Size())
	}
	p := new(Peers)
	key := sha256.New()
	for rank, b := range blobs {
		e, err := Decode(b)
		if err != nil {
			return nil, fmt.Errorf("%s: the endpoint of rank %d: %w", network, rank, err)
		}
		if difference := e.Form.Difference(own.Form); difference != "" {
			return nil, fmt.Errorf("%s: rank %d has %s: all must have the same configuration", network, rank, difference)
		}
		p.Endpoints = append(p.Endpoints, e)
		one := sha256.Sum256(b)
		_, _ = key.Write(one[:]) // never fails
	}
	p.Key = key.Sum(nil)
	return p, nil
}

// MAC returns the HMAC-SHA256 of the parts, one after the other.
func MAC(key []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, b := range parts {
		_, _ = mac.Write(b) // never fails
	}
	return mac.Sum(nil)
}
