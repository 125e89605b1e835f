package cluster

import (
	"fmt"
	"os"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// share is the contribution of one rank to a collective call: a blob or a file.
type share struct {
	blob []byte
	file *os.File
}

// batch holds the shares of consecutive ranks in one call, as rank 0 sends or receives them.
type batch struct {
	call   uint32
	kind   kind         // kindBlob or kindFiles
	first  dimmnet.Rank // rank of shares[0]
	shares []share
}

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

func (b *batch) close() {
	for _, s := range b.shares {
		if s.file != nil {
			_ = s.file.Close() // the file was never used
		}
	}
}

// assembler builds batches from messages, which arrive in order.
type assembler struct {
	first dimmnet.Rank // first rank of every batch
	count int          // shares in every batch
	now   batch        // the unfinished batch, with its complete shares
	part  []byte       // received bytes of the unfinished blob
	total int          // size of the unfinished blob in bytes; valid if begun
	begun bool         // the first message of the unfinished blob has arrived
}

// add adds a message. It returns the batch if the message completes the batch, else nil. The
// assembler owns the files of the message and closes them on error.
func (a *assembler) add(m message) (*batch, error) {
	if err := a.addShares(m); err != nil {
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

func (a *assembler) addShares(m message) error {
	b := &a.now
	if len(b.shares) == 0 && !a.begun {
		*b = batch{call: m.call, kind: m.kind, first: a.first}
	}
	next := int(a.first) + len(b.shares)
	left := a.count - len(b.shares)
	switch {
	case m.call != b.call || m.kind != b.kind:
		return fmt.Errorf("cluster: the messages of call %d (%s) are incomplete, but are followed by a message of call %d (%s)", b.call, b.kind, m.call, m.kind)
	case int(m.rank) != next || len(m.files) > left:
		return fmt.Errorf("cluster: received %d files or a blob from rank %d: want shares from rank %d on, of at most %d ranks after it", len(m.files), m.rank, next, left-1)
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
		return fmt.Errorf("cluster: received %d more bytes of a blob of %d bytes, of which %d have arrived: rank %d now gives its size as %d bytes", len(m.body), a.total, len(a.part), m.rank, m.total)
	}
	if a.part = append(a.part, m.body...); have == a.total {
		b.shares = append(b.shares, share{blob: a.part})
		a.part, a.begun = nil, false
	}
	return nil
}
