package cluster

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// Interface is an address of this host, by which other ranks may reach this one.
type Interface struct {
	Name string
	Addr netip.Addr
	Why  string // it was chosen
}

// String is the address, its interface, and why.
func (i Interface) String() string {
	if i.Why == "" {
		return fmt.Sprintf("%s (%s)", i.Addr, i.Name)
	}
	return fmt.Sprintf("%s (%s): %s", i.Addr, i.Name, i.Why)
}

// fagusInterface chooses the interface: by its name, an address, or a range of them.
const fagusInterface = "FAGUS_INTERFACE"

// ChooseInterface is the interface by which this rank is to be reached: that which want
// names (FAGUS_INTERFACE: a name, an address, or a range of addresses as in 10.0.0.0/8);
// else that by which the first of the meeting points is reached, which are IP addresses with
// ports; else the loopback device, where there is no meeting point and so all ranks are on
// this host.
func ChooseInterface(want string, meet []netip.AddrPort) (Interface, error) {
	all, err := Interfaces()
	if err != nil {
		return Interface{}, err
	}
	switch {
	case want != "":
		return wanted(all, want)
	case len(meet) > 0:
		return route(all, meet[0])
	}
	for _, i := range all {
		if i.Addr.IsLoopback() {
			i.Why = "all ranks are on this host"
			return i, nil
		}
	}
	return Interface{}, errors.New("cluster: there is no loopback device: set one up (ip link set lo up)")
}

// OuterInterface is one by which other hosts may reach this one that nobody knows anything
// of: that which want names, else that by which near reached this host, else the only one
// that has an address, else that of the default route.
func OuterInterface(want string, near netip.Addr) (Interface, error) {
	all, err := Interfaces()
	if err != nil {
		return Interface{}, err
	}
	if want != "" {
		return wanted(all, want)
	}
	all = slices.DeleteFunc(all, func(i Interface) bool { return i.Addr.IsLoopback() || i.Addr.IsLinkLocalUnicast() })
	for _, i := range all {
		if i.Addr == near {
			i.Why = "this host was called by it"
			return i, nil
		}
	}
	if len(all) == 1 {
		all[0].Why = "there is no other"
		return all[0], nil
	}
	// An address that is nobody's (RFC 5737): nothing is sent.
	if i, err := route(all, netip.MustParseAddrPort("192.0.2.1:9")); err == nil {
		i.Why = "the default route leaves by it"
		return i, nil
	}
	return Interface{}, fmt.Errorf("cluster: this host has %s: set %s to one of them", inWords(all), fagusInterface)
}

// Interfaces are the addresses of all interfaces that are up.
func Interfaces() ([]Interface, error) {
	devices, err := net.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("cluster: the interfaces of this host: %w", err)
	}
	var all []Interface
	for _, d := range devices {
		if d.Flags&net.FlagUp == 0 {
			continue
		}
		addrs, err := d.Addrs()
		if err != nil {
			return nil, fmt.Errorf("cluster: interface %s: %w", d.Name, err)
		}
		for _, a := range addrs {
			if p, err := netip.ParsePrefix(a.String()); err == nil {
				addr := p.Addr().Unmap()
				if addr.IsLinkLocalUnicast() && addr.Is6() {
					addr = addr.WithZone(d.Name)
				}
				all = append(all, Interface{Name: d.Name, Addr: addr})
			}
		}
	}
	return all, nil
}

// wanted is the interface that was asked for.
func wanted(all []Interface, want string) (Interface, error) {
	why := fmt.Sprintf("%s=%s", fagusInterface, want)
	within, err := netip.ParsePrefix(want)
	if err != nil {
		if addr, e := netip.ParseAddr(want); e == nil {
			within, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
	}
	for _, i := range all {
		if err == nil && within.Contains(i.Addr) || err != nil && i.Name == want {
			i.Why = why
			return i, nil
		}
	}
	return Interface{}, fmt.Errorf("cluster: %s, and this host has %s: set it to the name, the address or the range (10.0.0.0/8) of one of them", why, inWords(all))
}

// route is the interface by which packets to an address leave.
func route(all []Interface, to netip.AddrPort) (Interface, error) {
	// To connect a socket of UDP sends nothing, and makes the kernel choose.
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(to))
	if err != nil {
		return Interface{}, fmt.Errorf("cluster: no way to %s: %w", to, err)
	}
	addr := c.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap()
	if err := c.Close(); err != nil {
		return Interface{}, fmt.Errorf("cluster: %w", err)
	}
	for _, i := range all {
		if i.Addr == addr {
			i.Why = fmt.Sprintf("%s is reached by it", to.Addr())
			return i, nil
		}
	}
	return Interface{}, fmt.Errorf("cluster: %s is reached from %s, which is no interface of this host (%s)", to, addr, inWords(all))
}

func inWords(all []Interface) string {
	if len(all) == 0 {
		return "no interface with an address that is up"
	}
	var words []string
	for _, i := range all {
		words = append(words, i.String())
	}
	return strings.Join(words, ", ")
}
