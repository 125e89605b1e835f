package compare

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/contest"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// sizesName is the flag that names a flag of the program, and its values.
const sizesName = "sizes"

// ownCommand returns the command for a program of one's own. Its name stands for the path of the
// program: see cmdline.New.
func ownCommand() *cli.Command {
	const what = "what is compared"
	return &cli.Command{
		Name: "./PROGRAM", Usage: "a program of one's own, which uses package fagus/program (docs/guide/program.md)",
		UsageText: `fagus compare ./PROGRAM [flags] [-- ARGUMENTS]
fagus compare [flags] -- PROGRAM [ARGUMENTS]

fagus compare ./app                                on 2 simulated nodes
fagus compare ./app --nodes 4 --out report -- --size 5  with arguments of its own, and a page
fagus compare ./app --sizes size=10,20             several values of its flag --size
fagus compare --net shm --nodes 2 -- ./app --size 5     processes, medians of 5 runs
fagus compare ./app --json | jq .results[].time_ns.total`,
		Description: "A word with a slash is the path of the program; without one it comes after --, as does what is for\n" +
			"the program. Every run is a process with the flags of the version (--net, --nodes, --mode, --transfer,\n" +
			"--notices, --direct) and --json, and without standard input. A warning follows if versions print different lines.",
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: sizesName, Category: what, DefaultText: "one size", Usage: "run with each value of a flag of the program, `FLAG=VALUES` with commas between"},
		}, outputFlags(), contest.Flags(what, contest.Apart)),
		Action: func(c *cli.Context) error {
			s, sizes, err := ownSubject(c)
			if err != nil {
				return err
			}
			e, err := newSideBySide(c, contest.Apart, s, sizes)
			if err != nil {
				return err
			}
			return e.compare(c)
		},
	}
}

// ownArgs are the words after --, and what the flags say about them.
type ownArgs struct {
	argv    []string // the program and its arguments, as the user typed them
	program *experiment.Program
	flag    string // that sets the size, or ""
}

// ownSubject returns the program that the arguments name, and the values of its flag for sizes.
func ownSubject(c *cli.Context) (s *subject, sizes string, err error) {
	o := &ownArgs{argv: c.Args().Slice()}
	if len(o.argv) == 0 {
		return nil, "", usage.Errorf("no program to compare; see '%s --help'", c.Command.HelpName)
	}
	if o.flag, sizes, err = readSizes(c); err != nil {
		return nil, "", err
	}
	if err := o.check(); err != nil {
		return nil, "", err
	}
	s = &subject{name: filepath.Base(o.argv[0]), command: o.argv, flag: o.flag, unit: "runs", run: o.run}
	s.prepare = func(_ context.Context, one *size, _ runflags.Config) error {
		one.text, one.units = experiment.CommandLine(slices.Concat(o.argv[:1], o.sizeFlag(one), o.argv[1:])), 1
		return nil
	}
	return s, sizes, nil
}

// readSizes reads --sizes FLAG=VALUES.
func readSizes(c *cli.Context) (flag, values string, err error) {
	text := c.String(sizesName)
	if !c.IsSet(sizesName) {
		return "", "", nil
	}
	flag, values, _ = strings.Cut(text, "=")
	flag = strings.TrimLeft(flag, "-")
	if flag == "" || values == "" {
		return "", "", usage.Errorf("--%s %q: want a flag of the program and its values, such as --%[1]s n=100,200", sizesName, text)
	}
	if slices.Contains(strings.Split(values, ","), "") {
		return "", "", usage.Errorf("--%s %q: one of the values is empty", sizesName, text)
	}
	if ours, _ := setHere(flag); ours {
		return "", "", usage.Errorf("--%s %q: want a flag of the program's own: --%s is one of every program", sizesName, text, flag)
	}
	return flag, values, nil
}

// setHere reports whether a comparison sets a flag of the program. given: the user says its value
// by the same flag of fagus compare.
func setHere(flag string) (ours, given bool) {
	given = slices.Contains([]string{"net", "nodes", "env", "host-cost", "seed", "loss", "duplicate", "reorder"}, flag)
	return given || slices.Contains([]string{"json", "quiet", "timeline", "mode", "transfer", "lists", "notices", "direct", "help", "h"}, flag), given
}

