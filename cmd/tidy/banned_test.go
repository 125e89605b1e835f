package main

import "testing"

func TestBannedRule(t *testing.T) {
	const (
		exits  = "import \"os\"\n\nfunc f() { os.Exit(1) }\n"
		prints = "import \"fmt\"\n\nvar p = fmt.Println\n"
		random = "import \"math/rand\"\n\nvar r = rand.Int\n"
	)
	for name, tt := range map[string]struct {
		files source
		want  []string
	}{
		"allowed": {files: source{
			"a/a.go": `package a

import (
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
)

func f(w io.Writer) {
	fmt.Fprintln(w, fmt.Sprint(rand.Int()), os.Args)
	log.Print("done")
}
`,
			"a/exit_test.go":      "package a\n\n" + exits,
			"a/print_test.go":     "package a\n\n" + prints,
			"cmd/x/exit.go":       "package main\n\n" + exits,
			"cmd/x/print.go":      "package main\n\n" + prints,
			"a/examples/print.go": "package examples\n\n" + prints,
		}},
		"exit":  {source{"a/a.go": "package a\n\n" + exits, "cmd/x/in/in.go": "package in\n\n" + exits}, []string{"a/a.go:5: uses os.Exit", "cmd/x/in/in.go:5: uses os.Exit"}},
		"print": {source{"a/a.go": "package a\n\n" + prints}, []string{"a/a.go:5: uses fmt.Println"}},
		"random": {source{"a/a.go": "package a\n\n" + random, "a/a_test.go": "package a\n\n" + random},
			[]string{"a/a.go:3: imports math/rand", "a/a_test.go:3: imports math/rand"}},
		"fatal": {source{"a/a.go": "package a\n\nimport l \"log\"\n\nfunc f() { l.Fatalf(\"no\") }\n"},
			[]string{"a/a.go:5: uses log.Fatalf"}},
	} {
		t.Run(name, func(t *testing.T) { planted(t, bannedRule(bans()), tt.files, tt.want...) })
	}
}
