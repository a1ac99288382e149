import type { AdmissionPlugin } from './admission/admission.plugin.js';
import type { WebhookServices } from './admission/webhooks/transport/service.resolver.js';
import type { WebhookTransport } from './admission/webhooks/transport/webhook.transport.js';
import type { BuiltinControllerSwitches } from './controllers/builtin.controllers.js';
import type { PodSimulatorOptions } from './controllers/nodes/pod.simulator.js';
import type { FeatureGateSettings } from './common/feature.gates.js';
import type { Clock, Random } from 'kube-common';
import type { Controller } from './controllers/controller.js';
import type { Logger } from './common/logger.js';
import type { ApiUser } from './machinery/api.user.js';
import type { Authorizer } from './machinery/authorizer.js';
import type { HistoryOptions } from './history/recorded.types.js';

/**
 * The state of a server at one moment: all objects and their recent history, the token, the certificates, and the key that signs
 * tokens of service accounts. It is never changed, and any number of servers can begin with it.
 */
export interface KubeSnapshot {
  /** The version of the last write before it was taken. */
  readonly resourceVersion: string;
}

/** The options of an embedded API server. */
export interface EmbeddedKubeOptions {
  /** The HTTPS port; 0 takes a free one, `false` serves only the same process. @default 0 */
  readonly port?: number | false;
  /** The address that is listened on. @default '127.0.0.1' */
  readonly host?: string;
  /** The administrator's bearer token. @default a random one, kept in the data folder if there is one */
  readonly token?: string;
  /** Further users by their tokens. */
  readonly users?: Readonly<Record<string, ApiUser>>;
  /**
   * The rules of authorization: `rbac` reads the stored roles and bindings, those of a new cluster included; `authenticated` allows
   * everything to every user with a token.
   *
   * @default 'authenticated'
   */
  readonly authorization?: 'rbac' | 'authenticated';
  /** An authorizer in place of `authorization`. */
  readonly authorizer?: Authorizer;
  /** The feature gates of Kubernetes that differ from their defaults. @default as a new kube-apiserver has them */
  readonly featureGates?: FeatureGateSettings;
  /** The state to begin with, taken by `kube.snapshot()`; a data folder must not hold another one. @default an empty cluster */
  readonly snapshot?: KubeSnapshot;
  /** A folder that keeps the objects, the token and the certificate over restarts. @default nothing is kept */
  readonly data?: string;
  /**
   * Files and folders of manifests, in YAML or JSON, which are applied before `start()` resolves: CRDs first, then namespaces, and then the
   * rest in the order of the files. With `data`, they are applied again with each start.
   *
   * @default none
   */
  readonly manifests?: string | readonly string[];
  /**
   * The controllers that run, of those that a real control plane has: workloads, garbage collection, namespaces, and others. `false` stops
   * all of them; an object stops single ones, as in `{ 'deployment-controller': false }`.
   *
   * @default true
   */
  readonly builtinControllers?: BuiltinControllerSwitches;
  /**
   * The delay of the garbage collector in seconds, as that of a real control plane takes its time. It is called each time when the
   * collector has to look at an object.
   *
   * @default none
   */
  readonly garbageCollectionDelay?: () => number;
  /** Whether nodes and the phases of pods are simulated as if they ran, and claims are bound to volumes. @default false */
  readonly pods?: boolean | PodSimulatorOptions;
  /** Controllers that run beside the server's own. */
  readonly controllers?: readonly Controller[];
  /**
   * The names of further admission plugins of kube-apiserver, which a new cluster does not run: `OwnerReferencesPermissionEnforcement`,
   * which OpenShift runs.
   *
   * @default none
   */
  readonly enableAdmissionPlugins?: readonly string[];
  /** Admission plugins that run after the server's own. */
  readonly admission?: readonly AdmissionPlugin[];
  /** The addresses of the services behind webhooks. @default none: calls of them fail */
  readonly webhookServices?: WebhookServices;
  /** The transport of reviews to webhooks; closed with the server. @default HTTPS */
  readonly webhookTransport?: WebhookTransport;
  /** Whether requests and changes of objects are recorded from the start on, as by `kube.history.start()`. @default false */
  readonly history?: boolean | HistoryOptions;
  /**
   * The objects whose owners of fields are recorded in `metadata.managedFields`: `all` objects, as on a real server, or only those to which
   * something was `applied` on the server.
   *
   * @default 'all'
   */
  readonly managedFields?: 'all' | 'applied';
  /** The number of changes of each resource that are kept for watches that resume; older versions get 410. @default 5000 */
  readonly historySize?: number;
  /** The time between two bookmarks of a watch, in seconds. @default 60 */
  readonly bookmarkInterval?: number;
  /** The time that events are kept after their last write, in seconds; 0 for no limit. @default 3600 */
  readonly eventLifetime?: number;
  /** @default the machine's time */
  readonly clock?: Clock;
  /** @default the machine's randomness */
  readonly random?: Random;
  /** @default warnings and errors on stderr */
  readonly logger?: Logger;
}
