// Package newprogram has the command fagus new, which writes a module with a small program of one's
// own, a test of it, and a README.
//
//	fagus new life && cd life && go test ./...
//
// A fagus that was installed with a version makes a module that requires this version. One that
// was built in a checkout makes a module that uses the checkout, by a replace directive.
package newprogram
