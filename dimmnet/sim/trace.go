package sim

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

// tracer computes the hash of a run and passes its records to Config.Trace.
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
