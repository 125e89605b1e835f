package kmeans

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/apps/matrix"
)

// Config describes a run.
type Config struct {
	// Points and Dimensions are how many points are generated, of how many coordinates; those of
	// Data count if that is not nil.
	Points, Dimensions int
	// Clusters is how many centres there are, at least 2.
	Clusters int
	// Iterations is the most that are done.
	Iterations int
	// Seed decides where generated points are.
	Seed uint64
	// Data are points to use in place of generated ones, a row each.
	Data *matrix.Dense
	// Progress, if not nil, is called at rank 0 after each iteration with 1.
	Progress func(iterations int)
	// Spoil gives the last point to a wrong centre: for those who want to see that it is found.
	Spoil bool
}

// The most of everything.
const (
	maxDimensions = 1 << 12
	maxClusters   = 1 << 12
	maxCentres    = 1 << 14 // coordinates of all of them
	maxIterations = 1 << 20
	maxCoordinate = 1e100 // its square, and sums of such, are numbers
)

// Validate reports what cannot be run.
func (c *Config) Validate() error {
	c.size()
	switch {
	case c.Dimensions < 1 || c.Dimensions > maxDimensions:
		return fmt.Errorf("kmeans: points of %d coordinates: want 1 to %d", c.Dimensions, maxDimensions)
	case c.Points < 2 || c.Points > matrix.MaxElements/c.Dimensions:
		return fmt.Errorf("kmeans: %d points of %d coordinates: want at least 2, and no more than %d coordinates in all", c.Points, c.Dimensions, matrix.MaxElements)
	case c.Clusters < 2 || c.Clusters > min(maxClusters, c.Points, maxCentres/c.Dimensions):
		return fmt.Errorf("kmeans: %d clusters of %d points: want 2 to %d", c.Clusters, c.Points, min(maxClusters, c.Points, maxCentres/c.Dimensions))
	case c.Iterations < 1 || c.Iterations > maxIterations:
		return fmt.Errorf("kmeans: %d iterations: want 1 to %d", c.Iterations, maxIterations)
	}
	if c.Data == nil {
		return nil
	}
	for i, x := range c.Data.Data {
		if !(math.Abs(x) <= maxCoordinate) { // this way round for NaN
			return fmt.Errorf("kmeans: coordinate %d of point %d is %g: want -%g to %[4]g", i%c.Dimensions+1, i/c.Dimensions+1, x, maxCoordinate)
		}
	}
	return nil
}

// size takes the sizes from Data.
func (c *Config) size() {
	if c.Data != nil {
		c.Points, c.Dimensions = c.Data.Rows, c.Data.Cols
	}
}

// spread is how far points are from their known centre, whose coordinates are 0 to 9.
const spread = 0.5

// batch writes the points of a batch, the same whoever does it.
func (c *Config) batch(b int, points []float64) {
	if c.Data != nil {
		copy(points, c.Data.Data[b*batchPoints*c.Dimensions:])
		return
	}
	random := rand.New(rand.NewPCG(c.Seed, uint64(b)))
	for i := 0; i < len(points); i += c.Dimensions {
		known := rand.NewPCG(c.Seed+1, random.Uint64N(uint64(c.Clusters)))
		for j := range c.Dimensions {
			points[i+j] = float64(known.Uint64()>>32%10) + spread*random.NormFloat64()
		}
	}
}
