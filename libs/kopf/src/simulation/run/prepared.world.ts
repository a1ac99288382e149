import type { DynamicModule, Type } from '@nestjs/common';
import type { SchemaNode } from '../../custom-resources/schema/schema.node.js';
import { LogRecorder } from '../../testing/log.recorder.js';
import { TestClient } from '../../testing/test.client.js';
import { readManifestFiles, readManifests, type TestManifestObject } from '../../testing/test-manifests.js';
import { startEmbeddedServer } from '../../testing/test.server.js';
import { VirtualClock } from '../../testing/virtual.clock.js';
import { RejectionOracle } from '../oracles/rejection.oracle.js';
import { inferSchema } from '../plans/field.changes.js';
import { schemaOf } from '../plans/plan.changes.js';
import type { SimulationOptions } from '../simulation.options.js';
import type { WorldServer } from './world.server.js';

/** The module of an operator, as `imports` of modules take it. */
export type SimulatedModule = Type | DynamicModule;

/** Whatever all runs have in common: the module, the options, and the cluster that each of them begins with. */
export interface PreparedWorld {
  readonly module: SimulatedModule;
  readonly options: SimulationOptions;
  readonly snapshot: object;
  /** The schema by which an object is changed; absent without changes. */
  readonly schema?: SchemaNode;
  /** Hears of promises that nobody waits for, in all runs. */
  readonly rejections: RejectionOracle;
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
    const world = server.embedded as WorldServer;
    const schema = options.changes && findSchema(world, options.changes.object);
    const snapshot = world.snapshot();
    return { module, options, snapshot, schema, rejections: new RejectionOracle(), epoch: clock.now() };
  } finally {
    await clock.runUntil(client.close());
    await clock.runUntil(server.close());
  }
}

/** Finds the schema of an object in its CRD, or makes one of what the object has. */
function findSchema({ client }: WorldServer, object: TestManifestObject): SchemaNode {
  const definitions = client.resourceOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  return schemaOf(definitions ? client.list(definitions) : [], object) ?? inferSchema(object);
}
