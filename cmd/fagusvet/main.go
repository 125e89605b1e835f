// Command fagusvet finds mistakes in programs that use Fagus: what the runtime tells
// only when a run comes to it, and what it does not tell at all.
//
//	go install github.com/fagus-dsm/fagus/cmd/fagusvet
//	go vet -vettool=$(which fagusvet) ./...
//	fagusvet ./...
//
// Each rule is an analyzer of golang.org/x/tools/go/analysis, in a file of its own:
// access, release, shared and collective. A rule reports what is wrong whatever the
// data are, and is silent where it does not know; what that leaves out, its file says.
// A comment on the line, or above it, keeps a rule from reporting there:
//
//	counts.Slice()[0] = 1 //fagusvet:ignore access every rank writes the same
//
// It is not a proof, and no look into other packages: what these do with a Node is
// unknown here. Exit codes are those of the vet protocol: under go vet 0 and 1; alone
// 0 clean, 1 a package that could not be loaded, 3 something was found.
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

// analyzers are the rules. They share what they know of a package.
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
  fagusvet help release                       what a rule finds, and what it cannot see

Rules:
  access      elements read or written while no set is held
  release     an Acquire whose set is still held at a return, or at the next collective call
  shared      elements written under a set that has their variable only Shared
  collective  NewArray, Bind, Update, Barrier or Reduce that only some ranks call

A comment on the line, or above it, keeps a rule from reporting there:

  counts.Slice()[0] = 1 //fagusvet:ignore access every rank writes the same

Exit codes: 0 clean, 1 a package could not be loaded (under go vet: something was
found), 2 usage, 3 something was found.
`

// help answers a call that wants to know how to call; any other is for the checker.
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
