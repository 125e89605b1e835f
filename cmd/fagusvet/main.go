// Command fagusvet finds mistakes in programs that use Fagus, among them mistakes that the runtime
// reports only when execution reaches them, or not at all.
//
//	go install github.com/fagus-dsm/fagus/cmd/fagusvet
//	go vet -vettool=$(which fagusvet) ./...
//	fagusvet ./...
//
// Each rule is an analyzer of golang.org/x/tools/go/analysis, in a file of its own: access,
// release, shared and collective. A rule reports code that is wrong for any input, and reports
// nothing where it is unsure; the doc text of each rule lists its gaps. A comment on the
// line, or on the line above, suppresses a rule there:
//
//	counts.Slice()[0] = 1 //fagusvet:ignore access every rank writes the same
//
// fagusvet proves nothing, and does not follow a Node into other packages. Exit codes follow the
// vet protocol: under go vet 0 and 1; alone 0 for clean, 1 if a package cannot be loaded, 3 if
// something was found.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/multichecker"
)

const exitUsage = 2

func main() {
	if code, done := help(os.Args[1:], os.Stdout, os.Stderr); done {
		os.Exit(code)
	}
	multichecker.Main(analyzers()...)
}

func analyzers() []*analysis.Analyzer {
	knowledge := modelAnalyzer()
	return []*analysis.Analyzer{
		accessAnalyzer(knowledge),
		releaseAnalyzer(knowledge),
		sharedAnalyzer(knowledge),
		collectiveAnalyzer(knowledge),
	}
}

const usage = `fagusvet finds mistakes in programs that use Fagus.

  go vet -vettool=$(which fagusvet) ./...     as a part of go vet
  fagusvet ./...                              by itself
  fagusvet -release -access ./apps/...        only some of the rules
  fagusvet help release                       what a rule finds, and what it misses

Rules:
  access      elements read or written while no set is held that guards them
  release     a set that is still held at a return, or at the next collective call
  shared      elements written under a set that has their variable only Shared, or not at all
  collective  NewGuarded, Bind, Update, Barrier and other calls that only some ranks make

A comment on the line, or on the line above, suppresses a rule there:

  counts.Slice()[0] = 1 //fagusvet:ignore access every rank writes the same

Exit codes: 0 clean, 1 a package could not be loaded (under go vet: something was
found), 2 usage, 3 something was found.
`

// help handles a call without arguments or for help. done is false for any other call.
func help(args []string, stdout, stderr io.Writer) (code int, done bool) {
	switch {
	case len(args) == 0:
		fmt.Fprint(stderr, usage)
		return exitUsage, true
	case len(args) == 1 && slices.Contains([]string{"-h", "-help", "--help", "help"}, args[0]):
		fmt.Fprint(stdout, usage)
		return 0, true
	}
	return 0, false
}
