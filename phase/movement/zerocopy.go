package movement

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
)

// zeroCopyCutBytes is the size of the largest cut. A rank that passes on a variable sends a cut
// when the whole cut has arrived.
const zeroCopyCutBytes = 1 << 20

// zeroCopy is the method of a port that moves bytes from one program's memory to another's
// (dimmnet.ZeroCopy). A slot lists locations, and their bytes follow in the stream to the peer.
// The receiver checks each location and posts a receive into the memory of its cut.
type zeroCopy struct {
	queued
	mover *Mover
	port  dimmnet.ZeroCopy
}

func (m *zeroCopy) slots() (ringbuf.Kind, int) { return ringbuf.Locations, zeroCopyCutBytes }
func (m *zeroCopy) fullQueue() string          { return "room at ranks" }
func (m *zeroCopy) abandon()                   { m.port.Abandon() }

func (m *zeroCopy) ends(peer dimmnet.Rank) (dataSender, dataReceiver) {
	return &zeroCopySender{mover: m.mover, port: m.port, to: peer},
		&zeroCopyReceiver{locationReader: locationReader{mover: m.mover, from: peer}, port: m.port}
}

type sendState uint8

const (
	sendNone    sendState = iota // the network has read everything that was sent
	sendCuts                     // cuts of the last slot are still to be posted
	sendReading                  // all cuts are posted; the network may still read them
)

type zeroCopySender struct {
	mover *Mover
	port  dimmnet.ZeroCopy
	to    dimmnet.Rank

	state sendState
	cuts  [][]byte // of the last slot
	next  int      // the first cut that is still to be posted
	buf   []byte   // the contents of the last slot
}

func (s *zeroCopySender) ready() bool   { return true }
func (s *zeroCopySender) pending() bool { return s.state == sendCuts }

func (s *zeroCopySender) slot(t *outTransfer) (ringbuf.Header, []byte) {
	buf, cuts := s.mover.takeLocations(s.buf[:0], t)
	s.buf, s.cuts, s.next = buf, s.cuts[:0], 0
	for _, c := range cuts {
		if c.Len() > 0 { // a cut is empty if nothing is newer
			s.cuts = append(s.cuts, s.mover.Space.Bytes(c.Range))
			s.state = sendCuts
		}
	}
	return ringbuf.Header{Kind: ringbuf.Locations, Len: len(buf)}, buf
}

func (s *zeroCopySender) step() (progress bool) {
	for s.next < len(s.cuts) && s.port.Send(s.to, s.cuts[s.next]) {
		s.next++
		progress = true
	}
	if s.next == len(s.cuts) {
		s.state = sendReading
	}
	return progress
}

func (s *zeroCopySender) reading() bool {
	if s.state == sendReading && !s.port.Sending(s.to) {
		s.state = sendNone
	}
	return s.state != sendNone
}

// zeroCopyReceiver takes further slots while the bytes of earlier slots arrive.
type zeroCopyReceiver struct {
	locationReader
	port      dimmnet.ZeroCopy
	receiving []*stream // for each cut its stream, in the order of the posted receives
	received  int       // how many of the cuts are complete
}

func (r *zeroCopyReceiver) pending() bool { return r.received < len(r.receiving) }

func (r *zeroCopyReceiver) accept(ring *ringbuf.Receiver, h ringbuf.Header) error {
	if h.Addr != 0 {
		return fmt.Errorf("phase: rank %d sent locations with cooperative copy %d, which this port does not have", r.from, h.Addr)
	}
	found, err := r.read(ring, h)
	if err != nil {
		return err
	}
	for _, l := range found {
		r.port.Receive(r.from, l.mem)
		r.receiving = append(r.receiving, l.stream)
	}
	return nil
}

func (r *zeroCopyReceiver) step() (progress, blocked bool, err error) {
	if !r.pending() {
		return false, false, nil
	}
	for left := r.port.Receiving(r.from); len(r.receiving)-r.received > left; {
		r.receiving[r.received].incomplete--
		r.received++
		progress = true
	}
	if !r.pending() {
		r.receiving, r.received = r.receiving[:0], 0
	}
	return progress, false, nil
}
