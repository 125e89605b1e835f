//go:build linux && (amd64 || arm64)

package pagewatch_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fagus-dsm/fagus/fagus/internal/pagewatch"
)

// open returns a Watch, or skips the test if the kernel cannot watch pages.
func open(t testing.TB) *pagewatch.Watch {
	t.Helper()
	w := pagewatch.New()
	if err := w.Open(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func mapPages(t testing.TB, n int) []byte {
	t.Helper()
	mem, err := unix.Mmap(-1, 0, n*unix.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(mem) })
	return mem
}

// written returns the numbers of the pages of mem that w reports as written.
func written(t testing.TB, w *pagewatch.Watch, mem []byte) (numbers []int) {
	t.Helper()
	size := unix.Getpagesize()
	if err := w.Written(mem, func(lo, hi int) {
		for ; lo < hi; lo += size {
			numbers = append(numbers, lo/size)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return numbers
}

// TestWritten writes random sets of pages. Some sets have more separate pages than one scan
// returns.
func TestWritten(t *testing.T) {
	w := open(t)
	const pages = 3000
	mem, size := mapPages(t, pages), unix.Getpagesize()
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 0))
		if err := w.Forget(mem); err != nil {
			t.Fatal(err)
		}
		share := random.IntN(10)
		var want []int
		for i := range pages {
			if random.IntN(10) < share {
				mem[i*size+random.IntN(size)]++
				want = append(want, i)
			}
		}
		if got := written(t, w, mem); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %d pages are reported as written, want %d", seed, len(got), len(want))
		}
		if got := written(t, w, mem); !slices.Equal(got, want) {
			t.Fatalf("seed %d: the second call reports %d pages as written, want %d", seed, len(got), len(want))
		}
	}
}

// TestFirstTouch checks that only the written page is reported of pages that are not mapped yet.
func TestFirstTouch(t *testing.T) {
	w := open(t)
	mem, size := mapPages(t, 4), unix.Getpagesize()
	if err := w.Forget(mem); err != nil {
		t.Fatal(err)
	}
	mem[2*size] = 1
	if got := written(t, w, mem); !slices.Equal(got, []int{2}) {
		t.Errorf("pages %v are reported as written, want 2", got)
	}
}

// TestWrittenByTheKernel reads from a pipe into watched memory.
func TestWrittenByTheKernel(t *testing.T) {
	w := open(t)
	mem, size := mapPages(t, 3), unix.Getpagesize()
	mem[0], mem[size], mem[2*size] = 1, 1, 1
	if err := w.Forget(mem); err != nil {
		t.Fatal(err)
	}
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }()
	if _, err := to.WriteString("x"); err != nil || to.Close() != nil {
		t.Fatal(err)
	}
	if _, err := from.Read(mem[size : size+1]); err != nil || mem[size] != 'x' {
		t.Fatalf("reading from the pipe gives %q, %v", mem[size], err)
	}
	if got := written(t, w, mem); !slices.Equal(got, []int{1}) {
		t.Errorf("pages %v are reported as written, want 1", got)
	}
}

// TestHugePages checks that a write to one byte of a huge page reports one page of normal size.
func TestHugePages(t *testing.T) {
	w := open(t)
	const huge = 2 << 20
	mem, size := mapPages(t, 3*huge/unix.Getpagesize()), unix.Getpagesize()
	if err := unix.Madvise(mem, unix.MADV_HUGEPAGE); err != nil {
		t.Skip(err)
	}
	for i := range mem {
		mem[i] = 1
	}
	if err := w.Forget(mem); err != nil {
		t.Fatal(err)
	}
	at := huge + 5*size // mem has three times 2 MiB, so a whole huge page lies here
	mem[at] = 2
	if got := written(t, w, mem); !slices.Equal(got, []int{at / size}) {
		t.Errorf("pages %v are reported as written, want %d", got, at/size)
	}
}

// TestPartOfAPage checks that offsets count from the start of the given memory and stay within
// it, though whole pages are watched.
func TestPartOfAPage(t *testing.T) {
	w := open(t)
	mem, size := mapPages(t, 3), unix.Getpagesize()
	part := mem[100 : 2*size+100]
	if err := w.Forget(part); err != nil {
		t.Fatal(err)
	}
	mem[0], mem[2*size+200] = 1, 1
	var got []int
	if err := w.Written(part, func(lo, hi int) { got = append(got, lo, hi) }); err != nil {
		t.Fatal(err)
	}
	if want := []int{0, size - 100, 2*size - 100, 2 * size}; !slices.Equal(got, want) {
		t.Errorf("written ranges %v, want %v", got, want)
	}
}

// TestUnwatched checks that Written returns an error for memory that was never passed to Forget.
func TestUnwatched(t *testing.T) {
	w := open(t)
	mem := mapPages(t, 1)
	mem[0] = 1
	if err := w.Written(mem, func(int, int) {}); err == nil || !strings.Contains(err.Error(), "scanning") {
		t.Errorf("Written of unwatched memory: error %v", err)
	}
}

// TestClosed checks that a closed Watch does not open again.
func TestClosed(t *testing.T) {
	w := pagewatch.New()
	mem := mapPages(t, 1)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Forget(mem); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("Forget after Close: error %v", err)
	}
}

func BenchmarkForget32MiB(b *testing.B) {
	w := open(b)
	mem := mapPages(b, 8192)
	for i := range mem {
		mem[i] = 1
	}
	for b.Loop() {
		if err := w.Forget(mem); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWritten32MiB(b *testing.B) {
	w := open(b)
	mem := mapPages(b, 8192)
	for i := range mem {
		mem[i] = 1
	}
	if err := w.Forget(mem); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if got := written(b, w, mem); got != nil {
			b.Fatal(got)
		}
	}
}

// BenchmarkFault writes to 4096 protected pages and protects them again. One operation is one
// page.
func BenchmarkFault(b *testing.B) {
	w := open(b)
	const pages = 4096
	mem, size := mapPages(b, pages), unix.Getpagesize()
	i := 0
	for b.Loop() {
		if i%pages == 0 {
			if err := w.Forget(mem); err != nil {
				b.Fatal(err)
			}
		}
		mem[i%pages*size]++
		i++
	}
}
