package history

import (
	"fmt"

	"github.com/fagus-dsm/fagus/syncvar"
)

// Axiom names an axiom of the package comment.
type Axiom string

// The axioms that Check checks.
const (
	Form       Axiom = "A0 form"
	Exclusion  Axiom = "A1 exclusion"
	Order      Axiom = "A2 order"
	Visibility Axiom = "A3 visibility"
	Snapshot   Axiom = "A5 snapshot"
)

// Violation describes events that contradict an axiom: ranks, calls, variables and versions.
type Violation struct {
	Axiom Axiom  `json:"axiom"`
	Words string `json:"words"`
}

// Error returns the axiom and the words.
func (v *Violation) Error() string { return fmt.Sprintf("history: %s: %s", v.Axiom, v.Words) }

func (h *History) violation(a Axiom, format string, args ...any) *Violation {
	return &Violation{a, fmt.Sprintf(format, args...)}
}

func (h *History) name(id syncvar.ID) string {
	for _, r := range h.ranks {
		if int(id) < len(r.names) {
			return fmt.Sprintf("%q", r.names[id])
		}
	}
	return fmt.Sprintf("variable %d", id)
}

func (h *History) describe(p eventID) string {
	e := h.at(p)
	what := ""
	switch e.op {
	case begin:
		what = fmt.Sprintf("acquires %s %v in version %d", h.name(e.variable), e.access, e.version)
	case end:
		what = fmt.Sprintf("releases %s %v in version %d", h.name(e.variable), e.access, e.version)
	case refresh:
		what = fmt.Sprintf("has %s updated to version %d", h.name(e.variable), e.version)
	case observe:
		what = fmt.Sprintf("reads %s without holding it", h.name(e.variable))
	case rebind:
		what = fmt.Sprintf("has changed what %s guards", h.name(e.variable))
	case enter:
		what = fmt.Sprintf("arrives at meeting %d", e.meeting)
	case leave:
		what = fmt.Sprintf("leaves meeting %d", e.meeting)
	}
	return fmt.Sprintf("rank %d %s (call %d, at %v)", p.rank, what, e.call, e.at)
}

func content(c uint64) string { return fmt.Sprintf("%#x", c) }
