import type { Clock } from 'kube-common';
import type { ReviewDispatcher } from '../../admission/review/review.dispatcher.js';
import type { EventsClient } from '../../client/api/events.client.js';
import type { KubeApi } from '../../client/api/api.client.js';
import type { Vault } from '../../client/vault/vault.js';
import type { KopfPeering } from '../../coordination/peering/kopf.peering.js';
import type { OperatorIdentity } from '../../diagnostics/channels.js';
import type { HandlerExecutor } from '../../execution/handler.executor.js';
import type { IndexFreshness } from '../../indexing/index.freshness.js';
import type { IndexRegistry } from '../../indexing/index.registry.js';
import type { LogStatistics } from '../../logs/log.statistics.js';
import type { KopfModuleOptions } from '../../kopf.options.js';
import type { KopfOperator } from '../../operator/kopf.operator.js';
import type { OperatorLifecycle } from '../../operator/operator.lifecycle.js';
import type { HandlerRegistry } from '../../registry/handler.registry.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { RedactedFields } from '../../resources/redactor.js';
import type { KopfSettings } from '../../settings/kopf.settings.js';
import type { WatcherSet } from '../../watching/watcher.set.js';
import type { OperatorDescription } from '../description/operator.description.js';

/** The services of an operator that an inspection reads. */
export interface InspectedServices {
  readonly operator: KopfOperator;
  readonly lifecycle: OperatorLifecycle;
  readonly watchers: WatcherSet;
  readonly registry: HandlerRegistry;
  readonly indices: IndexRegistry;
  readonly settings: KopfSettings;
  readonly options: KopfModuleOptions;
  readonly api: KubeApi;
  readonly vault: Vault;
  readonly peering: KopfPeering;
  readonly identity: OperatorIdentity;
  readonly events: EventsClient;
  readonly dispatcher: ReviewDispatcher;
  readonly freshness: IndexFreshness;
  readonly logs: LogStatistics;
  readonly executor: HandlerExecutor;
  readonly clock: Clock;
  readonly logger: KopfLogger;
}

/** The limits of the history, and when it is kept. */
export interface InspectionHistory {
  /** The most events of one object. */
  readonly perObject: number;
  /** The most objects with a history. */
  readonly objects: number;
  /** `viewed`: from the first viewer until some time after the last one; `always`: from the start on. */
  readonly keep: 'viewed' | 'always';
  /** Seconds for which the history is kept after the last viewer. */
  readonly seconds: number;
}

/** The limits of the history, if no others are given. */
export const DEFAULT_HISTORY: InspectionHistory = { keep: 'viewed', seconds: 300, perObject: 100, objects: 10_000 };

/** The options of the console that concern what is shown. */
export interface InspectionSettings {
  /** Describes the operator as generated manifests do: its features, and the permissions that its classes declare. */
  readonly describe: () => OperatorDescription;
  readonly redact: readonly RedactedFields[];
  readonly history: InspectionHistory;
  /** The address of a trace, with `{traceId}` in it. */
  readonly traceUrl?: string;
}
