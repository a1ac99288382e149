package main

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
	applyapps "k8s.io/client-go/applyconfigurations/apps/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcore "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/tools/reference"
	"k8s.io/client-go/tools/remotecommand"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/client-go/util/retry"
)

const namespace = "go-calls"

// runCalls makes the calls of client-go's helper packages: typed apply, retries, scales, tokens, events, leader election.
func runCalls(ctx context.Context, config *rest.Config) {
	config = rest.CopyConfig(config)
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	client := kubernetes.NewForConfigOrDie(config)
	get(client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{}))
	accounts := client.CoreV1().ServiceAccounts(namespace)
	until("the account of pods", func() bool { _, err := accounts.Get(ctx, "default", metav1.GetOptions{}); return err == nil })

	discover(ctx, config, client)
	apply(ctx, client)
	roll(ctx, config, client)
	evict(ctx, client)
	collide(ctx, client)
	authorize(ctx, config, client)
	report(ctx, client)
	elect(ctx, config)
}

func discover(ctx context.Context, config *rest.Config, client *kubernetes.Clientset) {
	groups, lists, err := client.Discovery().ServerGroupsAndResources()
	must(err)
	names := []string{}
	for _, group := range groups {
		names = append(names, group.Name+"/"+group.PreferredVersion.Version)
	}
	sort.Strings(names)
	count := 0
	for _, list := range lists {
		count += len(list.APIResources)
	}
	say("discovered", count, strings.Join(names, " "))
	preferred := get(client.Discovery().ServerPreferredNamespacedResources())
	deletable := discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"delete", "list", "watch"}}, preferred)
	say("deletable", len(get(discovery.GroupVersionResources(deletable))))
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	mapping := get(restmapper.NewShortcutExpander(mapper, client.Discovery(), nil).ResourceFor(schema.GroupVersionResource{Resource: "deploy"}))
	say("mapped", mapping)
	schemas := get(client.Discovery().OpenAPIV3().Paths())
	say("schemas", len(schemas) > 50, get(schemas["api/v1"].Schema(runtime.ContentTypeJSON))[0] == '{')
	v2 := get(client.Discovery().OpenAPISchema())
	say("document", v2.Info.Title, len(v2.Definitions.AdditionalProperties) > 500)
}

// webDeployment is what apply and roll work with.
func webDeployment(image string) *applyapps.DeploymentApplyConfiguration {
	selector := map[string]string{"app": "web"}
	return applyapps.Deployment("web", namespace).WithLabels(selector).WithSpec(applyapps.DeploymentSpec().
		WithReplicas(2).WithSelector(applymeta.LabelSelector().WithMatchLabels(selector)).
		WithTemplate(applycore.PodTemplateSpec().WithLabels(selector).WithSpec(applycore.PodSpec().
			WithContainers(applycore.Container().WithName("main").WithImage(image).
				WithPorts(applycore.ContainerPort().WithContainerPort(80))))))
}

func apply(ctx context.Context, client *kubernetes.Clientset) {
	deployments := client.AppsV1().Deployments(namespace)
	applied := get(deployments.Apply(ctx, webDeployment("web:1"), metav1.ApplyOptions{FieldManager: "go", Force: true}))
	extracted := get(applyapps.ExtractDeployment(applied, "go"))
	say("extracted", equality.Semantic.DeepEqual(extracted, webDeployment("web:1")), *extracted.Spec.Template.Spec.Containers[0].Image)
	_, err := deployments.Apply(ctx, applyapps.Deployment("web", namespace).WithSpec(applyapps.DeploymentSpec().WithReplicas(5)), metav1.ApplyOptions{FieldManager: "other"})
	say("conflict", apierrors.IsConflict(err), err)
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		for _, cause := range status.Status().Details.Causes {
			say("cause", cause.Type, cause.Field, cause.Message)
		}
	}
	again := get(deployments.Apply(ctx, webDeployment("web:1"), metav1.ApplyOptions{FieldManager: "go", Force: true}))
	say("unchanged", again.Generation == applied.Generation)
}

