package threaded

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// table is the table of owners in every rank's LLCM. Variable i has entry i, if i is below
// entries. The first word of an entry is a hint, and direct mode adds two more. A rank that
// becomes the owner of a variable writes the hint to all ranks. The protocol does not rely on the
// hints: without an entry, a rank knows an owner from its last grant.
type table struct {
	base       dimmnet.Offset
	entries    int
	entryBytes int
}

// The table takes one part in tableShare of the LLCM.
const tableShare = 4

func newTable(llcm int) table {
	entries := llcm / dimmnet.WordBytes / tableShare
	return table{dimmnet.Offset(llcm - entries*dimmnet.WordBytes), entries, dimmnet.WordBytes}
}

func (t *table) word(id syncvar.ID) (off dimmnet.Offset, ok bool) {
	return t.base + dimmnet.Offset(id)*dimmnet.Offset(t.entryBytes), int(id) < t.entries
}

// load reads the entry of a variable. A faulty peer may have written an invalid rank.
func (t *table) load(p dimmnet.Port, id syncvar.ID) syncvar.Hint {
	off, ok := t.word(id)
	if !ok {
		return syncvar.Hint{}
	}
	return syncvar.HintOf(p.Load(off))
}

func (t *table) announce(p dimmnet.Port, id syncvar.ID, h syncvar.Hint) error {
	off, ok := t.word(id)
	if !ok {
		return nil
	}
	for i := range p.Nodes() {
		if rank := dimmnet.Rank(i); rank != p.Rank() {
			if err := store(p, rank, off, h.Word()); err != nil {
				return err
			}
		}
	}
	return nil
}
