package compare

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/run"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// ofThePaper is the program that the paper compares versions with. Only it has claims to judge.
const ofThePaper = "matmul"

// subject is a program that is compared. It runs with one or several sizes, which a flag sets.
type subject struct {
	name    string
	command []string // only of a program of one's own: the program and its arguments
	flag    string   // the flag that sets the size; "" if there is one size alone
	unit    string   // a step of progress; known after sizes
	sync    string   // only for matmul: what a sync variable guards
	// prepare finds mistakes in a size before anything runs, and completes the size.
	prepare func(ctx context.Context, s *size, cfg runflags.Config) error
	run     func(ctx context.Context, s *size, cfg runflags.Config, progress func(units int)) (*experiment.Run, error)
}

// size is one size of a subject's problem.
type size struct {
	value string // of the flag
	n     int    // the value, if it is a number; otherwise its index, from 1
	text  string // all sizes of the problem in words
	units int    // the number of steps of a run; 0 means unknown
}

// catalogSubject returns the subject for a program of the catalog. The other flags of the program
// are taken from the command line c.
func catalogSubject(c *cli.Context, name string) *subject {
	find := func() catalog.Program {
		all := catalog.Programs()
		return all[slices.IndexFunc(all, func(p catalog.Program) bool { return p.Name == name })]
	}
	s := &subject{name: name, flag: find().Scale.Flag}
	if name == ofThePaper {
		s.sync = c.String(syncName)
	}
	job := func(ctx context.Context, size string, cfg runflags.Config) (*catalog.Job, error) {
		p := find() // with flags that no other command line has set
		set := flag.NewFlagSet(name, flag.ContinueOnError)
		for _, f := range p.Flags {
			if err := f.Apply(set); err != nil {
				return nil, err
			}
		}
		for _, name := range flagsSet(c, p) {
			if err := set.Set(name, fmt.Sprint(c.Value(name))); err != nil {
				return nil, err
			}
		}
		if err := set.Set(s.flag, size); err != nil {
			return nil, usage.Errorf("--%[1]s %[2]q: %[3]w; want values of --%[1]s of fagus run %[4]s, with commas between", s.flag, size, err, name)
		}
		j, err := p.Prepare(catalog.Flags{Context: cli.NewContext(c.App, set, nil), Nodes: cfg.Nodes, Seed: cfg.Seed})
		if err == nil && j.Open != nil {
			err = j.Open(ctx)
		}
		return j, err
	}
	s.prepare = func(ctx context.Context, one *size, cfg runflags.Config) error {
		j, err := job(ctx, one.value, cfg)
		if err == nil {
			one.text, one.units, s.unit = j.Size, j.Units, j.Unit
		}
		return err
	}
	s.run = func(ctx context.Context, one *size, cfg runflags.Config, progress func(int)) (*experiment.Run, error) {
		if cfg.Network.Processes {
			flags := []string{"--" + s.flag + "=" + one.value}
			if cfg.Placement != fagus.PlaceShared { // as on other networks
				flags = append(flags, "--placement=private")
			}
			for _, name := range flagsSet(c, find()) {
				flags = append(flags, fmt.Sprintf("--%s=%v", name, c.Value(name)))
			}
			p, err := experiment.FindRun(name, flags)
			if err != nil {
				return nil, err
			}
			r, err := p.Run(ctx, cfg, nil)
			if err == nil {
				progress(one.units)
			}
			return r, err
		}
		j, err := job(ctx, one.value, cfg)
		if err != nil {
			return nil, err
		}
		r, err := run.Verified(ctx, cfg, j, progress)
		if err != nil {
			return nil, err
		}
		released := r.Packets(fagus.PartRelease)
		return &experiment.Run{Document: experiment.Document{Summary: r.Summary, Text: r}, Spans: r.Stats(), Released: &released}, nil
	}
	return s
}

// flagsSet returns the names of the fixed flags of a program that c sets, and of that whose default
// in a comparison is another.
func flagsSet(c *cli.Context, p catalog.Program) (names []string) {
	for _, f := range fixedFlags(p) {
		if name := f.Names()[0]; c.IsSet(name) || name == syncName {
			names = append(names, name)
		}
	}
	return names
}

// syncName is the flag of matmul that says what a sync variable guards. Its default in a
// comparison is paperSync.
const (
	syncName  = "sync"
	paperSync = "paper"
)

// fixedFlags returns the flags of a program that are equal in all runs of a comparison. None makes
// the result wrong.
func fixedFlags(p catalog.Program) []cli.Flag {
	flags := slices.DeleteFunc(slices.Clone(p.Flags), func(f cli.Flag) bool {
		name := f.Names()[0]
		return name == p.Scale.Flag || name == "spoil" || slices.Contains(p.Scale.Without, name)
	})
	for i, f := range flags {
		if sync, ok := f.(*cli.StringFlag); ok && sync.Name == syncName {
			paper := *sync
			paper.Value = paperSync
			flags[i] = &paper
		}
	}
	return flags
}

// sizes parses a list of values of the subject's flag, and prepares each size. Numbers are sorted;
// other values keep their order.
func (s *subject) sizes(ctx context.Context, list string, cfg runflags.Config) (sizes []size, err error) {
	numbers := s.flag != ""
	for value := range strings.SplitSeq(list, ",") {
		one := size{value: strings.TrimSpace(value)}
		n, err := strconv.Atoi(one.value)
		one.n, numbers = n, numbers && err == nil
		if slices.ContainsFunc(sizes, func(other size) bool { return other.value == one.value }) {
			continue
		}
		sizes = append(sizes, one)
	}
	if numbers {
		slices.SortFunc(sizes, func(a, b size) int { return cmp.Compare(a.n, b.n) })
	}
	for i := range sizes {
		if !numbers {
			sizes[i].n = i + 1
		}
		if err := s.prepare(ctx, &sizes[i], cfg); err != nil {
			return nil, err
		}
	}
	return sizes, nil
}
