// Uses a server as programs in Go do. KUBECONFIG names the server; the argument says which of the programs runs.
// Prints a line for each step; the lines are the same on every server.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"sort"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(err)
	config.QPS = -1
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	programs := map[string]func(context.Context, *rest.Config){
		"informers": runInformers, "calls": runCalls, "manager": runManager,
	}
	programs[os.Args[1]](ctx, config)
}

// say prints one step with its values.
func say(step string, values ...any) {
	fmt.Println(append([]any{step}, values...)...)
}

func must(err error) {
	if err != nil {
		log.Fatalf("%+v", err)
	}
}

// get returns the value of a call that must not fail.
func get[T any](value T, err error) T {
	must(err)
	return value
}

// until waits until something is so; it ends the program if that takes a minute.
func until(what string, is func() bool) {
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			log.Fatalf("not within a minute: %s", what)
		}
	}
}

// tally counts by names, from several goroutines.
type tally struct {
	sync.Mutex
	counts map[string]int
}

func (t *tally) add(name string) {
	t.Lock()
	defer t.Unlock()
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	t.counts[name]++
}

func (t *tally) of(name string) int {
	t.Lock()
	defer t.Unlock()
	return t.counts[name]
}

func (t *tally) names() string {
	t.Lock()
	defer t.Unlock()
	names := []string{}
	for name := range t.counts {
		names = append(names, name)
	}
	sort.Strings(names)
	return strings.Join(names, " ")
}
