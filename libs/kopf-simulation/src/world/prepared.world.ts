import type { DynamicModule, Type } from '@nestjs/common';
import type { SchemaNode } from 'nestjs-kopf/crd';
import type { KubeObject } from 'nestjs-kopf';
import {
  LogRecorder,
  readManifestFiles,
  readManifests,
  startEmbeddedServer,
  TestClient,
  type TestManifestObject,
  VirtualClock,
} from 'nestjs-kopf/testing';
import { RejectionOracle } from '../oracles/rejection.oracle.js';
import { inferSchema } from '../plans/field.changes.js';
import { schemaOf } from '../plans/plan.changes.js';
import type { SimulationOptions } from '../simulation.options.js';
import type { OutsideWorld } from '../cluster/outside.clock.js';
import { InProcessClock } from './in-process.clock.js';
import {
  startWorldServer,
  type EmbeddedWorldServer,
  type WorldServer,
  type WorldServerOptions,
} from './world.server.js';

/** The module of an operator, as `imports` of modules take it. */
export type SimulatedModule = Type | DynamicModule;

/** The common part of all runs: the module, the options, and the cluster that each of them begins with. */
export interface PreparedWorld {
  readonly module: SimulatedModule;
  readonly options: SimulationOptions;
  /** The schema by which an object is changed; absent without changes. */
  readonly schema?: SchemaNode;
  /** Collects unhandled promise rejections in all runs. */
  readonly rejections: RejectionOracle;
  /** The system outside of the process that takes real time; absent if there is none. */
  readonly outside?: OutsideWorld;
  /** Creates the virtual time of a run. @param seed decides on the time of day */
  createClock(seed: number): VirtualClock;
  /** Starts the cluster of a run. */
  start(options: WorldServerOptions): Promise<WorldServer>;
  /** Closes what all runs share. */
  close(): Promise<void>;
}

/** Prepares the cluster with its manifests and objects, once for all runs. */
export async function prepareWorld(module: SimulatedModule, options: SimulationOptions): Promise<PreparedWorld> {
  const given = options.world?.kube ?? {};
  const clock = new VirtualClock();
  const server = await startEmbeddedServer(clock, given);
  const client = new TestClient(server, clock, new LogRecorder());
  try {
    for (const object of initialObjects(options)) await clock.runUntil(client.apply(object));
    await clock.advance(5000);
    const world = server.embedded as unknown as EmbeddedWorldServer;
    const schema = options.changes && findSchema(world, options.changes.object);
    const snapshot = world.snapshot();
    const epoch = clock.now() + 3_600_000;
    return {
      module,
      options,
      schema,
      rejections: new RejectionOracle(),
      createClock: (seed) => new InProcessClock(epoch + (seed % 4096) * 86_461_007),
      start: (run) => startWorldServer(run, { snapshot, given }),
      close: () => Promise.resolve(),
    };
  } finally {
    await clock.runUntil(client.close());
    await clock.runUntil(server.close());
  }
}

/** Reads the objects that exist before the operator starts. */
export function initialObjects({ world = {} }: SimulationOptions): readonly KubeObject[] {
  const { manifests = [], objects = [] } = world;
  const paths = typeof manifests === 'string' ? [manifests] : manifests;
  return [...paths.flatMap((path) => readManifestFiles(path)), ...readManifests(objects)];
}

/** The schema of an object in its CRD, or else a schema that is inferred from the object. */
function findSchema({ client }: WorldServer, object: TestManifestObject): SchemaNode {
  const definitions = client.resourceOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  return schemaOf(definitions ? client.list(definitions) : [], object) ?? inferSchema(object);
}
