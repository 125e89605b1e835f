package cluster

import (
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// manifest has the fields of a Kubernetes document that the test needs.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		ClusterIP                string `yaml:"clusterIP"`
		PublishNotReadyAddresses bool   `yaml:"publishNotReadyAddresses"`
		Selector                 map[string]string
		CompletionMode           string `yaml:"completionMode"`
		Completions, Parallelism int
		Template                 struct {
			Spec struct {
				Subdomain     string
				RestartPolicy string `yaml:"restartPolicy"`
				Containers    []struct {
					Env []struct {
						Name, Value string
						ValueFrom   struct {
							FieldRef struct {
								FieldPath string `yaml:"fieldPath"`
							} `yaml:"fieldRef"`
						} `yaml:"valueFrom"`
					}
					VolumeMounts []struct {
						MountPath string `yaml:"mountPath"`
					} `yaml:"volumeMounts"`
				}
				Volumes []struct {
					Secret struct {
						DefaultMode int `yaml:"defaultMode"`
					}
				}
			}
		}
	}
}

// TestKubernetes checks that the pods of docs/guide/kubernetes.yaml are the ranks of one job.
func TestKubernetes(t *testing.T) {
	f, err := os.Open("../../docs/guide/kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	kinds := make(map[string]manifest)
	for documents := yaml.NewDecoder(f); ; {
		var m manifest
		err := documents.Decode(&m)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		kinds[m.Kind] = m
	}
	job, service := kinds["Job"], kinds["Service"]
	pod := job.Spec.Template.Spec
	if len(pod.Containers) != 1 || len(pod.Containers[0].VolumeMounts) != 1 || len(pod.Volumes) != 1 {
		t.Fatalf("want one container with one volume: %+v", pod)
	}
	if s := service.Spec; s.ClusterIP != "None" || !s.PublishNotReadyAddresses || s.Selector["job-name"] != job.Metadata.Name || pod.Subdomain != service.Metadata.Name {
		t.Errorf("the service does not name the pods of job %s in %s: %+v", job.Metadata.Name, pod.Subdomain, service)
	}
	if job.Spec.CompletionMode != "Indexed" || job.Spec.Parallelism != job.Spec.Completions || pod.RestartPolicy != "Never" {
		t.Errorf("the manifest does not start all ranks of the job at once: %+v", job.Spec)
	}
	env := make(vars)
	for _, v := range pod.Containers[0].Env {
		if env[v.Name] = v.Value; v.Value == "" {
			env[v.Name] = v.ValueFrom.FieldRef.FieldPath // stands for the value, as any unique text
		}
	}
	for index := range job.Spec.Completions {
		place, err := FromEnv(env.with(vars{"JOB_COMPLETION_INDEX": strconv.Itoa(index)}).lookup)
		if err != nil {
			t.Fatal(err)
		}
		host, _, err := net.SplitHostPort(place.Rendezvous)
		if err != nil || host != job.Metadata.Name+"-0."+service.Metadata.Name || !place.Spans() {
			t.Errorf("the pods meet at %s: %v", place.Rendezvous, err)
		}
		if place.Rank != index || place.Size != job.Spec.Completions || !strings.Contains(place.Job, "controller-uid") {
			t.Errorf("pod %d of %d is %+v", index, job.Spec.Completions, place)
		}
	}
	where := env[fagusIdentity]
	if mount := pod.Containers[0].VolumeMounts[0].MountPath; strings.ReplaceAll(where, "%r", "2") != mount+"/"+IdentityFile(2) || pod.Volumes[0].Secret.DefaultMode != 0o400 {
		t.Errorf("FAGUS_IDENTITY is %s, but the secret is mounted at %s with mode %o", where, mount, pod.Volumes[0].Secret.DefaultMode)
	}
}
