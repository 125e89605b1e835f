package main

import (
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

const exitDoc = `find calls that end the process of a rank

Ranks that are goroutines are one process: os.Exit, syscall.Exit and log.Fatal end all of them at
once, and nothing can report it; os.Exit(0) even looks like success. Ranks that are processes are
lost to the others. So a program returns an error instead:

	if len(input) == 0 {
		os.Exit(0) // exit: os.Exit ends the process ...
	}

The rule reports such calls, and runtime.Goexit, in functions that a program, or a function with a
*fagus.Node, reaches. It misses calls in other packages and through interfaces.`

func exitAnalyzer(knowledge *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "exit", Doc: exitDoc, Requires: []*analysis.Analyzer{knowledge},
		Run: func(pass *analysis.Pass) (any, error) {
			m, r := pass.ResultOf[knowledge].(*model), newReporter(pass)
			for fn := range newRanks(m, true) {
				for instr := range instructions(fn) {
					if c, ok := instr.(ssa.CallInstruction); ok {
						if name := exits(c.Common()); name != "" {
							r.reportf(instr.Pos(), "%s ends the process, and with it all ranks that are goroutines: return an error from the program instead", name)
						}
					}
				}
			}
			return nil, nil
		},
	}
}

// exits returns the name of a function that ends the process or the goroutine; "" for other calls.
func exits(c *ssa.CallCommon) string {
	callee := c.StaticCallee()
	if callee == nil || callee.Pkg == nil {
		return ""
	}
	name := callee.Pkg.Pkg.Path() + "." + callee.Name()
	switch {
	case name == "os.Exit", name == "syscall.Exit", name == "runtime.Goexit", strings.HasPrefix(name, "log.Fatal"):
		return name
	}
	return ""
}
