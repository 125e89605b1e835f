// fagusc makes sequential Go functions parallel, which then run on Fagus.
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

	"github.com/fagus-dsm/fagus/cmd/fagusc/golang"
	"github.com/fagus-dsm/fagus/cmd/fagusc/loops"
)

const help = `fagusc reads Go functions that are marked with //fagus:parallel and writes for
each a function NameOn that all ranks of a Fagus program execute together: what
FILE.go has goes to FILE_fagus.go beside it.

It analyses loops over slices whose subscripts are polynomials of parameters and
indices, and divides those whose iterations do not depend on each other. What it
cannot prove to be right it refuses, and says why. docs/fagusc.md tells more.

Examples:

   fagusc                    the package in this folder
   fagusc kernels.go         one file
   fagusc --explain ./sums   what becomes of every loop; nothing is written
   fagusc --json --explain
   fagusc --spend 2ns        for runs on simulated networks, where computing
                             takes only the time that is charged`

func main() {
	app := &cli.App{
		Name: "fagusc", Usage: "makes sequential Go functions parallel", UsageText: "fagusc [options] [FOLDER | FILE.go ...]",
		Description: help, HideHelpCommand: true,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "explain", Aliases: []string{"x"}, Usage: "say what becomes of every loop, and write nothing"},
			&cli.DurationFlag{Name: "spend", Usage: "charge `TIME` to a virtual clock for every execution of an innermost loop's body"},
			&cli.BoolFlag{Name: "json", Usage: "say it as JSON"},
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

// usage is a command line that makes no sense.
type usage struct{ error }

// said is what is said of a function, or done.
type said struct {
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
	var all []said
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

// load reads what the arguments name.
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
		err = fmt.Errorf("%s: no function is marked with //fagus:parallel", dir)
	}
	return files, err
}

// one explains a file, or writes what is made of it.
func one(f *golang.File, explain bool, o golang.Options) (all []said, err error) {
	if explain {
		for _, fn := range f.Functions {
			s := said{File: f.Path, Function: fn.Name}
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
		all = append(all, said{File: f.Path, Function: fn.Name, Output: f.Output()})
	}
	return all, nil
}
