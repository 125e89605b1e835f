package golang

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// Sizes are the values of integers on which the time of a function depends, by name: parameters,
// and lengths of slices as len(NAME), or columns(NAME) for the length of rows.
type Sizes map[string]int64

// Value returns the value of a symbol, or the name under which sizes lacks it.
func (sizes Sizes) Value(s *loops.Symbol) (v int64, missing string) {
	v, ok := sizes.evaluate(s.Name)
	if !ok {
		missing = strings.ReplaceAll(s.Name, "region.Columns(", "columns(")
	}
	return v, missing
}

// evaluate returns the value of an expression of sizes.
func (sizes Sizes) evaluate(text string) (int64, bool) {
	if v, ok := sizes[text]; ok { // also a field, such as grid.rows
		return v, true
	}
	pkg := types.NewPackage("sizes", "sizes")
	names := strings.NewReplacer("region.Columns(", "columns_", "columns(", "columns_", "len(", "len_", ")", "", ".", "_")
	if strings.HasPrefix(text, "len(") || strings.HasPrefix(text, "region.Columns(") {
		text = names.Replace(text)
	}
	text = strings.ReplaceAll(text, ".", "_")
	for name, v := range sizes {
		if name != text {
			name = names.Replace(name)
		}
		pkg.Scope().Insert(types.NewConst(token.NoPos, pkg, name, types.Typ[types.Int], constant.MakeInt64(v)))
	}
	v, err := types.Eval(token.NewFileSet(), pkg, token.NoPos, text)
	if err != nil || v.Value == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(v.Value))
}
