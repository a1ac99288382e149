import { KubeApi } from '../client/api.client.js';
import type { Vault } from '../client/vault/vault.js';
import type { ActivityRunner } from '../engines/activities/activity.runner.js';
import type { OperatorMemo } from '../engines/activities/operator.memo.js';
import type { KopfAdmission } from '../engines/admission/kopf.admission.js';
import type { KopfIndices } from '../engines/indexing/kopf.indices.js';
import type { Pauses } from '../engines/pausing/pauses.js';
import type { KopfPeering } from '../engines/peering/kopf.peering.js';
import type { Clock } from '../interfaces/clock.interface.js';
import type { Lifecycle } from '../interfaces/lifecycle.interface.js';
import type { KopfLogger } from '../interfaces/logger.interface.js';
import type { Random } from '../interfaces/random.interface.js';
import type { KopfWatcher } from '../reactor/kopf.watcher.js';
import type { KopfRegistry } from '../registry/kopf.registry.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { NamespacePattern } from '../structs/namespaces.js';
import type { CoordinationMode } from './operator.options.js';

/** What a session is made of. */
export interface SessionOptions {
  readonly registry: KopfRegistry;
  readonly settings: KopfSettings;
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
