// Package gossip lets the ranks of several hosts find each other, through memberlist. A program
// whose ranks may be on several hosts (--hosts, FAGUS_RENDEZVOUS) passes its Driver:
//
//	func main() { program.Main(life, gossip.Driver{}) }
//
// It is apart from package cluster, because memberlist needs ten modules more.
package gossip
