import type { DynamicModule, Type } from '@nestjs/common';
import { LogRecorder } from '../../testing/log.recorder.js';
import { TestClient } from '../../testing/test.client.js';
import { readManifestFiles, readManifests } from '../../testing/test-manifests.js';
import { startEmbeddedServer } from '../../testing/test.server.js';
import { VirtualClock } from '../../testing/virtual.clock.js';
import type { SimulationOptions } from '../simulation.options.js';
import type { WorldServer } from './world.server.js';

/** The module of an operator, as `imports` of modules take it. */
export type SimulatedModule = Type | DynamicModule;

/** Whatever all runs have in common: the module, the options, and the cluster that each of them begins with. */
export interface PreparedWorld {
  readonly module: SimulatedModule;
  readonly options: SimulationOptions;
  readonly snapshot: object;
  /** The time at which runs begin at the earliest, in milliseconds. */
  readonly epoch: number;
}

/** Brings up the cluster with its manifests and objects, once for all runs. */
export async function prepareWorld(module: SimulatedModule, options: SimulationOptions): Promise<PreparedWorld> {
  const { manifests = [], objects = [], kube = {} } = options.world ?? {};
  const clock = new VirtualClock();
  const server = await startEmbeddedServer(clock, kube);
  const client = new TestClient(server, clock, new LogRecorder());
  const paths = typeof manifests === 'string' ? [manifests] : manifests;
  const initial = [...paths.flatMap((path) => readManifestFiles(path)), ...readManifests(objects)];
  try {
    for (const object of initial) await clock.runUntil(client.apply(object));
    await clock.advance(5000);
    return { module, options, snapshot: (server.embedded as WorldServer).snapshot(), epoch: clock.now() };
  } finally {
    await clock.runUntil(client.close());
    await clock.runUntil(server.close());
  }
}
