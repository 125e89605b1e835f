package catalog

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/apps/internal/matrix"
	"github.com/fagus-dsm/fagus/apps/pagerank"
	"github.com/fagus-dsm/fagus/fagus/program/outfile"
)

// Sample is a small input file, which the examples of the programs name.
type Sample struct {
	Name string // of the file, without a folder
	What string // its content
	Use  string // a command line that reads it
	// Write writes the file at path.
	Write func(path string) error
}

// Samples returns the sample inputs that are drawn from seed. Equal seeds give equal files.
func Samples(seed uint64) []Sample {
	const product = "fagus run matmul --a a.mtx --b b.npy --out c.mtx"
	const system = "fagus run conjugate --in system.mtx --rhs rhs.mtx --out x.mtx"
	return []Sample{
		{"a.mtx", "a matrix of 48 x 64 elements", product, dense(seed, 0, 48, 64)},
		{"b.npy", "a matrix of 64 x 56 elements", product, dense(seed, 1, 64, 56)},
		{"points.npy", "600 points of 2 coordinates in 5 clusters", "fagus run kmeans --in points.npy --clusters 5", points(seed, 600, 2, 5)},
		{"links.txt", "3000 links of 400 pages", "fagus run pagerank --in links.txt", links(seed, 400, 3000)},
		{"text.txt", "a text of 5000 words", "fagus run wordcount --in text.txt --top 20", text(seed, 5000, 400)},
		{"system.mtx", "a symmetric, positive definite matrix of 300 rows", system, laplacian(seed, 300)},
		{"rhs.mtx", "a column of 300 elements", system, dense(seed, 2, 300, 1)},
	}
}

func generator(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }

// dense returns a writer of a matrix of normal deviates.
func dense(seed, stream uint64, rows, cols int) func(string) error {
	return func(path string) error {
		r, m := generator(seed, stream), newDense(rows, cols)
		for i := range m.Data {
			m.Data[i] = r.NormFloat64()
		}
		return matrix.Write(path, m)
	}
}

func newDense(rows, cols int) matrix.Dense {
	return matrix.Dense{Rows: rows, Cols: cols, Data: make([]float64, rows*cols)}
}

// points returns a writer of points, one per row, each near one of the centres.
func points(seed uint64, n, dimensions, centres int) func(string) error {
	return func(path string) error {
		const spread = 12 // of the centres, in standard deviations of a cluster
		r, m, centre := generator(seed, 3), newDense(n, dimensions), newDense(centres, dimensions)
		for i := range centre.Data {
			centre.Data[i] = spread * r.NormFloat64()
		}
		for i := range n {
			c := r.IntN(centres)
			for d := range dimensions {
				m.Data[i*dimensions+d] = centre.Data[c*dimensions+d] + r.NormFloat64()
			}
		}
		return matrix.Write(path, m)
	}
}

// laplacian returns a writer of the Laplacian of a random graph plus the identity, which is
// symmetric and positive definite.
func laplacian(seed uint64, n int) func(string) error {
	return func(path string) error {
		const edges = 4 // per row
		r, m := generator(seed, 4), newDense(n, n)
		for i := range n {
			m.Data[i*n+i]++
		}
		for range edges * n {
			i, j := r.IntN(n), r.IntN(n)
			if i == j {
				continue
			}
			m.Data[i*n+i]++
			m.Data[j*n+j]++
			m.Data[i*n+j]--
			m.Data[j*n+i]--
		}
		return matrix.Write(path, m)
	}
}

// text returns a writer of a text. A word that is k-th in the vocabulary has a probability of about
// 1/k.
func text(seed uint64, words, vocabulary int) func(string) error {
	const perLine = 12
	return func(path string) error {
		r := generator(seed, 5)
		return write(path, func(b *bufio.Writer) {
			for i := range words {
				end := byte(' ')
				if i%perLine == perLine-1 || i == words-1 {
					end = '\n'
				}
				k := math.Pow(float64(vocabulary), r.Float64()) // 1 to vocabulary
				b.WriteString(syllables(int(k) - 1))
				b.WriteByte(end)
			}
		})
	}
}

// syllables returns the word of a number. Different numbers have different words.
func syllables(k int) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	word := ""
	for {
		word += consonants[k%len(consonants):][:1] + vowels[k/len(consonants)%len(vowels):][:1]
		if k /= len(consonants) * len(vowels); k == 0 {
			return word
		}
	}
}

// links returns a writer of the links of a random graph, as an edge list.
func links(seed uint64, pages, n int) func(string) error {
	return func(path string) error {
		g, err := pagerank.Generate(pages, n, seed)
		if err != nil {
			return err
		}
		return write(path, func(b *bufio.Writer) {
			fmt.Fprintf(b, "# %d links of %d pages, drawn from seed %d\n", n, pages, seed)
			for _, l := range g.Links {
				fmt.Fprintf(b, "%d\t%d\n", l.From, l.To)
			}
		})
	}
}

// write writes the file at path, whose lines print writes. The writer remembers its first error.
func write(path string, print func(b *bufio.Writer)) error {
	err := outfile.Replace(path, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		print(b)
		return b.Flush()
	})
	if err != nil {
		return fmt.Errorf("catalog: write %s: %w", path, err)
	}
	return nil
}
