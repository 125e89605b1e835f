package reproduce

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

//go:embed paper.toml
var paperTOML string

// Row is one figure: what the model says and what the papers measured.
type Row struct {
	Table    string   `json:"table"`
	Env      string   `json:"env"`
	Quantity string   `json:"quantity"` // its unit is in the name
	Model    float64  `json:"model"`
	Paper    *float64 `json:"paper"` // null where the papers print none
	Error    *float64 `json:"error"` // (model - paper) / paper; null without a figure
	// Uncertainty is the relative error to be expected of a figure that the papers
	// do not print; null if there is nothing to tell it from.
	Uncertainty *float64 `json:"uncertainty,omitempty"`
	// Left says why a row counts in no summary, or is empty.
	Left string `json:"left_out,omitempty"`
}

// Table is the result of one experiment.
type Table struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Rows  []Row  `json:"rows"`
}

// figures are the papers' by environment and quantity.
type figures map[string]map[string]float64

func paperFigures() (figures, error) {
	var f figures
	if _, err := toml.Decode(paperTOML, &f); err != nil {
		return nil, fmt.Errorf("reproduce: paper.toml: %w", err)
	}
	return f, nil
}

// add appends a figure of the model and lays the papers' beside it.
func (t *Table) add(paper figures, env, quantity string, model float64) {
	r := Row{Table: t.Name, Env: env, Quantity: quantity, Model: model}
	if p, ok := paper[env][quantity]; ok {
		e := (model - p) / p
		r.Paper, r.Error = &p, &e
	}
	if r.Paper != nil && predicted(env) && unexplained(quantity) {
		r.Left = "P4 with MMX: the papers found an overhead of emms that they could not explain"
	}
	t.Rows = append(t.Rows, r)
}

// predicted says whether nothing of the model was chosen with an eye on env.
func predicted(env string) bool { return env == "E" || env == "F" }

// unexplained are the measurements that on a P4 contain an overhead of emms.
func unexplained(quantity string) bool {
	return slices.Contains([]string{"barrier_mmx_ns", "sum_ull_ns"}, quantity)
}

// Summary is the mean and the largest |error| of the rows that interest, and how
// many they are.
func (t *Table) Summary(interest func(*Row) bool) (mean, worst float64, rows int) {
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Error != nil && r.Left == "" && interest(r) {
			mean += math.Abs(*r.Error)
			worst = max(worst, math.Abs(*r.Error))
			rows++
		}
	}
	return mean / float64(max(rows, 1)), worst, rows
}

// Fitted says whether a row is of an environment that the model's structure was
// chosen for: A to D.
func Fitted(r *Row) bool { return len(r.Env) == 1 && strings.Contains("ABCD", r.Env) }

// expect gives predictions the error to expect of them. loops are rows of the
// same environments that are known; bound is how much longer, in ns, the test
// program of a P4 may take if the bus and not the CPU bounds it.
func (t *Table) expect(loops []Row, bound float64) {
	const legs = 2
	known := Table{Rows: loops}
	_, ofLoops, _ := known.Summary(func(r *Row) bool { return predicted(r.Env) })
	for i := range t.Rows {
		r := &t.Rows[i]
		if !predicted(r.Env) || r.Paper != nil {
			continue
		}
		_, worst, _ := t.Summary(func(s *Row) bool { return Fitted(s) && s.Quantity == r.Quantity })
		u := max(worst, ofLoops, legs*bound/r.Model)
		r.Uncertainty = &u
	}
}

// programBound is what the test program takes at the P3's bus, less what it takes
// on the P4, in ns.
func programBound() (float64, error) {
	p3, err := sim.LoadPreset("D")
	if err != nil {
		return 0, err
	}
	p4, err := sim.LoadPreset("E")
	return nanoseconds(p3.Host.Program - p4.Host.Program), err
}
