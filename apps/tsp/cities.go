package tsp

import (
	"math"
	"math/rand/v2"
)

// MaxCities is the largest number of cities. Dynamic programming solves 16 in an instant.
const MaxCities = 16

// distances is the symmetric matrix of integer distances between cities.
type distances [MaxCities][MaxCities]int32

// plane places cities at random in a square of 1000 x 1000, and returns their rounded distances.
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

// Burma14 is the name of an instance of TSPLIB (G. Reinelt, ORSA J. Computing 3 (1991) 376): 14
// cities of Burma, whose shortest tour is 3323 km.
const Burma14 = "burma14"

const burmaCities = 14

// burma14 returns the cities' latitudes and longitudes: degrees, and behind the point minutes.
func burma14() [burmaCities][2]float64 {
	return [burmaCities][2]float64{
		{16.47, 96.10}, {16.47, 94.44}, {20.09, 92.54}, {22.39, 93.37}, {25.23, 97.24}, {22.00, 96.05}, {20.47, 97.02},
		{17.20, 96.29}, {16.30, 97.38}, {14.05, 98.12}, {16.53, 97.38}, {21.52, 95.59}, {19.41, 97.13}, {20.09, 94.55},
	}
}

// geographic returns distances in km by TSPLIB's definition GEO, including its rounding.
func geographic(cities [][2]float64) (d distances) {
	const pi, earth = 3.141592, 6378.388 // as TSPLIB prescribes them
	radians := func(x float64) float64 {
		degrees := math.Trunc(x)
		return pi * (degrees + 5*(x-degrees)/3) / 180
	}
	for i, a := range cities {
		for j, b := range cities {
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
