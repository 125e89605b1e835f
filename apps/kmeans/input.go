package kmeans

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/apps/internal/matrix"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// Config describes a run.
type Config struct {
	// Points and Dimensions are the number of generated points, and of their coordinates. If Data
	// is not nil its size replaces them.
	Points, Dimensions int
	// Clusters is the number of centres, at least 2.
	Clusters int
	// Iterations is the largest number of iterations.
	Iterations int
	// Seed is the seed of generated points.
	Seed uint64
	// Data has one point per row. If it is nil, Run generates points.
	Data *matrix.Dense
	// Progress counts iterations at rank 0. Spoil assigns the last point to a wrong centre.
	verify.Options
}

// Upper limits of the configuration.
const (
	maxDimensions = 1 << 12
	maxClusters   = 1 << 12
	maxCentres    = 1 << 14 // coordinates of all centres together
	maxIterations = 1 << 20
	maxCoordinate = 1e100 // keeps squares and their sums finite
)

// Validate reports an error if the program cannot run with c.
func (c *Config) Validate() error {
	c.size()
	switch {
	case c.Dimensions < 1 || c.Dimensions > maxDimensions:
		return fmt.Errorf("kmeans: points with %d coordinates: want 1 to %d", c.Dimensions, maxDimensions)
	case c.Points < 2 || c.Points > matrix.MaxElements/c.Dimensions:
		return fmt.Errorf("kmeans: %d points with %d coordinates: want at least 2 points, and at most %d coordinates in all", c.Points, c.Dimensions, matrix.MaxElements)
	case c.Clusters < 2 || c.Clusters > min(maxClusters, c.Points, maxCentres/c.Dimensions):
		return fmt.Errorf("kmeans: %d clusters for %d points: want 2 to %d", c.Clusters, c.Points, min(maxClusters, c.Points, maxCentres/c.Dimensions))
	case c.Iterations < 1 || c.Iterations > maxIterations:
		return fmt.Errorf("kmeans: %d iterations: want 1 to %d", c.Iterations, maxIterations)
	}
	if c.Data == nil {
		return nil
	}
	for i, x := range c.Data.Data {
		if !(math.Abs(x) <= maxCoordinate) { // written so that NaN fails
			return fmt.Errorf("kmeans: coordinate %d of point %d is %g: want -%g to %[4]g", i%c.Dimensions+1, i/c.Dimensions+1, x, maxCoordinate)
		}
	}
	return nil
}

func (c *Config) size() {
	if c.Data != nil {
		c.Points, c.Dimensions = c.Data.Rows, c.Data.Cols
	}
}

// spread is the standard deviation of points around known centres, whose coordinates are 0 to 9.
const spread = 0.5

// batch writes the points of a batch, which depend only on the seed.
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
