package loops

import (
	"fmt"
	"slices"
)

// Function is a function to be made parallel.
type Function struct {
	Name   string
	Pos    string
	Body   []*Node
	Arrays []*Array
	// Callable says that one rank can call the sequential function instead, at the place where the
	// parallel version chooses, and send its results to the others.
	Callable bool
	Exchange *Exchange // nil if there is none
	Marks    Marks
	// Unique returns an identifier that begins like this and that the function does not use.
	Unique func(name string) string

	divisions map[string]*Division
}

// Divide is the function Divide, but equal arguments give the same Division.
func (f *Function) Divide(of Poly, by int64) *Division {
	key := fmt.Sprintf("%v / %d", of, by) // the names of symbols are unique
	if f.divisions == nil {
		f.divisions = make(map[string]*Division)
	}
	if f.divisions[key] == nil {
		f.divisions[key] = Divide(of, by)
	}
	return f.divisions[key]
}

// Marks are the texts by which an author marks loops, for messages.
type Marks struct{ Serial, Independent string }

// Array is a slice of the function.
type Array struct {
	Name    string
	Local   bool // created by the function, initially zero
	Element *Type
	Size    Poly    // the number of elements
	Columns *Symbol // the number of elements of a row, if the array has rows in memory of their own
	// Unfoldable says why ranks cannot combine parts of the array; empty if they can.
	Unfoldable string
}

// Exchange is a statement at the end of a loop of the outermost block by which two variables
// exchange their arrays. Which array a variable denotes then depends on Parity, the number of
// exchanges so far modulo 2. Steps of the loop, and those behind it, access other elements for
// each parity.
type Exchange struct {
	Arrays [2]*Array
	Loop   *Node
	Parity *Symbol
}

// Scalar is a variable that is not an array.
type Scalar struct {
	Name string
	Type *Type
	// Outer marks a parameter or a result: it has a value before the function starts, or is read
	// after the function returns.
	Outer bool
}

// Loop is a loop whose index takes the values Lo, Lo+Step and so on below Hi, in this order or, if
// Down is set, in the opposite order. If there are several bounds, the tightest applies. A loop
// that counts down by more than 1 has one in Hi.
type Loop struct {
	Index  *Symbol
	Lo, Hi []Poly
	Step   int64 // positive; 0 if the bounds are unknown, and Index may then be nil
	// Unknown says why the bounds are unknown.
	Unknown string
	Down    bool // the loop counts down from Hi-1
	Leaves  bool // the loop may end before its bound
	Wide    bool // in the source, the index has another type than other integers
	Serial  bool // the author marked the loop as serial
	AtOnce  bool // the loop reads all elements before it writes any, as copy does
	// Independent says that the author asserts that no iteration accesses an element that another
	// iteration writes. Package region checks it for iterations of different ranks.
	Independent bool
	Wave        *Wave // not nil: the loop is over the diagonals of two loops of the source
	// Exchanges says that this is the loop of the function's Exchange: all ranks execute each
	// iteration.
	Exchanges bool
	Diagonal  bool  // the loop is over one diagonal, whose iterations are independent
	Part      *Part // not nil if this is a part of a loop of the source
}

// Part says which iterations of a loop a part of it has. All parts share its index.
type Part struct {
	Whole *Loop
	At    Poly
	Side  int // -1: the iterations below At; 0: iteration At; 1: those above At
}

// Undivided returns the loop of which l is a part, or l.
func (l *Loop) Undivided() *Loop {
	if l.Part != nil {
		return l.Part.Whole
	}
	return l
}

// Over names what the loop is over, in the words of the source; empty if it has no index.
func (l *Loop) Over() string {
	switch {
	case l.Index == nil:
		return ""
	case l.Wave != nil:
		return l.Wave.Outer.Ident + " and " + l.Wave.Inner.Ident
	}
	return l.Index.Ident
}

// Affine reports whether the bounds are known.
func (l *Loop) Affine() bool { return l.Step > 0 }

// Cond is a condition: all polynomials in AtLeast0 are at least 0, and Not0, if not nil, is not 0.
type Cond struct {
	AtLeast0 []Poly
	Not0     *Poly
}

// Always reports whether the condition holds for all values of symbols.
func (c *Cond) Always() bool { return len(c.AtLeast0) == 0 && c.Not0 == nil }

// Polys returns the polynomials of the condition.
func (c *Cond) Polys() []Poly {
	if c.Not0 == nil {
		return c.AtLeast0
	}
	return append(slices.Clip(c.AtLeast0), *c.Not0)
}

// Access is an access to an array element.
type Access struct {
	Array *Array
	At    *Poly // the subscript; nil: unknown
	// Inside are polynomials that are at least 0 when the access is executed, because otherwise the
	// program would end.
	Inside []Poly
	Write  bool
	// Fold is the operator if the access is the read or the write of a reduction such as a[i] += x.
	Fold   string
	Partly bool   // only a part of the element is written, for example a field
	Fixed  bool   // Text means the same before the innermost loop around the access
	Text   string // the expression in the source
	Pos    string // position in the source
}

// Use is a use of a scalar.
type Use struct {
	Scalar *Scalar
	Write  bool
	Fold   string // as in Access
	Sets   bool   // the write is a reduction, but does not depend on the old value: found = true
	Partly bool   // only a part of the scalar is written
	Choice *Choice
	Pos    string
}

// Choice is a statement such as "if e > x { x, k = e, i }" that keeps values of an iteration with
// the best x. If several have it, the first counts.
type Choice struct {
	By *Scalar // x
}

// Node is a loop, a condition or a statement. Children are in source order.
type Node struct {
	Loop *Loop // nil if the node is not a loop
	// If says that the node is executed under a condition: Cond, which is nil if the condition is
	// not polynomial.
	If     bool
	Cond   *Cond
	Group  bool // the children are independent statements under a common condition
	Call   bool // the children are always executed, by the ranks that execute the statement
	Branch bool // an enclosing node evaluates the condition, to choose among its children
	// Continues says that the node may continue the loop around it, and does more than to decide
	// on that.
	Continues bool
	Own       []Action // the actions of the statement, the condition or the loop header, in order
	Children  []*Node
	Pos       string
	Opaque    string // describes a construct that cannot be analysed; empty if there is none
	Origin    any    // the syntax from which the front end built the node

	parent *Node
	order  int
}

// Action is either an Access or a Use; the other field is nil.
type Action struct {
	Access *Access
	Use    *Use
}

// All iterates over all nodes, in source order.
func (f *Function) All() func(yield func(*Node) bool) {
	return func(yield func(*Node) bool) {
		for _, top := range f.Body {
			if !top.all(yield) {
				return
			}
		}
	}
}

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

// Within reports whether n is outer or inside it.
func (n *Node) Within(outer *Node) bool {
	for ; n != nil; n = n.parent {
		if n == outer {
			return true
		}
	}
	return false
}

// All iterates over n and all nodes inside it, in source order.
func (n *Node) All() func(yield func(*Node) bool) {
	return func(yield func(*Node) bool) { n.all(yield) }
}

// Uses reports whether a node or a node inside it accesses an array.
func (n *Node) Uses(a *Array) bool {
	return slices.ContainsFunc(n.accesses(), func(p place) bool { return p.Array == a })
}

// accesses returns the accesses of a node and of all nodes inside it.
func (n *Node) accesses() (all []place) {
	for m := range n.All() {
		for _, a := range m.Own {
			if a.Access != nil {
				all = append(all, place{a.Access, m})
			}
		}
	}
	return all
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
