import { KubeApi } from '../client/api/api.client.js';
import type { Vault } from '../client/vault/vault.js';
import type { ActivityRunner } from '../activities/activity.runner.js';
import type { OperatorMemo } from '../activities/operator.memo.js';
import type { ReviewDispatcher } from '../admission/review/review.dispatcher.js';
import type { IndexRegistry } from '../indexing/index.registry.js';
import type { Pauses } from '../coordination/pausing/pauses.js';
import type { MembershipSet } from '../coordination/peering/membership.set.js';
import type { HandlerInvoker } from '../execution/handler.invoker.js';
import type { Clock } from '../common/clock.interface.js';
import type { Lifecycle } from '../execution/lifecycle.interface.js';
import type { KopfLogger } from '../common/logger.interface.js';
import type { Random } from '../common/random.interface.js';
import type { WatcherSet } from '../watching/watcher.set.js';
import type { HandlerRegistry } from '../registry/handler.registry.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { NamespacePattern } from '../resources/namespaces.js';
import type { CoordinationMode } from '../kopf.options.js';

/** What a session is made of. */
export interface SessionOptions {
  readonly registry: HandlerRegistry;
  readonly settings: KopfSettings;
  readonly invoker: HandlerInvoker;
  readonly watcher: WatcherSet;
  readonly indices: IndexRegistry;
  readonly admission: ReviewDispatcher;
  readonly vault: Vault;
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: KopfLogger;
  readonly lifecycle: Lifecycle;
  readonly activities: ActivityRunner;
  readonly memo: OperatorMemo;
  readonly namespaces: readonly NamespacePattern[] | undefined;
  readonly mode: CoordinationMode;
  readonly peering: MembershipSet;
  readonly pauses: Pauses;
}
