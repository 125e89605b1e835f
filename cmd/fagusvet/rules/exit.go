package rules

import (
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

const exitDoc = `find calls that end the process or the goroutine of a rank

Ranks that are goroutines are one process: os.Exit, syscall.Exit and log.Fatal end all of them at
once, and nothing can report it; os.Exit(0) even looks like success. Ranks that are processes are
lost to the others. So a program returns an error instead:

	if len(input) == 0 {
		os.Exit(0) // exit: os.Exit ends the process ...
	}

The rule reports such calls, and runtime.Goexit, which ends the goroutine of a rank, in functions that a program, or a function with a *fagus.Node,
reaches, and calls of functions of the main module that make them. It misses calls in other modules,
and through interfaces and function values.`

func exitAnalyzer(knowledge *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "exit", Doc: exitDoc, Requires: []*analysis.Analyzer{knowledge},
		Run: func(pass *analysis.Pass) (any, error) {
			m, r := pass.ResultOf[knowledge].(*model), newReporter(pass)
			for fn := range newRanks(m, true) {
				for instr := range instructions(fn) {
					if c, ok := instr.(ssa.CallInstruction); ok {
						reportExit(r, m, instr, c.Common())
					}
				}
			}
			return nil, nil
		},
	}
}

func reportExit(r *reporter, m *model, instr ssa.Instruction, c *ssa.CallCommon) {
	name := exits(c)
	switch {
	case name == "runtime.Goexit":
		r.reportf(instr.Pos(), "%s ends the goroutine of the rank, and the run fails: return an error from the program instead", name)
		return
	case name != "":
		r.reportf(instr.Pos(), "%s ends the process, and with it all ranks that are goroutines: return an error from the program instead", name)
		return
	}
	if callee := c.StaticCallee(); callee != nil {
		if s := m.summaryOf(callee); s != nil && s.Exits != "" {
			r.reportf(instr.Pos(), "%s calls %s, which ends the process or the goroutine of the rank: let it return an error instead",
				callee.Name(), s.Exits)
		}
	}
}

// exits returns the name of a function that ends the process or the goroutine; "" for other calls.
func exits(c *ssa.CallCommon) string {
	callee := c.StaticCallee()
	if callee == nil || callee.Pkg == nil {
		return ""
	}
	if name := callee.Pkg.Pkg.Path() + "." + callee.Name(); ends(name) {
		return name
	}
	return ""
}

// ends reports whether a function or method, with the path of its package, never returns.
func ends(name string) bool {
	switch name {
	case "os.Exit", "syscall.Exit", "runtime.Goexit":
		return true
	}
	return strings.HasPrefix(name, "log.Fatal")
}

func shortName(file string) string { return filepath.Base(file) }
