// Command fagusc makes sequential Go functions parallel, to run on Fagus. docs/guide/fagusc.md
// describes it.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/golang"
	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/plan"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const about = `fagusc reads Go functions that are marked with //fagus:parallel. For each it
writes a function NameOn that all ranks of a Fagus program execute together. The
output of FILE.go is FILE_fagus.go in the same folder.

It analyses loops over slices whose subscripts are polynomials in parameters and
indices, and divides loops whose iterations are independent among the ranks. It
refuses a function that it cannot prove correct, with the reason, and goes on
with the others. See docs/guide/fagusc.md.

Exit codes: 0 ok (also with --explain, which reports what is refused); 1 a
function is refused, or a file cannot be read or written; 2 usage.`

const examples = `fagusc [flags] [FOLDER | FILE.go ...]

fagusc cmd/fagusc/testdata/kernels               the package in a folder; without one, in this folder
fagusc cmd/fagusc/testdata/kernels/dense.go      one file
fagusc --explain cmd/fagusc/testdata/kernels     explain every loop; write nothing
fagusc --json --explain cmd/fagusc/testdata/kernels
fagusc --with n=512 cmd/fagusc/testdata/kernels  predict times for these sizes; write nothing
fagusc --spend 2ns cmd/fagusc/testdata/kernels   computing takes time on simulated networks`

func main() { os.Exit(execute(os.Args, os.Stdout, os.Stderr)) }

func execute(args []string, stdout, stderr io.Writer) int {
	app := newApp(stdout, stderr)
	words, err := cmdline.New(app).Arrange(args[1:])
	if err == nil {
		err = app.Run(append(args[:1:1], words...))
	}
	if err == nil {
		return 0
	}
	if usage.Is(err) {
		fmt.Fprintln(stderr, "fagusc:", err)
		return 2
	}
	fmt.Fprintln(stderr, err) // begins with a file and a line, which editors understand
	return 1
}

func newApp(stdout, stderr io.Writer) *cli.App {
	return &cli.App{
		Name: "fagusc", Usage: "make sequential Go functions parallel", UsageText: cmdline.Align(examples),
		Description: about, HideHelpCommand: true,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "explain", Aliases: []string{"x"}, DisableDefaultText: true, Usage: "explain every loop, and write nothing"},
			&cli.StringFlag{Name: "with", Usage: "like --explain, and predict the time for `SIZES` of parameters, as generated code does when it chooses between one rank and all: n=1000,m=2"},
			&cli.IntFlag{Name: "ranks", Value: 2, Usage: "predict the time on `N` ranks"},
			&cli.DurationFlag{Name: "meeting", Value: 500 * time.Nanosecond, Usage: "assume that a Barrier of the ranks takes `TIME`"},
			&cli.DurationFlag{Name: "spend", Usage: "charge `TIME` to a virtual clock per iteration of an innermost loop: on simulated networks computing takes only the time that the program charges"},
			&cli.BoolFlag{Name: "json", DisableDefaultText: true, Usage: "print JSON"},
		},
		Writer: stdout, ErrWriter: stderr,
		Action:         func(c *cli.Context) error { return run(c, stdout) },
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError: func(c *cli.Context, err error, _ bool) error {
			return usage.Errorf("%w; see 'fagusc --help'", cmdline.Explain(c.Command, err))
		},
	}
}

// result is the report on one function.
type result struct {
	File     string
	Function string   `json:",omitempty"` // empty if the whole file is refused
	Loops    []string `json:",omitempty"`
	Time     string   `json:",omitempty"` // predicted, or why it is not
	Refused  string   `json:",omitempty"`
	Output   string   `json:",omitempty"`
}

func run(c *cli.Context, out io.Writer) error {
	spend := c.Duration("spend")
	if spend < 0 {
		return usage.Errorf("--spend %v: want 0 or more; see 'fagusc --help'", spend)
	}
	var sizes golang.Sizes
	if c.IsSet("with") {
		var err error
		if sizes, err = sizesOf(c.String("with")); err != nil {
			return err
		}
	}
	if c.Int("ranks") < 1 || c.Duration("meeting") < 0 {
		return usage.Errorf("--ranks %d --meeting %v: want at least 1 rank, and 0 or more; see 'fagusc --help'", c.Int("ranks"), c.Duration("meeting"))
	}
	files, err := load(c.Args().Slice())
	if err != nil {
		return err
	}
	var all []result
	var refused []error
	for _, f := range files {
		if c.Bool("explain") || sizes != nil {
			all = append(all, explained(f, func(p *plan.Plan) string {
				if sizes == nil {
					return ""
				}
				text, err := p.Predict(sizes.Value, c.Int("ranks"), fagus.Time(c.Duration("meeting").Nanoseconds())*fagus.Nanosecond)
				if err != nil {
					return err.Error()
				}
				return text
			})...)
			continue
		}
		more, err := emitted(f, golang.Options{Spend: spend.Nanoseconds()})
		all = append(all, more...)
		if err != nil {
			refused = append(refused, err)
		}
	}
	if err := report(all, c.Bool("json"), out); err != nil {
		return err
	}
	return errors.Join(refused...)
}

func report(all []result, asJSON bool, out io.Writer) error {
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "\t")
		return e.Encode(all)
	}
	for _, s := range all {
		switch {
		case s.Refused != "":
			fmt.Fprintf(out, "%s: refused\n\t%s\n", cmp.Or(s.Function, s.File), s.Refused)
		case s.Output != "":
			fmt.Fprintf(out, "%s: %sOn in %s\n", s.Function, s.Function, s.Output)
		default:
			fmt.Fprintf(out, "%s:\n\t%s\n", s.Function, strings.Join(s.Loops, "\n\t"))
			if s.Time != "" {
				fmt.Fprintf(out, "\t%s\n", s.Time)
			}
		}
	}
	return nil
}

// load reads the folder or the files that the arguments name.
func load(args []string) ([]*golang.File, error) {
	dir := "."
	if len(args) == 1 && !strings.HasSuffix(args[0], ".go") {
		dir, args = args[0], nil
	}
	for i, path := range args {
		if !strings.HasSuffix(path, ".go") {
			return nil, usage.Errorf("%s: want one folder, or files that end with .go; see 'fagusc --help'", path)
		}
		if i > 0 && filepath.Dir(path) != dir {
			return nil, usage.Errorf("%s: want files of one folder; see 'fagusc --help'", path)
		}
		dir = filepath.Dir(path)
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	files, err := golang.Load(dir, args...)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no function is marked //fagus:parallel", dir)
	}
	return files, err
}

// sizesOf returns the values of a list such as n=1000,len(a)=5.
func sizesOf(list string) (golang.Sizes, error) {
	sizes := make(golang.Sizes)
	for part := range strings.SplitSeq(list, ",") {
		name, text, _ := strings.Cut(part, "=")
		v, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if name = strings.TrimSpace(name); err != nil || name == "" {
			return nil, usage.Errorf("--with %s: want NAME=NUMBER, with commas between, such as n=1000,'len(a)=500'; see 'fagusc --help'", list)
		}
		sizes[name] = v
	}
	return sizes, nil
}

func explained(f *golang.File, predict func(*plan.Plan) string) (all []result) {
	for _, err := range f.Refused() {
		all = append(all, result{File: f.Path, Refused: err.Error()})
	}
	for _, fn := range f.Functions {
		s := result{File: f.Path, Function: fn.Name}
		if p, err := fn.Plan(); err != nil {
			s.Refused = err.Error()
		} else {
			s.Loops, s.Time = p.Describe(), predict(p)
		}
		all = append(all, s)
	}
	return all
}

// emitted writes the output for the functions of file f that are not refused. Its error names the
// others.
func emitted(f *golang.File, o golang.Options) (all []result, err error) {
	text, err := f.Emit(o)
	if text == nil {
		return nil, fmt.Errorf("%w\nnothing is written for %s", err, f.Path)
	}
	if err := os.WriteFile(f.Output(), text, 0o644); err != nil {
		return nil, err
	}
	for _, fn := range f.Functions {
		if _, refused := fn.Plan(); refused == nil {
			all = append(all, result{File: f.Path, Function: fn.Name, Output: f.Output()})
		}
	}
	return all, err
}
