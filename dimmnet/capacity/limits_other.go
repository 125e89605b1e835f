//go:build !linux

package capacity

func limits() []limit { return nil }
