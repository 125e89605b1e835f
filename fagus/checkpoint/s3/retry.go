package s3

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// retry calls f until it succeeds, fails for a permanent reason, or has failed too often.
func (s *Store) retry(ctx context.Context, what string, f func(context.Context) error) error {
	var before error // of the last attempt that was not interrupted
	for attempt, pause := 1, s.pause; ; attempt, pause = attempt+1, 2*pause {
		bounded, cancel := context.WithTimeout(ctx, s.attempt)
		err := f(bounded)
		cancel()
		if err == nil {
			return nil
		}
		if request, ok := err.(*url.Error); ok {
			err = request.Err // without the whole URL of the request
		}
		last := attempt == s.attempts || !passes(err)
		if !last {
			select {
			case <-time.After(pause/2 + rand.N(pause/2+1)):
			case <-ctx.Done():
			}
		}
		over := ctx.Err()
		if over == nil || !errors.Is(err, over) {
			before = err
		}
		switch {
		case over != nil && before != nil:
			return s.explain(what, attempt, fmt.Errorf("%w, after: %w", over, before))
		case over != nil || last:
			return s.explain(what, attempt, err)
		}
	}
}

// answer returns the code and the status with which a server refused a request, if it did.
func answer(err error) (code string, status int) {
	var response *refusal
	if errors.As(err, &response) {
		return response.Code, response.Status
	}
	return "", 0
}

// passes reports whether the error is temporary: the same request may succeed later.
func passes(err error) bool {
	code, status := answer(err)
	switch code {
	case "SlowDown", "SlowDownRead", "SlowDownWrite", "Throttling", "ThrottlingException", "RequestLimitExceeded",
		"RequestThrottled", "RequestTimeout", "InternalError", "ServiceUnavailable", "IncompleteBody", "BadDigest",
		"XAmzContentSHA256Mismatch":
		return true
	case "NotImplemented":
		return false
	}
	switch {
	case status == http.StatusRequestTimeout || status == http.StatusTooManyRequests:
		return true
	case status > 0:
		return status >= 500 && status != http.StatusNotImplemented
	case code != "" || errors.Is(err, fs.ErrExist):
		return false
	}
	var unknown x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var record tls.RecordHeaderError
	return !errors.As(err, &unknown) && !errors.As(err, &hostname) && !errors.As(err, &record) &&
		!strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// missing reports whether the object or upload does not exist.
func missing(err error) bool {
	code, status := answer(err)
	return code == noSuchKey || code == noSuchUpload || code == "NotFound" && status == http.StatusNotFound
}

// unknownUser is what Versity says, with status 404, instead of InvalidAccessKeyId.
const unknownUser = "XAdminUserNotFound"

// explain returns an error that says what is wrong, and what to do.
func (s *Store) explain(what string, attempts int, err error) error {
	code, status := answer(err)
	advice := ""
	switch {
	case errors.Is(err, fs.ErrExist):
	case missing(err):
		return fmt.Errorf("s3: %v: %s: %w (%s)", s, what, fs.ErrNotExist, code)
	case code == noSuchBucket:
		advice = fmt.Sprintf("create bucket %q at %v, or correct the URL", s.bucket, s.endpoint)
	case code == "RequestTimeTooSkewed":
		advice = "correct the clock of this host"
	case code == "PermanentRedirect" || code == "AuthorizationHeaderMalformed" || code == "InvalidRegion" || status == http.StatusMovedPermanently:
		advice = "add the region of the bucket to the URL: ?region=REGION"
	case status == http.StatusForbidden || status == http.StatusUnauthorized || code == accessDenied || code == unknownUser:
		advice = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key that may list, get, put and delete in the bucket"
		if v, _ := s.creds.GetWithContext(nil); v.AccessKeyID == "" {
			advice = "no credentials were found: " + advice
		}
	case status >= 500 || status == http.StatusTooManyRequests:
		advice = fmt.Sprintf("it was tried %d times: the server is overloaded or broken", attempts)
	case status == 0 && code == "" && !errors.Is(err, context.Canceled):
		advice = fmt.Sprintf("it was tried %d times: check whether %v is the endpoint, and can be reached", attempts, s.endpoint)
	}
	if response, ok := err.(*refusal); ok {
		err = errors.New(code + ": " + strings.TrimSuffix(response.Error(), "."))
	}
	if advice == "" {
		return fmt.Errorf("s3: %v: %s: %w", s, what, err)
	}
	return fmt.Errorf("s3: %v: %s: %w: %s", s, what, err, advice)
}
