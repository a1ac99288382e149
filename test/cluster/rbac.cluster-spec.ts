import { Test } from '@nestjs/testing';
import {
  Daemon,
  event,
  KopfModule,
  KopfOperator,
  OnCreate,
  OnDelete,
  OnUpdate,
  type ChangeContext,
  type ConnectionInfo,
  type DaemonContext,
  type KopfModuleOptions,
  type KubeObject,
} from 'nestjs-kopf';
import { KOPF_LOGGER } from '../../libs/kopf/src/kopf.tokens.js';
import { applyManifest, readManifests } from '../support/clusters/manifests.js';
import type { ClusterUser } from '../support/clusters/cluster.user.js';
import { eventually } from '../support/time/eventually.js';
import { MemoryLogger } from '../support/telemetry/memory.logger.js';
import { isHandled } from '../support/operators/stored.progress.js';
import { administrator, define, permit } from '../support/clusters/cluster.access.js';
import { startControlPlane, type ControlPlane } from '../support/clusters/control-plane.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const ROLES = { namespaced: 'rbac/namespaced.yaml', cluster: 'rbac/cluster.yaml', lease: 'rbac/lease.yaml' };

let cluster: ControlPlane;
let user: ClusterUser;

beforeAll(async () => {
  cluster = await startControlPlane();
  user = administrator(cluster);
  for (const manifest of readManifests('peering.yaml')) await applyManifest(user, manifest);
  await define(user, { statusSubresource: true });
  const peering = { apiVersion: 'kopf.dev/v1', metadata: { name: 'default' } };
  const paths = { ClusterKopfPeering: 'clusterkopfpeerings', KopfPeering: 'namespaces/default/kopfpeerings' };
  for (const [kind, path] of Object.entries(paths)) {
    const create = () => user.create(`/apis/kopf.dev/v1/${path}`, { ...peering, kind }).catch(() => undefined);
    await eventually(`${kind} is served`, create);
  }
}, 120_000);

afterAll(async () => {
  await user?.close();
  await cluster?.stop();
});

/** Applies the roles, for the resource of the tests, and logs in as the account that has them. */
async function logIn(...files: readonly (keyof typeof ROLES)[]): Promise<ConnectionInfo> {
  const manifests = files.flatMap((file) => readManifests(ROLES[file]));
  const adapted = manifests.map((manifest) => {
    const text = JSON.stringify(manifest)
      .replaceAll('"example.com"', '"kopf.dev"')
      .replaceAll('"examples', '"kopfexamples');
    return JSON.parse(text) as KubeObject;
  });
  return permit(cluster, user, adapted);
}

async function start(options: KopfModuleOptions) {
  let daemons = 0;
  class Operator {
    @OnCreate('kopf.dev/v1', 'kopfexamples')
    create({ body, patch }: ChangeContext) {
      patch.status.phase = 'created';
      event(body, { type: 'Normal', reason: 'Creating', message: 'It is created.' });
    }

    @OnUpdate('kopf.dev/v1', 'kopfexamples')
    update({ patch }: ChangeContext) {
      patch.status.phase = 'updated';
    }

    @OnDelete('kopf.dev/v1', 'kopfexamples')
    delete() {}

    @Daemon('kopf.dev/v1', 'kopfexamples')
    async watch({ stopped }: DaemonContext) {
      daemons++;
      await stopped.wait();
      daemons--;
    }
  }
  const logger = new MemoryLogger();
  const module = await Test.createTestingModule({ imports: [KopfModule.forRoot(options)], providers: [Operator] })
    .overrideProvider(KOPF_LOGGER)
    .useValue(logger)
    .setLogger(false as never)
    .compile();
  await module.init();
  onTestFinished(() => module.close());
  await module.get(KopfOperator).ready();
  return { logger, operator: module.get(KopfOperator), daemons: () => daemons };
}

async function exercise(daemons: () => number): Promise<void> {
  const untilPhase = (phase: string): Promise<unknown> =>
    eventually(`the object is ${phase}`, async () => {
      const object = await user.get(`${OBJECTS}/a`);
      return object && isHandled(object) && (object.status as { phase?: string } | undefined)?.phase === phase;
    });
  await user.create(OBJECTS, { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name: 'a' }, spec: {} });
  await untilPhase('created');
  await eventually('the daemon runs', () => daemons() === 1);
  await eventually('the event is there', async () => {
    const events = await user.list('/api/v1/namespaces/default/events');
    return events.some(({ reason }) => reason === 'Creating');
  });
  await user.patch(`${OBJECTS}/a`, { spec: { field: 'v2' } });
  await untilPhase('updated');
  await user.delete(`${OBJECTS}/a`);
  await eventually('the object has gone', async () => !(await user.get(`${OBJECTS}/a`)));
  expect(daemons()).toBe(0);
}

describe('an operator with no more permissions than it needs', () => {
  it.each(['peering', 'lease'] as const)('should work in its namespace, by a Role, with %s', async (coordination) => {
    const credentials = await logIn('namespaced');
    const { logger, operator, daemons } = await start({ credentials, namespaces: 'default', coordination });
    expect(operator.state).toBe('running');
    await exercise(daemons);
    expect(logger.messages('error')).toEqual([]);
    // Definitions are cluster-wide, so nobody tells the operator when they come and go.
    expect(logger.messages('warn')).toEqual([
      expect.stringContaining('Not permitted to watch CustomResourceDefinition') as string,
    ]);
  });

  it.each(['peering', 'lease'] as const)(
    'should work in the cluster, by a ClusterRole, with %s',
    async (coordination) => {
      const credentials = await logIn('cluster', ...(coordination === 'lease' ? (['lease'] as const) : []));
      const { logger, operator, daemons } = await start({ credentials, coordination });
      expect(operator.state).toBe('running');
      await exercise(daemons);
      expect(logger.messages('error', 'warn')).toEqual([]);
    },
  );
});
