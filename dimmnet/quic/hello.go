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
)

// A hello is what a stream begins with: an HMAC, by the key of the run, of who sends it to
// whom and of what TLS has for this connection alone. TLS has proved that the peer is that
// rank of the job; this proves that it is of this run, and nobody else's hello serves.
const (
	helloBytes = sha256.Size
	exporter   = "EXPORTER-fagus-hello"
)

// errRefused is why a hello has failed, without more: strangers need not know.
var errRefused = errors.New("it is not of this run")

// sayHello opens the stream from a rank, which is this one, to another.
func sayHello(conn *quicgo.Conn, key []byte, from, to dimmnet.Rank) (*quicgo.SendStream, error) {
	hello, err := helloOf(conn, key, from, to)
	if err != nil {
		return nil, err
	}
	s, err := conn.OpenUniStream()
	if err != nil {
		return nil, err
	}
	_, err = s.Write(hello) // which is less than a packet and does not wait
	return s, err
}

// hearHello accepts the stream from a rank to another, which is this one.
func hearHello(ctx context.Context, conn *quicgo.Conn, key []byte, from, to dimmnet.Rank) (*quicgo.ReceiveStream, error) {
	want, err := helloOf(conn, key, from, to)
	if err != nil {
		return nil, err
	}
	s, err := conn.AcceptUniStream(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = s.SetReadDeadline(time.Now()) })
	hello := make([]byte, helloBytes)
	_, err = io.ReadFull(s, hello)
	switch {
	case !stop():
		return nil, dimmnet.ContextErr(ctx)
	case err != nil:
		return nil, err
	case !hmac.Equal(hello, want):
		return nil, errRefused
	}
	return s, nil
}

// helloOf is the hello of a rank to another over conn.
func helloOf(conn *quicgo.Conn, key []byte, from, to dimmnet.Rank) ([]byte, error) {
	state := conn.ConnectionState().TLS
	channel, err := state.ExportKeyingMaterial(exporter, nil, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("quic: %w", err)
	}
	ranks := binary.LittleEndian.AppendUint16(nil, uint16(from))
	ranks = binary.LittleEndian.AppendUint16(ranks, uint16(to))
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write(ranks) // it never fails
	_, _ = mac.Write(channel)
	return mac.Sum(nil), nil
}
