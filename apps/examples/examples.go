package examples

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:embed */main.go */main_test.go
var sources embed.FS

// Example is a program of this folder.
type Example struct {
	Name  string
	About string // what the program does, in a few words
	Main  []byte // its main.go
	Test  []byte // its main_test.go
}

// All returns the examples in the order of their names.
func All() (all []Example, err error) {
	folders, err := sources.ReadDir(".")
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		e := Example{Name: f.Name()}
		if e.Main, err = sources.ReadFile(path.Join(e.Name, "main.go")); err != nil {
			return nil, err
		}
		if e.Test, err = sources.ReadFile(path.Join(e.Name, "main_test.go")); err != nil {
			return nil, err
		}
		// The first line of a program says what it does: // Command NAME does this.
		first, _, _ := strings.Cut(string(e.Main), "\n")
		about, ok := strings.CutPrefix(first, "// Command "+e.Name+" ")
		if !ok {
			return nil, fmt.Errorf("examples: %s/main.go begins with %q, want // Command %s and what it does", e.Name, first, e.Name)
		}
		e.About = strings.TrimSuffix(about, ".")
		all = append(all, e)
	}
	return all, nil
}
