package deploy

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

// object is what is looked at of one in kubernetes.yaml.
type object struct {
	Kind     string
	Metadata struct{ Name, Namespace string }
	Data     map[string]string
	Spec     struct {
		Replicas       int
		MaxUnavailable int `yaml:"maxUnavailable"`
		Selector       struct {
			MatchLabels map[string]string `yaml:"matchLabels"`
		}
		Template struct {
			Metadata struct{ Labels map[string]string }
			Spec     struct {
				Grace      int `yaml:"terminationGracePeriodSeconds"`
				Containers []container
			}
		}
	}
}

type container struct {
	Image string
	Args  []string
	Env   []struct {
		Name, Value string
		ValueFrom   struct {
			SecretKeyRef struct{ Name, Key string } `yaml:"secretKeyRef"`
		} `yaml:"valueFrom"`
	}
	ReadinessProbe  probe `yaml:"readinessProbe"`
	LivenessProbe   probe `yaml:"livenessProbe"`
	Resources       struct{ Requests, Limits map[string]any }
	SecurityContext struct {
		AllowPrivilegeEscalation *bool `yaml:"allowPrivilegeEscalation"`
		Capabilities             struct{ Drop, Add []string }
		SeccompProfile           struct{ Type string } `yaml:"seccompProfile"`
	} `yaml:"securityContext"`
}

type probe struct {
	HTTPGet          struct{ Path string } `yaml:"httpGet"`
	PeriodSeconds    int                   `yaml:"periodSeconds"`
	FailureThreshold int                   `yaml:"failureThreshold"`
}

// takes are the time within which a probe that fails is noticed.
func (p probe) takes() time.Duration {
	return time.Duration(p.PeriodSeconds*(p.FailureThreshold+1)) * time.Second
}

// stopLimit is what docs/operations.md says that a process takes to stop.
const stopLimit = 30 * time.Second

// TestTheExampleForKubernetes: every role, kept as in compose.yaml, with probes, room to
// stop in and a budget, of settings that there are.
func TestTheExampleForKubernetes(t *testing.T) {
	t.Parallel()
	raw := deployed(t, "kubernetes.yaml")
	deployments, budgets, known := map[string]object{}, map[string]object{}, settings(t)
	for _, document := range bytes.Split(raw, []byte("\n---\n")) {
		var o object
		if err := yaml.Unmarshal(document, &o); err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		if o.Kind == "" || o.Metadata.Name == "" || o.Metadata.Namespace != "understudy" {
			t.Errorf("%s %q of %q", o.Kind, o.Metadata.Name, o.Metadata.Namespace)
		}
		for name := range o.Data {
			if !known[name] {
				t.Errorf("there is no setting %s", name)
			}
		}
		switch o.Kind {
		case "Deployment":
			deployments[o.Metadata.Name] = o
		case "PodDisruptionBudget":
			budgets[o.Metadata.Name] = o
		}
	}
	services := map[string]string{"api": "api1", "projector": "projector1", "runner": "runner1", "sender": "sender1"}
	if got := slices.Sorted(maps.Keys(deployments)); !slices.Equal(got, slices.Sorted(maps.Keys(services))) {
		t.Fatalf("the deployments are %q", got)
	}
	head, _, _ := bytes.Cut(raw, []byte("\napiVersion"))
	project := composed(t)
	for name, d := range deployments {
		pod, labels := d.Spec.Template, map[string]string{"app": "understudy", "role": name}
		if !maps.Equal(pod.Metadata.Labels, labels) || !maps.Equal(d.Spec.Selector.MatchLabels, labels) || !maps.Equal(budgets[name].Spec.Selector.MatchLabels, labels) {
			t.Errorf("%s selects others, or its budget %+v does", name, budgets[name])
		}
		if d.Spec.Replicas < 2 || budgets[name].Spec.MaxUnavailable >= d.Spec.Replicas {
			t.Errorf("of %d %s %d may be away", d.Spec.Replicas, name, budgets[name].Spec.MaxUnavailable)
		}
		c, composed := pod.Spec.Containers[0], project.Services[services[name]]
		if !slices.Equal(c.Args, composed.Command) {
			t.Errorf("%s runs %q", name, c.Args)
		}
		security, browses := c.SecurityContext, len(composed.CapAdd) > 0
		profile := map[bool]string{true: "Localhost", false: "RuntimeDefault"}[browses]
		if p := security.AllowPrivilegeEscalation; p == nil || *p || !slices.Equal(security.Capabilities.Drop, composed.CapDrop) ||
			!slices.Equal(security.Capabilities.Add, composed.CapAdd) || security.SeccompProfile.Type != profile {
			t.Errorf("%s may do other things than in compose.yaml: %+v", name, security)
		}
		if c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.LivenessProbe.HTTPGet.Path != "/healthz" || len(c.Resources.Requests) != 2 || c.Resources.Limits["memory"] == nil {
			t.Errorf("%s: %+v", name, c)
		}
		var delay time.Duration
		for _, e := range c.Env {
			if !known[e.Name] {
				t.Errorf("there is no setting %s", e.Name)
			}
			if key := e.ValueFrom.SecretKeyRef.Key; e.Value == "" && !strings.Contains(string(head), "--from-literal="+key+"=") {
				t.Errorf("the command at the head makes no secret %s", key)
			}
			if e.Name == "UNDERSTUDY_DRAIN_DELAY" {
				delay, _ = time.ParseDuration(e.Value)
			}
		}
		if name == "api" && delay < c.ReadinessProbe.takes() {
			t.Errorf("it answers on for %s, to be unready takes %s", delay, c.ReadinessProbe.takes())
		}
		if grace := time.Duration(pod.Spec.Grace) * time.Second; grace < delay+stopLimit {
			t.Errorf("%s is killed after %s", name, grace)
		}
	}
}

// settings are the names of those that there are, by docs/operations.md, which a test of
// the program holds to be true.
func settings(t *testing.T) map[string]bool {
	t.Helper()
	raw, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, "| `"), "`"); ok && strings.HasPrefix(line, "| `UNDERSTUDY_") {
			names[name] = true
		}
	}
	return names
}
