package host

import (
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

// gather is a datagram that collects posts to one peer, as records: offset (4 bytes), length (2
// bytes), bytes. A node has one open datagram at a time, so the posts of all its threads to a peer
// leave in order. An entry in the connection's window is reserved for the datagram.
type gather struct {
	by    *Thread // thread that began it; nil if there is none
	dst   dimmnet.Rank
	bytes []byte
}

func appendRecord(to []byte, off dimmnet.Offset, b []byte) []byte {
	to = binary.LittleEndian.AppendUint32(to, uint32(off))
	to = binary.LittleEndian.AppendUint16(to, uint16(len(b)))
	return append(to, b...)
}

// cutRecord splits the first record off a payload. memory is the size of the receiver's memory.
func cutRecord(payload []byte, memory int) (off dimmnet.Offset, b, rest []byte, err error) {
	if len(payload) < presets.RecordBytes {
		return 0, nil, nil, fmt.Errorf("sim: received a record of %d bytes: want at least %d", len(payload), presets.RecordBytes)
	}
	off = dimmnet.Offset(binary.LittleEndian.Uint32(payload))
	n := int(binary.LittleEndian.Uint16(payload[4:]))
	rest = payload[presets.RecordBytes:]
	if n == 0 || n > len(rest) || int64(off)+int64(n) > int64(memory) {
		return 0, nil, nil, fmt.Errorf("sim: received a record of %d bytes for offset %d: %d bytes follow, the memory has %d", n, off, len(rest), memory)
	}
	return off, rest[:n], rest[n:], nil
}

// flush sends the node's open datagram. The calling thread pays, even if another began it. The
// datagram gets its number before the thread's clock advances, so that no datagram of another
// thread overtakes it. If the stack has an acknowledgement for the peer meanwhile, the
// datagram carries it.
func (th *Thread) flush() {
	k, o := th.k, &th.node.open
	e := k.end(th.rank, o.dst)
	size := len(o.bytes)
	if !e.conn.Send(o.bytes) && k.err == nil {
		panic(fmt.Sprintf("sim: rank %d gathered %d bytes for rank %d without a reserved entry in the window", th.rank, size, o.dst))
	}
	o.by.gathers = false
	o.by, o.bytes = nil, o.bytes[:0]
	u := &k.preset.UDP
	th.Advance(u.Send + dimmnet.Time(size)*u.SendByte)
	th.Sync()
	k.pump(e, th.now, true)
}

// Gather adds a post to dst's open datagram. An open datagram to another peer leaves first.
func (th *Thread) Gather(dst dimmnet.Rank, off dimmnet.Offset, b []byte) (posted bool) {
	k, o := th.k, &th.node.open
	th.gathers = false
	th.Sync()
	for o.by != nil && (o.by != th || o.dst != dst || len(o.bytes)+presets.RecordBytes+len(b) > k.preset.UDP.Conn.Payload) {
		th.flush()
	}
	th.Advance(k.preset.UDP.Post)
	if o.by == nil && k.err == nil {
		if e := k.end(th.rank, dst); e.conn.HasSpace() {
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
