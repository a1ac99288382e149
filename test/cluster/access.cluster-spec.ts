import type { ConnectionInfo } from 'nestjs-kopf';
import { makeExampleOperator } from '../conformance/operator/example.operator.js';
import { RecordedCalls } from '../conformance/operator/recorded.calls.js';
import type { ClusterUser } from '../support/clusters/cluster.user.js';
import { eventually } from '../support/time/eventually.js';
import { LocalOperator } from '../support/operators/local.operator.js';
import { isHandled } from '../support/operators/stored.progress.js';
import { administrator, credentialsOf, define } from '../support/clusters/cluster.access.js';
import { startControlPlane, type ControlPlane } from '../support/clusters/control-plane.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const WATCHING: Rule = { apiGroups: ['kopf.dev'], resources: ['kopfexamples'], verbs: ['list', 'watch'] };
const PATCHING: Rule = { ...WATCHING, resources: ['kopfexamples', 'kopfexamples/status'], verbs: ['patch'] };
const DEFINITIONS: Rule = {
  apiGroups: ['apiextensions.k8s.io'],
  resources: ['customresourcedefinitions'],
  verbs: ['list', 'watch'],
};

describe('an operator with the permissions of a service account', () => {
  const calls = new RecordedCalls();
  let cluster: ControlPlane;
  let user: ClusterUser;
  let operator: LocalOperator | undefined;

  beforeAll(async () => {
    cluster = await startControlPlane({ controllers: false });
    user = administrator(cluster);
    await define(user, { statusSubresource: true });
  });

  beforeEach(() => calls.clear());

  afterEach(async () => {
    await operator?.stop();
    operator = undefined;
    for (const { metadata } of await user.list(OBJECTS)) {
      await user.patch(`${OBJECTS}/${metadata.name}`, { metadata: { finalizers: null } });
      await user.delete(`${OBJECTS}/${metadata.name}`);
    }
  });

  afterAll(async () => {
    await user?.close();
    await cluster?.stop();
  });

  /** Makes a service account without any permissions. */
  async function account(name: string): Promise<ConnectionInfo> {
    await user.create(ACCOUNTS, { metadata: { name } });
    const request = await user.create(`${ACCOUNTS}/${name}/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    });
    return { ...credentialsOf(cluster), token: (request.status as { token: string }).token };
  }

  async function grant(name: string, what: string, rules: readonly Rule[], namespace?: string): Promise<void> {
    const scope = namespace ? `/namespaces/${namespace}` : '';
    const prefix = namespace ? '' : 'Cluster';
    const kinds = namespace ? ['roles', 'rolebindings'] : ['clusterroles', 'clusterrolebindings'];
    const role = `${name}-${what}`;
    await user.create(`${RBAC}${scope}/${kinds[0]}`, { metadata: { name: role }, rules });
    await user.create(`${RBAC}${scope}/${kinds[1]}`, {
      metadata: { name: role },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: `${prefix}Role`, name: role },
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
    });
  }

  async function start(credentials: ConnectionInfo, namespaces?: string[]): Promise<LocalOperator> {
    operator = await LocalOperator.start(makeExampleOperator(calls), { credentials, namespaces });
    return operator;
  }

  function create(name: string): Promise<unknown> {
    const body = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name }, spec: { field: 'v1' } };
    return user.create(OBJECTS, body);
  }

  function handled(name: string): Promise<unknown> {
    return eventually(`${name} is handled`, async () => {
      const object = await user.get(`${OBJECTS}/${name}`);
      return object && isHandled(object);
    });
  }

  const warnings = (): string => operator!.logger.messages('warn', 'error').join('\n');

  it('should name the kind that it may not watch, and watch it as soon as it may', async () => {
    const credentials = await account('nobody');
    const { logger } = await start(credentials);
    await operator!.ready();
    await eventually('the kind is named', () =>
      /Not permitted to watch KopfExample \(kopfexamples\.kopf\.dev\) cluster-wide.*forbidden/.test(warnings()),
    );
    const count = logger.messages('warn', 'error').length;
    await create('a');
    await grant('nobody', 'everything', [WATCHING, PATCHING, DEFINITIONS]);
    await handled('a');
    expect(logger.messages('log').join('\n')).toContain(
      'Watching KopfExample (kopfexamples.kopf.dev) cluster-wide works',
    );
    // The same refusal again and again is told once.
    expect(logger.messages('warn').filter((message) => message.includes('Not permitted')).length).toBeLessThanOrEqual(
      2,
    );
    expect(count).toBeLessThan(10);
  });

  it('should report that it may not patch, and handle the object as soon as it may', async () => {
    const credentials = await account('reader');
    await grant('reader', 'watching', [WATCHING, DEFINITIONS]);
    await start(credentials);
    await operator!.ready();
    await create('a');
    await eventually('the refusal is reported', () => /cannot patch resource/.test(warnings()));
    await grant('reader', 'patching', [PATCHING]);
    await handled('a');
  });

  it('should need permissions only in the namespaces that it serves', async () => {
    const credentials = await account('tenant');
    await grant('tenant', 'tenancy', [WATCHING, PATCHING], 'default');
    await start(credentials, ['default']);
    await operator!.ready();
    await create('a');
    await handled('a');
    expect(warnings()).not.toContain('Not permitted to watch KopfExample');
  });

  it('should not be ready with the token of an account that has gone', async () => {
    const credentials = await account('renewed');
    await grant('renewed', 'everything', [WATCHING, PATCHING, DEFINITIONS]);
    await user.delete(`${ACCOUNTS}/renewed`);
    const operatorOfTheGone = start(credentials).then((started) => started.ready());
    await expect(operatorOfTheGone).rejects.toThrow(/credentials|accept|Unauthorized/);
  });
});
