package threaded

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// table is where every rank's LLCM says who owns the variables: a word for each of
// the first ones, a hint that whoever becomes the owner writes to all. Nobody relies
// on it; of the variables beyond it, a rank knows what it has been told by grants.
type table struct {
	at      dimmnet.Offset
	entries int
}

// tableShare is which part of the LLCM the table may take, as its divisor.
const tableShare = 4

// newTable puts the table at the end of an LLCM of so many bytes, whole words.
func newTable(llcm int) table {
	entries := llcm / dimmnet.WordBytes / tableShare
	return table{at: dimmnet.Offset(llcm - entries*dimmnet.WordBytes), entries: entries}
}

func (t *table) word(id syncvar.ID) (off dimmnet.Offset, ok bool) {
	return t.at + dimmnet.Offset(id)*dimmnet.WordBytes, int(id) < t.entries
}

// load reads what the own table says. A peer wrote it: the owner may be no rank.
func (t *table) load(p dimmnet.Port, id syncvar.ID) syncvar.Hint {
	off, ok := t.word(id)
	if !ok {
		return syncvar.Hint{}
	}
	return syncvar.HintOf(p.Load(off))
}

// tell writes a hint to the tables of all others.
func (t *table) tell(p dimmnet.Port, id syncvar.ID, h syncvar.Hint) error {
	off, ok := t.word(id)
	if !ok {
		return nil
	}
	s := teller{port: p, off: off, word: h.Word()}
	return dimmnet.Drive(p, &s, func() bool { return int(s.next) == p.Nodes() })
}

// teller stores a word at every rank but the own.
type teller struct {
	port dimmnet.Port
	off  dimmnet.Offset
	word uint64
	next dimmnet.Rank
}

// Step stores it at one more rank.
func (t *teller) Step() (progress bool, err error) {
	if t.next == t.port.Rank() || t.port.Store(t.next, t.off, t.word, dimmnet.WordBytes) {
		t.next++
		return true, nil
	}
	return false, nil
}
