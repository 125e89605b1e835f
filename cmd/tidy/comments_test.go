package main

import "testing"

func TestCommentsRule(t *testing.T) {
	for name, tt := range map[string]struct {
		text string // of a.go
		want []string
	}{
		"funcs": {`package a

// F does.
func F() {}

func g() {}

func G() {}

// It does.
func H() {}

// Ix does.
func I() {}

//go:noinline
func J() {}
`, []string{
			"a.go:8: exported func G has no comment",
			"a.go:11: the comment of func H does not start with its name",
			"a.go:14: the comment of func I does not start with its name",
			"a.go:17: exported func J has no comment"}},
		"methods": {`package a

// T is.
type T[A, B any] struct{}

// M does.
func (t *T[A, B]) M() {}

func (t T[A, B]) N() {}
func (t *T[A, B]) o() {}

type u[A any] struct{}

func (u[A]) P() {}
`, []string{"a.go:9: exported method T.N has no comment"}},
		"types": {`package a

// A T is.
type T int

type U = T

// A number.
type V int

type (
	// W is.
	W int
	X int // X is.
	y int
)
`, []string{
			"a.go:6: exported type U has no comment",
			"a.go:9: the comment of type V does not start with its name",
			"a.go:14: exported type X has no comment"}},
		"values": {`package a

// A is.
const A = 1

const B = 2

// What it is.
var C = 3

// D and E are.
var D, E int

var f, G int
`, []string{
			"a.go:6: exported const B has no comment",
			"a.go:9: the comment of var C does not start with its name",
			"a.go:14: exported var G has no comment"}},
		"groups": {`package a

// The letters.
const (
	A = iota
	B
)

const (
	C = 1 // the third
	// The fourth.
	D = 2
	E = 3
	f = 4
)
`, []string{"a.go:13: exported const E has no comment, nor has its group"}},
	} {
		t.Run(name, func(t *testing.T) { planted(t, commentsRule(), source{"a.go": tt.text}, tt.want...) })
	}
	planted(t, commentsRule(), source{
		"a_test.go":     "package a\n\nfunc F() {}\n",
		"cmd/x/main.go": "package main\n\nfunc F() {}\n",
	})
}
