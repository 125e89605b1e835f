package sim

import (
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// gather is the datagram that a node's posts to a peer are put into, one record
// each: offset (4 bytes), length (2), bytes. A node has one at a time, so whatever
// its threads post to a peer leaves in the order posted. A place in the window of
// its connection is kept for it.
type gather struct {
	by    *thread // who began it; nil if there is none
	dst   dimmnet.Rank
	bytes []byte
}

// recordBytes is what a record has beside its bytes.
const recordBytes = 6

func appendRecord(to []byte, off dimmnet.Offset, b []byte) []byte {
	to = binary.LittleEndian.AppendUint32(to, uint32(off))
	to = binary.LittleEndian.AppendUint16(to, uint16(len(b)))
	return append(to, b...)
}

// cutRecord takes the first record off a payload from the wire, for a memory of so
// many bytes.
func cutRecord(payload []byte, memory int) (off dimmnet.Offset, b, rest []byte, err error) {
	if len(payload) < recordBytes {
		return 0, nil, nil, fmt.Errorf("sim: record of %d bytes: it has at least %d", len(payload), recordBytes)
	}
	off = dimmnet.Offset(binary.LittleEndian.Uint32(payload))
	n := int(binary.LittleEndian.Uint16(payload[4:]))
	rest = payload[recordBytes:]
	if n == 0 || n > len(rest) || int64(off)+int64(n) > int64(memory) {
		return 0, nil, nil, fmt.Errorf("sim: record of %d bytes for offset %d: %d follow, the memory has %d", n, off, len(rest), memory)
	}
	return off, rest[:n], rest[n:], nil
}

// flush sends what the node has gathered. The thread pays, whoever began it. The
// datagram has its number before that, so that none of another thread overtakes it;
// should the kernel have something to say to the peer meanwhile, it takes it along.
func (th *thread) flush() {
	k, o := th.k, &th.node.open
	e := k.end(th.rank, o.dst)
	size := len(o.bytes)
	if !e.conn.Send(o.bytes) && k.err == nil {
		panic(fmt.Sprintf("sim: rank %d gathered %d bytes for rank %d without a place in the window", th.rank, size, o.dst))
	}
	o.by.gathers = false
	o.by, o.bytes = nil, o.bytes[:0]
	u := &k.preset.UDP
	th.advance(u.Send + dimmnet.Time(size)*u.SendByte)
	th.sync()
	k.pump(e, th.now, true)
}

// gather puts a post into the datagram for its peer. Another one that is there
// leaves first.
func (th *thread) gather(dst dimmnet.Rank, off dimmnet.Offset, b []byte) (posted bool) {
	k, o := th.k, &th.node.open
	th.gathers = false
	th.sync()
	for o.by != nil && (o.by != th || o.dst != dst || len(o.bytes)+recordBytes+len(b) > k.preset.UDP.Conn.Payload) {
		th.flush()
	}
	th.advance(k.preset.UDP.Post)
	if o.by == nil && k.err == nil {
		if e := k.end(th.rank, dst); e.conn.Room() {
			o.by, o.dst = th, dst
		} else {
			e.wanted = true
		}
	}
	if o.by != th {
		return false
	}
	th.gathers = true
	if k.err != nil {
		return false
	}
	o.bytes = appendRecord(o.bytes, off, b)
	return true
}
