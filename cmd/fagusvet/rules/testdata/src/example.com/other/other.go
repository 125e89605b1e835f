// Package other is a library that knows fagus.
package other

import "github.com/fagus-dsm/fagus/fagus"

type Wrapped struct{ Nodes []*fagus.Node }

func Begin(w *Wrapped) error { return nil }

func Sum(all []int64) (sum int64) {
	for _, x := range all {
		sum += x
	}
	return sum
}

type Locker interface{ Lock() }
