package fagus

// Guarded is an array with one sync variable that guards all of it.
type Guarded[T any] struct {
	*Array[T]
	Var *SyncVar
}

// NewGuarded makes an array and binds all of it to a variable, both with the same name. It is
// collective, and fails if [NewArray] or [Node.Bind] fails. Then the array has no elements, n.Err
// says what is wrong, and every later call of this rank returns that error.
//
//	x := fagus.NewGuarded[float64](n, "x", 1000)
//	n.Set(x.Write().Unordered()).Do(func() { x.Slice()[n.Rank()] = 1 })
func NewGuarded[T any](n *Node, name string, length int) *Guarded[T] {
	a, err := NewArray[T](n, name, length)
	if err != nil {
		_ = n.stick(err)
		return &Guarded[T]{&Array[T]{elements: elements{node: n, name: name}}, &SyncVar{node: n, name: name}}
	}
	v, err := n.Bind(name, a.All())
	if err != nil {
		_ = n.stick(err)
		v = &SyncVar{node: n, name: name}
	}
	return &Guarded[T]{a, v}
}

// Read returns a request for shared access to all of the array.
func (g *Guarded[T]) Read() Request { return g.Var.Read() }

// Write returns a request for exclusive access to all of the array.
func (g *Guarded[T]) Write() Request { return g.Var.Write() }
