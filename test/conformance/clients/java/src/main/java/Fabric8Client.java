import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ConfigMapList;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Uses a server as operators in Java do: by fabric8's client, with its informers, server-side apply, and leader election.
 *
 * <p>KUBECONFIG names the server. Prints one line for each step; the lines are the same on every server.
 */
public class Fabric8Client {
  private static final String NAMESPACE = "java-client";
  private static final Map<String, AtomicInteger> COUNTS = new ConcurrentHashMap<>();

  public static void main(String[] args) throws Exception {
    Config config = Config.fromKubeconfig(Files.readString(Path.of(System.getenv("KUBECONFIG"))));
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build()) {
      client.resource(new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build()).create();
      until("the account of pods",
          () -> client.serviceAccounts().inNamespace(NAMESPACE).withName("default").get() != null);
      follow(client);
      apply(client);
      define(client);
      elect(client);
      say("version", client.getKubernetesVersion().getMajor());
    }
    System.exit(0);
  }

  /** An informer that sees what is there, and what comes, changes, and goes. */
  private static void follow(KubernetesClient client) {
    for (int index = 0; index < 20; index++) {
      client.resource(map("map-" + index)).inNamespace(NAMESPACE).create();
    }
    SharedIndexInformer<ConfigMap> informer = client.configMaps().inNamespace(NAMESPACE).withLabel("app", "java")
        .inform(new ResourceEventHandler<>() {
          @Override
          public void onAdd(ConfigMap added) {
            count("add " + added.getMetadata().getName());
          }

          @Override
          public void onUpdate(ConfigMap before, ConfigMap after) {
            count("update " + after.getMetadata().getName());
          }

          @Override
          public void onDelete(ConfigMap deleted, boolean isUnknown) {
            count("delete " + deleted.getMetadata().getName());
          }
        });
    say("synced", informer.hasSynced(), informer.getStore().list().size());
    client.configMaps().inNamespace(NAMESPACE).withName("map-3").edit(
        each -> new ConfigMapBuilder(each).addToData("b", "2").build());
    until("the update", () -> counted("update map-3") == 1);
    client.configMaps().inNamespace(NAMESPACE).withName("map-4").patch(PatchContext.of(PatchType.JSON_MERGE),
        "{\"metadata\":{\"labels\":{\"app\":\"other\"}}}");
    until("the end of what is selected", () -> counted("delete map-4") == 1);
    client.configMaps().inNamespace(NAMESPACE).withName("map-5").delete();
    until("the deletion", () -> counted("delete map-5") == 1);
    say("followed", informer.getStore().list().size(), counted("add map-3"));
    informer.close();
    ConfigMapList page = client.configMaps().inNamespace(NAMESPACE).list(new ListOptionsBuilder().withLimit(5L).build());
    say("page", page.getItems().size(), page.getMetadata().getRemainingItemCount());
    ConfigMap stale = client.configMaps().inNamespace(NAMESPACE).withName("map-3").get();
    stale.getMetadata().setResourceVersion("1");
    refused("stale", () -> client.resource(stale).update());
    refused("exists", () -> client.resource(map("map-3")).inNamespace(NAMESPACE).create());
    refused("invalid", () -> client.resource(map("Not A Name")).inNamespace(NAMESPACE).create());
    say("none", client.configMaps().inNamespace(NAMESPACE).withName("none").get());
  }

  /** A deployment by server-side apply, until it is ready. */
  private static void apply(KubernetesClient client) {
    Deployment web = new DeploymentBuilder().withNewMetadata().withName("web").withNamespace(NAMESPACE).endMetadata()
        .withNewSpec().withReplicas(2).withNewSelector().addToMatchLabels("app", "web").endSelector()
        .withNewTemplate().withNewMetadata().addToLabels("app", "web").endMetadata()
        .withNewSpec().addNewContainer().withName("main").withImage("web").endContainer().endSpec().endTemplate()
        .endSpec().build();
    client.resource(web).fieldManager("java").serverSideApply();
    client.apps().deployments().inNamespace(NAMESPACE).withName("web").waitUntilReady(1, TimeUnit.MINUTES);
    web.getSpec().setReplicas(3);
    refused("conflict", () -> client.resource(web).fieldManager("other").serverSideApply());
    Deployment forced = client.resource(web).fieldManager("other").forceConflicts().serverSideApply();
    say("forced", forced.getSpec().getReplicas());
    Deployment scaled = client.apps().deployments().inNamespace(NAMESPACE).withName("web").scale(1);
    say("scaled", scaled.getSpec().getReplicas());
    client.apps().deployments().inNamespace(NAMESPACE).withName("web").waitUntilCondition(
        each -> each.getStatus().getReadyReplicas() != null && each.getStatus().getReadyReplicas() == 1, 1, TimeUnit.MINUTES);
    client.apps().deployments().inNamespace(NAMESPACE).withName("web").delete();
    client.pods().inNamespace(NAMESPACE).withLabel("app", "web").waitUntilCondition(each -> each == null, 1, TimeUnit.MINUTES);
    say("deleted", client.pods().inNamespace(NAMESPACE).withLabel("app", "web").list().getItems().size());
  }

  /** A custom resource that is defined just now, without a class for it. */
  private static void define(KubernetesClient client) {
    client.load(Fabric8Client.class.getResourceAsStream("/things.yaml")).create();
    ResourceDefinitionContext things = new ResourceDefinitionContext.Builder().withGroup("java.example.com").withVersion("v1")
        .withKind("Thing").withPlural("things").withNamespaced(true).build();
    until("the resource", () -> {
      try {
        return client.genericKubernetesResources(things).inNamespace(NAMESPACE).list() != null;
      } catch (KubernetesClientException error) {
        return false;
      }
    });
    GenericKubernetesResource thing = new GenericKubernetesResource();
    thing.setApiVersion("java.example.com/v1");
    thing.setKind("Thing");
    thing.setMetadata(map("one").getMetadata());
    thing.setAdditionalProperty("spec", Map.of("size", 1));
    client.genericKubernetesResources(things).inNamespace(NAMESPACE).resource(thing).create();
    thing.setAdditionalProperty("status", Map.of("ready", true));
    GenericKubernetesResource updated =
        client.genericKubernetesResources(things).inNamespace(NAMESPACE).resource(thing).updateStatus();
    say("status", updated.getAdditionalProperties().get("status"), updated.getMetadata().getGeneration());
    thing.setAdditionalProperty("spec", Map.of("size", "large"));
    thing.getMetadata().setName("two");
    thing.getMetadata().setResourceVersion(null);
    refused("mistyped", () -> client.genericKubernetesResources(things).inNamespace(NAMESPACE).resource(thing).create());
  }

  /** A leader that gives up its Lease. */
  private static void elect(KubernetesClient client) {
    var election = client.leaderElector().withConfig(new LeaderElectionConfigBuilder().withName("java")
        .withLeaseDuration(Duration.ofSeconds(5)).withRenewDeadline(Duration.ofSeconds(3)).withRetryPeriod(Duration.ofMillis(100))
        .withReleaseOnCancel(true).withLock(new LeaseLock(NAMESPACE, "leader", "first"))
        .withLeaderCallbacks(new LeaderCallbacks(() -> count("leads"), () -> count("stops"), leader -> count("sees " + leader)))
        .build()).build();
    var running = election.start();
    until("a leader", () -> counted("leads") == 1);
    say("leader", client.leases().inNamespace(NAMESPACE).withName("leader").get().getSpec().getHolderIdentity());
    running.cancel(true);
    until("no leader", () -> counted("stops") == 1);
    say("stopped", counted("sees first"));
  }

  private static ConfigMap map(String name) {
    return new ConfigMapBuilder().withNewMetadata().withName(name).addToLabels("app", "java").endMetadata().addToData("a", "1").build();
  }

  private static void refused(String step, Runnable call) {
    try {
      call.run();
      say(step, "is not refused");
    } catch (KubernetesClientException error) {
      say(step, error.getCode(), error.getStatus().getReason(), error.getStatus().getMessage());
    }
  }

  private static void until(String what, BooleanSupplier isSo) {
    for (int attempt = 0; !isSo.getAsBoolean(); attempt++) {
      if (attempt > 6000) throw new IllegalStateException("Not within a minute: " + what);
      try {
        Thread.sleep(10);
      } catch (InterruptedException error) {
        throw new IllegalStateException(error);
      }
    }
  }

  private static void count(String name) {
    COUNTS.computeIfAbsent(name, each -> new AtomicInteger()).incrementAndGet();
  }

  private static int counted(String name) {
    return COUNTS.getOrDefault(name, new AtomicInteger()).get();
  }

  private static void say(String step, Object... values) {
    StringBuilder line = new StringBuilder(step);
    for (Object value : values) line.append(' ').append(value);
    System.out.println(line);
  }
}
