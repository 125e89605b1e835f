package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// Interface is an address of this host by which other ranks may reach this one.
type Interface struct {
	Name string
	Addr netip.Addr
	Why  string // why this address was chosen; may be empty
}

// String returns the address, its interface, and why it was chosen.
func (i Interface) String() string {
	if i.Why == "" {
		return fmt.Sprintf("%s (%s)", i.Addr, i.Name)
	}
	return fmt.Sprintf("%s (%s): %s", i.Addr, i.Name, i.Why)
}

// noInterface is the error of a host that lacks the interface which a job needs.
type noInterface struct{ error }

func (noInterface) Is(target error) bool { return target == fs.ErrNotExist }

// fagusInterface is the variable that selects an interface by name, address, or address range.
const fagusInterface = "FAGUS_INTERFACE"

// ChooseInterface returns the interface by which other ranks reach this one. A want that is not
// empty selects the interface by name, address, or range (10.0.0.0/8), as FAGUS_INTERFACE does.
// Otherwise the interface is the one that reaches the first address in meet. If meet is empty
// too, all ranks are on this host, and the interface is the loopback device.
func ChooseInterface(want string, meet []netip.AddrPort) (Interface, error) {
	all, err := Interfaces()
	if err != nil {
		return Interface{}, err
	}
	switch {
	case want != "":
		return findInterface(all, want)
	case len(meet) > 0:
		return routeTo(all, meet[0])
	}
	for _, i := range all {
		if i.Addr.IsLoopback() {
			i.Why = "all ranks are on this host"
			return i, nil
		}
	}
	return Interface{}, noInterface{errors.New("cluster: the loopback device is down, or has no address: run ip link set lo up")}
}

// OuterInterface returns an interface by which hosts with unknown addresses may reach this one.
// It takes the first of: the interface that want selects, unless want is empty; the interface
// with the address near, by which this host was reached; the only interface with an address; the
// interface of the default route.
func OuterInterface(want string, near netip.Addr) (Interface, error) {
	all, err := Interfaces()
	if err != nil {
		return Interface{}, err
	}
	if want != "" {
		return findInterface(all, want)
	}
	all = slices.DeleteFunc(all, func(i Interface) bool { return i.Addr.IsLoopback() || i.Addr.IsLinkLocalUnicast() })
	for _, i := range all {
		if i.Addr == near {
			i.Why = "this host was reached by it"
			return i, nil
		}
	}
	if len(all) == 1 {
		all[0].Why = "the only interface"
		return all[0], nil
	}
	// RFC 5737 reserves this address for documentation. Nothing is sent to it.
	if i, err := routeTo(all, netip.MustParseAddrPort("192.0.2.1:9")); err == nil {
		i.Why = "the default route uses it"
		return i, nil
	}
	if len(all) == 0 {
		return Interface{}, noInterface{errors.New("cluster: this host has no interface that is up and reaches others: see ip address, and run ip link set NAME up")}
	}
	return Interface{}, noInterface{fmt.Errorf("cluster: cannot choose between the interfaces of this host, %s: set %s to one of them", describe(all), fagusInterface)}
}

// Interfaces returns the addresses of all interfaces that are up.
func Interfaces() ([]Interface, error) {
	devices, err := net.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("cluster: listing the interfaces of this host: %w", err)
	}
	var all []Interface
	for _, d := range devices {
		if d.Flags&net.FlagUp == 0 {
			continue
		}
		addrs, err := d.Addrs()
		if err != nil {
			return nil, fmt.Errorf("cluster: reading the addresses of interface %s: %w", d.Name, err)
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

func findInterface(all []Interface, want string) (Interface, error) {
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
	remedy := "set it to the name, the address, or an address range (10.0.0.0/8) of one of them"
	if device, err := net.InterfaceByName(want); err == nil && device.Flags&net.FlagUp == 0 {
		remedy = fmt.Sprintf("run ip link set %s up, or %s", want, remedy)
	}
	return Interface{}, noInterface{fmt.Errorf("cluster: %s matches no interface of this host, which has %s: %s", why, describe(all), remedy)}
}

// routeTo returns the interface by which packets to an address leave.
func routeTo(all []Interface, to netip.AddrPort) (Interface, error) {
	// Connecting a UDP socket sends nothing, but makes the kernel choose a source address.
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(to))
	if err != nil {
		return Interface{}, fmt.Errorf("cluster: no route to %s: see ip route: %w", to, err)
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
	return Interface{}, fmt.Errorf("cluster: %s is reached from %s, which belongs to no interface of this host (%s)", to, addr, describe(all))
}

func describe(all []Interface) string {
	if len(all) == 0 {
		return "no interface that is up and has an address"
	}
	var words []string
	for _, i := range all {
		words = append(words, i.String())
	}
	return strings.Join(words, ", ")
}
