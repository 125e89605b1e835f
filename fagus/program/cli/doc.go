// Package cli declares flags, and holds the values of a command line, by the names that urfave/cli
// has for them. Programs that import package program need nothing but the standard library for
// that; the command fagus hands the same flags to urfave/cli (package cmdline).
package cli
