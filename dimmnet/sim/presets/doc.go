// Package presets holds the parameters of simulated machines: the times and sizes (of blocks, LLCM,
// banks, ...) of their NICs, hosts, switches and Ethernets. They are data, in presets.toml, each
// with its source.
//
//	p, err := presets.Load("fagus2")
//	p.Host.CPUs = 2
//	fmt.Println(p.Anatomy())
//
// A preset does nothing by itself: packages network and host charge its times. A new machine is a
// table in the file.
package presets
