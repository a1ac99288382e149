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

/** Configures an embedded API server. */
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
   * Decides who may do what: `rbac` by the roles and bindings that are stored, those of a new cluster included;
   * `authenticated` lets everybody do everything who has a token. @default 'authenticated'
   */
  readonly authorization?: 'rbac' | 'authenticated';
  /** Decides who may do what, in place of `authorization`. */
  readonly authorizer?: Authorizer;
  /** Switches features of Kubernetes on or off that are not for everybody yet. @default as a new kube-apiserver has them */
  readonly featureGates?: FeatureGateSettings;
  /** The state to begin with, taken by `kube.snapshot()`; a data folder must not hold another one. @default an empty cluster */
  readonly snapshot?: KubeSnapshot;
  /** A folder that keeps the objects, the token and the certificate over restarts. @default nothing is kept */
  readonly data?: string;
  /**
   * Files and folders of manifests, in YAML or JSON, which are applied before the server is given away: CRDs first, then namespaces, and then
   * the rest in the order of the files. With `data`, they are applied again with each start. @default none
   */
  readonly manifests?: string | readonly string[];
  /**
   * Chooses the controllers that a real control plane has: those of workloads, of garbage collection, of namespaces, and others.
   * `false` switches all of them off; an object those that it names, as in `{ 'deployment-controller': false }`. @default true
   */
  readonly builtinControllers?: BuiltinControllerSwitches;
  /**
   * Gives the seconds after which the garbage collector gets to an object, as that of a real control plane takes its time. It is asked each
   * time when the collector has to look at an object. @default at once
   */
  readonly garbageCollectionDelay?: () => number;
  /** Simulates nodes and the phases of pods as if they ran, and binds claims to volumes. @default false */
  readonly pods?: boolean | PodSimulatorOptions;
  /** Controllers that run beside the server's own. */
  readonly controllers?: readonly Controller[];
  /**
   * Switches on plugins of kube-apiserver that a new cluster does not have, by their names: `OwnerReferencesPermissionEnforcement`, which OpenShift has.
   * @default none
   */
  readonly enableAdmissionPlugins?: readonly string[];
  /** Admission plugins that run after the server's own. */
  readonly admission?: readonly AdmissionPlugin[];
  /** Locates the services behind webhooks. @default nowhere: calls of them fail */
  readonly webhookServices?: WebhookServices;
  /** The way to webhooks; closed with the server. @default HTTPS */
  readonly webhookTransport?: WebhookTransport;
  /** Records requests and changes of objects from the start on, as `kube.history.start()` does. @default false */
  readonly history?: boolean | HistoryOptions;
  /**
   * Records in `metadata.managedFields` who owns which fields: of `all` objects, as a real server does, or only of those to which something
   * was `applied` on the server. @default 'all'
   */
  readonly managedFields?: 'all' | 'applied';
  /** Keeps so many changes of each resource for watches that resume; older versions get 410. @default 5000 */
  readonly historySize?: number;
  /** Sets how often bookmarks tell watches the newest version, in seconds. @default 60 */
  readonly bookmarkInterval?: number;
  /** Keeps events for so many seconds after their last write; 0 for ever. @default 3600 */
  readonly eventLifetime?: number;
  /** @default the machine's time */
  readonly clock?: Clock;
  /** @default the machine's randomness */
  readonly random?: Random;
  /** @default warnings and errors on stderr */
  readonly logger?: Logger;
}
