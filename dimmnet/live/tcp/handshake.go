package tcp

import (
	"crypto/hmac"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
)

// The handshake consists of four messages. Sizes are in bytes:
//
//	rank that dials -> peer: magic (8), own rank (2), peer's rank (2), challenge (16)
//	peer -> rank that dials: challenge (16), proof (32)
//	rank that dials -> peer: proof (32)
//	peer -> rank that dials: answer (1)
//
// A proof is an HMAC, by the key of the run, of the sender's role, the first message, and the
// peer's challenge. It cannot be made without the key, and no proof is valid a second time. The
// answer says whether the connection is admitted, or refused because the peer dials, too.
const (
	handshakeMagic = 0x32504354_73756761 // "agusTCP2"
	rankBytes      = 2
	challengeBytes = 16
	proofBytes     = mesh.KeyBytes
	openingBytes   = 8 + 2*rankBytes + challengeBytes
	answerBytes    = challengeBytes + proofBytes
)

// The answers that end a handshake.
const (
	answerCrossed  = 0
	answerAdmitted = 1
)

const (
	roleAccepts = "accepts"
	roleDials   = "dials"
)

// errRefused gives no reason, because the peer may not belong to the run.
var errRefused = errors.New("the peer does not belong to this run")

// dialHandshake authenticates rank self to rank peer over conn, and rank peer to rank self.
func dialHandshake(conn net.Conn, key []byte, self, peer dimmnet.Rank) error {
	opening := binary.LittleEndian.AppendUint64(nil, handshakeMagic)
	opening = binary.LittleEndian.AppendUint16(opening, uint16(self))
	opening = binary.LittleEndian.AppendUint16(opening, uint16(peer))
	opening = append(opening, newChallenge()...)
	if _, err := conn.Write(opening); err != nil {
		return err
	}
	answer := make([]byte, answerBytes)
	if _, err := io.ReadFull(conn, answer); err != nil {
		return err
	}
	challenge, proved := answer[:challengeBytes], answer[challengeBytes:]
	if !hmac.Equal(proved, proof(key, roleAccepts, opening, challenge)) {
		return errRefused
	}
	if _, err := conn.Write(proof(key, roleDials, opening, challenge)); err != nil {
		return err
	}
	var last [1]byte
	if _, err := io.ReadFull(conn, last[:]); err != nil {
		return err
	}
	if last[0] == answerCrossed {
		return mesh.ErrCrossed
	}
	return nil
}

// acceptHandshake is the other side of dialHandshake, without the answer. It returns the rank that
// dialed rank self.
func acceptHandshake(conn net.Conn, key []byte, self dimmnet.Rank, nodes int) (dimmnet.Rank, error) {
	opening := make([]byte, openingBytes)
	if _, err := io.ReadFull(conn, opening); err != nil {
		return 0, err
	}
	peer := dimmnet.Rank(binary.LittleEndian.Uint16(opening[8:]))
	switch to := dimmnet.Rank(binary.LittleEndian.Uint16(opening[8+rankBytes:])); {
	case binary.LittleEndian.Uint64(opening) != handshakeMagic:
		return 0, errRefused
	case to != self || peer == self || int(peer) >= nodes:
		return 0, fmt.Errorf("rank %d dials rank %d, but reaches rank %d of %d: want another rank, and this rank as its peer", peer, to, self, nodes)
	}
	challenge := newChallenge()
	answer := append(challenge[:challengeBytes:challengeBytes], proof(key, roleAccepts, opening, challenge)...)
	if _, err := conn.Write(answer); err != nil {
		return 0, err
	}
	proved := make([]byte, proofBytes)
	if _, err := io.ReadFull(conn, proved); err != nil {
		return 0, err
	}
	if !hmac.Equal(proved, proof(key, roleDials, opening, challenge)) {
		return 0, errRefused
	}
	return peer, nil
}

func newChallenge() []byte {
	b := make([]byte, challengeBytes)
	_, _ = rand.Read(b) // never fails
	return b
}

func proof(key []byte, role string, opening, challenge []byte) []byte {
	return mesh.MAC(key, []byte(role), opening, challenge)
}
