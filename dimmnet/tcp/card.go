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
// share of the key 32, LLCM 8, bulk memory 8, the address where it listens.
type card struct {
	share   [32]byte
	llcm    uint64
	bulk    uint64
	address string
}

const (
	shareBytes = 32
	cardBytes  = shareBytes + 16
)

// newCard is that of a rank which listens at address.
func newCard(cfg *Config, address string) card {
	c := card{llcm: uint64(cfg.LLCM), bulk: uint64(cfg.Bulk), address: address}
	_, _ = rand.Read(c.share[:]) // it never fails
	return c
}

func (c *card) append(b []byte) []byte {
	b = append(b, c.share[:]...)
	b = binary.LittleEndian.AppendUint64(b, c.llcm)
	b = binary.LittleEndian.AppendUint64(b, c.bulk)
	return append(b, c.address...)
}

func decodeCard(b []byte) (c card, err error) {
	const longest = 512 // of an address
	if len(b) < cardBytes || len(b) > cardBytes+longest {
		return c, fmt.Errorf("a card of %d bytes", len(b))
	}
	copy(c.share[:], b)
	c.llcm = binary.LittleEndian.Uint64(b[shareBytes:])
	c.bulk = binary.LittleEndian.Uint64(b[shareBytes+8:])
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
		if c.llcm != own.llcm || c.bulk != own.bulk {
			return nil, key, fmt.Errorf("tcp: rank %d has an LLCM of %d bytes and a bulk memory of %d, this rank %d and %d: all must have the same configuration", rank, c.llcm, c.bulk, own.llcm, own.bulk)
		}
		all = append(all, c)
		one := sha256.Sum256(b)
		_, _ = sum.Write(one[:]) // it never fails
	}
	return all, [sha256.Size]byte(sum.Sum(nil)), nil
}
