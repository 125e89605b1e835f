// Package rules has the rules of fagusvet as analyzers of golang.org/x/tools/go/analysis, so that
// other drivers can run them beside their own:
//
//	multichecker.Main(append(rules.Analyzers(), nilness.Analyzer)...)
//
// A rule reports code that is wrong for any input, and reports nothing where it is unsure. Each
// message begins with the name of its rule. The text Doc of a rule says what it finds and what it
// misses; docs/guide/vet.md shows a program and a report for each.
//
// What a rule must know of the functions of other packages comes to it as facts, which drivers such
// as go vet and gopls keep. Facts describe the packages of the main module, because their analysis
// is cheap. Functions of other modules count as harmless.
package rules

import "golang.org/x/tools/go/analysis"

// Analyzers returns the rules. Analyzers of one call share what they find out about a package, so a
// driver should call it once.
func Analyzers() []*analysis.Analyzer {
	knowledge := modelAnalyzer()
	return []*analysis.Analyzer{
		accessAnalyzer(knowledge),
		releaseAnalyzer(knowledge),
		sharedAnalyzer(knowledge),
		collectiveAnalyzer(knowledge),
		alikeAnalyzer(knowledge),
		variableAnalyzer(knowledge),
		goroutineAnalyzer(knowledge),
		afterAnalyzer(knowledge),

		exitAnalyzer(knowledge),
	}
}
