//go:build !(pmix && linux && cgo)

package pmi

func newLibrary() (library, error) { return nil, ErrUnavailable }
