package tcp

import (
	"crypto/tls"
	"net"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/identity"
)

// dialTLS is conn encrypted, when peer has proved who it is; conn itself if there is no
// identity.
func dialTLS(conn net.Conn, id *identity.Identity, peer dimmnet.Rank) (net.Conn, error) {
	if id == nil {
		return conn, nil
	}
	c := tls.Client(&wire{Conn: conn}, quickly(id.Client(peer)))
	return c, c.Handshake()
}

// acceptTLS is the other side, and which rank has proved that it calls.
func acceptTLS(conn net.Conn, id *identity.Identity) (net.Conn, dimmnet.Rank, error) {
	if id == nil {
		return conn, 0, nil
	}
	c := tls.Server(&wire{Conn: conn}, quickly(id.Server()))
	if err := c.Handshake(); err != nil {
		return nil, 0, err
	}
	peer, err := id.Peer(c.ConnectionState())
	return c, peer, err
}

// quickly has records as large as they may be from the first.
func quickly(cfg *tls.Config) *tls.Config {
	cfg.DynamicRecordSizingDisabled = true
	return cfg
}
