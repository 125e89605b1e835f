// Package namespaces makes network namespaces that stand for hosts, for tests and fagus lab faults.
// It needs Linux, root, and the command ip of Debian's iproute2.
//
//	n, err := namespaces.New("test", 4)
//	defer n.Close()
//	err = namespaces.IP("-n " + n.Hosts[2] + " link set eth0 down")
package namespaces
