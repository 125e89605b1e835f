package s3

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"
	"github.com/minio/minio-go/v7/pkg/signer"
)

// The codes with which servers refuse.
const (
	accessDenied       = "AccessDenied"
	noSuchBucket       = "NoSuchBucket"
	noSuchKey          = "NoSuchKey"
	noSuchUpload       = "NoSuchUpload"
	preconditionFailed = "PreconditionFailed"
)

// usualRegion is where a bucket is for which nobody has named a region, until its server does.
const usualRegion = "us-east-1"

// amazon is the end of the names of AWS's own endpoints.
const amazon = ".amazonaws.com"

// client makes the requests of S3's REST API that a Store needs. minio-go has the credentials and
// signs; its own client would be half of a program that has it.
type client struct {
	address
	transport *http.Transport
	http      http.Client
	creds     *credentials.Credentials
	region    atomic.Pointer[string]
}

func newClient(a *address) *client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost, t.ResponseHeaderTimeout, t.DisableCompression = 16, time.Minute, true
	c := &client{address: *a, transport: t, creds: credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{},
	})}
	c.http = http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	region := cmp.Or(a.region, usualRegion)
	c.region.Store(&region)
	return c
}

// request is a request for an object, or for the bucket if key is "".
type request struct {
	method, key string
	query       url.Values
	header      http.Header
	body        []byte
}

// refusal is the error of a server that refuses a request.
type refusal struct {
	Code, Message, Region string
	Status                int `xml:"-"`
}

func (r *refusal) Error() string { return cmp.Or(r.Message, r.Code) }

// do makes a request. The caller closes the body of the answer.
func (c *client) do(ctx context.Context, r request) (*http.Response, error) {
	answer, err := c.once(ctx, r)
	var refused *refusal
	if c.address.region == "" && errors.As(err, &refused) && refused.Region != "" && refused.Region != *c.region.Load() {
		c.region.Store(&refused.Region)
		return c.once(ctx, r)
	}
	return answer, err
}

// result makes a request, and decodes the answer into to unless it is nil.
func (c *client) result(ctx context.Context, r request, to any) (http.Header, error) {
	answer, err := c.do(ctx, r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if to == nil {
		_, err = io.Copy(io.Discard, answer.Body)
		return answer.Header, err
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	// A server may notice a mistake after it has begun to answer.
	if failed := (refusal{Status: http.StatusInternalServerError}); xml.Unmarshal(text, &failed) == nil && failed.Code != "" {
		return nil, &failed
	}
	return answer.Header, xml.Unmarshal(text, to)
}

func (c *client) once(ctx context.Context, r request) (*http.Response, error) {
	q, err := http.NewRequestWithContext(ctx, r.method, c.url(r.key).String(), bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	if r.header != nil {
		q.Header = r.header.Clone()
	}
	q.URL.RawQuery = r.query.Encode()
	sum := sha256.Sum256(r.body)
	q.Header.Set("X-Amz-Content-Sha256", hex.EncodeToString(sum[:]))
	key, err := c.creds.GetWithContext(&credentials.CredContext{Client: &c.http})
	if err != nil {
		return nil, err
	}
	if key.AccessKeyID != "" {
		q = signer.SignV4(*q, key.AccessKeyID, key.SecretAccessKey, key.SessionToken, *c.region.Load())
	}
	answer, err := c.http.Do(q)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode/100 == 2 {
		return answer, nil
	}
	defer answer.Body.Close()
	return nil, refusalOf(answer, r.key != "")
}

// url returns the address of an object. AWS wants the bucket in the name of the host.
func (c *client) url(key string) *url.URL {
	u := *c.endpoint
	if u.Host == "s3"+amazon {
		u.Host = "s3." + *c.region.Load() + amazon
	}
	if strings.HasSuffix(u.Host, amazon) && !strings.Contains(c.bucket, ".") {
		u.Host, u.Path = c.bucket+"."+u.Host, "/"+key
	} else {
		u.Path = "/" + c.bucket + "/" + key
	}
	u.RawPath = s3utils.EncodePath(u.Path)
	return &u
}

// refusalOf decodes an answer with an error. The answer to a HEAD has nothing but its status.
func refusalOf(answer *http.Response, object bool) error {
	r := &refusal{}
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<20)) // what is missing does not decode
	if xml.Unmarshal(text, r) != nil || r.Code == "" {
		r.Message = answer.Status
		r.Code = map[int]string{
			http.StatusForbidden: accessDenied, http.StatusPreconditionFailed: preconditionFailed, http.StatusMovedPermanently: "PermanentRedirect",
		}[answer.StatusCode]
		if answer.StatusCode == http.StatusNotFound {
			r.Code = map[bool]string{true: noSuchKey, false: noSuchBucket}[object]
		}
		r.Code = cmp.Or(r.Code, strings.ReplaceAll(http.StatusText(answer.StatusCode), " ", ""))
	}
	r.Status = answer.StatusCode
	r.Region = cmp.Or(r.Region, answer.Header.Get("X-Amz-Bucket-Region"))
	return r
}

// head returns the headers of an object.
func (c *client) head(ctx context.Context, name string) (http.Header, error) {
	return c.result(ctx, request{method: http.MethodHead, key: c.prefix + name}, nil)
}

// part is a part of an upload that the server has.
type part struct {
	PartNumber int
	ETag       string
}

// listing is a page of a list.
type listing struct {
	Contents []struct {
		Key  string
		Size int64
	}
	IsTruncated           bool
	NextContinuationToken string
	EncodingType          string
}

// list lists at most most objects below the prefix, from a continuation of the last page on.
func (c *client) list(ctx context.Context, after string, most int) (*listing, error) {
	q := url.Values{"list-type": {"2"}, "prefix": {c.prefix}, "delimiter": {"/"}, "encoding-type": {"url"}, "max-keys": {fmt.Sprint(most)}}
	if token, ok := strings.CutPrefix(after, tokenMark); ok {
		q.Set("continuation-token", token)
	} else if after != "" {
		q.Set("start-after", after)
	}
	var page listing
	if _, err := c.result(ctx, request{method: http.MethodGet, query: q}, &page); err != nil {
		return nil, err
	}
	for i := range page.Contents {
		if o := &page.Contents[i]; page.EncodingType == "url" {
			var err error
			if o.Key, err = url.QueryUnescape(o.Key); err != nil {
				return nil, err
			}
		}
	}
	return &page, nil
}

// tokenMark begins a continuation that is a token of the server, and not a key.
const tokenMark = "\x00"

// next returns the continuation after a page; "": it is the last one.
func (l *listing) next() string {
	switch {
	case !l.IsTruncated:
		return ""
	case l.NextContinuationToken != "":
		return tokenMark + l.NextContinuationToken
	case len(l.Contents) > 0:
		return l.Contents[len(l.Contents)-1].Key
	}
	return ""
}
