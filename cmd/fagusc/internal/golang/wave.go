package golang

import (
	"go/ast"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// wave writes a loop over diagonals.
func (e *emitter) wave(n *loops.Node) error {
	e.uses(span(n.Origin.(ast.Stmt)))
	l := n.Loop
	e.printf("%s {\n", header(l.Index.Name, e.here(l.Lo[0]), e.here(l.Hi[0]), "1"))
	err := e.step(e.Steps[n.Children[0]])
	e.printf("}\n")
	return err
}

// waveOf returns the diagonals to which a step belongs, or nil.
func (e *emitter) waveOf(s *loops.Step) *loops.Wave {
	for _, n := range e.waves {
		if n.Children[0] == s.Node {
			return n.Loop.Wave
		}
	}
	return nil
}

// here returns a polynomial as an expression in the names of the source.
func (e *emitter) here(p loops.Poly) string {
	for s := range p.Indices() {
		if s.Name != s.Ident {
			p = p.Replace(s, loops.Of(&loops.Symbol{Name: s.Ident}))
		}
	}
	return p.String()
}
