package reproduce

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

//go:embed paper.toml
var paperTOML string

//go:embed predictions.toml
var predictionsTOML string

// Row pairs one figure of the model with that of the papers.
type Row struct {
	Table    string   `json:"table"`
	Env      string   `json:"env"`
	Quantity string   `json:"quantity"` // ends in its unit
	Model    float64  `json:"model"`
	Paper    *float64 `json:"paper"` // null if the papers print none
	Error    *float64 `json:"error"` // (model - paper) / paper; null without a paper's figure
	// Predicted is the model's figure of commit 55759e0, if it was predicted before the paper's was
	// known, or null.
	Predicted *float64 `json:"predicted,omitempty"`
	// Left is the reason why the summary leaves the row out, or empty.
	Left string `json:"left_out,omitempty"`
}

// Table is the result of one experiment.
type Table struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Rows  []Row  `json:"rows"`

	paper, predictions figures
}

type figures map[string]map[string]float64

func readFigures(name, text string) (f figures, err error) {
	if _, err := toml.Decode(text, &f); err != nil {
		return nil, fmt.Errorf("reproduce: %s: %w", name, err)
	}
	return f, nil
}

// study measures what a table needs. After a measurement that failed the others do nothing.
type study struct {
	Table
	cfg Config
	ctx context.Context
	err error // of the first that failed
}

func newStudy(ctx context.Context, cfg Config, name, title string) *study {
	s := &study{Table: Table{Name: name, Title: title}, cfg: cfg.withDefaults(), ctx: ctx}
	if s.paper, s.err = readFigures("paper.toml", paperTOML); s.err == nil {
		s.predictions, s.err = readFigures("predictions.toml", predictionsTOML)
	}
	return s
}

func (s *study) table() (*Table, error) { return &s.Table, s.err }

// preset returns the preset of a machine.
func (s *study) preset(env string) (p presets.Preset) {
	if s.err == nil {
		p, s.err = presets.Load(env)
	}
	return p
}

// run runs a program on the nodes of a network, and returns its result at rank 0.
func (s *study) run(net sim.Config, nodes int, program func(*pinger) (float64, error)) (result float64) {
	if s.err != nil {
		return 0
	}
	network, err := sim.New(net)
	if s.err = err; err != nil {
		return 0
	}
	preset := network.Preset()
	s.err = network.Run(s.ctx, nodes, func(h dimmnet.Host) error {
		rank := h.Port().Rank()
		x, err := program(&pinger{h, preset, rand.New(rand.NewPCG(s.cfg.Seed, uint64(rank)))})
		if rank == 0 {
			result = x
		}
		return err
	})
	s.cfg.Progress()
	return result
}

func (t *Table) add(env, quantity string, model float64) {
	r := Row{Table: t.Name, Env: env, Quantity: quantity, Model: model}
	if p, ok := t.paper[env][quantity]; ok {
		e := (model - p) / p
		r.Paper, r.Error = &p, &e
	}
	if p, ok := t.predictions[env][quantity]; ok {
		r.Predicted = &p
	}
	if r.Paper != nil && blind(env) && slices.Contains([]string{"barrier_mmx_ns", "sum_ull_ns"}, quantity) {
		r.Left = "P4 with MMX: the papers found an overhead of emms that they could not explain"
	}
	switch {
	case slices.Contains([]string{"outside_swif_ns", "protocol_us", "library_us", "host_us"}, quantity):
		r.Left = "a difference of rows above it"
	case quantity == "nic_latency_ns" && (env == "A" || env == "C"):
		r.Left = "the paper's total; its rows add up to 373 in A, and to 275 in C"
	}
	t.Rows = append(t.Rows, r)
}

// blind reports whether no parameter of the model was fitted to env.
func blind(env string) bool { return env == "E" || env == "F" }

// Summary is the mean and the largest |error| of some rows.
type Summary struct {
	Rows  int     `json:"rows"`
	Mean  float64 `json:"mean_error"`
	Worst float64 `json:"worst_error"`
}

// Summary summarises the rows for which include returns true; nil without such rows. Rows that are
// left out or have no error do not count.
func (t *Table) Summary(include func(*Row) bool) *Summary {
	return t.summary(func(r *Row) *float64 {
		if r.Left != "" || !include(r) {
			return nil
		}
		return r.Error
	})
}

// Predictions is Summary of the predictions, against the papers' figures.
func (t *Table) Predictions(include func(*Row) bool) *Summary {
	return t.summary(func(r *Row) *float64 {
		if r.Predicted == nil || r.Paper == nil || !include(r) {
			return nil
		}
		e := (*r.Predicted - *r.Paper) / *r.Paper
		return &e
	})
}

func (t *Table) summary(errorOf func(*Row) *float64) *Summary {
	s := &Summary{}
	for i := range t.Rows {
		if e := errorOf(&t.Rows[i]); e != nil {
			s.Rows, s.Mean, s.Worst = s.Rows+1, s.Mean+math.Abs(*e), max(s.Worst, math.Abs(*e))
		}
	}
	if s.Rows == 0 {
		return nil
	}
	s.Mean /= float64(s.Rows)
	return s
}

// Blind reports whether the row is of an environment to which no parameter was fitted: E and F.
func Blind(r *Row) bool { return blind(r.Env) }

// Fitted reports whether the model's parameters were fitted to the row's environment: A to D.
func Fitted(r *Row) bool { return len(r.Env) == 1 && strings.Contains("ABCD", r.Env) }
