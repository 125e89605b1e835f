package reach

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
)

// Most is how many addresses a rank tells the others at most.
const Most = 16

// Addresses are the addresses, with a port, by which others try to reach a rank that listens
// at at: hosts, if there are any, or else that, or if that is all interfaces the address of
// each that is up and not of this host alone. It fails if there is none.
func Addresses(hosts []string, at netip.AddrPort) (addresses []string, err error) {
	if len(hosts) == 0 && at.Addr().IsUnspecified() {
		if hosts, err = interfaces(); err != nil {
			return nil, err
		}
	}
	if len(hosts) == 0 {
		return []string{at.String()}, nil
	}
	for _, host := range hosts {
		addresses = append(addresses, net.JoinHostPort(host, strconv.Itoa(int(at.Port()))))
	}
	return addresses, nil
}

// interfaces are the addresses of this host that others may know.
func interfaces() (hosts []string, err error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("reach: the addresses of this host: %w", err)
	}
	for _, a := range all {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.IsGlobalUnicast() && len(hosts) < Most {
			hosts = append(hosts, ip.IP.String())
		}
	}
	if len(hosts) == 0 {
		return nil, errors.New("reach: this host has no address by which others reach it")
	}
	return hosts, nil
}

// Here says whether ip is an address of this host.
func Here(ip net.IP) (bool, error) {
	if ip.IsLoopback() {
		return true, nil
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return false, fmt.Errorf("reach: the addresses of this host: %w", err)
	}
	for _, a := range all {
		if own, ok := a.(*net.IPNet); ok && own.IP.Equal(ip) {
			return true, nil
		}
	}
	return false, nil
}
