package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const (
	managed   = "go-manager"
	finalizer = "widgets.go.example.com/cleanup"
	sizeIndex = "spec.size"
)

var widgetVersion = schema.GroupVersion{Group: "go.example.com", Version: "v1"}

// Widget is a custom resource with a status.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec   `json:"spec,omitempty"`
	Status            WidgetStatus `json:"status,omitempty"`
}

// WidgetSpec says what a widget is to be.
type WidgetSpec struct {
	Size  int32  `json:"size,omitempty"`
	Color string `json:"color,omitempty"`
}

// WidgetStatus says what a widget is.
type WidgetStatus struct {
	Ready      int32              `json:"ready"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// WidgetList is a list of widgets.
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

// DeepCopyObject copies a widget.
func (w *Widget) DeepCopyObject() runtime.Object { return copyOf(w) }

// DeepCopyObject copies a list of widgets.
func (w *WidgetList) DeepCopyObject() runtime.Object { return copyOf(w) }

func copyOf[T any](value *T) *T {
	copied := new(T)
	must(json.Unmarshal(get(json.Marshal(value)), copied))
	return copied
}

// widgetDefinition defines widgets, with a default, a rule, a scale and a selectable field.
func widgetDefinition() *apiextensionsv1.CustomResourceDefinition {
	preserve := true
	least := float64(0)
	properties := map[string]apiextensionsv1.JSONSchemaProps{
		"spec": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"size":  {Type: "integer", Format: "int32", Minimum: &least, Default: &apiextensionsv1.JSON{Raw: []byte("1")}},
			"color": {Type: "string"},
		}, XValidations: apiextensionsv1.ValidationRules{{Rule: "self.size >= oldSelf.size", Message: "widgets never shrink"}}},
		"status": {Type: "object", XPreserveUnknownFields: &preserve},
	}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets." + widgetVersion.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: widgetVersion.Group,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget"},
			Scope: apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: widgetVersion.Version, Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: properties}},
				Subresources: &apiextensionsv1.CustomResourceSubresources{
					Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
					Scale:  &apiextensionsv1.CustomResourceSubresourceScale{SpecReplicasPath: ".spec.size", StatusReplicasPath: ".status.ready"},
				},
				SelectableFields: []apiextensionsv1.SelectableField{{JSONPath: ".spec.color"}},
			}},
		},
	}
}

// widgetReconciler keeps a deployment for each widget and copies its replicas to the widget's status.
type widgetReconciler struct {
	client.Client
	reads    client.Reader
	counts   *tally
	recorded ctrl.Manager
}

func (r *widgetReconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	widget := &Widget{}
	if err := r.Get(ctx, request.NamespacedName, widget); err != nil {
		r.counts.add("gone " + request.Name)
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !widget.DeletionTimestamp.IsZero() {
		r.counts.add("finalized " + widget.Name)
		if controllerutil.RemoveFinalizer(widget, finalizer) {
			return reconcile.Result{}, r.Update(ctx, widget)
		}
		return reconcile.Result{}, nil
	}
	if controllerutil.AddFinalizer(widget, finalizer) {
		return reconcile.Result{}, r.Update(ctx, widget)
	}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: widget.Name, Namespace: widget.Namespace}}
	result, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		labels := map[string]string{"widget": widget.Name}
		deployment.Spec.Replicas = &widget.Spec.Size
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		deployment.Spec.Template.Labels = labels
		deployment.Spec.Template.Spec.Containers = []corev1.Container{{Name: "main", Image: "widget:" + widget.Spec.Color}}
		return controllerutil.SetControllerReference(widget, deployment, r.Scheme())
	})
	if err != nil {
		return reconcile.Result{}, err
	}
	if result == controllerutil.OperationResultCreated {
		r.recorded.GetEventRecorder("widgets").Eventf(widget, deployment, corev1.EventTypeNormal, "Created", "Create", "Created %s.", deployment.Name)
	}
	if deployment.Status.AvailableReplicas == widget.Status.Ready && len(widget.Status.Conditions) == 1 {
		return reconcile.Result{}, nil
	}
	before := widget.DeepCopyObject().(*Widget)
	widget.Status.Ready = deployment.Status.AvailableReplicas
	meta.SetStatusCondition(&widget.Status.Conditions, metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Reconciled"})
	return reconcile.Result{}, r.Status().Patch(ctx, widget, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

// widgetWebhooks paints widgets green, and rejects red ones.
type widgetWebhooks struct{}

func (widgetWebhooks) Default(_ context.Context, widget *Widget) error {
	if widget.Spec.Color == "" {
		widget.Spec.Color = "green"
	}
	return nil
}

func (widgetWebhooks) ValidateCreate(_ context.Context, widget *Widget) (admission.Warnings, error) {
	if widget.Spec.Color == "red" {
		return admission.Warnings{"red is loud"}, errors.New("widgets are never red")
	}
	return nil, nil
}

func (w widgetWebhooks) ValidateUpdate(ctx context.Context, _, widget *Widget) (admission.Warnings, error) {
	return w.ValidateCreate(ctx, widget)
}

func (widgetWebhooks) ValidateDelete(context.Context, *Widget) (admission.Warnings, error) {
	return nil, nil
}

// hook registers widgets for one of the webhooks, as envtest wants it: by a path of its server.
func hook(path string) (string, admissionv1.WebhookClientConfig, []admissionv1.RuleWithOperations) {
	operations := []admissionv1.OperationType{admissionv1.Create, admissionv1.Update}
	rule := admissionv1.Rule{APIGroups: []string{widgetVersion.Group}, APIVersions: []string{"v1"}, Resources: []string{"widgets"}}
	service := &admissionv1.ServiceReference{Namespace: "default", Name: "webhooks", Path: &path}
	return "widgets.go.example.com", admissionv1.WebhookClientConfig{Service: service}, []admissionv1.RuleWithOperations{{Operations: operations, Rule: rule}}
}

func environment(config *rest.Config) *envtest.Environment {
	const mutate, validate = "/mutate-go-example-com-v1-widget", "/validate-go-example-com-v1-widget"
	existing, none := true, admissionv1.SideEffectClassNone
	name, mutating, rules := hook(mutate)
	_, validating, _ := hook(validate)
	versions := []string{"v1"}
	return &envtest.Environment{
		UseExistingCluster: &existing,
		Config:             config,
		CRDInstallOptions:  envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{widgetDefinition()}, CleanUpAfterUse: true},
		WebhookInstallOptions: envtest.WebhookInstallOptions{
			MutatingWebhooks: []*admissionv1.MutatingWebhookConfiguration{{
				ObjectMeta: metav1.ObjectMeta{Name: "go-widgets"},
				Webhooks:   []admissionv1.MutatingWebhook{{Name: name, ClientConfig: mutating, Rules: rules, SideEffects: &none, AdmissionReviewVersions: versions}},
			}},
			ValidatingWebhooks: []*admissionv1.ValidatingWebhookConfiguration{{
				ObjectMeta: metav1.ObjectMeta{Name: "go-widgets"},
				Webhooks:   []admissionv1.ValidatingWebhook{{Name: name, ClientConfig: validating, Rules: rules, SideEffects: &none, AdmissionReviewVersions: versions}},
			}},
		},
	}
}

// runManager runs a manager with a controller, webhooks, an index and leader election against a server that envtest finds running.
func runManager(ctx context.Context, config *rest.Config) {
	log.SetLogger(zap.New())
	env := environment(config)
	config = get(env.Start())
	say("installed", len(env.CRDInstallOptions.CRDs))
	scheme := runtime.NewScheme()
	must(clientscheme.AddToScheme(scheme))
	scheme.AddKnownTypes(widgetVersion, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, widgetVersion)

	hooks := env.WebhookInstallOptions
	mgr := get(ctrl.NewManager(config, manager.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"},
		LeaderElection: true, LeaderElectionID: "widgets.go.example.com", LeaderElectionNamespace: "default", LeaderElectionReleaseOnCancel: true,
		WebhookServer: webhook.NewServer(webhook.Options{Host: hooks.LocalServingHost, Port: hooks.LocalServingPort, CertDir: hooks.LocalServingCertDir}),
		Cache:         cache.Options{DefaultNamespaces: map[string]cache.Config{managed: {}}},
	}))
	counts := &tally{}
	must(mgr.GetFieldIndexer().IndexField(ctx, &Widget{}, sizeIndex, func(object client.Object) []string {
		return []string{strconv.Itoa(int(object.(*Widget).Spec.Size))}
	}))
	must(ctrl.NewWebhookManagedBy(mgr, &Widget{}).WithDefaulter(widgetWebhooks{}).WithValidator(widgetWebhooks{}).Complete())
	follow := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, object client.Object) []reconcile.Request {
		counts.add("mapped " + object.GetName())
		return nil
	})
	must(ctrl.NewControllerManagedBy(mgr).For(&Widget{}).Owns(&appsv1.Deployment{}).WatchesMetadata(&corev1.Secret{}, follow).
		Complete(&widgetReconciler{Client: mgr.GetClient(), reads: mgr.GetAPIReader(), counts: counts, recorded: mgr}))
	running, stop := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- mgr.Start(running) }()
	<-mgr.Elected()
	until("webhooks", func() bool {
		connection, err := net.DialTimeout("tcp", net.JoinHostPort(hooks.LocalServingHost, strconv.Itoa(hooks.LocalServingPort)), time.Second)
		return err == nil && connection.Close() == nil
	})
	use(ctx, mgr, counts)
	stop()
	say("ended", <-ended)
	must(env.Stop())
	err := get(client.New(config, client.Options{Scheme: scheme})).List(ctx, &WidgetList{})
	var status apierrors.APIStatus
	say("uninstalled", errors.As(err, &status) && status.Status().Code == http.StatusNotFound || meta.IsNoMatchError(err))
}

func use(ctx context.Context, mgr manager.Manager, counts *tally) {
	cluster := mgr.GetClient()
	direct := client.NewNamespacedClient(get(client.New(mgr.GetConfig(), client.Options{Scheme: mgr.GetScheme()})), managed)
	must(cluster.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: managed}}))
	named := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: managed} }
	until("the account of pods", func() bool {
		return direct.Get(ctx, client.ObjectKey{Name: "default"}, &corev1.ServiceAccount{}) == nil
	})
	say("red", direct.Create(ctx, &Widget{ObjectMeta: named("red"), Spec: WidgetSpec{Color: "red"}}))
	say("negative", direct.Create(ctx, &Widget{ObjectMeta: named("negative"), Spec: WidgetSpec{Size: -1}}))
	for size := range int32(4) {
		must(direct.Create(ctx, &Widget{ObjectMeta: named(fmt.Sprintf("widget-%d", size)), Spec: WidgetSpec{Size: size}}))
	}
	read := func(name string) *Widget {
		widget := &Widget{}
		must(client.IgnoreNotFound(direct.Get(ctx, client.ObjectKey{Name: name}, widget)))
		return widget
	}
	until("all are ready", func() bool {
		return read("widget-0").Status.Ready == 1 && read("widget-1").Status.Ready == 1 && read("widget-2").Status.Ready == 2 && read("widget-3").Status.Ready == 3
	})
	three := read("widget-3")
	say("ready", three.Spec, three.Generation, three.Finalizers, three.Status.Conditions[0].Reason)

	shrunk := three.DeepCopyObject().(*Widget)
	shrunk.Spec.Size = 1
	say("shrunk", direct.Patch(ctx, shrunk, client.MergeFrom(three)))
	grown := three.DeepCopyObject().(*Widget)
	grown.Spec.Size = 5
	must(direct.Patch(ctx, grown, client.MergeFrom(three)))
	until("grown", func() bool { return read("widget-3").Status.Ready == 5 })
	say("stale", apierrors.IsConflict(direct.Update(ctx, three)))
	list := &WidgetList{}
	until("the index", func() bool {
		must(cluster.List(ctx, list, client.InNamespace(managed), client.MatchingFields{sizeIndex: "5"}))
		return len(list.Items) == 1
	})
	must(direct.List(ctx, list, client.MatchingFields{"spec.color": "green"}))
	say("green", len(list.Items))
	scale := &metav1.PartialObjectMetadata{}
	scale.SetGroupVersionKind(widgetVersion.WithKind("Widget"))
	must(direct.Get(ctx, client.ObjectKey{Name: "widget-2"}, scale))
	say("metadata", scale.Kind, scale.Finalizers)
	must(direct.Create(ctx, &corev1.Secret{ObjectMeta: named("followed"), StringData: map[string]string{"a": "b"}}))
	until("metadata of a secret", func() bool { return counts.of("mapped followed") > 0 })

	must(direct.Delete(ctx, read("widget-2")))
	until("it is gone", func() bool { return read("widget-2").Name == "" })
	until("its deployment is gone", func() bool {
		return apierrors.IsNotFound(direct.Get(ctx, client.ObjectKey{Name: "widget-2"}, &appsv1.Deployment{}))
	})
	say("finalized", counts.of("finalized widget-2") > 0)
	must(direct.DeleteAllOf(ctx, &Widget{}))
	until("all are gone", func() bool { return direct.List(ctx, list) == nil && len(list.Items) == 0 })
	say("deleted", read("widget-1").Name == "")
	must(cluster.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: managed}}))
}
