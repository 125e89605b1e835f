package longtest

import (
	"flag"
	"hash/fnv"
	"os"
	"path"
	"runtime"
	"strconv"
	"testing"
)

const (
	variable      = "FAGUS_LONG"
	thirdVariable = "FAGUS_THIRD"
	thirds        = 3
)

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

// Third skips the test unless it is of the third that FAGUS_THIRD says, or of the first third if
// nothing says otherwise.
func Third(t testing.TB) {
	t.Helper()
	_, file, _, _ := runtime.Caller(1)
	ThirdOf(t, path.Base(path.Dir(file))+"."+t.Name())
}

// ThirdOf is Third for tests that share what takes long, which have a name together.
func ThirdOf(t testing.TB, name string) {
	t.Helper()
	if !tried(name) {
		t.Skipf("another third of the tests: name it with -run, or set %s=all", thirdVariable)
	}
}

// tried reports whether the test with a name is of the third that runs.
func tried(name string) bool {
	h := fnv.New32a()
	h.Write([]byte(name)) // never fails
	third, ok := third()
	return !ok || int(h.Sum32()%thirds) == third
}

// Share returns the cases that a test tries: all, or every third one.
func Share[T any](all []T) (share []T) {
	third, ok := third()
	if !ok {
		return all
	}
	for i, of := range all {
		if i%thirds == third {
			share = append(share, of)
		}
	}
	return share
}

// third returns which third of the tests runs; false: all run.
func third() (int, bool) {
	text := os.Getenv(thirdVariable)
	if text == "" && os.Getenv(variable) == "" && !named() {
		return 0, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0 && n < thirds
}

// named reports whether the flag -run names tests.
func named() bool {
	f := flag.Lookup("test.run")
	return f != nil && f.Value.String() != ""
}
