package quic

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	quicgo "github.com/quic-go/quic-go"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
)

// A stream begins with a proof: an HMAC, by the key of the run, of the sender's rank, the
// receiver's rank, and keying material that TLS exports for this connection. TLS has proved the
// peer's rank in the job. The proof shows that the peer belongs to this run, and is not valid on
// another connection.
const (
	proofBytes = mesh.KeyBytes
	exporter   = "EXPORTER-fagus-hello"
)

// errRefused gives no reason, because the peer may not belong to the run.
var errRefused = errors.New("the peer does not belong to this run")

// openStream opens the stream from this rank to another, and sends the proof.
func openStream(conn *quicgo.Conn, key []byte, from, to dimmnet.Rank) (*quicgo.SendStream, error) {
	own, err := proof(conn, key, from, to)
	if err != nil {
		return nil, err
	}
	s, err := conn.OpenUniStream()
	if err != nil {
		return nil, err
	}
	_, err = s.Write(own) // does not wait, because it is shorter than a packet
	return s, err
}

// acceptStream accepts the stream from another rank to this one, and checks the proof.
func acceptStream(ctx context.Context, conn *quicgo.Conn, key []byte, from, to dimmnet.Rank) (*quicgo.ReceiveStream, error) {
	want, err := proof(conn, key, from, to)
	if err != nil {
		return nil, err
	}
	s, err := conn.AcceptUniStream(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = s.SetReadDeadline(time.Now()) })
	got := make([]byte, proofBytes)
	_, err = io.ReadFull(s, got)
	switch {
	case !stop():
		return nil, dimmnet.ContextErr(ctx)
	case err != nil:
		return nil, err
	case !hmac.Equal(got, want):
		return nil, errRefused
	}
	return s, nil
}

// proof returns the proof that starts a stream. The arguments from and to are sender and receiver.
func proof(conn *quicgo.Conn, key []byte, from, to dimmnet.Rank) ([]byte, error) {
	state := conn.ConnectionState().TLS
	channel, err := state.ExportKeyingMaterial(exporter, nil, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("quic: exporting keying material: %w", err)
	}
	ranks := binary.LittleEndian.AppendUint16(nil, uint16(from))
	ranks = binary.LittleEndian.AppendUint16(ranks, uint16(to))
	return mesh.MAC(key, ranks, channel), nil
}
