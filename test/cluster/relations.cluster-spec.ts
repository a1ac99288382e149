import { Injectable } from '@nestjs/common';
import {
  adopt,
  conditions,
  KubeClient,
  OnChild,
  OnCreate,
  OnEvent,
  OnReference,
  OnUpdate,
  PRESENT,
  References,
  TemporaryError,
  Timer,
  type ChangeContext,
  type ChildContext,
  type EventContext,
  type ReferenceContext,
} from 'nestjs-kopf';
import { administrator, credentialsOf, define } from '../support/clusters/cluster.access.js';
import type { ClusterUser } from '../support/clusters/cluster.user.js';
import { startControlPlane, type ControlPlane } from '../support/clusters/control-plane.js';
import { eventually } from '../support/time/eventually.js';
import { LocalOperator } from '../support/operators/local.operator.js';

const EXAMPLES = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';

const owned: string[] = [];
const ticks: Date[] = [];

@Injectable()
@References('spec.secretRef', 'secrets')
class Operator {
  constructor(private readonly client: KubeClient) {}

  @OnChild('kopfexamples.kopf.dev', 'configmaps')
  async keep(context: ChildContext<{ maps?: readonly string[] }>) {
    const { body, spec } = context;
    const maps = (spec.maps ?? []).map((name) =>
      adopt({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { kept: 'yes' } }),
    );
    const { applied } = await this.client.applySet(body, maps, { fieldManager: 'tests' });
    conditions(context).ready('Applied', `There are ${applied.length}.`);
  }

  @OnReference('kopfexamples.kopf.dev', { condition: 'ReferencesResolved' })
  follow({ referents, patch }: ReferenceContext) {
    patch.status.secret = referents[0]?.resourceVersion ?? null;
  }

  @OnEvent('configmaps', { ownedBy: 'kopfexamples.kopf.dev' })
  seen({ name, parent }: EventContext) {
    owned.push(`${name} of ${parent?.metadata.name}`);
  }

  @Timer('kopfexamples.kopf.dev', { cron: '* * * * * *' })
  tick({ started }: { readonly started: Date }) {
    ticks.push(started);
  }
}

