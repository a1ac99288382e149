import type { ActivityRunner } from '../activities/activity.runner.js';
import type { Vault } from '../client/vault/vault.js';
import type { WatchEnvironment } from '../client/watch/watch.environment.js';
import type { Pauses } from '../coordination/pausing/pauses.js';
import type { CoordinationFactory } from './coordination.factory.js';
import type { SessionEngineFactory } from './session-engine.factory.js';
import type { WatchingFactory } from './watching.factory.js';

/** The services of a session, all of which outlive it. */
export interface SessionOptions {
  readonly engines: SessionEngineFactory;
  readonly watching: WatchingFactory;
  readonly coordinations: CoordinationFactory;
  readonly activities: ActivityRunner;
  readonly vault: Vault;
  readonly pauses: Pauses;
  readonly environment: WatchEnvironment;
}
