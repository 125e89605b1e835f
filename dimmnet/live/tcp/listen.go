package tcp

import (
	"context"
	"net"
)

// portTries bounds the ports that listen tries: one may be free for TCP and taken for datagrams.
const portTries = 16

// listen opens a port for connections and, unless Config.Stall is negative, for beats.
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
