// Package apptest has helpers for the tests of programs: runs in every mode on every network, and
// the tests that every benchmark of a family must pass.
//
//	apptest.Everywhere(t, func(on fagus.Config) { ... apptest.Run(t, on, "sum", program) ... })
package apptest