func roll(ctx context.Context, config *rest.Config, client *kubernetes.Clientset) {
	selected := labels.SelectorFromSet(labels.Set{"app": "web"}).String()
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.LabelSelector = selected
			return client.AppsV1().Deployments(namespace).List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.LabelSelector = selected
			return client.AppsV1().Deployments(namespace).Watch(ctx, options)
		},
	}
	available := func(replicas int32, generation int64) watchtools.ConditionFunc {
		return func(event watch.Event) (bool, error) {
			status := event.Object.(*appsv1.Deployment).Status
			return status.ObservedGeneration >= generation && status.AvailableReplicas == replicas && status.UpdatedReplicas == replicas, nil
		}
	}
	get(watchtools.UntilWithSync(ctx, source, &appsv1.Deployment{}, nil, available(2, 1)))
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	kinds := scale.NewDiscoveryScaleKindResolver(client.Discovery())
	scales := get(scale.NewForConfig(config, mapper, dynamic.LegacyAPIPathResolverFunc, kinds)).Scales(namespace)
	resource := appsv1.Resource("deployments")
	current := get(scales.Get(ctx, resource, "web", metav1.GetOptions{}))
	say("scale", current.Spec.Replicas, current.Status.Selector)
	current.Spec.Replicas = 3
	get(scales.Update(ctx, resource, current, metav1.UpdateOptions{}))
	get(watchtools.UntilWithSync(ctx, source, &appsv1.Deployment{}, nil, available(3, 2)))
	pods := get(client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: selected, FieldSelector: "status.phase=Running"}))
	say("running", len(pods.Items), pods.Items[0].Spec.Containers[0].Image)
	_, err := client.CoreV1().Pods(namespace).GetLogs("none", &corev1.PodLogOptions{}).DoRaw(ctx)
	say("logs", err)
	request := client.CoreV1().RESTClient().Post().Resource("pods").Namespace(namespace).Name("none").SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{Command: []string{"true"}, Stdout: true}, scheme.ParameterCodec)
	executor := get(remotecommand.NewWebSocketExecutor(config, "GET", request.URL().String()))
	say("exec", executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdout: discard{}}))
}

type discard struct{}

func (discard) Write(bytes []byte) (int, error) { return len(bytes), nil }

func evict(ctx context.Context, client *kubernetes.Clientset) {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	all := intstr.FromInt32(3)
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: policyv1.PodDisruptionBudgetSpec{Selector: selector, MinAvailable: &all}}
	get(client.PolicyV1().PodDisruptionBudgets(namespace).Create(ctx, budget, metav1.CreateOptions{}))
	until("a budget", func() bool {
		stored := get(client.PolicyV1().PodDisruptionBudgets(namespace).Get(ctx, "web", metav1.GetOptions{}))
		return stored.Status.ObservedGeneration == 1 && stored.Status.ExpectedPods == 3
	})
	pods := get(client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "app=web"}))
	err := client.CoreV1().Pods(namespace).EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pods.Items[0].Name}})
	say("evicted", apierrors.IsTooManyRequests(err), err, apierrors.HasStatusCause(err, policyv1.DisruptionBudgetCause))
}

func collide(ctx context.Context, client *kubernetes.Clientset) {
	maps := client.CoreV1().ConfigMaps(namespace)
	created := get(maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "shared"}, BinaryData: map[string][]byte{"b": {0, 255}}}, metav1.CreateOptions{}))
	get(maps.Patch(ctx, "shared", types.StrategicMergePatchType, []byte(`{"data":{"a":"1"}}`), metav1.PatchOptions{}))
	created.Data = map[string]string{"c": "2"}
	_, err := maps.Update(ctx, created, metav1.UpdateOptions{})
	say("stale", apierrors.IsConflict(err), err)
	attempts := 0
	must(retry.RetryOnConflict(retry.DefaultRetry, func() error {
		attempts++
		if attempts > 1 {
			created = get(maps.Get(ctx, "shared", metav1.GetOptions{}))
			created.Data["c"] = "2"
		}
		_, err := maps.Update(ctx, created, metav1.UpdateOptions{})
		return err
	}))
	stored := get(maps.Get(ctx, "shared", metav1.GetOptions{}))
	say("retried", attempts, stored.Data, stored.BinaryData)
	_, err = maps.Create(ctx, stored, metav1.CreateOptions{})
	say("create a stored one", err)
	_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "shared"}}, metav1.CreateOptions{})
	say("exists", apierrors.IsAlreadyExists(err), err)
	uid := types.UID("00000000-0000-0000-0000-000000000000")
	err = maps.Delete(ctx, "shared", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
	say("precondition", apierrors.IsConflict(err))
	_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "Not A Name"}}, metav1.CreateOptions{})
	say("invalid", apierrors.IsInvalid(err), err)
	generated := get(maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "generated-"}}, metav1.CreateOptions{}))
	say("generated", len(generated.Name))
	for index := range 25 {
		get(maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("page-%d", index)}}, metav1.CreateOptions{}))
	}
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return maps.List(ctx, options)
	})
	pages.PageSize = 4
	count := 0
	must(pages.EachListItem(ctx, metav1.ListOptions{FieldSelector: "metadata.namespace=" + namespace}, func(runtime.Object) error { count++; return nil }))
	say("paged", count)
	must(maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name!=shared"}))
	until("only one left", func() bool {
		return len(get(maps.List(ctx, metav1.ListOptions{FieldSelector: "metadata.name!=kube-root-ca.crt"})).Items) == 1
	})
	_, err = maps.Get(ctx, "page-1", metav1.GetOptions{})
	say("gone", apierrors.IsNotFound(err), err)
}

