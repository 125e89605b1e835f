//go:build ofi && linux && cgo

package ofi

import "testing"

// BenchmarkBare measures a round trip of 64 bytes between two endpoints, without links.
func BenchmarkBare(b *testing.B) {
	for _, p := range Software() {
		b.Run(p, func(b *testing.B) {
			node := ""
			if usesIP(p) {
				node = "127.0.0.1"
			}
			var ends [2]*endpoint
			var peers [2]uint64
			for i := range ends {
				var err error
				if ends[i], err = open(p, node, "", 64, 8, 2); err != nil {
					b.Fatal(err)
				}
			}
			for i := range ends {
				name, err := ends[1-i].name()
				if err != nil {
					b.Fatal(err)
				}
				if peers[i], err = ends[i].insert(name); err != nil {
					b.Fatal(err)
				}
			}
			stop := make(chan struct{})
			wait := func(e *endpoint) bool {
				var done []completion
				for {
					select {
					case <-stop:
						return false
					default:
					}
					var err error
					if done, err = e.poll(done); err != nil && err != errAgain {
						b.Error(err)
						return false
					}
					got := false
					for _, c := range done {
						if c.receive >= 0 {
							got = true
							e.release(c.receive)
						}
					}
					if got {
						return true
					}
				}
			}
			send := func(i int) {
				p := make([]byte, 64)
				for ends[i].injectTo(peers[i], p) == errAgain {
					_, _ = ends[i].poll(nil)
				}
			}
			over := make(chan struct{})
			go func() {
				defer close(over)
				for wait(ends[1]) {
					send(1)
				}
			}()
			for b.Loop() {
				send(0)
				wait(ends[0])
			}
			close(stop)
			<-over
			for _, e := range ends {
				e.close()
			}
		})
	}
}
