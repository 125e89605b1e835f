package rules

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// condition is the condition of a branch in a form that can be compared. Equal conditions are
// assumed to have equal values, even if a variable changes in between. So the rules treat some
// possible paths through a function as impossible and report nothing there.
type condition struct {
	key    string
	negate bool
}

// names converts values to the text that is compared; bound are the values of phis on the path.
type names struct {
	m     *model
	bound map[*ssa.Phi]ssa.Value
}

func (n names) of(v ssa.Value) condition {
	v = n.value(v)
	switch op := v.(type) {
	case *ssa.UnOp:
		if op.Op == token.NOT {
			c := n.of(op.X)
			c.negate = !c.negate
			return c
		}
	case *ssa.BinOp:
		if op.Op == token.NEQ {
			return condition{key: "(" + n.text(op.X) + " == " + n.text(op.Y) + ")", negate: true}
		}
	}
	return condition{key: n.text(v)}
}

// value returns the value of v if v is a bound phi or a variable that is assigned once, else v.
func (n names) value(v ssa.Value) ssa.Value {
	for range maxResolve {
		if phi, ok := v.(*ssa.Phi); ok && n.bound[phi] != nil {
			v = n.bound[phi]
			continue
		}
		next := n.m.source(v)
		if next == nil {
			next = stored(v)
		}
		if next == nil {
			break
		}
		v = next
	}
	return v
}

// stored returns the last value stored to the variable that v loads, if the store is in the same
// block and nothing in between can change the variable; else nil.
func stored(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	if _, ok := load.X.(*ssa.Alloc); !ok {
		return nil
	}
	var last ssa.Value
	for _, instr := range load.Block().Instrs {
		switch instr := instr.(type) {
		case *ssa.Store:
			if instr.Addr == load.X {
				last = instr.Val
			}
		case *ssa.Call:
			last = nil // a closure may assign the variable
		case *ssa.UnOp:
			if instr == load {
				return last
			}
		}
	}
	return nil
}

// text returns a text for v. Values that are computed in the same manner have equal texts.
func (n names) text(v ssa.Value) string { return n.textTo(v, maxResolve) }

func (n names) textTo(v ssa.Value, depth int) string {
	v = n.value(v)
	if depth == 0 {
		return v.Name()
	}
	of := func(v ssa.Value) string { return n.textTo(v, depth-1) }
	switch v := v.(type) {
	case *ssa.Const:
		return v.String()
	case *ssa.BinOp:
		return "(" + of(v.X) + " " + v.Op.String() + " " + of(v.Y) + ")"
	case *ssa.UnOp:
		if v.Op != token.ARROW {
			return v.Op.String() + of(v.X)
		}
	case *ssa.Convert:
		return v.Type().String() + "(" + of(v.X) + ")"
	case *ssa.FieldAddr:
		return fmt.Sprintf("%s.%d", of(v.X), v.Field)
	case *ssa.Field:
		return fmt.Sprintf("%s.%d", of(v.X), v.Field)
	case *ssa.IndexAddr:
		return of(v.X) + "[" + of(v.Index) + "]"
	case *ssa.Call:
		switch name := fagusCall(&v.Call); name {
		case callRank, callNodes, callMode:
			return string(name) + "()"
		}
		if f, ok := v.Call.Value.(*ssa.Builtin); ok && f.Name() == "len" {
			return "len(" + of(v.Call.Args[0]) + ")"
		}
	}
	return v.Name()
}

// nilness says whether an error value is nil, if that is known.
type nilness int8

const (
	nilUnknown nilness = iota
	isNil
	notNil
)

// nilOf returns the nilness of an error in a run without failure, where errors of fagus are nil.
func (n names) nilOf(v ssa.Value) nilness {
	v = n.value(v)
	if fagusError(v) {
		return isNil
	}
	switch v := v.(type) {
	case *ssa.Const:
		if v.IsNil() {
			return isNil
		}
	case *ssa.MakeInterface:
		return notNil
	case *ssa.UnOp:
		if _, global := v.X.(*ssa.Global); global && v.Op == token.MUL {
			return notNil // a variable such as io.EOF
		}
	case *ssa.Call:
		if f := v.Call.StaticCallee(); f != nil {
			switch f.String() {
			case "fmt.Errorf", "errors.New":
				return notNil
			}
		}
	}
	return nilUnknown
}

// compared splits a comparison with nil into the compared value and whether the comparison is ==.
func compared(v ssa.Value) (what ssa.Value, equal, ok bool) {
	op, isOp := v.(*ssa.BinOp)
	if !isOp || op.Op != token.EQL && op.Op != token.NEQ {
		return nil, false, false
	}
	if c, isConst := op.Y.(*ssa.Const); isConst && c.IsNil() {
		return op.X, op.Op == token.EQL, true
	}
	if c, isConst := op.X.(*ssa.Const); isConst && c.IsNil() {
		return op.Y, op.Op == token.EQL, true
	}
	return nil, false, false
}

// goesOn returns the successors of b in a run that has not failed. It leaves out the branch for a
// non-nil error of a call of package fagus.
func (m *model) goesOn(b *ssa.BasicBlock) []*ssa.BasicBlock {
	branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return b.Succs
	}
	what, equal, ok := compared(branch.Cond)
	if !ok {
		return b.Succs
	}
	switch (names{m: m}).nilOf(what) {
	case isNil:
		return only(b, equal)
	case notNil:
		return only(b, !equal)
	}
	return b.Succs
}

func only(b *ssa.BasicBlock, condition bool) []*ssa.BasicBlock {
	if condition {
		return b.Succs[:1]
	}
	return b.Succs[1:2]
}

// facts returns the conditions whose values are known whenever b is reached.
func (m *model) facts(b *ssa.BasicBlock) map[string]fact {
	facts := make(map[string]fact)
	for p := b.Idom(); p != nil; p = p.Idom() {
		branch, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		c := names{m: m}.of(branch.Cond)
		for i, succ := range p.Succs {
			if _, known := facts[c.key]; !known && len(succ.Preds) == 1 && succ.Dominates(b) {
				facts[c.key] = fact{holds: (i == 0) != c.negate, at: p}
			}
		}
	}
	return facts
}

type fact struct {
	holds bool
	at    *ssa.BasicBlock
}

func errorResult(ret *ssa.Return) ssa.Value {
	if len(ret.Results) == 0 {
		return nil
	}
	last := ret.Results[len(ret.Results)-1]
	if last.Type().String() != "error" {
		return nil
	}
	return last
}

// fails reports whether a return certainly returns a non-nil error.
func (m *model) fails(ret *ssa.Return) bool {
	err := errorResult(ret)
	if err == nil {
		return false
	}
	n := names{m: m}
	switch n.nilOf(err) {
	case notNil:
		return true
	case isNil:
		return false
	}
	f, known := m.facts(ret.Block())["("+n.text(err)+" == nil:error)"]
	return known && !f.holds
}
