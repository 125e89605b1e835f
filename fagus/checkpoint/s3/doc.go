// Package s3 keeps checkpoints in a bucket of an object store that has the S3 API. It is not a
// general client: it writes, reads, lists and removes the objects of package checkpoint.
//
//	store, err := s3.Open(ctx, "s3://bucket/job7?endpoint=http://127.0.0.1:7070&region=us-east-1")
//	cfg.Checkpoints = checkpoint.New(checkpoint.Config{Store: store, Every: 5 * time.Minute})
//
// Programs that do not import this package do not link an S3 client.
//
// # Credentials
//
// Credentials come from the same sources as for the AWS command: AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; otherwise the file of AWS_SHARED_CREDENTIALS_FILE
// and AWS_PROFILE; otherwise the role of the machine or container. They need the rights to list
// the bucket, and to get, put and delete objects and abort uploads below the prefix.
//
// # Two jobs with one prefix
//
// S3 has no locks, so Lock reserves nothing. Instead no object is ever replaced: Commit sends
// If-None-Match: *, and fails with fs.ErrExist if another job has written the object. When two
// jobs make the checkpoint with the same number, they share no object, so at most one of the two
// is valid. AWS, MinIO, Versity and others check If-None-Match. With a server that does not,
// Commit asks whether the object exists before it writes it. It does not notice another job that
// writes the object in between: there, give each job its own prefix.
//
// # Failures
//
// A request that fails for a temporary reason (5xx, throttling, a lost connection, no answer) is
// repeated, with growing pauses. An object carries a random number of its writer. By it a writer
// whose answer was lost recognizes its object.
//
// A job that dies, or a lost answer to the first request of an upload, may leave an unfinished
// upload: it is invisible and never becomes an object, but costs space. The lifecycle rule
// AbortIncompleteMultipartUpload of the bucket removes it.
//
// Some servers return outdated listings. They do no harm: the job does not resume from a
// checkpoint that the listing lacks, and Commit fails if the listing leads to a number in use.
//
// # Limits
//
// A writer has two buffers of a part (16 MiB, or part-mib in the URL), and an object at most 10000
// parts. Readers of a Store share 16 MiB.
package s3
