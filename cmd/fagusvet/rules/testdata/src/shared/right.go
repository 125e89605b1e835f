package shared

import "github.com/fagus-dsm/fagus/fagus"

func exclusive(n *fagus.Node, v *fagus.SyncVar, a *fagus.Array[int64]) error {
	set := n.Set(fagus.Want(v, fagus.Exclusive))
	if err := n.Acquire(set); err != nil {
		return err
	}
	a.Slice()[0] = 1
	return n.Release(set)
}

func reads(n *fagus.Node, v *fagus.SyncVar, a *fagus.Array[int64]) (sum int64, err error) {
	set := n.Set(fagus.Want(v, fagus.Shared))
	if err := n.Acquire(set); err != nil {
		return 0, err
	}
	mine := make([]int64, 10)
	copy(mine, a.Slice())
	mine[0] = 1
	for _, x := range a.Slice() {
		sum += x
	}
	return sum, n.Release(set)
}

// Which variable guards a is not known.
func unknownGuard(n *fagus.Node, v, w *fagus.SyncVar, a *fagus.Array[int64]) error {
	set := n.Set(fagus.Want(v, fagus.Shared), fagus.Want(w, fagus.Exclusive))
	if err := n.Acquire(set); err != nil {
		return err
	}
	a.Slice()[0] = 1
	return n.Release(set)
}

func computedMode(n *fagus.Node, v *fagus.SyncVar, a *fagus.Array[int64], write bool) error {
	mode := fagus.Shared
	if write {
		mode = fagus.Exclusive
	}
	set := n.Set(fagus.Want(v, mode))
	if err := n.Acquire(set); err != nil {
		return err
	}
	if write {
		a.Slice()[0] = 1
	}
	return n.Release(set)
}

// Two variables guard an array: what is held of either allows to write.
func halves(n *fagus.Node) error {
	a, err := fagus.NewArray[int64](n, "a", 10)
	if err != nil {
		return err
	}
	low, err := n.Bind("low", a.Range(0, 5))
	if err != nil {
		return err
	}
	high, err := n.Bind("high", a.Range(5, 10))
	if err != nil {
		return err
	}
	set := n.Set(fagus.Want(low, fagus.Shared), fagus.Want(high, fagus.Exclusive))
	if err := n.Acquire(set); err != nil {
		return err
	}
	a.Slice()[5] = a.Slice()[0]
	return n.Release(set)
}

func setGiven(n *fagus.Node, set *fagus.SyncSet, a *fagus.Array[int64]) error {
	if err := n.Acquire(set); err != nil {
		return err
	}
	a.Slice()[0] = 1
	return n.Release(set)
}

func eitherSet(n *fagus.Node, v *fagus.SyncVar, a *fagus.Array[int64], write bool) error {
	set := n.Set(fagus.Want(v, fagus.Shared))
	if write {
		set = n.Set(fagus.Want(v, fagus.Exclusive))
	}
	if err := n.Acquire(set); err != nil {
		return err
	}
	if write {
		a.Slice()[0] = 1
	}
	return n.Release(set)
}

type twice struct{ set *fagus.SyncSet }

func (t *twice) first(n *fagus.Node, v *fagus.SyncVar) { t.set = n.Set(fagus.Want(v, fagus.Shared)) }
func (t *twice) second(n *fagus.Node, v *fagus.SyncVar) {
	t.set = n.Set(fagus.Want(v, fagus.Exclusive))
}

func (t *twice) write(n *fagus.Node, a *fagus.Array[int64]) error {
	if err := n.Acquire(t.set); err != nil {
		return err
	}
	a.Slice()[0] = 1
	return n.Release(t.set)
}

func madeList(n *fagus.Node, v *fagus.SyncVar, a *fagus.Array[int64]) error {
	wants := make([]fagus.Request, 1)
	wants[0] = fagus.Want(v, fagus.Exclusive)
	set := n.Set(wants...)
	if err := n.Acquire(set); err != nil {
		return err
	}
	a.Slice()[0] = 1
	return n.Release(set)
}

func overwrittenList(n *fagus.Node, v *fagus.SyncVar, a *fagus.Array[int64]) error {
	wants := []fagus.Request{fagus.Want(v, fagus.Shared)}
	wants[0] = fagus.Want(v, fagus.Exclusive)
	set := n.Set(wants...)
	if err := n.Acquire(set); err != nil {
		return err
	}
	a.Slice()[0] = 1
	return n.Release(set)
}

func ignored(n *fagus.Node, v *fagus.SyncVar, a *fagus.Array[int64]) error {
	set := n.Set(fagus.Want(v, fagus.Shared))
	if err := n.Acquire(set); err != nil {
		return err
	}
	a.Slice()[9] = 1 //fagusvet:ignore shared scratch that nobody else looks at
	return n.Release(set)
}
