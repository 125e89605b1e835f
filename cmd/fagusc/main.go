// Command fagusc makes sequential Go functions parallel, to run on Fagus. docs/fagusc.md describes
// it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/golang"
	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

const help = `fagusc reads Go functions that are marked with //fagus:parallel. For each it
writes a function NameOn that all ranks of a Fagus program execute together. The
output of FILE.go is FILE_fagus.go in the same folder.

It analyses loops over slices whose subscripts are polynomials in parameters and
indices, and divides loops whose iterations are independent among the ranks. It
refuses a function that it cannot prove correct, with the reason. See
docs/fagusc.md.

Examples:

   fagusc                    the package in this folder
   fagusc kernels.go         one file
   fagusc --explain ./sums   explain every loop; write nothing
   fagusc --json --explain
   fagusc --spend 2ns        for runs on simulated networks, where computing
                             takes only the time that the program charges`

func main() {
	app := &cli.App{
		Name: "fagusc", Usage: "make sequential Go functions parallel", UsageText: "fagusc [options] [FOLDER | FILE.go ...]",
		Description: help, HideHelpCommand: true,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "explain", Aliases: []string{"x"}, Usage: "explain every loop, and write nothing"},
			&cli.DurationFlag{Name: "spend", Usage: "charge `TIME` to a virtual clock per iteration of an innermost loop"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action:         func(c *cli.Context) error { return run(c, os.Stdout) },
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   func(_ *cli.Context, err error, _ bool) error { return &usage{err} },
	}
	err := app.Run(os.Args)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if u := (*usage)(nil); errors.As(err, &u) {
		fmt.Fprintln(os.Stderr, "see fagusc --help")
		os.Exit(2)
	}
	os.Exit(1)
}

// usage is an error in the command line.
type usage struct{ error }

// result is the report on one function.
type result struct {
	File     string
	Function string
	Loops    []string `json:",omitempty"`
	Refused  string   `json:",omitempty"`
	Output   string   `json:",omitempty"`
}

func run(c *cli.Context, out io.Writer) error {
	spend := c.Duration("spend")
	if spend < 0 {
		return &usage{fmt.Errorf("--spend %v: want 0 or more", spend)}
	}
	files, err := load(c.Args().Slice())
	if err != nil {
		return err
	}
	var all []result
	for _, f := range files {
		more, err := one(f, c.Bool("explain"), golang.Options{Spend: spend.Nanoseconds()})
		if err != nil && !c.Bool("explain") {
			return err
		}
		all = append(all, more...)
	}
	if c.Bool("json") {
		e := json.NewEncoder(out)
		e.SetIndent("", "\t")
		return e.Encode(all)
	}
	for _, s := range all {
		switch {
		case s.Refused != "":
			fmt.Fprintf(out, "%s: refused\n\t%s\n", s.Function, s.Refused)
		case s.Output != "":
			fmt.Fprintf(out, "%s: %sOn in %s\n", s.Function, s.Function, s.Output)
		default:
			fmt.Fprintf(out, "%s:\n\t%s\n", s.Function, strings.Join(s.Loops, "\n\t"))
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
			return nil, &usage{fmt.Errorf("%s: want one folder, or files that end with .go", path)}
		}
		if i > 0 && filepath.Dir(path) != dir {
			return nil, &usage{fmt.Errorf("%s: want files of one folder", path)}
		}
		dir = filepath.Dir(path)
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
	}
	files, err := golang.Load(dir, args...)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no function is marked //fagus:parallel", dir)
	}
	return files, err
}

// one explains the functions of file f if explain is set; otherwise it writes the output for f.
func one(f *golang.File, explain bool, o golang.Options) (all []result, err error) {
	if explain {
		for _, fn := range f.Functions {
			s := result{File: f.Path, Function: fn.Name}
			if _, err := fn.Plan(); err != nil {
				s.Refused = err.Error()
			} else {
				s.Loops = fn.Describe()
			}
			all = append(all, s)
		}
		return all, nil
	}
	text, err := f.Emit(o)
	if err != nil {
		if r := (*loops.Refusal)(nil); errors.As(err, &r) {
			err = fmt.Errorf("%w\nnothing is written for %s", err, f.Path)
		}
		return nil, err
	}
	if err := os.WriteFile(f.Output(), text, 0o644); err != nil {
		return nil, err
	}
	for _, fn := range f.Functions {
		all = append(all, result{File: f.Path, Function: fn.Name, Output: f.Output()})
	}
	return all, nil
}
