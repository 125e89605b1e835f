package rules

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// TestRules runs each rule on the package of its name in testdata. Comments there give the expected
// report beside each mistake, and nothing else may be reported.
func TestRules(t *testing.T) {
	longtest.Third(t)
	for _, a := range Analyzers() {
		t.Run(a.Name, func(t *testing.T) {
			analysistest.Run(t, analysistest.TestData(), a, a.Name)
		})
	}
}

// TestCorrectPrograms runs each rule on correct programs.
func TestCorrectPrograms(t *testing.T) {
	longtest.Third(t)
	for _, a := range Analyzers() {
		t.Run(a.Name, func(t *testing.T) {
			analysistest.Run(t, analysistest.TestData(), a, "light")
		})
	}
}
