package cluster

import (
	"fmt"
	"os"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// share is what one rank gives to a collective call: a blob, or a file.
type share struct {
	blob []byte
	file *os.File
}

// batch is the shares of consecutive ranks in one call: a rank sends its own to rank 0,
// and rank 0 sends all to every rank.
type batch struct {
	call   uint32
	kind   kind // kindBlob or kindFiles
	first  dimmnet.Rank
	shares []share
}

// send sends b in as few messages as it takes.
func (b *batch) send(c conn) error {
	if b.kind == kindFiles {
		return b.sendFiles(c)
	}
	for i, s := range b.shares {
		m := message{kind: kindBlob, rank: b.first + dimmnet.Rank(i), call: b.call, total: uint32(len(s.blob))}
		for from := 0; from == 0 || from < len(s.blob); from += maxBody {
			m.body = s.blob[from:min(from+maxBody, len(s.blob))]
			if err := c.send(m); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *batch) sendFiles(c conn) error {
	for i := 0; i < len(b.shares); i += filesAMessage {
		m := message{kind: kindFiles, rank: b.first + dimmnet.Rank(i), call: b.call}
		for _, s := range b.shares[i:min(i+filesAMessage, len(b.shares))] {
			m.files = append(m.files, s.file)
		}
		if err := c.send(m); err != nil {
			return err
		}
	}
	return nil
}

// close closes the files that have come.
func (b *batch) close() {
	for _, s := range b.shares {
		if s.file != nil {
			_ = s.file.Close() // it was never used
		}
	}
}

// assembler puts a batch together from its messages, which come in order.
type assembler struct {
	first dimmnet.Rank // of every batch
	count int          // its shares
	now   batch        // those that are complete
	part  []byte       // of the next blob
	total int          // its bytes, if begun is true
	begun bool
}

// add takes a message, and returns the batch that it completes, if it does. The
// message's files are the assembler's, or closed after an error.
func (a *assembler) add(m message) (*batch, error) {
	if err := a.take(m); err != nil {
		closeAll(m.files)
		return nil, err
	}
	if len(a.now.shares) < a.count {
		return nil, nil
	}
	done := a.now
	a.now = batch{}
	return &done, nil
}

func (a *assembler) take(m message) error {
	b := &a.now
	if len(b.shares) == 0 && !a.begun {
		*b = batch{call: m.call, kind: m.kind, first: a.first}
	}
	next := int(a.first) + len(b.shares)
	left := a.count - len(b.shares)
	switch {
	case m.call != b.call || m.kind != b.kind:
		return fmt.Errorf("cluster: call %d (%s) is interrupted by call %d (%s)", b.call, b.kind, m.call, m.kind)
	case int(m.rank) != next || len(m.files) > left:
		return fmt.Errorf("cluster: %d files or a blob of rank %d where rank %d and %d others are missing", len(m.files), m.rank, next, left-1)
	}
	if m.kind == kindFiles {
		for _, f := range m.files {
			b.shares = append(b.shares, share{file: f})
		}
		return nil
	}
	if !a.begun {
		a.begun, a.total, a.part = true, int(m.total), make([]byte, 0, m.total)
	}
	have := len(a.part) + len(m.body)
	if int(m.total) != a.total || have > a.total || len(m.body) == 0 && a.total > 0 {
		return fmt.Errorf("cluster: %d more bytes of a blob of %d of which %d have come: rank %d, %d bytes", len(m.body), a.total, len(a.part), m.rank, m.total)
	}
	if a.part = append(a.part, m.body...); have == a.total {
		b.shares = append(b.shares, share{blob: a.part})
		a.part, a.begun = nil, false
	}
	return nil
}
