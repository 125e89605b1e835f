package collective

import "github.com/fagus-dsm/fagus/fagus"

func guardedAtOne(n *fagus.Node) *fagus.Guarded[int64] {
	if n.Rank() == 0 {
		return fagus.NewGuarded[int64](n, "a", 10) // want `collective: NewGuarded depends on the rank`
	}
	return nil
}

func guardedAtAll(n *fagus.Node) *fagus.Guarded[int64] {
	length := 10
	if n.Rank() == 0 {
		length = 20 // which is another mistake
	}
	return fagus.NewGuarded[int64](n, "a", length)
}
