package sim

import (
	"hash/crc32"
	"math/bits"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Record is one entry of a run's trace: a packet that landed, or a change of
// state that a node noted.
type Record struct {
	At       dimmnet.Time
	Rank     dimmnet.Rank     // where it happened
	Note     string           // the state, or "" for a packet
	Arg      uint64           // of the note
	From     dimmnet.Rank     // the packet's sender
	Off      dimmnet.Offset   // where it landed
	Bytes    int              // how many
	Counters dimmnet.Counters // of the noting thread, at that instant
}

// tracer folds a run into a hash and hands its records to whoever asked.
type tracer struct {
	hash  uint64
	table *crc32.Table
	emit  func(Record)
}

func (t *tracer) fold(x uint64) {
	t.hash = bits.RotateLeft64(t.hash^x, 27) * 0x9e3779b97f4a7c15
}

func (t *tracer) land(at dimmnet.Time, p *packet) {
	t.fold(uint64(at))
	t.fold(uint64(p.src)<<48 | uint64(p.dst)<<32 | uint64(p.off))
	if p.block == nil {
		t.fold(p.word<<4 ^ uint64(p.size))
	} else {
		t.bytes(p.block[:p.size])
	}
	if t.emit != nil {
		t.emit(Record{At: at, Rank: p.dst, From: p.src, Off: p.off, Bytes: int(p.size)})
	}
}

func (t *tracer) bytes(p []byte) {
	t.fold(uint64(crc32.Checksum(p, t.table)) | uint64(len(p))<<32)
}

func (t *tracer) note(at dimmnet.Time, rank dimmnet.Rank, what string, arg uint64, c dimmnet.Counters) {
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
