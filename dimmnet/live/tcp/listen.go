package tcp

import (
	"context"
	"errors"
	"net"
	"strconv"
	"syscall"

	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
)

// portTries bounds the free ports that listen tries: one may be taken for datagrams.
const portTries = 16

// listen opens a port for connections and, unless Config.Stall is negative, for beats.
func listen(ctx context.Context, cfg *Config) (listener *net.TCPListener, udp *net.UDPConn, err error) {
	tries := portTries
	if cfg.Ports != (reach.Ports{}) {
		tries = 1
	}
	for range tries {
		err = cfg.Ports.Listen(func(port uint16) (err error) {
			listener, udp, err = listenAt(ctx, cfg, port)
			return err
		})
		if !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	return listener, udp, err
}

func listenAt(ctx context.Context, cfg *Config, port uint16) (*net.TCPListener, *net.UDPConn, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(cfg.Listen, strconv.Itoa(int(port))))
	if err != nil {
		return nil, nil, err
	}
	listener := l.(*net.TCPListener)
	if cfg.Stall < 0 {
		return listener, nil, nil
	}
	at := listener.Addr().(*net.TCPAddr)
	udp, err := net.ListenUDP("udp", &net.UDPAddr{IP: at.IP, Port: at.Port, Zone: at.Zone})
	if err != nil {
		_ = listener.Close()
		return nil, nil, err
	}
	return listener, udp, nil
}
