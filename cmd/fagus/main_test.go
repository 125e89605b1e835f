package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"fagus": main})
}

// TestCommand runs the scripts in testdata, each a session at the shell.
func TestCommand(t *testing.T) {
	west, err := os.ReadFile("../../apps/matrix/testdata/west0479.mtx")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			return os.WriteFile(e.WorkDir+"/west0479.mtx", west, 0o666)
		},
	})
}
