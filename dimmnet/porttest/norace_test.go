//go:build !race

package porttest

const raceDetector = false
