package s3

import (
	"context"

	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// Driver lets a program keep checkpoints at s3://BUCKET/PREFIX: pass it to program.Main.
type Driver struct{}

// Driver returns the scheme of the URLs.
func (Driver) Driver() string { return "s3" }

// CheckURL is the function CheckURL.
func (Driver) CheckURL(url string) error { return CheckURL(url) }

// OpenStore is the function Open.
func (Driver) OpenStore(ctx context.Context, url string) (checkpoint.Store, error) {
	return Open(ctx, url)
}
