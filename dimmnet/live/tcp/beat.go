package tcp

import (
	"crypto/hmac"
	"encoding/binary"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
)

// A beat is a datagram by which a process shows that it is alive. It is little endian; sizes in
// bytes: magic (8), rank (2), a number that grows (8), HMAC of the fields before (32).
const (
	beatMagic   = 0x31544142_73756761 // "agusBAT1"
	beatBytes   = 8 + rankBytes + 8   // without the HMAC
	sealedBeat  = beatBytes + mesh.KeyBytes
	sendTime    = 50 * time.Millisecond // bounds the sending of one beat to all ranks
	receiveTime = 5 * time.Millisecond  // bounds one Receive, in case someone floods the port
	beatPurpose = "beats"               // separates the key of beats from the key of handshakes
)

// beats sends the beats of a rank and receives the beats of its peers. One goroutine uses it,
// except that add may be called at any time.
type beats struct {
	conn   *net.UDPConn
	key    []byte
	self   dimmnet.Rank
	number uint64   // number of the last beat that was sent
	ports  []uint16 // by rank
	heard  []uint64 // by rank: the number of the last beat, 0 before the first

	mu    sync.Mutex       // guards peers
	peers []netip.AddrPort // by rank; invalid for the own rank, and without a connection
}

func newBeats(self dimmnet.Rank, j *joined) *beats {
	b := &beats{conn: j.udp, self: self, ports: j.ports, peers: make([]netip.AddrPort, len(j.conns)), heard: make([]uint64, len(j.conns))}
	b.key = mesh.MAC(j.key, []byte(beatPurpose))
	for rank, conn := range j.conns {
		if conn != nil {
			b.add(dimmnet.Rank(rank), conn)
		}
	}
	return b
}

// add adds a peer that gets beats, at the address to which conn connects.
func (b *beats) add(rank dimmnet.Rank, conn net.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.peers[rank] = netip.AddrPortFrom(conn.RemoteAddr().(*net.TCPAddr).AddrPort().Addr(), b.ports[rank])
}

func (b *beats) append(p []byte, rank dimmnet.Rank, number uint64) []byte {
	start := len(p)
	p = binary.LittleEndian.AppendUint64(p, beatMagic)
	p = binary.LittleEndian.AppendUint16(p, uint16(rank))
	p = binary.LittleEndian.AppendUint64(p, number)
	return append(p, mesh.MAC(b.key, p[start:])...)
}

func (b *beats) Send() {
	b.number++
	beat := b.append(nil, b.self, b.number)
	// Without a deadline the writes would block while the network device is busy.
	_ = b.conn.SetWriteDeadline(time.Now().Add(sendTime))
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, peer := range b.peers {
		if peer.IsValid() {
			_, _ = b.conn.WriteToUDPAddrPort(beat, peer)
		}
	}
}

// Receive processes all beats that have arrived.
func (b *beats) Receive() {
	var p [sealedBeat + 1]byte
	for begun := time.Now(); time.Since(begun) < receiveTime; {
		n, ok := arrived(b.conn, p[:])
		if !ok {
			break
		}
		b.process(p[:n])
	}
}

// process records a beat if it is authentic and newer than the last one of its rank.
func (b *beats) process(p []byte) {
	if len(p) != sealedBeat || binary.LittleEndian.Uint64(p) != beatMagic {
		return
	}
	rank, number := binary.LittleEndian.Uint16(p[8:]), binary.LittleEndian.Uint64(p[8+rankBytes:])
	if int(rank) >= len(b.heard) || number <= b.heard[rank] {
		return
	}
	if hmac.Equal(p, b.append(nil, dimmnet.Rank(rank), number)) {
		b.heard[rank] = number
	}
}

// Heard returns the number of the last beat of rank.
func (b *beats) Heard(rank dimmnet.Rank) uint64 { return b.heard[rank] }

// Close closes the socket.
func (b *beats) Close() { _ = b.conn.Close() }
