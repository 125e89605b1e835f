package mpi_test

import (
	"context"
	"fmt"
	"log"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/mpi"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
)

// Four ranks multiply two matrices. Each has some rows of A and computes the same rows of C.
func Example() {
	const n = 8
	err := inproc.New(inproc.Config{}).Run(context.Background(), 4, func(h dimmnet.Host) error {
		return mpi.Run(h, mpi.Options{}, func(c *mpi.Comm) error {
			b, rows, product := make([]float64, n*n), make([]float64, n*n/4), make([]float64, n*n/4)
			var a, all []float64
			if c.Rank() == 0 {
				a, all = make([]float64, n*n), make([]float64, n*n)
				for i := range n * n {
					a[i], b[i] = float64(i/n), float64(i%n)
				}
			}
			if err := c.Bcast(mpi.Raw(b), 0); err != nil {
				return err
			}
			if err := c.Scatter(mpi.Raw(a), mpi.Raw(rows), 0); err != nil {
				return err
			}
			for i := range product {
				for k := range n {
					product[i] += rows[i/n*n+k] * b[k*n+i%n]
				}
			}
			if err := c.Gather(mpi.Raw(product), mpi.Raw(all), 0); err != nil {
				return err
			}
			if c.Rank() == 0 {
				fmt.Println("C[7][5] =", all[7*n+5])
			}
			return nil
		})
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: C[7][5] = 280
}

// One rank sends a column of a matrix to the other, which puts a number into its window.
func ExampleWindow() {
	err := inproc.New(inproc.Config{}).Run(context.Background(), 2, func(h dimmnet.Host) error {
		return mpi.Run(h, mpi.Options{}, func(c *mpi.Comm) error {
			sum := make([]int64, 1)
			w, err := c.NewWindow(mpi.Raw(sum))
			if err != nil {
				return err
			}
			if err := w.Fence(); err != nil {
				return err
			}
			m := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9}
			if c.Rank() == 0 {
				err = c.SendType(mpi.Raw(m), mpi.Vector(3, 1, 3, mpi.Bytes(8)), 1, 0)
			} else {
				column := make([]int64, 3)
				if _, err := c.Recv(mpi.Raw(column), 0, 0); err != nil {
					return err
				}
				err = mpi.Accumulate(w, []int64{column[0] + column[1] + column[2]}, 0, 0, mpi.Sum)
			}
			if err != nil {
				return err
			}
			if err := w.Free(); err != nil {
				return err
			}
			if c.Rank() == 0 {
				fmt.Println("1 + 4 + 7 =", sum[0])
			}
			return nil
		})
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: 1 + 4 + 7 = 12
}
