// Package reach finds the addresses at which ranks on several hosts reach each other.
//
//	addresses, err := reach.Addresses(cfg.Reach, at) // where others can connect to this rank
//	near, err := reach.Here(ip)                      // ip is an address of this host
package reach
