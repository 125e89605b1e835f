package tcp

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
)

// card is what a rank tells the others before they meet, in bytes, little endian: its
// share of the key 32, LLCM 8, bulk memory 8, whether large pieces are unsummed 8, the
// address where it listens.
type card struct {
	share   [32]byte
	form    form
	address string
}

// form is what all ranks must have in common.
type form struct {
	llcm, bulk uint64 // bytes
	unsummed   uint64 // 1 or 0
}

const (
	shareBytes = 32
	cardBytes  = shareBytes + 24
)

// newCard is that of a rank which listens at address.
func newCard(cfg *Config, address string) card {
	c := card{form: form{llcm: uint64(cfg.LLCM), bulk: uint64(cfg.Bulk)}, address: address}
	if cfg.Unsummed {
		c.form.unsummed = 1
	}
	_, _ = rand.Read(c.share[:]) // it never fails
	return c
}

func (c *card) append(b []byte) []byte {
	b = append(b, c.share[:]...)
	b = binary.LittleEndian.AppendUint64(b, c.form.llcm)
	b = binary.LittleEndian.AppendUint64(b, c.form.bulk)
	b = binary.LittleEndian.AppendUint64(b, c.form.unsummed)
	return append(b, c.address...)
}

func decodeCard(b []byte) (c card, err error) {
	const longest = 512 // of an address
	if len(b) < cardBytes || len(b) > cardBytes+longest {
		return c, fmt.Errorf("a card of %d bytes", len(b))
	}
	copy(c.share[:], b)
	c.form.llcm = binary.LittleEndian.Uint64(b[shareBytes:])
	c.form.bulk = binary.LittleEndian.Uint64(b[shareBytes+8:])
	c.form.unsummed = binary.LittleEndian.Uint64(b[shareBytes+16:])
	c.address = string(b[cardBytes:])
	if _, _, err := net.SplitHostPort(c.address); err != nil {
		return c, fmt.Errorf("a card with the address %q: %w", c.address, err)
	}
	return c, nil
}

// cards are those of all ranks, and the key that all have who have them.
func cards(blobs [][]byte, own card, self int) (all []card, key [sha256.Size]byte, err error) {
	if own := own.append(nil); self >= len(blobs) || !bytes.Equal(blobs[self], own) {
		return nil, key, errors.New("tcp: the job does not have this rank's own card")
	}
	sum := sha256.New()
	for rank, b := range blobs {
		c, err := decodeCard(b)
		if err != nil {
			return nil, key, fmt.Errorf("tcp: rank %d has sent %w", rank, err)
		}
		if c.form != own.form {
			return nil, key, fmt.Errorf("tcp: rank %d has %+v, this rank %+v: all must have the same configuration", rank, c.form, own.form)
		}
		all = append(all, c)
		one := sha256.Sum256(b)
		_, _ = sum.Write(one[:]) // it never fails
	}
	return all, [sha256.Size]byte(sum.Sum(nil)), nil
}
