package golang

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// interval holds the values that an integer expression may have.
type interval struct{ lo, hi int64 }

func (r interval) within(o interval) bool { return o.lo <= r.lo && r.hi <= o.hi }

// narrow returns the values of an integer type of less than 64 bits. Sums and products of such
// values are computed modulo a power of 2, unless they are in this range. That integers of 64 bits
// do not overflow is part of the contract.
func narrow(t types.Type) (r interval, ok bool) {
	b, isBasic := t.Underlying().(*types.Basic)
	if !isBasic || b.Info()&types.IsInteger == 0 || b.Info()&(types.IsUnsigned|types.IsUntyped) != 0 {
		return r, false
	}
	bits := 8 * layout().Sizeof(t)
	return interval{-1 << (bits - 1), 1<<(bits-1) - 1}, bits < 64
}

// exact reports whether an expression has the value that its operator has for integers of any size.
func (t *translator) exact(e ast.Expr) bool {
	all, ok := narrow(t.info.TypeOf(e))
	return !ok || t.info.Types[e].Value != nil || t.result(e, all).within(all)
}

// interval returns the values that a narrow expression may have.
func (t *translator) interval(e ast.Expr) interval {
	all, ok := narrow(t.info.TypeOf(e))
	if v := t.info.Types[e].Value; v != nil {
		c, exact := constant.Int64Val(constant.ToInt(v))
		if exact {
			return interval{c, c}
		}
	}
	if !ok {
		return all
	}
	if r := t.result(e, all); r.within(all) {
		return r
	}
	return all
}

// result returns the values that an expression would have if its type had no bounds. all has the
// values of the type.
func (t *translator) result(e ast.Expr, all interval) interval {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return t.counts(t.info.Uses[e], all)
	case *ast.UnaryExpr:
		if x := t.interval(e.X); e.Op == token.SUB {
			return interval{-x.hi, -x.lo}
		}
	case *ast.BinaryExpr:
		x, y := t.interval(e.X), t.interval(e.Y)
		switch e.Op {
		case token.ADD:
			return interval{x.lo + y.lo, x.hi + y.hi}
		case token.SUB:
			return interval{x.lo - y.hi, x.hi - y.lo}
		case token.MUL:
			a, b, c, d := x.lo*y.lo, x.lo*y.hi, x.hi*y.lo, x.hi*y.hi
			return interval{min(a, b, c, d), max(a, b, c, d)}
		}
	}
	return all
}

// counts returns the values of a variable: of an index between the bounds of its loop.
func (t *translator) counts(o types.Object, all interval) interval {
	for s := range t.values[o].Symbols() {
		l := s.Loop
		if l == nil || !l.Affine() || !t.values[o].Equal(loops.Of(s)) {
			continue
		}
		if l.Down { // a loop whose bound is the last value of the type does not end
			all.lo++
		} else {
			all.hi--
		}
		for _, p := range l.Lo {
			if c, ok := p.Constant(); ok {
				all.lo = max(all.lo, c)
			}
		}
		for _, p := range l.Hi {
			if c, ok := p.Constant(); ok {
				all.hi = min(all.hi, c-1)
			}
		}
	}
	return all
}

// overruns returns the reason if the index of a loop may leave its type before the loop ends. to
// are the bounds that the loop counts to.
func (t *translator) overruns(id *ast.Ident, to []loops.Poly, step int64) (why string) {
	typ := t.info.ObjectOf(id).Type()
	all, ok := narrow(typ)
	if !ok || step == 1 || step == -1 {
		return ""
	}
	for _, p := range to {
		if c, number := p.Constant(); number && all.lo-step <= c && c <= all.hi-step+1 {
			return ""
		}
	}
	return fmt.Sprintf("its index %s of type %s may overflow: use int", id.Name, typ)
}

// overflows returns a remark on a subscript that is not known because it may overflow.
func (t *translator) overflows(e ast.Expr) (remark string) {
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && remark == "" && t.info.TypeOf(x) != nil && t.integer(x) && !t.exact(x) {
			remark = fmt.Sprintf(", where %s of type %s may overflow", t.file.source(x), t.info.TypeOf(x))
		}
		return remark == ""
	})
	return remark
}
