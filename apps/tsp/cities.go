package tsp

import (
	"math"
	"math/rand/v2"
)

// MaxCities is the most there can be: so many are solved by dynamic programming at
// once.
const MaxCities = 16

// distances are between any two cities, symmetric, in whole numbers.
type distances [MaxCities][MaxCities]int32

// plane draws cities from a square of 1000 x 1000 and rounds their distances.
func plane(cities int, seed uint64) (d distances) {
	random := rand.New(rand.NewPCG(seed, 0))
	var x, y [MaxCities]int
	for i := range cities {
		x[i], y[i] = random.IntN(1000), random.IntN(1000)
		for j := range i {
			dx, dy := x[i]-x[j], y[i]-y[j]
			d[i][j] = int32(math.Sqrt(float64(dx*dx+dy*dy)) + 0.5)
			d[j][i] = d[i][j]
		}
	}
	return d
}

// Burma14 is the name of an instance of TSPLIB (G. Reinelt, ORSA J. Computing 3 (1991)
// 376): 14 cities of Burma, whose shortest tour is 3323 km.
const Burma14 = "burma14"

const burmaCities = 14

// burma14 has latitude and longitude of each city, in degrees and, as digits behind
// the point, minutes.
func burma14() [burmaCities][2]float64 {
	return [burmaCities][2]float64{
		{16.47, 96.10}, {16.47, 94.44}, {20.09, 92.54}, {22.39, 93.37}, {25.23, 97.24}, {22.00, 96.05}, {20.47, 97.02},
		{17.20, 96.29}, {16.30, 97.38}, {14.05, 98.12}, {16.53, 97.38}, {21.52, 95.59}, {19.41, 97.13}, {20.09, 94.55},
	}
}

// geographic are distances in km as TSPLIB defines them (GEO), rounded in its way.
func geographic(places [][2]float64) (d distances) {
	const pi, earth = 3.141592, 6378.388 // to these digits
	radians := func(x float64) float64 {
		degrees := math.Trunc(x)
		return pi * (degrees + 5*(x-degrees)/3) / 180
	}
	for i, a := range places {
		for j, b := range places {
			if i == j {
				continue
			}
			q1 := math.Cos(radians(a[1]) - radians(b[1]))
			q2 := math.Cos(radians(a[0]) - radians(b[0]))
			q3 := math.Cos(radians(a[0]) + radians(b[0]))
			d[i][j] = int32(earth*math.Acos(((1+q1)*q2-(1-q1)*q3)/2) + 1)
		}
	}
	return d
}
