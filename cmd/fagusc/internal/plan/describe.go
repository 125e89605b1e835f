package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// Describe describes how every loop and statement of the function is executed, one line each.
func (p *Plan) Describe() (lines []string) {
	for n := range p.of.All() {
		why, step := "", p.Steps[n]
		if i := slices.IndexFunc(p.Verdicts, func(v *loops.Verdict) bool { return v.Node == n }); i >= 0 {
			why = strings.Join(p.Verdicts[i].Reasons, "; ")
		}
		switch {
		case step != nil && why != "":
			lines = append(lines, fmt.Sprintf("%s: loop%s: %s, because %s", n.Pos, over(n), described(step), why))
		case step != nil:
			lines = append(lines, n.Pos+": "+described(step))
		case why != "":
			lines = append(lines, fmt.Sprintf("%s: loop%s: sequential: %s", n.Pos, over(n), why))
		}
	}
	return lines
}

func over(n *loops.Node) string {
	if n.Loop == nil || n.Loop.Index == nil {
		return ""
	}
	if n.Loop.Wave != nil {
		return " over diagonals of " + n.Loop.Over()
	}
	return " over " + n.Loop.Over()
}

func described(s *loops.Step) string {
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
		how += fmt.Sprintf(", for %s %s %s", s.Node.Loop.Index.Ident, sign, part.At)
	}
	if s.Dynamic() {
		how += ", or as ranks go if they compute in place"
	}
	text := fmt.Sprintf("loop%s: %s", over(s.Node), how)
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
