package rules

import (
	"cmp"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// summary is the fact about a function that packages which import it need.
type summary struct {
	Exits   string       // the call that ends the process, and its place
	Globals []string     // package variables that the function writes without a lock
	Writes  []int        // parameters through which it writes
	Locks   bool         // it writes through them under a lock only
	Calls   []int        // parameters through which it makes calls of a Node
	Made    []string     // the sequences of collective calls that it may make; see waysOf
	Unsure  bool         // Made is not known
	Results []dependence // of its results
	Takes   []taking     // what it does with parameters that are functions
}

func (*summary) AFact() {}

func (s *summary) String() string {
	var parts []string
	add := func(name, text string) {
		if text != "" {
			parts = append(parts, name+" "+text)
		}
	}
	add("exits", s.Exits)
	add("writes", strings.Join(s.Globals, " "))
	add("makes", strings.TrimSpace(strings.Join(s.Made, "| ")))
	return strings.Join(parts, "; ")
}

// empty reports whether a caller needs nothing of s.
func (s *summary) empty() bool {
	alike := !slices.ContainsFunc(s.Results, func(d dependence) bool { return d != dependence{} })
	return s.Exits == "" && len(s.Globals)+len(s.Writes)+len(s.Calls)+len(s.Made) == 0 && !s.Unsure && alike && len(s.Results) == 0 && !slices.ContainsFunc(s.Takes, func(t taking) bool { return t != 0 })
}

// described reports whether functions of a package get facts: those of the main module, except the
// packages of Fagus itself, whose calls the rules know.
func described(pass *analysis.Pass) bool {
	path := pass.Pkg.Path() + "/"
	known := pass.Module != nil && pass.Module.Path != ""
	if known && pass.Module.Version != "" || !known && standard(pass.Pkg) {
		return false
	}
	return !slices.ContainsFunc([]string{"fagus", "dimmnet", "phase", "consistency", "syncvar", "ringbuf"}, func(dir string) bool {
		return strings.HasPrefix(path, "github.com/fagus-dsm/fagus/"+dir+"/")
	})
}

// describe exports the summaries of the functions that other packages can call.
func (m *model) describe(pass *analysis.Pass) {
	o := newOutside(m)
	for _, fn := range m.funcs {
		object, ok := fn.Object().(*types.Func)
		if !ok || !object.Exported() || len(fn.TypeArgs()) > 0 {
			continue
		}
		s := summary{
			Exits: m.exiting[fn], Globals: o.globals(fn), Writes: slices.Sorted(maps.Keys(o.writes[fn])), Calls: slices.Sorted(maps.Keys(m.calling[fn])),
			Locks: o.locks(fn, maxDeep), Results: m.differs.results[fn], Takes: m.taken[fn],
		}
		if made, sure := m.waysOf(fn); !sure {
			s.Unsure = true
		} else if made := slices.Sorted(maps.Keys(made)); !slices.Equal(made, []string{""}) {
			s.Made = made
		}
		if !s.empty() {
			pass.ExportObjectFact(object, &s)
		}
	}
}

// summaryOf returns what is known of a function of another package, or nil.
func (m *model) summaryOf(callee *ssa.Function) *summary {
	if of := callee.Origin(); of != nil {
		callee = of
	}
	object, ok := callee.Object().(*types.Func)
	if !ok || object.Pkg() == nil || object.Pkg() == m.pkg {
		return nil
	}
	var s summary
	if !m.fact(object.Origin(), &s) {
		return nil
	}
	return &s
}

// findExiting finds the functions that end the process, by calls of functions of the main module.
func (m *model) findExiting() {
	m.exiting = make(map[*ssa.Function]string)
	for grown := true; grown; {
		grown = false
		for _, fn := range m.funcs {
			for instr := range instructions(fn) {
				c, ok := instr.(ssa.CallInstruction)
				if !ok || m.exiting[fn] != "" || c.Common().StaticCallee() == nil {
					continue
				}
				text := exits(c.Common())
				if text != "" {
					at := fn.Prog.Fset.Position(instr.Pos())
					text += " at " + shortName(at.Filename) + ":" + strconv.Itoa(at.Line)
				}
				if text = cmp.Or(text, m.exiting[function(c.Common().StaticCallee())]); text == "" {
					if s := m.summaryOf(c.Common().StaticCallee()); s != nil {
						text = s.Exits
					}
				}
				if text != "" {
					m.exiting[fn], grown = text, true
				}
			}
		}
	}
}
