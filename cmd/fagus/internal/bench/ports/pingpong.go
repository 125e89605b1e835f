package ports

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Pair is a rank of two that measures its port. Both ranks make the same calls in the same order.
type Pair struct {
	p     dimmnet.Port
	page  []byte
	round uint64 // of the flag
}

// The layout of the LLCM: words, and a page.
const (
	flagAt    = dimmnet.Offset(0)  // counts rounds
	answerAt  = dimmnet.Offset(8)  // a time that the peer sends
	doneAt    = dimmnet.Offset(16) // the completion of a Push
	beganAt   = dimmnet.Offset(24) // another time that the peer sends
	verdictAt = dimmnet.Offset(32) // whether a sample counts
	storeAt   = dimmnet.Offset(64) // where Overlap stores
	pageAt    = dimmnet.Offset(PageBytes)
)

// PageBytes is the most that PingPong sends.
const PageBytes = 4096

// Run calls body at both ranks of a run of two on net.
func Run(ctx context.Context, net dimmnet.Network, body func(*Pair) error) error {
	return net.Run(ctx, 2, func(h dimmnet.Host) error {
		p := h.Port()
		if need := int(pageAt) + PageBytes; p.Limits().LLCM < need {
			return fmt.Errorf("ports: LLCM of %d bytes: want at least %d", p.Limits().LLCM, need)
		}
		return body(&Pair{p: p, page: make([]byte, PageBytes)})
	})
}

// Rank returns the number of this rank, 0 or 1.
func (b *Pair) Rank() int { return int(b.p.Rank()) }

// PingPong sends bytes, 8 to PageBytes, to rank 1 and as many back, count times. It returns the
// time that they took, at this rank. More than a word is a page and the flag after it.
func (b *Pair) PingPong(count, bytes int) (time.Duration, error) {
	if bytes < dimmnet.WordBytes || bytes > PageBytes {
		return 0, fmt.Errorf("ports: messages of %d bytes: want %d to %d", bytes, dimmnet.WordBytes, PageBytes)
	}
	if err := b.trip(dimmnet.WordBytes); err != nil { // rank 1 is there
		return 0, err
	}
	start := time.Now()
	for range count {
		if err := b.trip(bytes); err != nil {
			return 0, err
		}
	}
	return time.Since(start), b.p.Err() // sends the last answer, which the port may have gathered
}

func (b *Pair) trip(bytes int) error {
	b.round++
	if b.p.Rank() == 0 {
		if err := b.send(bytes); err != nil {
			return err
		}
		return b.await(flagAt, b.round)
	}
	if err := b.await(flagAt, b.round); err != nil {
		return err
	}
	return b.send(bytes)
}

func (b *Pair) send(bytes int) error {
	if bytes > dimmnet.WordBytes {
		if err := b.write(b.page[:bytes]); err != nil {
			return err
		}
	}
	return b.store(flagAt, b.round)
}

// write writes a page, or a part of it, to the peer's page.
func (b *Pair) write(p []byte) error {
	block := b.p.Limits().Block
	for from := 0; from < len(p); from += block {
		piece, to := p[from:min(len(p), from+block)], pageAt+dimmnet.Offset(from)
		if err := b.post(func() bool { return b.p.Write(1-b.p.Rank(), to, piece) }); err != nil {
			return err
		}
	}
	return nil
}

func (b *Pair) store(at dimmnet.Offset, v uint64) error {
	return b.post(func() bool { return b.p.Store(1-b.p.Rank(), at, v, dimmnet.WordBytes) })
}

func (b *Pair) post(post func() bool) error {
	if post() {
		return nil
	}
	return b.until(post)
}

// await waits until a word of this rank's LLCM is at least want.
func (b *Pair) await(at dimmnet.Offset, want uint64) error {
	return b.until(func() bool { return b.p.Load(at) >= want })
}

func (b *Pair) until(step func() bool) error { return dimmnet.Until(b.p, step) }

// fill sets every word of p to v.
func fill(p []byte, v uint64) {
	for at := 0; at < len(p); at += dimmnet.WordBytes {
		binary.LittleEndian.PutUint64(p[at:], v)
	}
}

// filled reports whether every word of p is v.
func filled(p []byte, v uint64) bool {
	for at := 0; at < len(p); at += dimmnet.WordBytes {
		if binary.LittleEndian.Uint64(p[at:]) != v {
			return false
		}
	}
	return true
}
