import {
  OnCreate,
  OnDelete,
  OnUpdate,
  type ChangeContext,
  type ConnectionInfo,
  type KubeObject,
  type Patch,
} from 'nestjs-kopf';
import { accountWith, administrator, define, permit } from '../support/clusters/cluster.access.js';
import type { ClusterUser } from '../support/clusters/cluster.user.js';
import { startControlPlane, type ControlPlane } from '../support/clusters/control-plane.js';
import { eventually } from '../support/time/eventually.js';
import { LocalOperator } from '../support/operators/local.operator.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const LIMITS = { retries: 2, backoff: 0.2 } as const;

/** RBAC may be late, so that 403 is tried again for half a minute by default. */
const networking = { errorBackoffs: [0.1] };

/** What handlers ask for and this control plane never stores, by the names of the objects. */
const REJECTED: Readonly<Record<string, (patch: Patch) => unknown>> = {
  // The role does not allow writes of the status.
  result: () => ({ made: true }),
  status: (patch) => void (patch.status.mark = 'set'),
  'status-transformation': (patch) => patch.transform((body) => void (body.status = { mark: 'set' })),
  // A policy denies it.
  field: (patch) => void (patch.spec.mark = 'forbidden'),
  transformation: (patch) => patch.transform((body) => void (body.spec = { ...body.spec, mark: 'forbidden' })),
  // Labels have a syntax.
  invalid: (patch) => void (patch.metadata.labels.mark = 'not a label!'),
  // More than etcd takes, and more than the API server reads.
  'too-large': (patch) => void (patch.spec.blob = 'x'.repeat(2_000_000)),
  'beyond-the-limit': (patch) => void (patch.spec.blob = 'x'.repeat(4_000_000)),
  // All annotations of an object have 256 KiB.
  'long-annotation': (patch) => void (patch.metadata.annotations.blob = 'x'.repeat(300_000)),
};

/** Rules for everything but the status. */
const ROLE = accountWith('without-status', [
  { apiGroups: ['kopf.dev'], resources: ['kopfexamples'], verbs: ['list', 'watch', 'get', 'patch'] },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create'] },
]);

/** Calls of handlers by the names of the objects. */
class Calls {
  readonly all: string[] = [];

  of(name: string): readonly string[] {
    return this.all.filter((call) => call.startsWith(`${name}: `)).map((call) => call.slice(name.length + 2));
  }
}

describe('Patches that a real control plane rejects', () => {
  let cluster: ControlPlane;
  let user: ClusterUser;
  let credentials: ConnectionInfo;

  beforeAll(async () => {
    cluster = await startControlPlane({ controllers: false });
    user = administrator(cluster);
    await define(user, { statusSubresource: true });
    await deny('marks', `!has(object.spec.mark) || object.spec.mark != 'forbidden'`, 'it is marked');
    credentials = await permit(cluster, user, ROLE);
    // A policy holds some time after it was created.
    await eventually('the policy denies marks', async () => {
      const marked = { ...example('marked'), spec: { mark: 'forbidden' } };
      return user.create(`${OBJECTS}?dryRun=All`, marked).then(
        () => false,
        () => true,
      );
    });
  }, 120_000);

  afterAll(async () => {
    await user?.close();
    await cluster?.stop();
  });

  async function deny(name: string, expression: string, message: string): Promise<void> {
    await user.create(POLICIES, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: ['kopf.dev'],
              apiVersions: ['v1'],
              operations: ['CREATE', 'UPDATE'],
              resources: ['kopfexamples'],
            },
          ],
        },
        validations: [{ expression, message }],
      },
    });
    await user.create(BINDINGS, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    });
  }

  it.each(['merge', 'apply'] as const)(
    'should not keep objects from being changed and deleted, nor call handlers more often than retries allow (%s)',
    async (mode) => {
      const calls = new Calls();
      class Operator {
        @OnCreate('kopfexamples', LIMITS)
        create(context: ChangeContext) {
          return this.call('create', context);
        }
        @OnUpdate('kopfexamples', LIMITS)
        update(context: ChangeContext) {
          return this.call('update', context);
        }
        @OnDelete('kopfexamples', LIMITS)
        delete(context: ChangeContext) {
          return this.call('delete', context);
        }
        private call(id: string, { name, retry, patch }: ChangeContext): unknown {
          calls.all.push(`${name}: ${id} ${retry}`);
          return REJECTED[name!](patch);
        }
      }
      const operator = await LocalOperator.start(Operator, { credentials, networking, patching: { mode } });
      onTestFinished(() => operator.stop());
      const names = Object.keys(REJECTED);
      const twice = (...ids: string[]): readonly string[] => ids.flatMap((id) => [`${id} 0`, `${id} 1`]);
      const untilCalled = (...ids: string[]): Promise<unknown> =>
        eventually(`the handlers are called: ${ids.join(', ')}`, () =>
          names.every((name) => calls.of(name).length >= 2 * ids.length),
        );

      for (const name of names) await user.create(OBJECTS, example(name));
      await untilCalled('create');
      for (const name of names) await user.patch(`${OBJECTS}/${name}`, { spec: { field: 'changed' } });
      await untilCalled('create', 'update');
      for (const name of names) await user.delete(`${OBJECTS}/${name}`);
      await eventually('all objects are gone', async () => {
        const objects = await Promise.all(names.map((name) => user.get(`${OBJECTS}/${name}`)));
        return objects.every((object) => object === undefined);
      });

      for (const name of names) expect(calls.of(name), name).toEqual(twice('create', 'update', 'delete'));
    },
  );

  it('should call handlers once that have succeeded, though a policy denies the state of the operator', async () => {
    await deny(
      'state',
      `!has(object.metadata.annotations) || !object.metadata.annotations.exists(key, key.startsWith('kopf.zalando.org/'))`,
      'no state in annotations',
    );
    await eventually('the policy denies the state', async () => {
      const annotations = { 'kopf.zalando.org/last-handled-configuration': '{}' };
      const stateful = { ...example('stateful'), metadata: { name: 'stateful', annotations } };
      return user.create(`${OBJECTS}?dryRun=All`, stateful).then(
        () => false,
        () => true,
      );
    });
    const calls = new Calls();
    class Operator {
      @OnCreate('kopfexamples')
      create({ name }: ChangeContext) {
        calls.all.push(`${name}: create`);
      }
      @OnCreate('kopfexamples', LIMITS)
      later({ name, retry }: ChangeContext) {
        calls.all.push(`${name}: later ${retry}`);
        if (retry === 0) throw new Error('Not yet.');
      }
      @OnDelete('kopfexamples')
      delete({ name }: ChangeContext) {
        calls.all.push(`${name}: delete`);
      }
    }
    const operator = await LocalOperator.start(Operator, { credentials, networking });
    onTestFinished(() => operator.stop());

    await user.create(OBJECTS, example('a'));
    await eventually('the handlers are called', () => calls.of('a').length === 3);
    await user.delete(`${OBJECTS}/a`);
    await eventually('the object is gone', async () => (await user.get(`${OBJECTS}/a`)) === undefined);

    expect(calls.of('a').toSorted()).toEqual(['create', 'delete', 'later 0', 'later 1']);
    expect(operator.logger.messages('warn').join('\n')).toContain("does not store the operator's state");
  });
});

function example(name: string): KubeObject {
  return { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name }, spec: { field: 'new' } };
}
