package s3

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// address is a decoded URL.
type address struct {
	bucket   string
	prefix   string // of all objects: empty, or ends with a slash
	endpoint *url.URL
	region   string // "": ask the server
	partMiB  int    // 0: the usual size
}

const form = "want s3://BUCKET/PREFIX?endpoint=http://HOST:PORT&region=REGION"

// parse parses a URL. Parts that it lacks come from the environment.
func parse(text string) (*address, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, form)
	}
	query, err := url.ParseQuery(u.RawQuery)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q: %w: %s", text, err, form)
	case u.Scheme != "s3" || u.Opaque != "" || u.Fragment != "":
		return nil, fmt.Errorf("%q: %s", text, form)
	case u.User != nil:
		return nil, fmt.Errorf("the URL of bucket %q has credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead", u.Host)
	}
	if err := s3utils.CheckValidBucketName(u.Host); err != nil {
		return nil, fmt.Errorf("%q: bucket %q: %w: %s", text, u.Host, err, form)
	}
	a := &address{bucket: u.Host, prefix: strings.Trim(u.Path, "/")}
	if a.prefix != "" {
		a.prefix += "/"
	}
	endpoint := cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com")
	a.region = cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"))
	for key, values := range query {
		value := values[len(values)-1]
		switch key {
		case "endpoint":
			endpoint = value
		case "region":
			a.region = value
		case "part-mib":
			a.partMiB, err = strconv.Atoi(value)
			if err != nil || a.partMiB < 5 || a.partMiB > 5<<10 {
				return nil, fmt.Errorf("%q: part-mib is %q: want a number of MiB from 5 to 5120", text, value)
			}
		default:
			return nil, fmt.Errorf("%q: %q is not known: want endpoint, region or part-mib", text, key)
		}
	}
	a.endpoint, err = url.Parse(endpoint)
	if err != nil || a.endpoint.Host == "" || (a.endpoint.Scheme != "http" && a.endpoint.Scheme != "https") || strings.Trim(a.endpoint.Path, "/") != "" {
		return nil, fmt.Errorf("endpoint %q: want http://HOST:PORT or https://HOST, in the URL or in AWS_ENDPOINT_URL", endpoint)
	}
	return a, nil
}

// String returns the URL, without values from the environment.
func (a *address) String() string {
	return "s3://" + a.bucket + "/" + strings.TrimSuffix(a.prefix, "/")
}
