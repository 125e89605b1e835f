package launch

import "io"

// lockFolder does nothing, so that removeLeft must not either.
func lockFolder(string) (io.Closer, error) { return io.NopCloser(nil), nil }
func removeLeft(string)                    {}