func authorize(ctx context.Context, config *rest.Config, client *kubernetes.Clientset) {
	accounts := client.CoreV1().ServiceAccounts(namespace)
	get(accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{}))
	token := get(accounts.CreateToken(ctx, "robot", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})).Status.Token
	reviewed := get(client.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}, metav1.CreateOptions{}))
	say("token", reviewed.Status.Authenticated, reviewed.Status.User.Username, reviewed.Status.User.Groups)
	robot := rest.AnonymousClientConfig(config)
	robot.BearerToken = token
	_, err := kubernetes.NewForConfigOrDie(robot).CoreV1().Secrets(namespace).List(ctx, metav1.ListOptions{})
	say("forbidden", apierrors.IsForbidden(err), err)
	attributes := &authorizationv1.ResourceAttributes{Verb: "list", Resource: "secrets", Namespace: namespace}
	access := get(kubernetes.NewForConfigOrDie(robot).AuthorizationV1().SelfSubjectAccessReviews().Create(ctx,
		&authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes}}, metav1.CreateOptions{}))
	say("access", access.Status.Allowed, access.Status.Reason)
	acting := rest.CopyConfig(config)
	acting.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + namespace + ":robot"}
	self := get(kubernetes.NewForConfigOrDie(acting).AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{}))
	say("self", self.Status.UserInfo.Username, self.Status.UserInfo.Groups)
	unknown := rest.AnonymousClientConfig(config)
	unknown.BearerToken = "unknown"
	_, err = kubernetes.NewForConfigOrDie(unknown).CoreV1().Secrets(namespace).List(ctx, metav1.ListOptions{})
	say("unauthorized", apierrors.IsUnauthorized(err), err)
}

func report(ctx context.Context, client *kubernetes.Clientset) {
	regarding := get(client.CoreV1().ConfigMaps(namespace).Get(ctx, "shared", metav1.GetOptions{}))
	old := record.NewBroadcaster(record.WithContext(ctx))
	old.StartRecordingToSink(&typedcore.EventSinkImpl{Interface: client.CoreV1().Events("")})
	recorder := old.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "go"})
	for range 3 {
		recorder.Event(regarding, corev1.EventTypeNormal, "Repeated", "The same again.")
	}
	until("one counted event", func() bool {
		list := get(client.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "reason=Repeated,involvedObject.name=shared"}))
		return len(list.Items) == 1 && list.Items[0].Count == 3
	})
	old.Shutdown()
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	must(broadcaster.StartRecordingToSinkWithContext(ctx))
	now := broadcaster.NewRecorder(scheme.Scheme, "go.example.com/client")
	now.Eventf(get(reference.GetReference(scheme.Scheme, regarding)), nil, corev1.EventTypeWarning, "Noted", "Testing", "count %d", 1)
	now.Eventf(get(reference.GetReference(scheme.Scheme, regarding)), nil, corev1.EventTypeWarning, "Noted", "Testing", "count %d", 1)
	until("a series", func() bool {
		list := get(client.EventsV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "reason=Noted"}))
		return len(list.Items) == 1 && list.Items[0].Series != nil
	})
	broadcaster.Shutdown()
	noted := get(client.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "reason=Noted"})).Items[0]
	say("event", noted.Message, noted.ReportingController, noted.Series.Count, noted.Source.Component == "")
}

func elect(ctx context.Context, config *rest.Config) {
	counts := &tally{}
	campaign := func(identity string) context.CancelFunc {
		ctx, stop := context.WithCancel(ctx)
		lock := get(resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, namespace, "leader", resourcelock.ResourceLockConfig{Identity: identity}, config, time.Second))
		go leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, ReleaseOnCancel: true, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 100 * time.Millisecond,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { counts.add(identity + " leads") },
				OnStoppedLeading: func() { counts.add(identity + " stopped") },
				OnNewLeader:      func(seen string) { counts.add(identity + " sees " + seen) },
			},
		})
		return stop
	}
	stopFirst := campaign("first")
	until("the first leads", func() bool { return counts.of("first leads") == 1 })
	stopSecond := campaign("second")
	until("the second sees it", func() bool { return counts.of("second sees first") == 1 })
	stopFirst()
	until("the second leads", func() bool { return counts.of("second leads") == 1 && counts.of("first stopped") == 1 })
	lease := get(kubernetes.NewForConfigOrDie(config).CoordinationV1().Leases(namespace).Get(ctx, "leader", metav1.GetOptions{}))
	stopSecond()
	until("the second stops", func() bool { return counts.of("second stopped") == 1 })
	say("elected", *lease.Spec.HolderIdentity, *lease.Spec.LeaseTransitions, counts.names())
}
