package catalog

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/dgemm"
	"github.com/fagus-dsm/fagus/apps/internal/prk"
	"github.com/fagus-dsm/fagus/apps/nstream"
	"github.com/fagus-dsm/fagus/apps/p2p"
	"github.com/fagus-dsm/fagus/apps/stencil"
	"github.com/fagus-dsm/fagus/apps/transpose"
	"github.com/fagus-dsm/fagus/dimmnet/capacity"
)

// matrices returns the Job.Memory of so many square matrices of float64.
func matrices(count int) func(n int) int {
	return func(n int) int { return capacity.Product(8*count, n, n) }
}

func kernels() []kernel {
	return []kernel{{
		name: "dgemm", about: "DGEMM: C += A x B; B moves once", rate: megaflops,
		check: "relative error/n^3(n-1)^2(iterations+1)/4", example: "--n 2048 --iterations 3",
		sizes: []size{{"n", "rows and columns", 256}},
		configure: func(s []int, l prk.Loop) configured {
			with := func(l prk.Loop) dgemm.Config { return dgemm.Config{N: s[0], Loop: l} }
			return configure(s[0], fmt.Sprintf("%d x %d", s[0], s[0]), matrices(3), l, with, dgemm.Run, dgemm.Plain)
		},
	}, {
		name: "stencil", about: "Stencil: a star on every point of a grid; neighbours' rows move", rate: megaflops,
		check: "error/2(iterations+1)", example: "--n 4000 --iterations 20",
		sizes: []size{{"n", "rows and columns of the grid", 1000}, {"radius", "reach of the star", 2}},
		configure: func(s []int, l prk.Loop) configured {
			with := func(l prk.Loop) stencil.Config { return stencil.Config{N: s[0], Radius: s[1], Loop: l} }
			return configure(s[0], fmt.Sprintf("%d x %d, radius %d", s[0], s[0], s[1]), matrices(2), l, with, stencil.Run, stencil.Plain)
		},
	}, {
		name: "transpose", about: "Transpose: B += A^T; every rank needs a block of every other", rate: megabytes,
		check: "sum of differences", example: "--n 2048 --iterations 20",
		sizes: []size{{"n", "rows and columns", 1000}},
		configure: func(s []int, l prk.Loop) configured {
			with := func(l prk.Loop) transpose.Config { return transpose.Config{N: s[0], Loop: l} }
			return configure(s[0], fmt.Sprintf("%d x %d", s[0], s[0]), matrices(2), l, with, transpose.Run, transpose.Plain)
		},
	}, {
		name: "nstream", about: "Nstream: A += B + s C at the speed of memory; nothing moves", rate: megabytes,
		check: "relative error/8(iterations+1)", example: "--length 20000000",
		sizes: []size{{"length", "elements of each vector", 2000000}},
		configure: func(s []int, l prk.Loop) configured {
			with := func(l prk.Loop) nstream.Config { return nstream.Config{Length: s[0], Loop: l} }
			return configure(s[0], fmt.Sprintf("3 vectors of %d elements", s[0]), func(n int) int { return capacity.Product(3*8, n) }, l, with, nstream.Run, nstream.Plain)
		},
	}, {
		name: "p2p", about: "Synch_p2p: a pipeline of ranks, where phases hurt", rate: megaflops,
		check: "relative error/(iterations+1)(m+n-2)", example: "--columns 4000 --rows 4000 --batch 64 --mode threaded",
		sizes: []size{{"columns", "columns of the grid", 1000}, {"rows", "rows of the grid", 1000}, {"batch", "rows that a rank hands to the next at once", 16}},
		configure: func(s []int, l prk.Loop) configured {
			with := func(l prk.Loop) p2p.Config {
				return p2p.Config{Columns: s[0], Rows: s[1], Batch: min(s[2], max(1, s[1])), Loop: l}
			}
			memory := func(n int) int { return capacity.Product(8, n, s[1]) }
			return configure(s[0], fmt.Sprintf("%d columns, %d rows, %d at once", s[0], s[1], s[2]), memory, l, with, p2p.Run, p2p.Plain)
		},
	}}
}
