// Package kernels contains functions for fagusc and their generated parallel versions.
package kernels

//go:generate go run .. --spend 1ns
