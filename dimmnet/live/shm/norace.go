//go:build linux && !race

package shm

import "fmt"

func newLocal(cfg *Config) (*segment, error) {
	s, f, err := create(cfg)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		s.unmap()
		return nil, fmt.Errorf("shm: closing the file of a segment: %w", err)
	}
	return s, nil
}

func (s *segment) unmapLocal() { s.unmap() }
