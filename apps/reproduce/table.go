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

// Row pairs one figure of the model with that of the papers.
type Row struct {
	Table    string   `json:"table"`
	Env      string   `json:"env"`
	Quantity string   `json:"quantity"` // ends in its unit
	Model    float64  `json:"model"`
	Paper    *float64 `json:"paper"` // null if the papers print none
	Error    *float64 `json:"error"` // (model - paper) / paper; null without a paper's figure
	// Uncertainty is the relative error to expect of a figure that no paper prints, or null.
	Uncertainty *float64 `json:"uncertainty,omitempty"`
	// Left is the reason why the summary leaves the row out, or empty.
	Left string `json:"left_out,omitempty"`
}

// Table is the result of one experiment.
type Table struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Rows  []Row  `json:"rows"`

	paper figures
}

type figures map[string]map[string]float64

func paperFigures() (figures, error) {
	var f figures
	if _, err := toml.Decode(paperTOML, &f); err != nil {
		return nil, fmt.Errorf("reproduce: paper.toml: %w", err)
	}
	return f, nil
}

func newTable(cfg Config, name, title string) (Config, *Table, error) {
	paper, err := paperFigures()
	return cfg.withDefaults(), &Table{Name: name, Title: title, paper: paper}, err
}

func (t *Table) add(env, quantity string, model float64) {
	r := Row{Table: t.Name, Env: env, Quantity: quantity, Model: model}
	if p, ok := t.paper[env][quantity]; ok {
		e := (model - p) / p
		r.Paper, r.Error = &p, &e
	}
	if r.Paper != nil && predicted(env) && unexplained(quantity) {
		r.Left = "P4 with MMX: the papers found an overhead of emms that they could not explain"
	}
	t.Rows = append(t.Rows, r)
}

// predicted reports whether no parameter of the model was fitted to env.
func predicted(env string) bool { return env == "E" || env == "F" }

// unexplained reports whether the measurement contains an overhead of emms on a P4.
func unexplained(quantity string) bool {
	return slices.Contains([]string{"barrier_mmx_ns", "sum_ull_ns"}, quantity)
}

// Summary returns the mean and the largest |error| of the rows for which include returns true, and
// the number of these rows. Rows that are left out or have no error do not count.
func (t *Table) Summary(include func(*Row) bool) (mean, worst float64, rows int) {
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Error != nil && r.Left == "" && include(r) {
			mean += math.Abs(*r.Error)
			worst = max(worst, math.Abs(*r.Error))
			rows++
		}
	}
	return mean / float64(max(rows, 1)), worst, rows
}

// Fitted reports whether the model's parameters were fitted to the row's environment: A to D.
func Fitted(r *Row) bool { return len(r.Env) == 1 && strings.Contains("ABCD", r.Env) }

// expect sets the uncertainty of predictions from loops, the rows with known errors. bound is the
// time in ns by which a P4's test program may take longer if the bus, not the CPU, limits it.
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

// programBound returns how much longer, in ns, the test program takes at the P3's bus than on a
// P4.
func programBound() (float64, error) {
	p3, err := sim.LoadPreset("D")
	if err != nil {
		return 0, err
	}
	p4, err := sim.LoadPreset("E")
	return nanoseconds(p3.Host.Program - p4.Host.Program), err
}
