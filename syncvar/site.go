package syncvar

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Site is what one rank knows of a variable that ranks acquire and release one by
// one. One rank owns the variable: its copy is the newest, and it says who is next.
// Whoever asked it first is served first; a shared request behind an exclusive one
// waits, so that nobody waits for ever. An exclusive grant makes the rank that gets
// it the owner, and takes those that wait along.
//
// The others know an owner of some time ago, their Hint. Who is asked and is not the
// owner passes the request on by its own hint, which is newer than the one that led
// to it: so a request arrives, provided that what one rank sends to another stays in
// order. (Li and Hudak's probable owners, with versions.)
//
// Ownership may move as fast as a request that follows it. So a rank that waits for
// the variable itself keeps what was asked before its own request, until that is
// granted. Older requests wait for newer ones only, so none waits for itself.
//
// In the beginning rank 0 owns everything.
type Site struct {
	rank    dimmnet.Rank
	hint    Hint
	have    Version // up to which the own copy goes; the owner's has everything
	written Version // at the owner: the last version that changed anything
	mode    Mode    // at the owner: of the holders
	holders []dimmnet.Rank
	waiting []Want
	lender  dimmnet.Rank // who gave the last shared tenure
	asking  Want         // the rank's own request, if it waits; else its Mode is 0
	kept    []Want       // that were asked before
	news    bool         // it has become the owner, and not said so
}

// Hint says who owned a variable when it had a version.
type Hint struct {
	Version Version
	Owner   dimmnet.Rank
}

// hintBits is how many bits of a hint's word are its rank.
const hintBits = 16

// Word is the hint in the 8 bytes of a table. That of a Hint from the beginning is 0.
func (h Hint) Word() uint64 { return uint64(h.Version)<<hintBits | uint64(h.Owner) }

// HintOf is the hint in a word.
func HintOf(word uint64) Hint {
	return Hint{Version(word >> hintBits), dimmnet.Rank(word & (1<<hintBits - 1))}
}

// Want is a rank's request for a variable.
type Want struct {
	Rank  dimmnet.Rank
	Mode  Mode
	Brief bool    // a shared tenure of no length, as Update has: it is never released
	Have  Version // up to which the rank's copy goes
	Asked Version // of the rank's hint when it asked
}

// Turn is what becomes of a request: it is granted, or passed on.
type Turn struct {
	Want
	To dimmnet.Rank // who gets the request, or Want.Rank if it is granted
	// Of a grant: whether what is newer than Have goes along, the variable's version,
	// which is an exclusive tenure's own, and the last one that changed anything.
	Data             bool
	Version, Written Version
}

// Granted says whether the rank that asked has what it asked for.
func (t *Turn) Granted() bool { return t.To == t.Rank }

// NewSite is a rank's knowledge in the beginning.
func NewSite(rank dimmnet.Rank) *Site { return &Site{rank: rank} }

// Hint is what the rank knows of the owner.
func (s *Site) Hint() Hint { return s.hint }

// Owns says whether this rank is the owner.
func (s *Site) Owns() bool { return s.hint.Owner == s.rank }

// Have is up to which version the rank's copy goes.
func (s *Site) Have() Version {
	if s.Owns() {
		return s.hint.Version
	}
	return s.have
}

// Before says who stands before a request of this rank, as far as it knows: those that
// hold the variable if this rank owns it, else the owner.
func (s *Site) Before() []dimmnet.Rank {
	if s.Owns() {
		return slices.Clone(s.holders)
	}
	return []dimmnet.Rank{s.hint.Owner}
}

// Lender is the owner of the rank's shared tenure, which is to know when it ends.
func (s *Site) Lender() dimmnet.Rank { return s.lender }

// Learn takes a hint, if it is newer than the own one.
func (s *Site) Learn(h Hint) {
	// Of the own ownership a rank learns by its grant alone.
	if h.Version > s.hint.Version && h.Owner != s.rank && !s.Owns() {
		s.hint = h
	}
}

// Ask is the own rank's request, which becomes w; its Rank, Have and Asked are filled
// in. It returns the turns that follow.
func (s *Site) Ask(w Want) ([]Turn, error) {
	w.Rank, w.Have, w.Asked = s.rank, s.Have(), s.hint.Version
	s.asking = w
	return s.Request(w)
}

