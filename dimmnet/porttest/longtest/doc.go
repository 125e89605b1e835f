// Package longtest keeps the tests that take long out of a plain go test ./... . The environment
// variable FAGUS_LONG says that long tests run, as in CI, or also that tests try many cases:
//
//	FAGUS_LONG=1 go test ./...
//	FAGUS_LONG=2 go test -timeout 30m ./...
//
//	func TestEveryProgram(t *testing.T) {
//		longtest.Need(t)
//
//	for seed := range longtest.Cases(1000, 100) {
//
// Tests that take many seconds are in three thirds, of which FAGUS_THIRD chooses one; CI tries
// another third each day. A plain go test ./... runs the first. All run if FAGUS_LONG is set, if
// -run names tests, and with
//
//	FAGUS_THIRD=all go test ./...
//
// A flag cannot say this: go test ./... passes flags to all packages, and a package refuses a flag
// that it does not define. The flag -short has another meaning: the race detector is slow, so with
// -short a test does only what the detector has to see.
package longtest
