package syncvar

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Site is what one rank knows of a variable that ranks acquire and release one by one. One rank
// owns the variable: the owner has the newest copy, and grants requests in the order in which they
// arrive. A shared request behind an exclusive request waits, so no request waits forever. An
// exclusive grant makes its rank the owner, and the waiting requests move to the new owner.
//
// Every other rank has a Hint, which names the present or a former owner. A rank that is not the
// owner forwards a request to the rank in its Hint. This Hint is newer than the Hint by which the
// request came. So the request reaches the owner, if messages from one rank to another stay in
// order. (This is Li and Hudak's probable owner, with versions.)
//
// The owner may change as fast as a request can follow. So a rank with a request of its own defers
// requests made with an older Hint, until its own request is granted. Older requests wait only for
// newer requests, so no request waits for itself.
//
// A request may wait for a change (Want.Waits). Until the content is newer than the rank's copy, it
// delays no other request. It moves with the ownership, too.
//
// At first rank 0 owns all variables.
type Site struct {
	rank        dimmnet.Rank
	hint        Hint
	have        Version        // the version of this rank's copy; not valid at the owner
	written     Version        // at the owner: the last version that changed the content
	access      Access         // at the owner: the access of the holders
	holders     []dimmnet.Rank // at the owner: the ranks that hold the variable
	waiting     []Want         // at the owner: requests in order of arrival
	parked      []Want         // at the owner: requests that wait for a change
	lender      dimmnet.Rank   // the rank that granted this rank's last shared tenure
	asking      Want           // this rank's own request; Access is 0 if there is none
	deferred    []Want         // requests older than asking
	unannounced bool           // this rank has become the owner and not yet announced it
	chased      bool           // this rank has forwarded a request since its last own grant
}

// Hint names the rank that owned a variable at Version.
type Hint struct {
	Version Version
	Owner   dimmnet.Rank
}

// hintBits is the number of bits of the owner's rank in the word of a hint.
const hintBits = 16

// Word encodes the hint in the 8 bytes of a table entry. The word of the initial hint is 0. A
// variable with 10 million tenures a second reaches version 2^48 after 325 days.
func (h Hint) Word() uint64 { return uint64(h.Version)<<hintBits | uint64(h.Owner) }

// HintOf decodes a hint from its word.
func HintOf(word uint64) Hint {
	return Hint{Version(word >> hintBits), dimmnet.Rank(word & (1<<hintBits - 1))}
}

// Want is a rank's request for a variable.
type Want struct {
	Rank   dimmnet.Rank
	Access Access
	Brief  bool    // a shared tenure that ends at once, as in Update: it is never released
	Waits  bool    // to be granted when the content is newer than Have
	Have   Version // the version of the rank's copy
	Asked  Version // the version of the rank's hint when it made the request
	// Delayed says that the request has waited for a holder or for another request.
	Delayed bool
}

// Action is what happens to a request: it is granted or forwarded.
type Action struct {
	Want
	To dimmnet.Rank // the rank to forward the request to, or Want.Rank if it is granted
	// Only in a grant: Data says that the bytes newer than Have follow. Version is the version
	// of the tenure. Written is the last version that changed the content.
	Data             bool
	Version, Written Version
}

// Granted reports whether the request is granted.
func (t *Action) Granted() bool { return t.To == t.Rank }

// NewSite returns the initial Site of a rank. first is the version before the first tenure; it is
// 0 except in tests, which start near the end of a counter.
func NewSite(rank dimmnet.Rank, first Version) *Site {
	return &Site{rank: rank, hint: Hint{Version: first}}
}

// Hint returns what the rank knows of the owner.
func (s *Site) Hint() Hint { return s.hint }

// Owns reports whether this rank is the owner.
func (s *Site) Owns() bool { return s.hint.Owner == s.rank }

// Have returns the version of the rank's copy.
func (s *Site) Have() Version {
	if s.Owns() {
		return s.hint.Version
	}
	return s.have
}

// Blockers returns the ranks that a request of this rank waits for, as far as it knows: the
// holders if this rank is the owner, else the owner.
func (s *Site) Blockers() []dimmnet.Rank {
	if s.Owns() {
		return slices.Clone(s.holders)
	}
	return []dimmnet.Rank{s.hint.Owner}
}

// Lender returns the rank that granted this rank's shared tenure. It gets the release message.
func (s *Site) Lender() dimmnet.Rank { return s.lender }

// Learn adopts a hint that is newer than the rank's own.
func (s *Site) Learn(h Hint) {
	// Only a grant makes this rank the owner.
	if h.Version > s.hint.Version && h.Owner != s.rank && !s.Owns() {
		s.hint = h
	}
}

// Ask makes a request of this rank. It sets the Rank, Have and Asked of w, and returns the actions
// to carry out.
func (s *Site) Ask(w Want) ([]Action, error) {
	w.Rank, w.Have, w.Asked = s.rank, s.Have(), s.hint.Version
	s.asking = w
	return s.Request(w)
}

// Request handles a rank's request and returns the actions to carry out. It fails if the request
// breaks the protocol.
func (s *Site) Request(w Want) ([]Action, error) {
	if s.Owns() {
		return s.enqueue(w)
	}
	if w.Rank == s.hint.Owner {
		return nil, fmt.Errorf("syncvar: rank %d requests a variable that it owns", w.Rank)
	}
	if s.asking.Access != 0 && !s.asking.Brief && !s.asking.Waits && w.Rank != s.rank && w.Asked < s.asking.Asked {
		w.Delayed = true
		s.deferred = append(s.deferred, w)
		return nil, nil
	}
	s.chased = s.chased || w.Rank != s.rank && !w.Brief
	return []Action{{Want: w, To: s.hint.Owner}}, nil
}

