package loops

// Function is what is to run in parallel.
type Function struct {
	Name string
	Pos  string
	Body []*Node
}

// Array is a slice of the function.
type Array struct {
	Name string
	// Local arrays are made by the function, all zero, and end with it.
	Local bool
}

// Scalar is a variable that is no array.
type Scalar struct {
	Name string
	// Outer says that it is a parameter or a result: it has a value before the function begins, or is looked at when it has ended.
	Outer bool
}

// Loop is one of which the index runs over Lo, Lo+Step and so on below Hi. Where there are several bounds, the tightest counts.
type Loop struct {
	Index  *Symbol
	Lo, Hi []Poly
	Step   int64 // positive; 0 if the bounds are not known, and then Index is nil if the loop has none
	Down   bool  // it runs from the other end; Step is 1 then
	// Leaves says that it may end before its bound.
	Leaves bool
	// Wide says that the input has the index in a type of its own, which is not int.
	Wide bool
	// Serial says that whoever wrote it does not want it in parallel.
	Serial bool
}

// Affine says that the bounds are known.
func (l *Loop) Affine() bool { return l.Step > 0 }

// Cond is a condition: all of AtLeast0 are at least 0, and Not0, if there is one, is not 0.
type Cond struct {
	AtLeast0 []Poly
	Not0     *Poly
}

// Always says that it holds whatever symbols are.
func (c *Cond) Always() bool { return len(c.AtLeast0) == 0 && c.Not0 == nil }

// Access is to an element of an array.
type Access struct {
	Array *Array
	At    *Poly // which element; nil: any
	Write bool
	// Fold is the operator if the access is the reading or the writing half of one like a[i] += x.
	Fold string
	// Partly says that only a part of the element is written, a field say.
	Partly bool
	Text   string // as the input has it
	Pos    string // where
}

// Use is one of a scalar.
type Use struct {
	Scalar *Scalar
	Write  bool
	Fold   string // as Access has it
	Partly bool   // only a part of it is written
	Pos    string
}

// Node is a loop, a condition or a statement. Children come in order.
type Node struct {
	Loop *Loop // nil: it is none
	// If says that it is executed under a condition, Cond, if that can be said in polynomials.
	If   bool
	Cond *Cond
	// Group says that the children are statements each by itself, which have been put under a condition together.
	Group bool
	// Branch says that the condition is not the node's own: another chooses between it and others.
	Branch bool
	// Own are what the statement, the condition or the header of the loop does, in order.
	Own      []Action
	Children []*Node
	Pos      string
	// Opaque says what there is that nothing is known about; empty: nothing.
	Opaque string
	Origin any // what the front has made it of

	parent *Node
	order  int
}

// Action is an Access or a Use; the other is nil.
type Action struct {
	Access *Access
	Use    *Use
}

// link numbers nodes and tells them their parents.
func (f *Function) link() {
	order := 0
	var visit func(parent *Node, list []*Node)
	visit = func(parent *Node, list []*Node) {
		for _, n := range list {
			order++
			n.parent, n.order = parent, order
			visit(n, n.Children)
		}
	}
	visit(nil, f.Body)
}

// Within says whether n is outer, or in it.
func (n *Node) Within(outer *Node) bool {
	for ; n != nil; n = n.parent {
		if n == outer {
			return true
		}
	}
	return false
}

// All calls yield with n and all that is in it, in order.
func (n *Node) All() func(yield func(*Node) bool) {
	return func(yield func(*Node) bool) { n.all(yield) }
}

func (n *Node) all(yield func(*Node) bool) bool {
	if !yield(n) {
		return false
	}
	for _, c := range n.Children {
		if !c.all(yield) {
			return false
		}
	}
	return true
}
