//go:build !fagusdelay

package delay

// Here does nothing: this build has no delays.
func Here() {}