describe('Children, references, and schedules on a real control plane', () => {
  let cluster: ControlPlane;
  let user: ClusterUser;

  beforeAll(async () => {
    cluster = await startControlPlane();
    user = administrator(cluster);
    await define(user, { statusSubresource: true });
  }, 120_000);

  afterAll(async () => {
    await user?.close();
    await cluster?.stop();
  });

  const conditionsOf = async (): Promise<string[]> => {
    const { status } = (await user.get(`${EXAMPLES}/a`))!;
    const found = (status?.conditions ?? []) as readonly { type: string; status: string }[];
    return found.map(({ type, status: value }) => `${type}=${value}`).sort();
  };

  it('should be followed, also over a restart', async () => {
    const options = { credentials: credentialsOf(cluster), peering: { standalone: true } };
    const example = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name: 'a' } };
    await user.create(EXAMPLES, { ...example, spec: { maps: ['x', 'y'], secretRef: 's' } });
    const first = await LocalOperator.start(Operator, options);
    try {
      await eventually('the children are there', async () => (await user.get(`${MAPS}/y`)) !== undefined);
      await eventually(
        'the missing secret shows',
        async () => (await conditionsOf()).join(' ') === 'Ready=True ReferencesResolved=False',
      );
      await user.create(SECRETS, { metadata: { name: 's' } });
      await eventually(
        'the secret is found',
        async () => (await conditionsOf()).join(' ') === 'Ready=True ReferencesResolved=True',
      );
      await user.patch(`${MAPS}/x`, { data: { kept: 'no' } });
      await eventually('the drift is corrected', async () => (await user.get<any>(`${MAPS}/x`)).data.kept === 'yes');
      await eventually('the parent is known', () => owned.includes('x of a'));
      await eventually('the timer is called', () => ticks.length > 0);
      expect(ticks[0].getMilliseconds()).toBeLessThan(900);
    } finally {
      await first.stop();
    }
    await user.delete(`${MAPS}/x`);
    await user.delete(`${SECRETS}/s`);
    await user.patch(`${EXAMPLES}/a`, { spec: { maps: ['x'] } });
    const second = await LocalOperator.start(Operator, options);
    try {
      await eventually(
        'the child is back, and the other one pruned',
        async () => (await user.get(`${MAPS}/x`)) !== undefined && (await user.get(`${MAPS}/y`)) === undefined,
      );
      await eventually(
        'the missing secret shows',
        async () => (await conditionsOf()).join(' ') === 'Ready=True ReferencesResolved=False',
      );
    } finally {
      await second.stop();
    }
  });

  it('should go on after a restart with a retry that waits for children', async () => {
    const retries: number[] = [];
    class Waiting {
      @OnChild('kopfexamples.kopf.dev', 'configmaps')
      wait({ children, retry, name, patch }: ChildContext) {
        if (name !== 'waiting') return;
        retries.push(retry);
        if (children.length === 0) throw new TemporaryError('Waits for a child.', { delay: 3600 });
        patch.status.complete = true;
      }
    }
    const options = { credentials: credentialsOf(cluster), peering: { standalone: true } };
    const annotation = 'kopf.zalando.org/related.wait';
    const stored = async () => (await user.get(`${EXAMPLES}/waiting`))!.metadata.annotations?.[annotation];
    const first = await LocalOperator.start(Waiting, options);
    const example = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name: 'waiting' } };
    const { metadata } = await user.create(EXAMPLES, example);
    await eventually('the retry is stored', async () => (await stored()) !== undefined);
    await first.stop();
    const ownerReferences = [{ ...example, metadata: undefined, name: 'waiting', uid: metadata.uid, controller: true }];
    await user.create(MAPS, { metadata: { name: 'awaited', ownerReferences } });
    const second = await LocalOperator.start(Waiting, options);
    try {
      await eventually(
        'it is complete',
        async () => (await user.get(`${EXAMPLES}/waiting`))!.status?.complete === true,
      );
      expect(retries).toEqual([0, 1]);
      // The status is stored first, by a request of its own.
      await eventually('no retry is stored any more', async () => (await stored()) === undefined);
    } finally {
      await second.stop();
    }
  });

  it('should apply what handlers change, and create nothing anew', async () => {
    class Applying {
      @OnCreate('kopfexamples.kopf.dev', { labels: { applied: PRESENT } })
      async create({ name, labels, patch }: ChangeContext) {
        patch.meta.labels.seen = 'yes';
        patch.status.phase = 'Created';
        if (labels.applied === 'deleting') await user.delete(`${EXAMPLES}/${name}`);
      }

      @OnUpdate('kopfexamples.kopf.dev', { labels: { applied: PRESENT }, field: 'spec' })
      update({ patch }: ChangeContext) {
        patch.status.phase = null;
        patch.status.updated = 'yes';
      }
    }
    const credentials = credentialsOf(cluster);
    const patching = { mode: 'apply', force: false } as const;
    const operator = await LocalOperator.start(Applying, { credentials, patching, peering: { standalone: true } });
    const create = (name: string, applied: string) =>
      user.apply(`${EXAMPLES}/${name}?fieldManager=somebody`, {
        apiVersion: 'kopf.dev/v1',
        kind: 'KopfExample',
        metadata: { name, labels: { applied, ...(applied === 'owned' && { seen: 'no' }) } },
      });
    const statusOf = async (name: string) => (await user.get(`${EXAMPLES}/${name}`))?.status;
    try {
      await create('deleting', 'deleting');
      await create('owned', 'owned');
      await create('applied', 'yes');
      await eventually('it is applied', async () => (await statusOf('applied'))?.phase === 'Created');
      await user.patch(`${EXAMPLES}/applied`, { spec: { field: 'v2' } });
      await eventually('it is updated', async () => (await statusOf('applied'))?.updated === 'yes');
      expect(await statusOf('applied')).not.toHaveProperty('phase');
      const { metadata } = (await user.get(`${EXAMPLES}/applied`))!;
      const owners = metadata.managedFields as readonly { manager: string; operation: string; subresource?: string }[];
      const own = owners.filter(({ manager, operation }) => manager === 'nestjs-kopf' && operation === 'Apply');
      expect(own.map(({ operation, subresource }) => `${operation} ${subresource ?? ''}`.trim()).sort()).toEqual([
        'Apply',
        'Apply status',
      ]);
      const errors = () => operator.logger.messages('error').join();
      await eventually('the conflict is reported', () => errors().includes('.metadata.labels.seen'));
      expect(await user.get(`${EXAMPLES}/deleting`)).toBeUndefined();
    } finally {
      await operator.stop();
    }
  });
});
