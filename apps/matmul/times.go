package matmul

import "github.com/fagus-dsm/fagus/apps/internal/gemm"

// times adds A x B to some rows of C. The numbers in rows increase by apart. From time to time, so
// that a run can end, it calls goOn with the work so far, as a number of rows. If goOn returns an
// error, times returns it, and C is undefined.
func times[T Float](c, a, b []T, k, n int, rows []int, apart int, goOn func(done int) error) (err error) {
	if len(rows) == 0 {
		return nil
	}
	if wide, ok := any(b).([]float64); ok {
		first := rows[0]
		var p gemm.Product
		p.Add(any(c).([]float64)[first*n:], apart*n, any(a).([]float64)[first*k:], apart*k, len(rows), wide, k, n, func(done int) bool {
			err = goOn(done)
			return err == nil
		})
		return err
	}
	chunk := max(2, 1<<26/(k*n)) // about 10 ms
	for done := 0; done < len(rows) && err == nil; {
		here := rows[done:min(done+chunk, len(rows))]
		multiply(c, a, b, k, n, here)
		done += len(here)
		err = goOn(done)
	}
	return err
}
