// Package reach says by which addresses ranks on several hosts reach each other. It is for
// networks.
//
//	addresses, err := reach.Addresses(cfg.Reach, at) // what this rank tells the others
//	near, err := reach.Here(addr)                    // one of them is on this host
package reach
