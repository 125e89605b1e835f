package reach

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
)

// Most is the largest number of addresses of a rank.
const Most = 16

// Addresses returns the addresses, each with a port, at which other ranks try to reach this rank,
// which listens on the address at. If hosts is not empty, they are the addresses of hosts.
// Otherwise they are at itself or, if this rank listens on all interfaces, the address of each
// interface that is up and that other hosts can reach. Addresses fails if there is none.
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

func interfaces() (hosts []string, err error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("reach: listing the addresses of this host: %w", err)
	}
	for _, a := range all {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.IsGlobalUnicast() && len(hosts) < Most {
			hosts = append(hosts, ip.IP.String())
		}
	}
	if len(hosts) == 0 {
		return nil, errors.New("reach: this host has no address that other hosts can reach: set the addresses explicitly")
	}
	return hosts, nil
}

// Here reports whether ip is an address of this host.
func Here(ip net.IP) (bool, error) {
	if ip.IsLoopback() {
		return true, nil
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return false, fmt.Errorf("reach: listing the addresses of this host: %w", err)
	}
	for _, a := range all {
		if own, ok := a.(*net.IPNet); ok && own.IP.Equal(ip) {
			return true, nil
		}
	}
	return false, nil
}
