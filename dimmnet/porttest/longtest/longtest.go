package longtest

import (
	"os"
	"testing"
)

const variable = "FAGUS_LONG"

// Enabled reports whether long tests run. With -short they do not. Flags must have been parsed.
func Enabled() bool { return os.Getenv(variable) != "" && !testing.Short() }

// Thorough reports whether tests try many cases.
func Thorough() bool { return Enabled() && os.Getenv(variable) != "1" }

// Need skips the test unless long tests run.
func Need(t testing.TB) {
	t.Helper()
	if !Enabled() {
		t.Skipf("long: set %s=1", variable)
	}
}

// OneThread skips the test with -short. In it no two threads run at the same time, as in all that
// the simulator runs: the race detector would find nothing.
func OneThread(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("the race detector finds nothing in a simulation")
	}
}

// Cases returns how many cases a test tries: many if tests are thorough, otherwise usual.
func Cases[N ~int | ~uint64](many, usual N) N {
	if Thorough() {
		return many
	}
	return usual
}
