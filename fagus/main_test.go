package fagus_test

import (
	"os"
	"testing"

	"github.com/fagus-dsm/fagus/fagus/program"
)

// mistakeVariable makes the test binary run the mistake with this title as a program.
const mistakeVariable = "FAGUS_TEST_MISTAKE"

func TestMain(m *testing.M) {
	title := os.Getenv(mistakeVariable)
	for _, wrong := range mistakes {
		if wrong.title == title {
			program.App{Name: "app", Run: wrong.body}.Main()
			return
		}
	}
	os.Exit(m.Run())
}
