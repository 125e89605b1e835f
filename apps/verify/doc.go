// Package verify is how programs say what came out: numbers held against those that nobody here made up, and
// how long it took.
package verify
