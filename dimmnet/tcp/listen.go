package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
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

// reach are the addresses by which others try to reach this rank, which listens at at.
func (c *Config) reach(at *net.TCPAddr) (addresses []string, err error) {
	hosts := c.Reach
	if len(hosts) == 0 && at.IP.IsUnspecified() {
		if hosts, err = interfaces(); err != nil {
			return nil, err
		}
	}
	if len(hosts) == 0 {
		return []string{at.String()}, nil
	}
	for _, host := range hosts {
		addresses = append(addresses, net.JoinHostPort(host, strconv.Itoa(at.Port)))
	}
	return addresses, nil
}

// interfaces are the addresses of this host that others may know.
func interfaces() (hosts []string, err error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("tcp: the addresses of this host: %w", err)
	}
	for _, a := range all {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.IsGlobalUnicast() && len(hosts) < mostAddresses {
			hosts = append(hosts, ip.IP.String())
		}
	}
	if len(hosts) == 0 {
		return nil, errors.New("tcp: this host has no address by which others reach it")
	}
	return hosts, nil
}
