package tcp

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
)

// TestFailedDial checks that dialing a rank closes the connection if its handshake fails, so that
// repeated attempts do not use up descriptors.
func TestFailedDial(t *testing.T) {
	id := meshtest.Issue(t, meshtest.NewAuthority(t, 2), 1)
	for _, c := range []struct {
		name   string
		id     *identity.Identity // nil: without TLS
		answer []byte             // nil: none until the dialing rank gives up
	}{
		{"garbage", nil, meshtest.Noise(answerBytes)},
		{"garbage for TLS", id, meshtest.Noise(answerBytes)},
		{"silence", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			ended := make(chan error, 1)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() { ended <- answerOnce(l, c.answer, cancel) }()
			d := &dialer{self: 1, nodes: 2, id: c.id, key: meshtest.Noise(32)}
			conn, err := d.dial(ctx, 0, l.Addr().String())
			if err == nil || conn != nil {
				t.Errorf("dial returned %v, %v, want an error only", conn, err)
			}
			if err := <-ended; err != nil {
				t.Errorf("after the failed dial, the connection is open: %v", err)
			}
		})
	}
}

// answerOnce accepts a connection, and sends answer or calls silent. Then it waits for the end of
// the connection, and returns nil if it ends.
func answerOnce(l net.Listener, answer []byte, silent func()) error {
	conn, err := l.Accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	if answer == nil {
		silent()
	} else if _, err := conn.Write(answer); err != nil {
		return err
	}
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, err = io.Copy(io.Discard, conn)
	if late := net.Error(nil); errors.As(err, &late) && late.Timeout() {
		return err
	}
	return nil // an end, or a reset: the peer has left bytes unread
}
