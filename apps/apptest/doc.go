// Package apptest is what the tests of programs share: every engine on every
// network, and what benchmarks of a family have to show. It is no program itself.
//
//	apptest.Everywhere(t, func(on fagus.Config) { ... apptest.Run(t, on, "sum", program) ... })
package apptest
