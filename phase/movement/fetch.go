package movement

import (
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// fetch is the method of ranks that can read each other's memory (Config.Views). A slot lists
// locations, and the receiver copies their bytes from the sender's memory, portion by portion.
// The sender changes none of these bytes before the next phase, in which the receiver takes part.
//
// Large copies are cooperative: see coopcopy.go.
//
// Small variables take no slot. When all lists have arrived, a receiver copies the whole variable
// from its owner's memory: the owner released the variable before it sent its list, and cannot
// acquire it before the receiver sends its next list.
type fetch struct {
	queued
	mover *Mover
	help  bool               // this rank helps receivers to copy
	most  int                // Config.Whole
	whole []syncvar.Transfer // small variables that this rank copies in this phase
	rest  []syncvar.Transfer // the other transfers; reused
}

// WholeBytes is the value of Config.Whole that the live networks use. To copy so many bytes takes
// as long as a slot with locations takes to arrive: about 3 us.
const WholeBytes = 32 << 10

// assign takes the transfers of small variables.
func (m *fetch) assign(transfers []syncvar.Transfer) (queued []syncvar.Transfer) {
	m.rest = m.rest[:0]
	for _, t := range transfers {
		switch {
		case !m.small(t.ID):
			m.rest = append(m.rest, t)
		case t.To == m.mover.Rank:
			m.whole = append(m.whole, t)
		case t.From == m.mover.Rank:
			m.mover.Counts.Transfers++
		}
	}
	return m.rest
}

// CopiesWhole reports whether this rank would copy the whole variable from its owner's memory.
func (m *Mover) CopiesWhole(id syncvar.ID) bool {
	f, ok := m.method.(*fetch)
	return ok && f.small(id)
}

// small reports whether receivers copy the whole variable. A rank that has not bound the variable
// has no part in its transfers.
func (m *fetch) small(id syncvar.ID) bool {
	if !m.mover.Space.Bound(id) {
		return false
	}
	bytes, _ := m.mover.Space.Extent(id)
	return bytes <= m.most
}

func (m *fetch) pending() bool { return len(m.whole) > 0 }

// step copies one small variable.
func (m *fetch) step() (progress bool, err error) {
	last := len(m.whole) - 1
	if last < 0 {
		return false, nil
	}
	id := m.whole[last].ID
	m.whole = m.whole[:last]
	m.mover.CopyWhole(id, m.mover.agreement.Owner(id))
	return true, nil
}

// CopyWhole copies all that a variable guards from its owner's memory. It never reads from a
// relaying rank, which is copying the data itself now.
func (m *Mover) CopyWhole(id syncvar.ID, owner dimmnet.Rank) {
	for _, r := range m.Space.Ranges(id) {
		m.Counts.Fetched += uint64(copy(m.Space.Bytes(r), m.Space.View(owner, r)))
	}
	m.AcceptWhole(id)
}

func (m *fetch) slots() (ringbuf.Kind, int) { return ringbuf.Locations, consistency.MaxAddr }

func (m *fetch) ends(peer dimmnet.Rank) (dataSender, dataReceiver) {
	return &fetchSender{mover: m.mover, to: peer, help: m.help},
		&fetchReceiver{locationReader: locationReader{mover: m.mover, from: peer}}
}

type helpState uint8

const (
	helpNone helpState = iota // the receiver copies alone, or has nothing to copy
	helpCopy                  // this rank copies portions from the back
	helpDone                  // this rank has copied its share; the receiver has not finished
)

type fetchSender struct {
	mover *Mover
	to    dimmnet.Rank
	help  bool

	state helpState
	buf   []byte // the contents of the last slot
	coop  coopCopy
	last  uint32 // the number of the last cooperative copy
}

func (s *fetchSender) reading() bool { return false }
func (s *fetchSender) pending() bool { return s.state == helpCopy }

// ready reports whether the receiver has finished the last cooperative copy. Before that, the next
// one would overwrite words that the receiver still reads.
func (s *fetchSender) ready() bool {
	if s.state == helpDone && s.receiverDone() {
		s.state = helpNone
	}
	return s.state == helpNone
}

func (s *fetchSender) slot(t *outTransfer) (ringbuf.Header, []byte) {
	buf, cuts := s.mover.takeLocations(s.buf[:0], t)
	s.buf = buf
	h := ringbuf.Header{Kind: ringbuf.Locations, Len: len(buf)}
	if s.help && s.begin(cuts) {
		s.state = helpCopy
		h.Addr = uint64(s.coop.number)
	}
	return h, buf
}

type fetchState uint8

const (
	fetchNone  fetchState = iota // nothing is to be copied
	fetchAlone                   // this rank copies all portions
	fetchCoop                    // the sender copies too
)

type fetchReceiver struct {
	locationReader
	state fetchState
	coop  coopCopy
}

func (r *fetchReceiver) pending() bool { return r.state != fetchNone }

func (r *fetchReceiver) accept(ring *ringbuf.Receiver, h ringbuf.Header) error {
	if h.Addr > 0 && (h.Addr > math.MaxUint32 || r.mover.coop == nil) {
		return fmt.Errorf("phase: rank %d sent locations with cooperative copy %d, which this port does not have", r.from, h.Addr)
	}
	found, err := r.read(ring, h)
	if err != nil || len(found) == 0 {
		return err
	}
	r.coop = coopCopy{portions: r.coop.portions[:0], number: uint32(h.Addr)}
	for _, l := range found {
		r.coop.add(l.Range)
	}
	r.state = fetchAlone
	if h.Addr > 0 {
		r.state = fetchCoop
	}
	return nil
}

// step copies one portion, or ends the copy of the slot. Until then the queue takes no other slot.
func (r *fetchReceiver) step() (progress, blocked bool, err error) {
	done := false
	switch r.state {
	case fetchNone:
		return false, false, nil
	case fetchAlone:
		progress, done = r.copyAlone()
	case fetchCoop:
		progress, done, err = r.copyFront()
	}
	if done {
		for _, l := range r.found {
			l.stream.incomplete--
		}
		r.found, r.state = r.found[:0], fetchNone
	}
	return progress, true, err
}

func (r *fetchReceiver) copyAlone() (progress, done bool) {
	if r.coop.front == len(r.coop.portions) {
		return true, true
	}
	r.copyNext()
	return true, false
}

func (r *fetchReceiver) copyNext() {
	rng := r.coop.portions[r.coop.front]
	copy(r.mover.Space.Bytes(rng), r.mover.Space.View(r.from, rng))
	r.coop.front++
}
