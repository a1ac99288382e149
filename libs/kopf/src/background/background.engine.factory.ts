import { Inject, Injectable } from '@nestjs/common';
import { HandlerExecutor } from '../execution/handler.executor.js';
import { HandlerInvoker } from '../execution/handler.invoker.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { BackgroundEngine } from './background.engine.js';
import { BackgroundPatching } from './background.patching.js';
import type { BackgroundSession } from './background.tools.js';

/** Creates what runs the daemons and timers of a session. */
@Injectable()
export class BackgroundEngineFactory {
  constructor(
    @Inject(HandlerExecutor) private readonly executor: HandlerExecutor,
    @Inject(HandlerInvoker) private readonly invoker: HandlerInvoker,
    @Inject(BackgroundPatching) private readonly patching: BackgroundPatching,
    @Inject(KopfSettings) private readonly settings: KopfSettings,
  ) {}

  create(session: BackgroundSession): BackgroundEngine {
    const { executor, invoker, patching, settings } = this;
    return new BackgroundEngine({ ...session, executor, invoker, patching, settings });
  }
}
