import { KubeApi } from '../client/api/api.client.js';
import type { Vault } from '../client/vault/vault.js';
import type { ActivityRunner } from '../activities/activity.runner.js';
import type { OperatorMemo } from '../activities/operator.memo.js';
import type { KopfAdmission } from '../admission/kopf.admission.js';
import type { KopfIndices } from '../indexing/kopf.indices.js';
import type { Pauses } from '../coordination/pausing/pauses.js';
import type { KopfPeering } from '../coordination/peering/kopf.peering.js';
import type { HandlerInvoker } from '../execution/handler.invoker.js';
import type { Clock } from '../common/clock.interface.js';
import type { Lifecycle } from '../execution/lifecycle.interface.js';
import type { KopfLogger } from '../common/logger.interface.js';
import type { Random } from '../common/random.interface.js';
import type { KopfWatcher } from '../watching/kopf.watcher.js';
import type { KopfRegistry } from '../registry/kopf.registry.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { NamespacePattern } from '../resources/namespaces.js';
import type { CoordinationMode } from '../kopf.options.js';

/** What a session is made of. */
export interface SessionOptions {
  readonly registry: KopfRegistry;
  readonly settings: KopfSettings;
  readonly invoker: HandlerInvoker;
  readonly watcher: KopfWatcher;
  readonly indices: KopfIndices;
  readonly admission: KopfAdmission;
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
  readonly peering: KopfPeering;
  readonly pauses: Pauses;
}
