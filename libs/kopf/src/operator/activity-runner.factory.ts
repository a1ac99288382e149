import { ActivityRunner } from '../activities/activity.runner.js';
import type { OperatorMemo } from '../activities/operator.memo.js';
import type { IndexRegistry } from '../indexing/index.registry.js';
import { HandlerExecutor } from '../execution/handler.executor.js';
import type { HandlerInvoker } from '../execution/handler.invoker.js';
import type { Clock } from '../common/clock.interface.js';
import type { KopfLogger } from '../common/logger.interface.js';
import type { Random } from '../common/random.interface.js';
import type { HandlerRegistry } from '../registry/handler.registry.js';
import type { KopfSettings } from '../settings/kopf.settings.js';

/** Makes what runs the handlers of the operator's own life. */
export function createActivityRunner(
  invoker: HandlerInvoker,
  registry: HandlerRegistry,
  settings: KopfSettings,
  { all: indices }: IndexRegistry,
  memo: OperatorMemo,
  clock: Clock,
  random: Random,
  logger: KopfLogger,
): ActivityRunner {
  const executor = new HandlerExecutor(clock, random, settings);
  return new ActivityRunner({ registry, executor, invoker, settings, clock, logger, indices, memo });
}
