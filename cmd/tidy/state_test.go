package main

import "testing"

func TestStateRule(t *testing.T) {
	exempt := []exemption{{"a", "Names", "a table"}}
	for name, tt := range map[string]struct {
		files source
		want  []string
	}{
		"settled": {files: source{"a/a.go": `package a

import (
	_ "embed"
	"errors"
	"fmt"
	re "regexp"
)

//go:embed a.txt
var text string

var (
	//go:embed b.txt
	more []byte

	ErrA, errB = errors.New("a"), errors.New("b")

	word = re.MustCompile("[a-z]+")

	Names = []string{"x"}

	_ fmt.Stringer = (*T)(nil)
)

const c = 1

type T struct{ fmt.Stringer }

func (T) init() { var x int; _ = x }
`}},
		"tests": {files: source{"a/a.go": "package a\n\nvar Names int\n", "a/a_test.go": "package a\n\nvar x int\n"}},
		"gone": {source{"a/a.go": "package a\n", "a/a_test.go": "package a\n\nvar Names int\n"},
			[]string{"a/a.go:1: the exempt variable Names is gone"}},
		"exempt elsewhere": {source{"b/b.go": "package b\n\nvar Names int\n"},
			[]string{"b/b.go:3: package variable Names can change"}},
		"init": {source{"b/b.go": "package b\n\nfunc init() {}\n", "b/b_test.go": "package b\n\nfunc init() {}\n"},
			[]string{"b/b.go:3: func init", "b/b_test.go:3: func init"}},
		"state": {source{"cmd/x/main.go": `package main

import "errors"

var x int

var (
	y, _   = 1, 2
	Broken = errors.New("not named as an error")
	errZ   = fail()
	a, b   = two()
)

func fail() error
func two() (int, int)
`},
			[]string{
				"cmd/x/main.go:5: package variable x can change",
				"cmd/x/main.go:8: package variable y can change",
				"cmd/x/main.go:9: package variable Broken can change",
				"cmd/x/main.go:10: package variable errZ can change",
				"cmd/x/main.go:11: package variable a can change",
				"cmd/x/main.go:11: package variable b can change"}},
	} {
		t.Run(name, func(t *testing.T) { planted(t, stateRule(exempt), tt.files, tt.want...) })
	}
}

func TestExemptionsHaveReasons(t *testing.T) {
	for _, e := range exemptions() {
		if e.reason == "" {
			t.Errorf("%s.%s is exempt for no reason", e.dir, e.name)
		}
	}
}
