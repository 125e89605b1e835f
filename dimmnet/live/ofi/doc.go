// Package ofi is a dimmnet.Network over libfabric.
package ofi
