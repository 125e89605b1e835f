// Package frametest makes damaged frames for tests of decoders.
//
//	for damaged := range frametest.Every(frame) {
//		decode(damaged) // an error, or something within its limits; no panic
//	}
package frametest