// check finds mistakes in the command line of the program, as far as they can be seen.
func (o *ownArgs) check() (err error) {
	for _, word := range o.argv[1:] {
		if word == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if !strings.HasPrefix(word, "-") || name == "" {
			continue
		}
		switch ours, given := setHere(name); {
		case given:
			return usage.Errorf("%s comes after --, and is a flag of fagus compare: put it before", word)
		case ours && name != "help" && name != "h":
			return usage.Errorf("%s comes after --, and fagus compare sets it: leave it out", word)
		case ours:
			return usage.Errorf("%s comes after --: run %s %[1]s, which prints no times to compare", word, o.argv[0])
		case name == o.flag:
			return usage.Errorf("%s comes after --, and --%s sets it, too: leave out one of them", word, sizesName)
		}
	}
	o.program, err = experiment.Find(o.argv)
	return err
}

func (o *ownArgs) sizeFlag(s *size) []string {
	if o.flag == "" {
		return nil
	}
	return []string{"--" + o.flag + "=" + s.value}
}

// run runs the program once.
func (o *ownArgs) run(ctx context.Context, s *size, cfg runflags.Config, progress func(int)) (*experiment.Run, error) {
	r, err := o.program.Run(ctx, cfg, o.sizeFlag(s))
	if err == nil {
		progress(1)
	}
	return r, err
}

// differences returns warnings about what a program of one's own has printed: another result in
// another version, or in another run of the same version. Without a warning all runs of a size have
// printed the same lines. Their order does not count, because ranks may print in any order.
func (c *comparison) differences() (warnings []string) {
	if c.Command == nil {
		return nil
	}
	for _, n := range c.Sizes {
		results := c.OfSize(n)
		first := results[0]
		if text := first.unsteady(); text != "" && c.Seed == 0 {
			warnings = append(warnings, with(c.Size(n))+"the program does not print the same in every run, so whether its versions agree is unknown: "+text)
			continue
		}
		for _, r := range results[1:] {
			for i := range r.Runs {
				if text := unlike(r.Version, first.Version, r.Runs[i], first.Runs[i]); text != "" {
					warnings = append(warnings, fmt.Sprintf("%s%s and %s print different lines: %s", with(c.Size(n)), r.Version, first.Version, text))
					break
				}
			}
		}
	}
	return warnings
}

// unsteady returns text: how two runs of the version differ, or "".
func (c *compared) unsteady() string {
	for i, r := range c.Runs {
		if text := unlike(fmt.Sprintf("run %d of %s", i+1, c.Version), "run 1", r, c.Runs[0]); text != "" {
			return text
		}
	}
	return ""
}

// unlike returns text: the first lines that one run has printed and another has not, or "".
func unlike(name, otherName string, one, other *experiment.Run) string {
	if one.Cut || other.Cut {
		return ""
	}
	line, alone := firstAlone(one.Lines, other.Lines)
	otherLine, otherAlone := firstAlone(other.Lines, one.Lines)
	switch {
	case alone && otherAlone:
		return fmt.Sprintf("%s prints %s, and %s %s", name, experiment.Quoted(line), otherName, experiment.Quoted(otherLine))
	case alone:
		return fmt.Sprintf("%s prints %s, and %s does not", name, experiment.Quoted(line), otherName)
	case otherAlone:
		return fmt.Sprintf("%s prints %s, and %s does not", otherName, experiment.Quoted(otherLine), name)
	}
	return ""
}

// firstAlone returns the first line that occurs more often in lines than in others.
func firstAlone(lines, others []string) (line string, found bool) {
	if slices.Equal(lines, others) {
		return "", false
	}
	left := make(map[string]int)
	for _, line := range others {
		left[line]++
	}
	for _, line := range lines {
		if left[line]--; left[line] < 0 {
			return line, true
		}
	}
	return "", false
}