func (s *Site) enqueue(w Want) ([]Action, error) {
	same := func(x Want) bool { return x.Rank == w.Rank }
	if slices.Contains(s.holders, w.Rank) || slices.ContainsFunc(s.waiting, same) || slices.ContainsFunc(s.parked, same) {
		return nil, fmt.Errorf("syncvar: rank %d requests a variable that it holds or waits for", w.Rank)
	}
	if max(w.Have, w.Asked) > s.hint.Version {
		return nil, fmt.Errorf("syncvar: rank %d requests a variable of version %d, but claims to have version %d and to know of version %d",
			w.Rank, s.hint.Version, w.Have, w.Asked)
	}
	w.Delayed = w.Delayed || len(s.waiting) > 0 || s.conflicts(w.Access)
	s.place(w)
	return s.serve(), nil
}

// place adds a request at the owner.
func (s *Site) place(w Want) {
	if w.Waits && s.written <= w.Have {
		s.parked = append(s.parked, w)
	} else {
		s.waiting = append(s.waiting, w)
	}
}

// Release ends a rank's tenure at the owner and returns the actions to carry out. written says
// that the tenure changed the variable.
func (s *Site) Release(rank dimmnet.Rank, written bool) ([]Action, error) {
	i := slices.Index(s.holders, rank)
	if i < 0 {
		return nil, fmt.Errorf("syncvar: rank %d releases a variable that it does not hold", rank)
	}
	if written && s.access != Exclusive {
		return nil, fmt.Errorf("syncvar: rank %d releases a variable as written: held %v, not %v", rank, s.access, Exclusive)
	}
	s.holders = slices.Delete(s.holders, i, i+1)
	if written {
		s.written = s.hint.Version
		parked := s.parked
		s.parked = nil
		for _, w := range parked {
			s.place(w)
		}
	}
	return s.serve(), nil
}

// Granted records that rank from has granted this rank's request, and returns the actions for the
// deferred requests. The caller must wait for the data of the grant before it uses the variable.
func (s *Site) Granted(from dimmnet.Rank, version, written Version) (actions []Action) {
	access, deferred := s.asking.Access, s.deferred
	s.asking, s.deferred, s.have, s.chased = Want{}, nil, version, false
	if access == Shared {
		// The lender stays the owner until this rank releases the variable.
		s.lender = from
		s.Learn(Hint{version, from})
		for _, w := range deferred {
			actions = append(actions, Action{Want: w, To: from})
		}
		return actions
	}
	s.hint = Hint{version, s.rank}
	s.written, s.unannounced = written, true
	s.holders, s.access = append(s.holders, s.rank), access
	for _, w := range deferred {
		s.place(w)
	}
	return nil
}

// Free reports whether this rank owns the variable, nobody holds it, and nobody waits for it.
func (s *Site) Free() bool { return s.Owns() && len(s.holders)+len(s.waiting)+len(s.parked) == 0 }

// Written returns, at the owner, the last version that changed the content.
func (s *Site) Written() Version { return s.written }

// Takes reports whether this rank may take the variable from the owner without a request. It may
// not after it has forwarded another rank's request: that request could follow the variable
// forever, while ranks take it from each other. The rank's own request comes behind the other one.
func (s *Site) Takes() bool { return !s.Owns() && !s.chased }

// Take makes this rank the owner, as an exclusive grant does. The rank has taken the variable from
// its owner, who left it Free at an earlier version. written is as in Granted.
func (s *Site) Take(version, written Version) {
	s.hint, s.written, s.unannounced = Hint{version, s.rank}, written, true
	s.holders, s.access = append(s.holders, s.rank), Exclusive
}

// Lose records that another rank has taken the variable from this rank, where it was Free.
func (s *Site) Lose(to Hint) { s.have, s.hint = s.hint.Version, to }

// Announcement returns the hint that this rank must announce to all ranks. ok is true if this rank
// has become the owner, still is, and has not announced it. Each hint is returned once.
func (s *Site) Announcement() (h Hint, ok bool) {
	ok = s.unannounced && s.Owns()
	s.unannounced = false
	return s.hint, ok
}

func (s *Site) serve() (actions []Action) {
	for len(s.waiting) > 0 {
		w := s.waiting[0]
		if s.conflicts(w.Access) {
			break
		}
		s.waiting = s.waiting[1:]
		actions = append(actions, s.grant(w))
		if !s.Owns() {
			for _, x := range append(s.waiting, s.parked...) {
				actions = append(actions, Action{Want: x, To: s.hint.Owner})
			}
			s.waiting, s.parked = nil, nil
		}
	}
	return actions
}

func (s *Site) conflicts(access Access) bool {
	return len(s.holders) > 0 && (s.access == Exclusive || access == Exclusive)
}

func (s *Site) grant(w Want) Action {
	if w.Access == Exclusive {
		s.have = s.hint.Version
		s.hint = Hint{s.hint.Version + 1, w.Rank}
	}
	if w.Rank == s.rank {
		s.asking = Want{}
	}
	if s.Owns() && !w.Brief {
		s.holders, s.access = append(s.holders, w.Rank), w.Access
	}
	return Action{Want: w, To: w.Rank, Data: w.Rank != s.rank && w.Have < s.written, Version: s.hint.Version, Written: s.written}
}
