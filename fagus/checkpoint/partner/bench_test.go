package partner

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
)

// BenchmarkPart writes parts of 64 MiB to two memories, and removes them.
func BenchmarkPart(b *testing.B) {
	authority, err := identity.NewAuthority(3)
	if err != nil {
		b.Fatal(err)
	}
	for _, clear := range []bool{false, true} {
		name := map[bool]string{false: "TLS", true: "clear"}[clear]
		b.Run(name, func(b *testing.B) {
			var server, ranks *identity.Identity
			if !clear {
				server, ranks = issue(b, authority, 1), issue(b, authority, 2)
			}
			other := NewServer(inMemory(b))
			at := listenHere(b)
			if err := other.Serve(at, server, 1, nil); err != nil {
				b.Fatal(err)
			}
			defer other.End()
			own := folder(inMemory(b))
			if err := own.begin(b.Context(), 0, nil); err != nil {
				b.Fatal(err)
			}
			s, err := Open(Address(string(own), 0, []Place{{1, at.Addr().String()}}), ranks)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			data := make([]byte, 1<<20)
			b.SetBytes(64 << 20)
			for i := 0; b.Loop(); i++ {
				part := fmt.Sprintf("c%08d-00000.part", i+1)
				w, err := s.Create(b.Context(), part)
				for range 64 {
					if err == nil {
						_, err = w.Write(data)
					}
				}
				if err == nil {
					err = w.Commit()
				}
				if err == nil {
					err = s.Remove(b.Context(), part)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
