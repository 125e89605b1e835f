package tsp

import "math"

// heldKarp returns the length of the shortest round trip through the first cities of d. It uses
// no bounds: for every set of cities and every city in it, it computes the shortest path from
// city 0 through the set to that city.
func heldKarp(d *distances, cities int) int32 {
	if cities == 1 {
		return 0
	}
	others := cities - 1 // city c+1 is bit c
	path := make([][MaxCities - 1]int32, 1<<others)
	for set := 1; set < len(path); set++ {
		for last := range others {
			if set>>last&1 == 0 {
				continue
			}
			rest, least := set&^(1<<last), int32(math.MaxInt32)
			if rest == 0 {
				least = d[0][last+1]
			}
			for before := range others {
				if rest>>before&1 == 1 {
					least = min(least, path[rest][before]+d[before+1][last+1])
				}
			}
			path[set][last] = least
		}
	}
	least := int32(math.MaxInt32)
	for last, length := range path[len(path)-1][:others] {
		least = min(least, length+d[last+1][0])
	}
	return least
}
