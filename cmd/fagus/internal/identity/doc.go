// Package identity has the command fagus identity. It makes the files by which the ranks of a
// job on several hosts authenticate each other.
package identity
