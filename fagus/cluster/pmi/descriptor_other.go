//go:build !unix

package pmi

import "errors"

func duplicate(int) (int, error) {
	return 0, errors.New("launchers pass a descriptor on Unix systems only")
}
