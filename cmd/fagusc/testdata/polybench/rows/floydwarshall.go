package rows

// FloydWarshall replaces the n x n distances between n nodes by the lengths of the shortest
// paths.
//
//fagus:parallel
func FloydWarshall(path [][]int, n int) {
	for k := range n {
		for i := range n {
			for j := range n {
				path[i][j] = min(path[i][j], path[i][k]+path[k][j])
			}
		}
	}
}
