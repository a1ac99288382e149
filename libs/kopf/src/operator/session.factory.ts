import { Inject, Injectable } from '@nestjs/common';
import { ActivityRunner } from '../activities/activity.runner.js';
import { Vault } from '../client/vault/vault.js';
import { WatchEnvironment } from '../client/watch/watch.environment.js';
import { Pauses } from '../coordination/pausing/pauses.js';
import { CoordinationFactory } from './coordination.factory.js';
import { OperatorSession } from './operator.session.js';
import { SessionEngineFactory } from './session-engine.factory.js';
import { WatchingFactory } from './watching.factory.js';
import { InjectOwn } from '../kopf.tokens.js';

/** Creates the runs of the operator. */
@Injectable()
export class SessionFactory {
  constructor(
    @Inject(SessionEngineFactory) private readonly engines: SessionEngineFactory,
    @Inject(WatchingFactory) private readonly watching: WatchingFactory,
    @Inject(CoordinationFactory) private readonly coordinations: CoordinationFactory,
    @InjectOwn(ActivityRunner) private readonly activities: ActivityRunner,
    @InjectOwn(Vault) private readonly vault: Vault,
    @Inject(Pauses) private readonly pauses: Pauses,
    @Inject(WatchEnvironment) private readonly environment: WatchEnvironment,
  ) {}

  create(): OperatorSession {
    const { engines, watching, coordinations, activities, vault, pauses, environment } = this;
    return new OperatorSession({ engines, watching, coordinations, activities, vault, pauses, environment });
  }
}
