//go:build linux && !race

package shm

import "fmt"

// local makes the segment of a rank that is in this process.
func local(cfg *Config) (*segment, error) {
	s, f, err := create(cfg)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		s.unmap()
		return nil, fmt.Errorf("shm: %w", err)
	}
	return s, nil
}

func (s *segment) unmapLocal() { s.unmap() }
