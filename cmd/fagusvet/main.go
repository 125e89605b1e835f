// Command fagusvet finds mistakes in programs that use Fagus, among them mistakes that the runtime
// reports only when execution reaches them, or not at all.
//
//	go install github.com/fagus-dsm/fagus/cmd/fagusvet
//	go vet -vettool=$(which fagusvet) ./...
//	fagusvet ./...
//
// Each rule is an analyzer of golang.org/x/tools/go/analysis in package rules, so that other
// drivers can run it. A rule reports code that is wrong for any input, and reports nothing where it
// is unsure; the doc text of each rule lists its gaps. A comment on the line, or on the line above,
// suppresses a rule there:
//
//	counts.Slice()[0] = 1 //fagusvet:ignore access every rank writes the same
//
// fagusvet proves nothing. What it must know of functions in other packages of the main module, the
// go command keeps as facts. Exit codes follow the vet protocol: under go vet 0 and 1; alone 0 for
// clean, 1 if a package cannot be loaded, 3 if something was found.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/fagus-dsm/fagus/cmd/fagusvet/rules"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
)

// Exit codes. Under go vet, 1 also means that something was found.
const (
	exitLoad  = 1
	exitUsage = 2
	exitFound = 3
)

func main() {
	if code, done := help(os.Args[1:], os.Stdout, os.Stderr); done {
		os.Exit(code)
	}
	if err := plainContext(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "fagusvet:", err)
		os.Exit(exitUsage)
	}
	if code, done := byVet(os.Args[1:], os.Stderr); done {
		os.Exit(code)
	}
	flag.CommandLine.SetOutput(&mistakes{os.Stderr, flag.CommandLine})
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "see 'fagusvet --help'") }
	multichecker.Main(rules.Analyzers()...)
}

const (
	intro = "fagusvet finds mistakes in programs that use Fagus."

	examples = `go vet -vettool=$(which fagusvet) ./apps/...  # as a part of go vet
fagusvet ./apps/...                           # by itself
fagusvet -release -access ./apps/...          # only some of the rules
fagusvet -json ./apps/...                     # one JSON document
fagusvet help release                         # what a rule finds, and what it misses`

	details = `Rules:
  access      elements read or written while no set is held that guards them
  release     a set that is still held at a return, or at the next collective call
  shared      elements written under a set that has their variable only Shared, or not at all
  collective  NewGuarded, Bind, Update, Barrier and other calls that only some ranks make
  alike       lengths, names and ranges that differ from rank to rank
  variable    Go variables that ranks write, and that are not the rank's own
  goroutine   calls of a Node that another goroutine makes
  after       slices, arrays and results that are used after the run
  exit        os.Exit, log.Fatal and other calls that end the process of a rank

A comment on the line, or on the line above, suppresses a rule there:

  counts.Slice()[0] = 1 //fagusvet:ignore access every rank writes the same

Flags, before the packages:
  -access, -release, ...  only the rules that are named
  -json                   print one JSON document
  -c N                    print N lines around each finding
  -test=false             leave out the files of tests

Without the last three, fagusvet runs go vet, which keeps what it has compiled: the
first run takes long, later ones do not.

Exit codes: 0 clean, 1 a package could not be loaded (under go vet: something was
found), 2 usage, 3 something was found (with -json 0).
`
)

// usage returns the help text.
func usage() string {
	return intro + "\n\n  " + strings.ReplaceAll(examples, "\n", "\n  ") + "\n\n" + details
}

// plainContext makes the number of the flag -c decimal, as numbers are in all commands.
func plainContext(args []string) error {
	for i, arg := range args {
		name, text, inline := strings.Cut(arg, "=")
		if name != "-c" && name != "--c" || !inline && i+1 == len(args) {
			continue
		}
		if !inline {
			text = args[i+1]
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("-c %q: want a whole number", text)
		}
		if args[i] = fmt.Sprintf("-c=%d", n); !inline {
			args[i+1] = "-c=" + strconv.Itoa(n) // once more
		}
	}
	return nil
}

// mistakes is the output of package flag. It adds the likely name to the report of a flag that is
// unknown.
type mistakes struct {
	to    io.Writer
	flags *flag.FlagSet
}

func (m *mistakes) Write(text []byte) (int, error) {
	name, unknown := strings.CutPrefix(strings.TrimSpace(string(text)), "flag provided but not defined: -")
	if !unknown {
		return m.to.Write(text)
	}
	var names []string
	m.flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	hint := ""
	if near := cmdline.Nearest(name, names); near != "" {
		hint = "; did you mean -" + near + "?"
	}
	_, err := fmt.Fprintf(m.to, "fagusvet: no flag -%s%s\n", name, hint)
	return len(text), err
}

// help handles a call without arguments, for help, or for help on a rule that is unknown. done is
// false for any other call.
func help(args []string, stdout, stderr io.Writer) (code int, done bool) {
	switch {
	case len(args) == 0:
		fmt.Fprint(stderr, usage())
		return exitUsage, true
	case len(args) == 1 && slices.Contains([]string{"-h", "-help", "--help", "help"}, args[0]):
		fmt.Fprint(stdout, usage())
		return 0, true
	case args[0] == "help":
		return unknownRule(args[1:], stderr)
	}
	return 0, false
}

// ruleNames returns the names of the rules.
func ruleNames() (names []string) {
	for _, a := range rules.Analyzers() {
		names = append(names, a.Name)
	}
	return names
}

// unknownRule reports the first name that is no rule. done is false if all are rules.
func unknownRule(names []string, stderr io.Writer) (code int, done bool) {
	known := ruleNames()
	for _, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		hint := "; see 'fagusvet --help'"
		if near := cmdline.Nearest(name, known); near != "" {
			hint = "; did you mean 'fagusvet help " + near + "'?"
		}
		fmt.Fprintf(stderr, "fagusvet: no rule %q%s\n", name, hint)
		return exitUsage, true
	}
	return 0, false
}
