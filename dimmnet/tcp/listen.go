package tcp

import (
	"context"
	"net"
)

// portTries is how many ports are tried of which another program may have the half that
// is for datagrams.
const portTries = 16

// listen opens a port for the connections of other ranks, and for their beats if there
// are any.
func listen(ctx context.Context, cfg *Config) (*net.TCPListener, *net.UDPConn, error) {
	var failure error
	for range portTries {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(cfg.Listen, "0"))
		if err != nil {
			return nil, nil, err
		}
		listener := l.(*net.TCPListener)
		if cfg.Stall < 0 {
			return listener, nil, nil
		}
		at := listener.Addr().(*net.TCPAddr)
		udp, err := net.ListenUDP("udp", &net.UDPAddr{IP: at.IP, Port: at.Port, Zone: at.Zone})
		if err == nil {
			return listener, udp, nil
		}
		_ = listener.Close()
		failure = err
	}
	return nil, nil, failure
}
