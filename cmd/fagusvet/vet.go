package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// byVet runs go vet with this command as its tool, and returns the exit code of fagusvet. go vet
// keeps what it has compiled in Go's cache; the driver that runs alone reads every package from
// source each time. done is false if only that driver has what args want, or if there is no go
// command.
func byVet(args []string, stderr io.Writer) (code int, done bool) {
	self, err := os.Executable()
	if err != nil || len(args) == 0 || slices.ContainsFunc(args, notForVet) {
		return 0, false
	}
	vet := exec.Command("go", slices.Concat([]string{"vet", "-vettool=" + self}, args)...)
	var out bytes.Buffer
	vet.Stdout, vet.Stderr = &out, &out
	err = vet.Run()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || !exit.Exited()) {
		return 0, false
	}
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "# ") { // the package
			fmt.Fprint(stderr, line)
		}
	}
	switch {
	case err == nil:
		return 0, true
	case findings().Match(out.Bytes()):
		return exitFound, true
	}
	return exitLoad, true
}

// findings matches the report of a rule: file, line, column, and the name of the rule. A line about
// code that does not compile has a column, too.
func findings() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\S.*:\d+:\d+: (` + strings.Join(ruleNames(), "|") + `): `)
}

// notForVet reports whether go vet cannot do what an argument asks for: that is no package or rule.
func notForVet(arg string) bool {
	name, isFlag := strings.CutPrefix(arg, "-")
	if !isFlag {
		return strings.HasSuffix(arg, ".cfg") // of go vet itself
	}
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "-"), "=")
	return !slices.ContainsFunc(ruleNames(), func(rule string) bool { return rule == name })
}
