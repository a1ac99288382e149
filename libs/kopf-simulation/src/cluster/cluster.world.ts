import { DiscoveryClient, KubeApi, Vault } from 'nestjs-kopf/tooling';
import { KopfSettings, type KubeObject } from 'nestjs-kopf';
import { connectRealServer, LogRecorder, TestClient, type TestServer } from 'nestjs-kopf/testing';
import { type Clock, type KubeTransport, SystemClock, SystemRandom } from 'kube-common';
import { RejectionOracle } from '../oracles/rejection.oracle.js';
import { initialObjects, type PreparedWorld, type SimulatedModule } from '../world/prepared.world.js';
import type { WorldChange, WorldServer } from '../world/world.server.js';
import type { SimulationOptions } from '../simulation.options.js';
import { describeFault, type SimulationPlan } from '../simulation.plan.js';
import { ClusterObjects } from './cluster.objects.js';
import { ClusterServer } from './cluster.server.js';
import { OutsideClock, type OutsideWorld } from './outside.clock.js';

/**
 * The faults that cannot be injected on a real cluster: it cannot send reviews to an operator in this process, and the pace of its garbage collector
 * cannot be changed.
 */
const IMPOSSIBLE: ReadonlySet<string> = new Set(['webhook-down', 'late-collection']);

/**
 * Prepares runs on a real cluster: connects, applies the CRDs, and watches all objects. The operator stays in the process, on virtual time, behind a
 * transport that injects the faults of the plan.
 *
 * @throws TypeError if the simulation cannot be run on a cluster.
 * @throws Error if the cluster does not answer, or its user lacks permissions.
 */
export async function prepareCluster(
  module: SimulatedModule,
  { cluster = '', ...options }: SimulationOptions,
): Promise<PreparedWorld> {
  requirePlans(options);
  const clock = new SystemClock();
  const server: TestServer = { ...(await connectRealServer(cluster, clock)), namespace: 'default', isShared: false };
  const connection = server.connect();
  const world = new ClusterWorld(server.url, connection, clock);
  const { definitions, others } = splitObjects(initialObjects(options));
  await applyDefinitions(server, clock, definitions);
  await world.begin().catch(async (error: unknown) => {
    await world.close();
    throw error;
  });
  // The cluster decides on identities, times, and the order of answers, so no two runs are identical. Its connections stay open.
  const oracles = { ...options.oracles, deterministic: false, leaks: false };
  return {
    module,
    options: { ...options, oracles, shrinking: 0 },
    rejections: new RejectionOracle(),
    outside: world,
    createClock: () => new OutsideClock(clock.now(), world),
    start: ({ onChange }) => world.start(others, onChange),
    close: () => world.close(),
  };
}

/** A cluster on which runs happen one after another. */
class ClusterWorld implements OutsideWorld {
  private objects?: ClusterObjects;
  private current?: ClusterServer;

  constructor(
    private readonly url: string,
    private readonly connection: KubeTransport,
    private readonly clock: Clock,
  ) {}

  async begin(): Promise<void> {
    const { clock, connection, url } = this;
    const [settings, random, logger] = [new KopfSettings(), new SystemRandom(), new LogRecorder()];
    const login = async () => new Map([['cluster', { server: url, transport: connection }]]);
    const vault = new Vault({ login, createTransport: () => connection, clock, random, logger });
    const api = new KubeApi(vault, settings.networking, clock, logger);
    const resources = await new DiscoveryClient(api, logger).scan();
    this.objects = new ClusterObjects(resources, { api, settings, clock, random, logger });
    await this.objects.start();
  }

  /** Begins a run with the objects that exist before the operator starts. */
  async start(objects: readonly KubeObject[], onChange: (change: WorldChange) => void): Promise<WorldServer> {
    const server = new ClusterServer({
      url: this.url,
      connection: this.connection,
      objects: this.objects!,
      clock: this.clock,
      onChange,
    });
    this.current = server;
    for (const object of objects) await server.apply(object);
    return server;
  }

  arrived(): Promise<boolean> {
    return this.current?.arrived() ?? Promise.resolve(false);
  }

  stirs(): Promise<boolean> {
    return this.current?.stirs() ?? Promise.resolve(false);
  }

  async close(): Promise<void> {
    await this.objects?.stop();
    await this.connection.close();
  }
}

/** @throws TypeError unless all plans are given explicitly, with faults that can be injected on a cluster */
function requirePlans({ plans, changes }: SimulationOptions): void {
  if (!Array.isArray(plans) || changes) {
    throw new TypeError('On a cluster, each plan takes seconds: only plans that are given can be run, and no changes.');
  }
  for (const { faults, states } of plans as readonly SimulationPlan[]) {
    const impossible = faults.find(({ kind }) => IMPOSSIBLE.has(kind));
    if (impossible)
      throw new TypeError(`A cluster has no form of the fault '${impossible.kind}': ${describeFault(impossible)}.`);
    if (states)
      throw new TypeError('On a cluster, only plans of the workload can be run, none with states of an object.');
  }
}

/** CRDs stay from one run to the next, as the API server needs a while to serve them. */
function splitObjects(objects: readonly KubeObject[]) {
  const isDefinition = ({ kind }: KubeObject): boolean => kind === 'CustomResourceDefinition';
  return { definitions: objects.filter(isDefinition), others: objects.filter((object) => !isDefinition(object)) };
}

async function applyDefinitions(server: TestServer, clock: Clock, definitions: readonly KubeObject[]): Promise<void> {
  const client = new TestClient(server, clock, new LogRecorder());
  try {
    for (const definition of definitions) await client.apply(definition);
  } finally {
    await client.close();
  }
}
