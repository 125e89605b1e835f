package tcp

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet/cpuset"
	"github.com/fagus-dsm/fagus/dimmnet/reach"
	"github.com/fagus-dsm/fagus/dimmnet/stream"
)

// card is what a rank tells the others before they meet, in bytes, little endian: its
// share of the key 32, LLCM 8, bulk memory 8, what has checksums 4, whether it beats 4, the
// processors that it may use 128, the addresses where it may be reached, with a comma between
// them.
type card struct {
	share     [32]byte
	form      form
	cpus      cpuset.Set
	addresses []string // host and port
	port      uint16   // in all of them; known of a card that was decoded
}

// form is what all ranks must have in common.
type form struct {
	llcm, bulk uint64 // bytes
	sums       stream.Sums
	beats      bool
}

const (
	shareBytes = 32
	cardBytes  = shareBytes + 24 + len(cpuset.Set{})
	rankBytes  = 2
)

// newCard is that of a rank which is reached at these addresses.
func newCard(cfg *Config, addresses []string) card {
	c := card{
		form:      form{llcm: uint64(cfg.LLCM), bulk: uint64(cfg.Bulk), sums: cfg.sums(), beats: cfg.Stall > 0},
		cpus:      cpuset.Own(),
		addresses: addresses,
	}
	_, _ = rand.Read(c.share[:]) // it never fails
	return c
}

func (c *card) append(b []byte) []byte {
	b = append(b, c.share[:]...)
	b = binary.LittleEndian.AppendUint64(b, c.form.llcm)
	b = binary.LittleEndian.AppendUint64(b, c.form.bulk)
	b = binary.LittleEndian.AppendUint32(b, uint32(c.form.sums))
	beats := uint32(0)
	if c.form.beats {
		beats = 1
	}
	b = binary.LittleEndian.AppendUint32(b, beats)
	b = append(b, c.cpus[:]...)
	return append(b, strings.Join(c.addresses, ",")...)
}

func decodeCard(b []byte) (c card, err error) {
	const longest = reach.Most * 256 // of the addresses
	if len(b) < cardBytes || len(b) > cardBytes+longest {
		return c, fmt.Errorf("a card of %d bytes", len(b))
	}
	copy(c.share[:], b)
	c.form.llcm = binary.LittleEndian.Uint64(b[shareBytes:])
	c.form.bulk = binary.LittleEndian.Uint64(b[shareBytes+8:])
	kinds, beats := binary.LittleEndian.Uint32(b[shareBytes+16:]), binary.LittleEndian.Uint32(b[shareBytes+20:])
	if kinds > uint32(stream.SumNone) || beats > 1 {
		return c, fmt.Errorf("a card with checksums of kind %d and %d beats", kinds, beats)
	}
	c.form.sums, c.form.beats = stream.Sums(kinds), beats == 1
	copy(c.cpus[:], b[shareBytes+24:])
	c.addresses = strings.Split(string(b[cardBytes:]), ",")
	if len(c.addresses) > reach.Most {
		return c, fmt.Errorf("a card with %d addresses", len(c.addresses))
	}
	for i, address := range c.addresses {
		_, text, err := net.SplitHostPort(address)
		if err != nil {
			return c, fmt.Errorf("a card with the address %q: %w", address, err)
		}
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || i > 0 && uint16(port) != c.port {
			return c, fmt.Errorf("a card with the address %q: another port than %d", address, c.port)
		}
		c.port = uint16(port)
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
