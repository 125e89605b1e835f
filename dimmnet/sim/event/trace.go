package event

import (
	"hash/crc32"
	"math/bits"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Record is one entry of a run's trace: a packet that landed, or a Host.Note.
type Record struct {
	At       dimmnet.Time
	Rank     dimmnet.Rank     // node where it happened
	Note     string           // the state, or "" for a packet
	Arg      uint64           // argument of Note
	From     dimmnet.Rank     // the packet's sender
	Off      dimmnet.Offset   // address where it landed
	Bytes    int              // size of the payload
	Counters dimmnet.Counters // of the thread that called Note, at that instant
}

// Trace computes the hash of a run, passes its records on, and knows which faults have affected it.
type Trace struct {
	hash   uint64
	table  *crc32.Table
	emit   func(Record)
	struck []bool
}

// NewTrace returns the trace of a run with this many nodes and planned faults. emit gets every
// record, in order; it may be nil.
func NewTrace(nodes, faults int, emit func(Record)) *Trace {
	return &Trace{hash: Mix(uint64(nodes)), table: crc32.MakeTable(crc32.Castagnoli), emit: emit, struck: make([]bool, faults)}
}

// Hash returns the hash of what has happened.
func (t *Trace) Hash() uint64 { return t.hash }

// Strike notes that a fault has affected the run.
func (t *Trace) Strike(fault int) { t.struck[fault] = true }

// Struck returns by fault whether it has affected the run.
func (t *Trace) Struck() []bool { return t.struck }

func (t *Trace) fold(x uint64) {
	t.hash = bits.RotateLeft64(t.hash^x, 27) * 0x9e3779b97f4a7c15
}

func (t *Trace) landed(at dimmnet.Time, from, rank dimmnet.Rank, off uint64, payload uint64, bytes int) {
	t.fold(uint64(at))
	t.fold(uint64(from)<<48 | uint64(rank)<<32 ^ off)
	t.fold(payload)
	if t.emit != nil {
		t.emit(Record{At: at, Rank: rank, From: from, Off: dimmnet.Offset(off), Bytes: bytes})
	}
}

// Word records that the low size bytes of v from rank from have landed at off of rank's memory.
func (t *Trace) Word(at dimmnet.Time, from, rank dimmnet.Rank, off dimmnet.Offset, v uint64, size int) {
	t.landed(at, from, rank, uint64(off), v<<4^uint64(size), size)
}

// Bytes records that p from rank from has landed at off of rank's memory.
func (t *Trace) Bytes(at dimmnet.Time, from, rank dimmnet.Rank, off uint64, p []byte) {
	t.landed(at, from, rank, off, uint64(crc32.Checksum(p, t.table))|uint64(len(p))<<32, len(p))
}

// Note records a change of state.
func (t *Trace) Note(at dimmnet.Time, rank dimmnet.Rank, what string, arg uint64, c dimmnet.Counters) {
	t.fold(uint64(at))
	t.fold(uint64(rank))
	for _, b := range []byte(what) {
		t.fold(uint64(b))
	}
	t.fold(arg)
	if t.emit != nil {
		t.emit(Record{At: at, Rank: rank, Note: what, Arg: arg, Counters: c})
	}
}
