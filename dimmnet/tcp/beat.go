//go:build linux

package tcp

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"net"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// A beat is a datagram by which a process shows that it is alive. In bytes, little
// endian: magic 8, rank 2, number 8, which grows, an HMAC of these by the key of the
// run 32.
const (
	beatMagic   = 0x31544142_73756761 // "agusBAT1"
	beatBytes   = 8 + rankBytes + 8
	sealedBeat  = beatBytes + sha256.Size
	sendTime    = 50 * time.Millisecond // for all beats that are sent at once
	listenTime  = 5 * time.Millisecond  // for all that has come, should somebody flood the port
	beatPurpose = "beats"               // a proof of the same key is for something else
)

// beats are those of a rank, and what it has heard of the others'. They belong to one
// goroutine.
type beats struct {
	conn   *net.UDPConn
	key    []byte
	self   dimmnet.Rank
	number uint64
	at     []netip.AddrPort // by rank; of none for the own
	heard  []uint64         // the number of the last beat of each, 0 before the first
}

// newBeats takes the socket of j over.
func newBeats(self dimmnet.Rank, j *joined) *beats {
	b := &beats{conn: j.udp, self: self, at: make([]netip.AddrPort, len(j.conns)), heard: make([]uint64, len(j.conns))}
	mac := hmac.New(sha256.New, j.key)
	_, _ = mac.Write([]byte(beatPurpose)) // it never fails
	b.key = mac.Sum(nil)
	for rank, conn := range j.conns {
		if conn != nil {
			b.at[rank] = netip.AddrPortFrom(conn.RemoteAddr().(*net.TCPAddr).AddrPort().Addr(), j.ports[rank])
		}
	}
	return b
}

// append puts a beat behind p.
func (b *beats) append(p []byte, rank dimmnet.Rank, number uint64) []byte {
	start := len(p)
	p = binary.LittleEndian.AppendUint64(p, beatMagic)
	p = binary.LittleEndian.AppendUint16(p, uint16(rank))
	p = binary.LittleEndian.AppendUint64(p, number)
	mac := hmac.New(sha256.New, b.key)
	_, _ = mac.Write(p[start:]) // it never fails
	return mac.Sum(p)
}

// Send sends a beat to all others. One that is lost is not missed.
func (b *beats) Send() {
	b.number++
	beat := b.append(nil, b.self, b.number)
	_ = b.conn.SetWriteDeadline(time.Now().Add(sendTime)) // for a device that takes nothing
	for _, at := range b.at {
		if at.IsValid() {
			_, _ = b.conn.WriteToUDPAddrPort(beat, at)
		}
	}
}

// Listen takes all beats that have come, and does not wait.
func (b *beats) Listen() {
	raw, err := b.conn.SyscallConn()
	if err != nil {
		return // it is closed
	}
	var p [sealedBeat + 1]byte
	_ = raw.Read(func(fd uintptr) bool {
		for begun := time.Now(); time.Since(begun) < listenTime; {
			n, _, err := unix.Recvfrom(int(fd), p[:], unix.MSG_DONTWAIT)
			if err != nil && err != unix.EINTR {
				break
			}
			b.take(p[:max(n, 0)])
		}
		return true
	})
}

// take notes a beat, if it is one of this run and newer than the last of its rank.
func (b *beats) take(p []byte) {
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

// Heard is the number of the last beat of a rank.
func (b *beats) Heard(rank dimmnet.Rank) uint64 { return b.heard[rank] }

// Close ends them.
func (b *beats) Close() { _ = b.conn.Close() }
