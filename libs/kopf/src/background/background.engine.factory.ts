import { Inject, Injectable } from '@nestjs/common';
import { HandlerExecutor } from '../execution/handler.executor.js';
import { HandlerInvoker } from '../execution/handler.invoker.js';
import { KubeApi } from '../client/api/api.client.js';
import { LogSession } from '../logs/log.session.js';
import { LogStatistics } from '../logs/log.statistics.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { BackgroundEngine } from './background.engine.js';
import { BackgroundPatching } from './background.patching.js';
import type { BackgroundSession } from './background.tools.js';
import { InjectOwn } from '../kopf.tokens.js';

/** The factory of the engine that runs the daemons and timers of a session. */
@Injectable()
export class BackgroundEngineFactory {
  constructor(
    @InjectOwn(HandlerExecutor) private readonly executor: HandlerExecutor,
    @Inject(HandlerInvoker) private readonly invoker: HandlerInvoker,
    @Inject(BackgroundPatching) private readonly patching: BackgroundPatching,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
    @InjectOwn(KubeApi) private readonly api: KubeApi,
    @InjectOwn(LogStatistics) private readonly statistics: LogStatistics,
  ) {}

  create(session: BackgroundSession): BackgroundEngine {
    const { executor, invoker, patching, settings, api, statistics } = this;
    const logs = new LogSession(api, session.heap, settings.logs, statistics);
    return new BackgroundEngine({ ...session, executor, invoker, patching, settings, logs });
  }
}
