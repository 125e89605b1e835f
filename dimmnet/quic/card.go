package quic

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/identity"
	"github.com/fagus-dsm/fagus/dimmnet/reach"
)

// card is what a rank tells the others before they meet, in JSON.
type card struct {
	Share      []byte // of the key
	Form       form
	Addresses  []string // host and port, where the rank may be reached
	Identities [][]byte // by rank, as encoded; of rank 0 alone, if no rank has one
}

// form is what all ranks must have in common.
type form struct {
	LLCM, Bulk int  // bytes
	Beats      bool // it shows signs of life
	Identified bool // it has an identity
}

// roster is what a rank knows of the run when all have told.
type roster struct {
	addresses [][]string // by rank
	key       []byte     // that all have who have the cards
	id        *identity.Identity
}

const shareBytes = 32

// newCard is that of rank m, which is reached at these addresses.
func newCard(cfg *Config, m dimmnet.Member, addresses []string) (*card, error) {
	c := &card{
		Share:     make([]byte, shareBytes),
		Form:      form{LLCM: cfg.LLCM, Bulk: cfg.Bulk, Beats: cfg.Stall > 0, Identified: cfg.Identity != nil},
		Addresses: addresses,
	}
	_, _ = rand.Read(c.Share) // it never fails
	if cfg.Identity != nil || m.Rank() != 0 {
		return c, nil
	}
	authority, err := identity.NewAuthority(m.Size())
	if err != nil {
		return nil, fmt.Errorf("quic: %w", err)
	}
	for rank := range m.Size() {
		id, err := authority.Issue(dimmnet.Rank(rank))
		if err != nil {
			return nil, fmt.Errorf("quic: %w", err)
		}
		c.Identities = append(c.Identities, id.Encode())
	}
	return c, nil
}

// meet tells all ranks where this one is, and finds out where they are.
func meet(ctx context.Context, cfg *Config, m dimmnet.Member, addresses []string) (*roster, error) {
	c, err := newCard(cfg, m, addresses)
	if err != nil {
		return nil, err
	}
	own, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("quic: %w", err)
	}
	blobs, err := m.Gather(ctx, own)
	if err != nil {
		return nil, fmt.Errorf("quic: gathering addresses: %w", err)
	}
	if len(blobs) != m.Size() || !bytes.Equal(blobs[m.Rank()], own) {
		return nil, errors.New("quic: the job does not have this rank's own card")
	}
	return read(blobs, c.Form, cfg.Identity, m)
}

// read reads the cards of all ranks. id is this rank's own, if it has one.
func read(blobs [][]byte, own form, id *identity.Identity, m dimmnet.Member) (*roster, error) {
	r := &roster{id: id}
	key := sha256.New()
	for rank, b := range blobs {
		var c card
		err := json.Unmarshal(b, &c)
		switch {
		case err != nil:
			return nil, fmt.Errorf("quic: the card of rank %d: %w", rank, err)
		case len(c.Share) != shareBytes || len(c.Addresses) < 1 || len(c.Addresses) > reach.Most:
			return nil, fmt.Errorf("quic: rank %d has sent a card with %d addresses and %d bytes of a key", rank, len(c.Addresses), len(c.Share))
		case c.Form != own:
			return nil, fmt.Errorf("quic: rank %d has %+v, this rank %+v: all must have the same configuration", rank, c.Form, own)
		}
		r.addresses = append(r.addresses, c.Addresses)
		if rank == 0 && id == nil {
			if r.id, err = given(c.Identities, m); err != nil {
				return nil, err
			}
		}
		one := sha256.Sum256(b)
		_, _ = key.Write(one[:]) // it never fails
	}
	r.key = key.Sum(nil)
	return r, nil
}

// given is the identity of rank m, of those that rank 0 has made.
func given(all [][]byte, m dimmnet.Member) (*identity.Identity, error) {
	if len(all) != m.Size() {
		return nil, fmt.Errorf("quic: rank 0 has made %d identities for %d ranks", len(all), m.Size())
	}
	id, err := identity.Parse(all[m.Rank()])
	if err != nil {
		return nil, fmt.Errorf("quic: the identity that rank 0 has made: %w", err)
	}
	if id.Rank() != m.Rank() || id.Size() != m.Size() {
		return nil, fmt.Errorf("quic: rank 0 has made the identity of %v for rank %d of %d", id, m.Rank(), m.Size())
	}
	return id, nil
}
