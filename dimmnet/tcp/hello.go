package tcp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// A hello is three messages. The higher rank dials and sends magic 8, its rank 2, the
// other's rank 2, a challenge 16; the lower answers by a challenge 16 and a proof 32; the
// higher sends its proof 32. A proof is an HMAC by the key of the run of who proves, what
// the higher has sent and the lower's challenge: nobody can make it without the key, and
// none serves twice.
const (
	helloMagic     = 0x31504354_73756761 // "agusTCP1"
	challengeBytes = 16
	proofBytes     = sha256.Size
	dialBytes      = 8 + 2*rankBytes + challengeBytes
	answerBytes    = challengeBytes + proofBytes
)

// errRefused is why a hello has failed, without more: strangers need not know.
var errRefused = errors.New("it is not of this run")

// dialHello introduces self to peer over conn, and has it introduce itself.
func dialHello(conn net.Conn, key []byte, self, peer dimmnet.Rank) error {
	opening := binary.LittleEndian.AppendUint64(nil, helloMagic)
	opening = binary.LittleEndian.AppendUint16(opening, uint16(self))
	opening = binary.LittleEndian.AppendUint16(opening, uint16(peer))
	opening = append(opening, challenge()...)
	if _, err := conn.Write(opening); err != nil {
		return err
	}
	answer := make([]byte, answerBytes)
	if _, err := io.ReadFull(conn, answer); err != nil {
		return err
	}
	theirs, proved := answer[:challengeBytes], answer[challengeBytes:]
	if !hmac.Equal(proved, proof(key, "accepts", opening, theirs)) {
		return errRefused
	}
	_, err := conn.Write(proof(key, "dials", opening, theirs))
	return err
}

// acceptHello is the other side: the rank that has dialled self.
func acceptHello(conn net.Conn, key []byte, self dimmnet.Rank, nodes int) (dimmnet.Rank, error) {
	opening := make([]byte, dialBytes)
	if _, err := io.ReadFull(conn, opening); err != nil {
		return 0, err
	}
	peer := dimmnet.Rank(binary.LittleEndian.Uint16(opening[8:]))
	switch to := dimmnet.Rank(binary.LittleEndian.Uint16(opening[8+rankBytes:])); {
	case binary.LittleEndian.Uint64(opening) != helloMagic:
		return 0, errRefused
	case to != self || peer <= self || int(peer) >= nodes:
		return 0, fmt.Errorf("rank %d calls rank %d of %d", peer, to, nodes)
	}
	ours := challenge()
	answer := append(ours[:challengeBytes:challengeBytes], proof(key, "accepts", opening, ours)...)
	if _, err := conn.Write(answer); err != nil {
		return 0, err
	}
	proved := make([]byte, proofBytes)
	if _, err := io.ReadFull(conn, proved); err != nil {
		return 0, err
	}
	if !hmac.Equal(proved, proof(key, "dials", opening, ours)) {
		return 0, errRefused
	}
	return peer, nil
}

func challenge() []byte {
	b := make([]byte, challengeBytes)
	_, _ = rand.Read(b) // it never fails
	return b
}

// proof shows that who does what has the key.
func proof(key []byte, what string, opening, challenge []byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, b := range [][]byte{[]byte(what), opening, challenge} {
		_, _ = mac.Write(b) // it never fails
	}
	return mac.Sum(nil)
}
