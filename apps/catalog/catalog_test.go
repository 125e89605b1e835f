package catalog_test

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// prepare returns the job of p for a command line with the given arguments.
func prepare(t *testing.T, p catalog.Program, args ...string) (*catalog.Job, error) {
	t.Helper()
	set := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	for _, f := range p.Flags {
		if err := f.Apply(set); err != nil {
			t.Fatal(err)
		}
	}
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	return p.Prepare(catalog.Flags{Context: cli.NewContext(nil, set, nil), Nodes: 2, Seed: 1})
}

// TestPrograms prepares every program with default flags. Names must be unique, descriptions
// complete, and jobs able to run.
func TestPrograms(t *testing.T) {
	names := make(map[string]bool)
	for _, p := range catalog.Programs() {
		if p.Name == "" || names[p.Name] || p.About == "" || p.VerifiedBy == "" || len(p.Examples) == 0 {
			t.Errorf("program %q: twice, or without a description or an example", p.Name)
		}
		names[p.Name] = true
		if text := p.UsageText(); !strings.HasPrefix(text, "fagus run "+p.Name+" [flags]\n\n") {
			t.Errorf("%s: usage text %q", p.Name, text)
		}
		j, err := prepare(t, p)
		if err == nil && j.Open != nil {
			err = j.Open(t.Context())
		}
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		if j.App != p.Name || j.Size == "" || j.Measured == "" || j.Run == nil || j.Write != nil {
			t.Errorf("%s: job %+v", p.Name, j)
		}
	}
}

// TestScales prepares every program with the sizes of its Scale, which increase, and differ in
// words. The other flags of Scale exist.
func TestScales(t *testing.T) {
	for _, p := range catalog.Programs() {
		has := func(name string) bool {
			return slices.ContainsFunc(p.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
		}
		for _, name := range p.Scale.Without {
			if !has(name) || name == p.Scale.Flag {
				t.Errorf("%s: Scale.Without has the flag %q", p.Name, name)
			}
		}
		if has("out") && !slices.Contains(p.Scale.Without, "out") {
			t.Errorf("%s: a comparison would write its file --out", p.Name)
		}
		if len(p.Scale.Sizes) < 2 {
			t.Errorf("%s: the sizes are %q, want two or more", p.Name, p.Scale.Sizes)
		}
		n, texts := 0, make(map[string]bool)
		for _, size := range p.Scale.Sizes {
			j, err := prepare(t, p, "--"+p.Scale.Flag, size)
			if err == nil && j.Open != nil {
				err = j.Open(t.Context())
			}
			if err != nil {
				t.Errorf("%s --%s %s: %v", p.Name, p.Scale.Flag, size, err)
				continue
			}
			if texts[j.Size] || j.N < n {
				t.Errorf("%s --%s %s: %q, N = %d, is no larger size", p.Name, p.Scale.Flag, size, j.Size, j.N)
			}
			texts[j.Size], n = true, j.N
		}
	}
}

// TestInput: what must be the same in a run that resumes has the size and the seed, and no flag of
// output.
func TestInput(t *testing.T) {
	for _, p := range catalog.Programs() {
		input := func(args ...string) string {
			set := flag.NewFlagSet(p.Name, flag.ContinueOnError)
			for _, f := range p.Flags {
				if err := f.Apply(set); err != nil {
					t.Fatal(err)
				}
			}
			if err := set.Parse(args); err != nil {
				t.Fatal(err)
			}
			return strings.Join(p.Input(catalog.Flags{Context: cli.NewContext(nil, set, nil), Seed: 7}), " ") + " "
		}
		size, last := "--"+p.Scale.Flag, p.Scale.Sizes[len(p.Scale.Sizes)-1]
		got := input(size, last)
		if !strings.Contains(got, size+"="+last+" ") || !strings.Contains(got, "--seed=7 ") || got == input(size, p.Scale.Sizes[0]) || strings.Contains(got, "--out=") || strings.Contains(got, "--top=") {
			t.Errorf("%s %s %s: input %s", p.Name, size, last, got)
		}
	}
}

// TestMistake: a wrong value of a flag gives a usage error.
func TestMistake(t *testing.T) {
	for _, p := range catalog.Programs() {
		if p.Name == "matmul" {
			if _, err := prepare(t, p, "--n", "0"); !usage.Is(err) {
				t.Errorf("matmul --n 0: error %v, want a usage error", err)
			}
		}
	}
}

// TestPlain runs a small program without Fagus.
func TestPlain(t *testing.T) {
	for _, p := range catalog.Programs() {
		if p.Name != "radix" {
			continue
		}
		j, err := prepare(t, p, "--keys", "1000")
		if err != nil {
			t.Fatal(err)
		}
		steps := 0
		o, err := j.Plain(func(section func()) fagus.Time { section(); return fagus.Second }, func(n int) { steps += n })
		if err != nil || !o.Verification.OK() || o.Took != fagus.Second || steps == 0 {
			t.Errorf("outcome %+v, %v after %d steps", o, err, steps)
		}
	}
}
