package golang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// Describe describes how every loop and statement of the function is executed, one line each.
func (f *Function) Describe() []string {
	s, err := f.Plan()
	if err != nil {
		return []string{err.Error()}
	}
	var lines []string
	for _, top := range f.Body {
		for n := range top.All() {
			why, step := "", s.Steps[n]
			if i := slices.IndexFunc(s.Verdicts, func(v *loops.Verdict) bool { return v.Node == n }); i >= 0 {
				why = strings.Join(s.Verdicts[i].Reasons, "; ")
			}
			switch {
			case step != nil && why != "":
				lines = append(lines, fmt.Sprintf("%s: loop%s: %s, because %s", n.Pos, f.over(n), f.described(step), why))
			case step != nil:
				lines = append(lines, n.Pos+": "+f.described(step))
			case why != "":
				lines = append(lines, fmt.Sprintf("%s: loop%s: sequential: %s", n.Pos, f.over(n), why))
			}
		}
	}
	return lines
}

func (f *Function) over(n *loops.Node) string {
	if n.Loop == nil || n.Loop.Index == nil {
		return ""
	}
	if w := n.Loop.Wave; w != nil {
		return fmt.Sprintf(" over diagonals of %s", n.Loop.Index.Ident)
	}
	return " over " + f.idents[n.Loop.Index]
}

func (f *Function) described(s *loops.Step) string {
	switch s.Kind {
	case loops.Serial:
		return "by one rank, the owner of the elements it writes"
	case loops.Replicated:
		return "by every rank"
	}
	how := "parallel, in blocks"
	if s.Cyclic {
		how = "parallel, in turns"
	}
	if part := s.Node.Loop.Part; part != nil {
		sign := "<"
		switch part.Side {
		case 0:
			sign, how = "=", "by one rank"
		case 1:
			sign = ">"
		}
		how += fmt.Sprintf(", for %s %s %s", f.idents[s.Node.Loop.Index], sign, part.At)
	}
	if s.Dynamic() {
		how += ", or as ranks go if they compute in place"
	}
	text := fmt.Sprintf("loop%s: %s", f.over(s.Node), how)
	for _, a := range s.Private {
		text += fmt.Sprintf("; every rank has its own %s", a.Name)
	}
	for _, fold := range s.Folds {
		name := ""
		switch {
		case fold.Array != nil:
			name = fold.Array.Name
		case fold.Element != nil:
			name = fold.Element.Text
		default:
			name = fold.Scalar.Name
		}
		text += fmt.Sprintf("; reduces %s with %s", name, fold.Operator)
	}
	return text
}
