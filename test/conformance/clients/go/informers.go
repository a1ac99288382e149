package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/features"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// requests notes how the reads of a client are made.
type requests struct {
	tally
	next http.RoundTripper
}

func (r *requests) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	switch {
	case query.Get("sendInitialEvents") != "":
		r.add("watch-list")
	case query.Get("watch") != "":
		r.add("watch")
	case request.Method == http.MethodGet:
		r.add("list")
	}
	return r.next.RoundTrip(request)
}

// noting returns a copy of a configuration whose reads are noted.
func noting(config *rest.Config) (*rest.Config, *requests) {
	noted := &requests{}
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { noted.next = next; return noted })
	return config, noted
}

// counting returns a handler that counts events by what happened and to whom.
func counting(counts *tally) cache.ResourceEventHandler {
	name := func(object any) string {
		if gone, is := object.(cache.DeletedFinalStateUnknown); is {
			object = gone.Obj
		}
		return get(meta.Accessor(object)).GetName()
	}
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, initial bool) {
			counts.add("add")
			counts.add(fmt.Sprintf("add %s %t", name(object), initial))
		},
		UpdateFunc: func(_, object any) { counts.add("update"); counts.add("update " + name(object)) },
		DeleteFunc: func(object any) { counts.add("delete"); counts.add("delete " + name(object)) },
	}
}

// runInformers follows objects by typed, metadata and dynamic informers, each of which begins with a streamed list.
func runInformers(ctx context.Context, config *rest.Config) {
	const namespace = "go-informers"
	plain := kubernetes.NewForConfigOrDie(config)
	get(plain.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{}))
	maps := plain.CoreV1().ConfigMaps(namespace)
	for index := range 120 {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("map-%d", index), Labels: map[string]string{"parity": fmt.Sprint(index % 2)}}}
		get(maps.Create(ctx, object, metav1.CreateOptions{}))
	}
	say("gate", features.FeatureGates().Enabled(features.WatchListClient))

	resource := corev1.SchemeGroupVersion.WithResource("configmaps")
	for _, format := range []string{"protobuf", "json", "metadata", "dynamic", "selected"} {
		noted, reads := noting(config)
		counts := &tally{}
		var informer cache.SharedIndexInformer
		ctx, stop := context.WithCancel(ctx)
		switch format {
		case "metadata":
			factory := metadatainformer.NewFilteredSharedInformerFactory(metadata.NewForConfigOrDie(noted), 0, namespace, nil)
			informer = factory.ForResource(resource).Informer()
			get(informer.AddEventHandler(counting(counts)))
			factory.Start(ctx.Done())
		case "dynamic":
			factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(noted), 0, namespace, nil)
			informer = factory.ForResource(resource).Informer()
			get(informer.AddEventHandler(counting(counts)))
			factory.Start(ctx.Done())
		default:
			if format == "protobuf" {
				noted.ContentType = runtime.ContentTypeProtobuf
				noted.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
			}
			tweak := func(options *metav1.ListOptions) {
				if format == "selected" {
					options.LabelSelector = "parity=1"
					options.FieldSelector = "metadata.name!=map-1"
				}
			}
			factory := informers.NewSharedInformerFactoryWithOptions(kubernetes.NewForConfigOrDie(noted), 0,
				informers.WithNamespace(namespace), informers.WithTweakListOptions(tweak))
			informer = factory.Core().V1().ConfigMaps().Informer()
			get(informer.AddEventHandler(counting(counts)))
			factory.Start(ctx.Done())
		}
		if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
			panic("not synced")
		}
		until("initial events", func() bool { return counts.of("add") >= len(informer.GetStore().List()) })
		say(format, "synced", len(informer.GetStore().ListKeys()), counts.of("add map-3 true"), reads.names())
		odd := 0
		must(cache.ListAll(informer.GetStore(), labels.SelectorFromSet(labels.Set{"parity": "1"}), func(any) { odd++ }))
		say(format, "selected", odd)

		get(maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "late", Labels: map[string]string{"parity": "1"}}}, metav1.CreateOptions{}))
		until("add", func() bool { return counts.of("add late false") == 1 })
		get(maps.Patch(ctx, "map-3", types.MergePatchType, []byte(`{"data":{"`+format+`":"x"}}`), metav1.PatchOptions{}))
		until("update", func() bool { return counts.of("update map-3") == 1 })
		get(maps.Patch(ctx, "late", types.MergePatchType, []byte(`{"metadata":{"labels":{"parity":"0"}}}`), metav1.PatchOptions{}))
		until("relabelled", func() bool { return counts.of("update late")+counts.of("delete late") == 1 })
		say(format, "relabelled", counts.of("update late"), counts.of("delete late"))
		must(maps.Delete(ctx, "late", metav1.DeleteOptions{}))
		until("deleted", func() bool { return counts.of("delete late") == 1 })
		stored, _, err := informer.GetStore().GetByKey(namespace + "/map-3")
		must(err)
		accessor := get(meta.Accessor(stored))
		say(format, "read", accessor.GetName(), accessor.GetLabels(), accessor.GetResourceVersion() == get(maps.Get(ctx, "map-3", metav1.GetOptions{})).ResourceVersion)
		say(format, "events", counts.of("add"), counts.of("update"), counts.of("delete"), informer.LastSyncResourceVersion() != "")
		stop()
	}
	resume(ctx, config, namespace)
}

// resume goes on watching from a version although the server ends the watch again and again.
func resume(ctx context.Context, config *rest.Config, namespace string) {
	maps := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps(namespace)
	list := get(maps.List(ctx, metav1.ListOptions{Limit: 50}))
	say("page", len(list.Items), *list.RemainingItemCount)
	more := get(maps.List(ctx, metav1.ListOptions{Limit: 500, Continue: list.Continue}))
	say("rest", len(more.Items), more.Continue == "", more.ResourceVersion == list.ResourceVersion)
	reads := &tally{}
	source := &cache.ListWatch{WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
		reads.add("watch")
		options.FieldSelector = "metadata.name=followed"
		seconds := int64(1)
		options.TimeoutSeconds = &seconds
		return maps.Watch(ctx, options)
	}}
	watcher := get(watchtools.NewRetryWatcherWithContext(ctx, more.ResourceVersion, source))
	events := []string{}
	next := func() { events = append(events, string((<-watcher.ResultChan()).Type)) }
	followed := get(maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "followed"}}, metav1.CreateOptions{}))
	next()
	until("another watch", func() bool { return reads.of("watch") > 1 })
	followed.Data = map[string]string{"a": "b"}
	get(maps.Update(ctx, followed, metav1.UpdateOptions{}))
	next()
	must(maps.Delete(ctx, "followed", metav1.DeleteOptions{}))
	next()
	watcher.Stop()
	say("resumed", strings.Join(events, " "))
	_, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: "x"})
	say("unusable version", err)
	unserved := schema.GroupVersionResource{Group: "none.example.com", Version: "v1", Resource: "nothings"}
	_, err = dynamic.NewForConfigOrDie(config).Resource(unserved).List(ctx, metav1.ListOptions{})
	say("unserved", err)
}
