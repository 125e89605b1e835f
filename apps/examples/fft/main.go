// Command fft transforms a picture of waves, and prints the strongest ones (2-D FFT by transpose).
//
//	go run . --nodes 4 --size 512
//
// The ranks divide the rows. A rank transforms its rows by itself. Then parts.AllToAll transposes
// the picture: each rank sends to each other the part of its rows that lies in the columns of the
// other, and then transforms whole columns.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
	"github.com/fagus-dsm/fagus/fagus/program"
)

var size = flag.Int("size", 256, "a picture of `N` rows and columns, a power of two")

func main() { program.App{About: "finds the waves in a picture", Run: run, Check: check}.Main() }

// check looks at the flags before any rank starts.
func check() error {
	if *size < 4 || *size&(*size-1) != 0 {
		return fmt.Errorf("--size %d: want a power of two, at least 4", *size)
	}
	return nil
}

// wave is a wave with so many periods down and across the picture.
type wave struct {
	Down, Across int
	Strength     float64
}

// run runs once as every rank.
func run(n *fagus.Node) error {
	columns, err := transform(n, *size)
	if err != nil {
		return err
	}
	var mine []wave
	first, _ := parts.Block(*size, n.Nodes(), n.Rank())
	for j, column := range columns {
		for i, x := range column {
			if cmplx.Abs(x) > 0.1 {
				mine = append(mine, wave{i, first + j, cmplx.Abs(x)})
			}
		}
	}
	all, err := parts.Reduce(n, mine, func(a, b []wave) []wave { return append(a, b...) })
	if n.Rank() == 0 {
		slices.SortStableFunc(all, func(a, b wave) int { return cmp.Compare(math.Round(1e6*b.Strength), math.Round(1e6*a.Strength)) })
		for _, w := range all {
			fmt.Printf("%d periods down, %d across: %.3f\n", w.Down, w.Across, w.Strength)
		}
	}
	return err
}

// point returns a point of the picture: two waves.
func point(i, j, size int) complex128 {
	x, y := 2*math.Pi*float64(j)/float64(size), 2*math.Pi*float64(i)/float64(size)
	return complex(math.Cos(x+y)+0.5*math.Sin(2*x-y), 0)
}

// transform returns the columns of the transformed picture that belong to this rank.
func transform(n *fagus.Node, size int) (columns [][]complex128, err error) {
	exchange, err := parts.NewAllToAll[complex128](n, "transpose", 0) // messages of any length
	if err != nil {
		return nil, err
	}
	lo, hi := parts.Block(size, n.Nodes(), n.Rank())
	rows := make([][]complex128, hi-lo)
	for i := range rows {
		rows[i] = make([]complex128, size)
		for j := range rows[i] {
			rows[i][j] = point(lo+i, j, size)
		}
		fft(rows[i])
	}
	butterflies := (hi - lo) * size / 2 * bits.Len(uint(size))
	n.Spend(fagus.Time(butterflies) * 20 * fagus.Nanosecond) // on a simulated network
	columns = make([][]complex128, hi-lo)
	err = exchange.Exchange(func(to [][]complex128) {
		for rank := range to {
			first, end := parts.Block(size, n.Nodes(), rank)
			for _, row := range rows {
				to[rank] = append(to[rank], row[first:end]...)
			}
		}
	}, func(from [][]complex128) {
		for _, block := range from { // of rows of this rank's columns
			for k, x := range block {
				columns[k%(hi-lo)] = append(columns[k%(hi-lo)], x)
			}
		}
	})
	for _, column := range columns {
		fft(column)
	}
	return columns, err
}

// fft transforms x, whose length is a power of two. The result is divided by the length.
func fft(x []complex128) {
	if len(x) < 2 {
		return
	}
	even, odd := make([]complex128, len(x)/2), make([]complex128, len(x)/2)
	for i := range even {
		even[i], odd[i] = x[2*i], x[2*i+1]
	}
	fft(even)
	fft(odd)
	for i := range even {
		turned := odd[i] * cmplx.Rect(1, -2*math.Pi*float64(i)/float64(len(x)))
		x[i], x[i+len(even)] = (even[i]+turned)/2, (even[i]-turned)/2
	}
}
