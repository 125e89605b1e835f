package s3

import (
	"fmt"
	"strings"
	"testing"
)

// TestAddress: a URL overrides the environment, and the error for a wrong URL says what is wrong.
func TestAddress(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL_S3", "")
	t.Setenv("AWS_ENDPOINT_URL", "http://here:7070")
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "eu-1")
	for _, c := range []struct{ url, want string }{
		{"s3://bucket", "bucket||http://here:7070|eu-1|0"},
		{"s3://bucket/", "bucket||http://here:7070|eu-1|0"},
		{"s3://bucket//a/b/?region=x&part-mib=64", "bucket|a/b/|http://here:7070|x|64"},
		{"s3://bucket/a?endpoint=https://there", "bucket|a/|https://there|eu-1|0"},
		{"s3://bucket/a?endpoint=https%3A%2F%2Fthere%2F", "bucket|a/|https://there/|eu-1|0"},
		{"/a/folder", "want s3://BUCKET"},
		{"s3:bucket/a", "want s3://BUCKET"},
		{"s3:///a", "want s3://BUCKET"},
		{"http://bucket/a", "want s3://BUCKET"},
		{"s3://no_bucket!/a", "want s3://BUCKET"},
		{"s3://bucket/a#b", "want s3://BUCKET"},
		{"s3://bucket/%zz", "want s3://BUCKET"},
		{"s3://me:secret@bucket/a", "set AWS_ACCESS_KEY_ID"},
		{"s3://bucket?part-mib=4", "from 5 to 5120"},
		{"s3://bucket?part-mib=many", "from 5 to 5120"},
		{"s3://bucket?profile=x", `"profile" is not known`},
		{"s3://bucket?endpoint=here:7070", "want http://HOST:PORT"},
		{"s3://bucket?endpoint=http://here/path", "want http://HOST:PORT"},
	} {
		a, err := parse(c.url)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprintf("%s|%s|%v|%s|%d", a.bucket, a.prefix, a.endpoint, a.region, a.partMiB)
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.url, got, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error tells a secret: %v", c.url, err)
		}
	}
}