// Request acts on a rank's request and returns the turns that follow. An error says
// that nobody asks so who keeps the rules.
func (s *Site) Request(w Want) ([]Turn, error) {
	if s.Owns() {
		return s.enqueue(w)
	}
	if w.Rank == s.hint.Owner {
		return nil, fmt.Errorf("syncvar: rank %d asks for a variable that it owns", w.Rank)
	}
	if s.asking.Mode != 0 && !s.asking.Brief && w.Rank != s.rank && w.Asked < s.asking.Asked {
		s.kept = append(s.kept, w)
		return nil, nil
	}
	return []Turn{{Want: w, To: s.hint.Owner}}, nil
}

// enqueue adds a request at the owner.
func (s *Site) enqueue(w Want) ([]Turn, error) {
	if slices.Contains(s.holders, w.Rank) || slices.ContainsFunc(s.waiting, func(x Want) bool { return x.Rank == w.Rank }) {
		return nil, fmt.Errorf("syncvar: rank %d asks for a variable that it holds or waits for", w.Rank)
	}
	if max(w.Have, w.Asked) > s.hint.Version {
		return nil, fmt.Errorf("syncvar: rank %d has version %d, and knows of version %d, of a variable of version %d", w.Rank, w.Have, w.Asked, s.hint.Version)
	}
	s.waiting = append(s.waiting, w)
	return s.serve(), nil
}

// Release ends a rank's tenure at the owner; written says whether it changed
// anything. It returns the turns that follow.
func (s *Site) Release(rank dimmnet.Rank, written bool) ([]Turn, error) {
	i := slices.Index(s.holders, rank)
	if i < 0 || written && s.mode != Exclusive {
		return nil, fmt.Errorf("syncvar: rank %d releases a variable that it does not hold so", rank)
	}
	s.holders = slices.Delete(s.holders, i, i+1)
	if written {
		s.written = s.hint.Version
	}
	return s.serve(), nil
}

// Granted learns that the owner has granted this rank's request, and returns the turns
// of those that it has kept. The data, if there are any, are taken to be here.
func (s *Site) Granted(from dimmnet.Rank, version, written Version) (turns []Turn) {
	mode, kept := s.asking.Mode, s.kept
	s.asking, s.kept, s.have = Want{}, nil, version
	if mode == Shared {
		// Who gave it stays the owner until it is released, so they arrive.
		s.lender = from
		s.Learn(Hint{version, from})
		for _, w := range kept {
			turns = append(turns, Turn{Want: w, To: from})
		}
		return turns
	}
	s.hint = Hint{version, s.rank}
	s.written, s.news = written, true
	s.holders, s.mode, s.waiting = append(s.holders, s.rank), mode, kept
	return nil
}

// News is the hint that the others need: this rank has become the owner and still
// is. It is news once.
func (s *Site) News() (h Hint, ok bool) {
	ok = s.news && s.Owns()
	s.news = false
	return s.hint, ok
}

// serve grants from the front of the queue as far as it goes.
func (s *Site) serve() (turns []Turn) {
	for len(s.waiting) > 0 {
		w := s.waiting[0]
		if len(s.holders) > 0 && (s.mode == Exclusive || w.Mode == Exclusive) {
			break
		}
		s.waiting = s.waiting[1:]
		turns = append(turns, s.grant(w))
		if !s.Owns() {
			for _, x := range s.waiting {
				turns = append(turns, Turn{Want: x, To: s.hint.Owner})
			}
			s.waiting = nil
		}
	}
	return turns
}

// grant begins a tenure.
func (s *Site) grant(w Want) Turn {
	if w.Mode == Exclusive {
		s.have = s.hint.Version
		s.hint = Hint{s.hint.Version + 1, w.Rank}
	}
	if w.Rank == s.rank {
		s.asking = Want{}
	}
	if s.Owns() && !w.Brief {
		s.holders, s.mode = append(s.holders, w.Rank), w.Mode
	}
	return Turn{Want: w, To: w.Rank, Data: w.Rank != s.rank && w.Have < s.written, Version: s.hint.Version, Written: s.written}
}
