package tcp

import (
	"crypto/tls"
	"net"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
)

// dialTLS performs the TLS handshake with peer. If id is nil, it returns conn itself.
func dialTLS(conn net.Conn, id *identity.Identity, peer dimmnet.Rank) (net.Conn, error) {
	if id == nil {
		return conn, nil
	}
	c := tls.Client(beneathTLS(conn), largeRecords(id.Client(peer)))
	return c, c.Handshake()
}

// acceptTLS is the other side of dialTLS. It also returns the rank in the peer's certificate.
func acceptTLS(conn net.Conn, id *identity.Identity) (net.Conn, dimmnet.Rank, error) {
	if id == nil {
		return conn, 0, nil
	}
	c := tls.Server(beneathTLS(conn), largeRecords(id.Server()))
	if err := c.Handshake(); err != nil {
		return nil, 0, err
	}
	peer, err := id.Peer(c.ConnectionState())
	return c, peer, err
}

// largeRecords makes all records as large as TLS allows; crypto/tls begins with small ones.
func largeRecords(cfg *tls.Config) *tls.Config {
	cfg.DynamicRecordSizingDisabled = true
	return cfg
}
