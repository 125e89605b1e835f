package checkpoint_test

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// The arrays of the benchmark: benchParts variables of benchPart bytes, 1 GiB in all, on 2 ranks.
const (
	benchParts = 1024
	benchPart  = 1 << 20
)

// BenchmarkCheckpoint makes checkpoints of 1 GiB on 2 ranks in TMPDIR. Between two of them 1, 10
// or 100 % are written. It reports
//
//	stall-ms   how long Checkpoint stopped the program (with copy: while the data are copied)
//	total-ms   until the checkpoint was valid
//	plain-ms   what write(2) and fsync of as many bytes took, in turn with it, by one process
//
// A checkpoint before the first measured one has everything.
func BenchmarkCheckpoint(b *testing.B) {
	for _, copies := range []int64{0, 1 << 30} {
		for _, percent := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("copy=%d/written=%d%%", copies, percent), func(b *testing.B) {
				benchmarkCheckpoint(b, copies, percent)
			})
		}
	}
}

func benchmarkCheckpoint(b *testing.B, copies int64, percent int) {
	store, err := checkpoint.OpenDirectory(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	k := checkpoint.New(checkpoint.Config{Store: store, Copy: copies, Keep: 1, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	defer k.Close()
	var stall, total, plain time.Duration
	_, err = fagus.Run(b.Context(), fagus.Config{Nodes: 2, Checkpoints: k}, func(n *fagus.Node) error {
		a, err := fagus.NewArray[byte](n, "a", benchParts*benchPart)
		if err != nil {
			return err
		}
		var mine []fagus.Request
		for i := range benchParts {
			v, err := n.Bind(fmt.Sprint(i), a.Range(i*benchPart, (i+1)*benchPart))
			if err != nil {
				return err
			}
			if i%2 == n.Rank() {
				mine = append(mine, v.Write().Writing(a.Range(i*benchPart, (i+1)*benchPart)))
			}
		}
		write := func(parts int) {
			n.Set(mine[:parts]...).Do(func() {
				for i := range parts {
					part := a.Slice()[(2*i+n.Rank())*benchPart:][:benchPart]
					for at := 0; at < len(part); at += 64 {
						part[at]++
					}
				}
			})
		}
		parts := max(1, len(mine)*percent/100)
		cut := func(measured bool) {
			n.Barrier()
			begun := time.Now()
			n.Checkpoint()
			stalled := time.Since(begun)
			if n.Rank() == 0 {
				k.Finish(n.Context())
			}
			if measured && n.Rank() == 0 {
				stall, total = stall+stalled, total+time.Since(begun)
			}
			n.Barrier()
		}
		write(len(mine))
		cut(false)
		for {
			more := 0
			if n.Rank() == 0 && b.Loop() {
				more = 1
			}
			if more, err = fagus.Reduce(n, more, func(a, b int) int { return a + b }); err != nil || more == 0 {
				return err
			}
			write(parts)
			cut(true)
			if n.Rank() == 0 {
				took, err := plainWrite(filepath.Join(b.TempDir(), "plain"), a.Slice()[:2*parts*benchPart])
				if err != nil {
					return err
				}
				plain += took
			}
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	per := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 / float64(b.N) }
	b.ReportMetric(per(stall), "stall-ms")
	b.ReportMetric(per(total), "total-ms")
	b.ReportMetric(per(plain), "plain-ms")
}

// plainWrite returns how long it takes to write a file, and to make it durable.
func plainWrite(path string, data []byte) (took time.Duration, err error) {
	begun := time.Now()
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer os.Remove(path)
	for len(data) > 0 && err == nil {
		n := min(len(data), 1<<20)
		_, err = f.Write(data[:n])
		data = data[n:]
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return time.Since(begun), err
}
