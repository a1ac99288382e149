// kopf.options: the options of the module: the settings, and further options such as credentials.
// May import: settings, and the types of options: common, client, resources, execution, discovery.

import type { GlobalEnhancers } from './discovery/enhancers.js';
import type { CrdMode, CrdOptions } from './custom-resources/crd.options.js';
import type { GivenCredentials } from './client/vault/given.login.js';
import type { Clock, Random } from 'kube-common';
import type { Lifecycle } from './execution/lifecycle.interface.js';
import type { SettingsOptions } from './settings/kopf.settings.js';
import type { NamespacePattern } from './resources/namespaces.js';

/**
 * The way in which operators agree on which of them works.
 *
 * * `peering`: the one with the highest priority in a `ClusterKopfPeering`, or in the `KopfPeering` of each served namespace,
 * as in Kopf.
 * * `lease`: leader election; the one that holds a Lease works.
 */
export type CoordinationMode = 'peering' | 'lease';

/** The options of the module: where the operator works and how, and all settings by their groups. */
export interface KopfModuleOptions extends SettingsOptions {
  /**
   * The name of the operator, so that the application can have several, for several clusters: letters, digits, `-`, `_`, and `.`. Handlers
   * are assigned to it by `@ForOperator()` or the option `operator`, and its services are injected by `@InjectOperator()`. Its log lines
   * have the context `Kopf:{name}`. @default 'default', whose handlers and services need no name
   */
  name?: string;
  /** Whether the operator starts with the application; otherwise `KopfOperator.start()` starts it. @default true */
  enabled?: boolean;
  /**
   * Whether the application needs its operator: with `true`, its start waits for the startup handlers and the login, and fails with theirs;
   * with `false`, it starts without waiting, and the operator tries again, with the pauses of `process.startBackoffs`, until it works.
   * @default false
   */
  required?: boolean;
  /**
   * The namespaces to serve: names, globs with negations (`'team-*, !team-x-*'`), or regular expressions for whole names.
   * @default the whole cluster
   */
  namespaces?: NamespacePattern | readonly NamespacePattern[];
  /** The way in which operators agree on which of them works; see the settings `peering` and `lease`. @default peering */
  coordination?: CoordinationMode;

  /**
   * Whether the CRDs of classes with `@CustomResource()` are applied, verified, or ignored, before anything is watched. @default 'ignore'
   */
  crds?: CrdMode | CrdOptions;
  /** The cluster and the credentials for it; not used if there are `@OnLogin` handlers. @default those of `KUBECONFIG`, `~/.kube/config`, or the pod's service account */
  credentials?: GivenCredentials;
  /** The choice of which due handlers are executed in one event cycle. @default `lifecycles.asap` */
  lifecycle?: Lifecycle;
  /**
   * The global guards, interceptors, pipes, and filters of the application that are for handlers, too: all of them, or those of the given
   * kinds. They must not treat every context like a request's: `context.getType()` is `'kopf'`. @default false
   */
  globalEnhancers?: GlobalEnhancers;
  /** The operator's memo, of which each object gets a copy. @default an empty object */
  memo?: unknown;
  /** @default the real time */
  clock?: Clock;
  /** @default real randomness */
  random?: Random;
}
