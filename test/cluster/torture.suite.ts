import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { KopfOperator, KopfWatcher, LoginError, type KopfModuleOptions } from 'nestjs-kopf';
import { BusyUser, recordHandling } from '../support/generators/busy.user.js';
import { type ClusterUser, DEFINITIONS } from '../support/clusters/cluster.user.js';
import { eventually } from '../support/time/eventually.js';
import { LocalOperator } from '../support/operators/local.operator.js';
import { TcpProxy } from './tcp.proxy.js';
import { administrator, credentialsOf, define } from '../support/clusters/cluster.access.js';
import { startControlPlane, type ControlPlane } from '../support/clusters/control-plane.js';

const NAMESPACES = '/api/v1/namespaces';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
const PERMISSIONS = {
  metadata: { name: 'torture' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [
    { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'torture' },
    { kind: 'ServiceAccount', name: 'torture', namespace: 'default' },
  ],
};
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const INTERRUPTED = new Set<string>(['backingOff', 'forbidden', 'gone', 'stopped']);

/** The amount of faults in a run of the suite. */
export interface TorturePlan {
  /** The number of changes at a time, as a share of the usual ones. */
  readonly share: number;
  /** The number of times that each repeatable fault is injected. */
  readonly rounds: number;
  /** The number of times that definitions and namespaces are created and deleted. */
  readonly generations: number;
  /** Tells whether there is time for what takes many seconds, as the server itself has to start or to forget. */
  readonly patient: boolean;
  /** Tells whether each of it is suffered with all ways to list, or with one of them in turn. */
  readonly lists: 'all' | 'alternating';
}

/** Breaks everything around an operator on a real control plane, and looks whether it goes on, and misses nothing. */
export function describeTorture(plan: TorturePlan): void {
  let cluster: ControlPlane;
  let admin: ClusterUser;
  let proxy: TcpProxy;
  let folder: string;

  beforeAll(async () => {
    cluster = await startControlPlane();
    admin = administrator(cluster);
    proxy = await TcpProxy.start(cluster.url);
    folder = mkdtempSync(join(tmpdir(), 'torture-'));
    await define(admin);
    await admin.create(BINDINGS, PERMISSIONS);
  });

  afterAll(async () => {
    await proxy?.goDown();
    await admin?.close();
    await cluster?.stop();
    if (folder) rmSync(folder, { recursive: true });
  });

  /** Makes a service account anew, so that all tokens from before are void, and a token of it. */
  async function makeToken(): Promise<string> {
    await admin.delete(`${ACCOUNTS}/torture`);
    await admin.create(ACCOUNTS, { metadata: { name: 'torture' } });
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    return (await admin.create(`${ACCOUNTS}/torture/token`, request)).status.token as string;
  }

  /** The file in which the operator finds its token. */
  const tokenPath = (): string => join(folder, 'token');

  let namespace = '';
  let namespaces = 0;

  const createNamespace = (): Promise<unknown> => admin.create(NAMESPACES, { metadata: { name: namespace } });

  async function removeNamespace(): Promise<void> {
    await admin.delete(`${NAMESPACES}/${namespace}`);
    await eventually('the namespace has gone', async () => !(await admin.get(`${NAMESPACES}/${namespace}`)));
  }

  beforeEach(async () => {
    namespace = `ns-${(namespaces += 1)}`;
    await createNamespace();
  });

  // The rest of the namespace goes on its own.
  afterEach(async () => {
    await admin.delete(`/apis/kopf.dev/v1/namespaces/${namespace}/kopfexamples`);
    await admin.delete(`${NAMESPACES}/${namespace}`);
  });

  /** Lets the user do as many things as the plan says. */
  const work = (user: BusyUser, changes: number): Promise<void> => user.work(Math.ceil(changes * plan.share));

  /** Makes something go wrong while the user works. */
  type Inflict = (user: BusyUser, operator: LocalOperator) => Promise<void>;

  /** Breaks the connections again and again. */
  function repeatedly(spoil: () => void, seconds: number): Inflict {
    return async (user) => {
      for (let round = 0; round < plan.rounds; round += 1) {
        spoil();
        await work(user, 40);
        await pause(seconds * 1000);
      }
    };
  }

  const TORTURES: readonly (readonly [name: string, inflict: Inflict])[] = [
    ['connections that are reset', repeatedly(() => proxy.cut(), 0.1)],
    ['connections that break in the middle of what they send', repeatedly(() => proxy.cutMidway(), 0.1)],
    ['connections that fall silent without being closed', repeatedly(() => proxy.stall(), 0.5)],
    [
      'a server that is away while objects are deleted, and that has lost its history',
      async (user) => {
        await work(user, 200);
        await proxy.goDown();
        await work(user, 200);
        await cluster.restart();
        await work(user, 50);
        await proxy.comeBack();
      },
    ],
    [
      'a server that is restarted',
      async (user) => {
        await work(user, 100);
        await cluster.restart();
        await work(user, 100);
      },
    ],
    [
      'permissions that are taken away for some seconds',
      async (user) => {
        await admin.delete(`${BINDINGS}/torture`);
        for (let round = 0; round < plan.rounds / 2; round += 1) {
          proxy.cut();
          await work(user, 40);
          await pause(500);
        }
        await admin.create(BINDINGS, PERMISSIONS);
      },
    ],
    [
      'credentials that are revoked, and replaced some seconds later',
      async (user, operator) => {
        const token = await makeToken();
        // The server remembers for some seconds that it has accepted the old one.
        await eventually('the old token is refused', async () => {
          proxy.cut();
          await work(user, 10);
          await pause(300);
          return operator.get(KopfWatcher).states[0].lastError instanceof LoginError;
        });
        await work(user, 50);
        writeFileSync(tokenPath(), token);
      },
    ],
    [
      'a definition that is deleted and created again',
      async (user) => {
        for (let round = 0; round < plan.generations; round += 1) {
          await work(user, 100);
          await admin.delete(`${DEFINITIONS}/kopfexamples.kopf.dev`);
          await eventually('it has gone', async () => !(await admin.get(`${DEFINITIONS}/kopfexamples.kopf.dev`)));
          user.forget();
          await define(admin);
          await eventually('objects can be created', () => user.work(1).then(() => user.objects.length > 0));
        }
      },
    ],
    [
      'a namespace that is deleted and created again',
      async (user) => {
        for (let round = 0; round < plan.generations; round += 1) {
          await work(user, 100);
          await removeNamespace();
          user.forget();
          await createNamespace();
          await work(user, 100);
        }
      },
    ],
  ];

  const LENGTHY = /^a server that is restarted|^credentials/;
  const LISTS = [
    { lists: 'in pages', watching: { pageSize: 20 }, patterns: ['n*'] },
    { lists: 'in a stream', watching: { streamedLists: true }, patterns: undefined },
  ];
  const suffered = TORTURES.filter(([name]) => plan.patient || !LENGTHY.test(name));
  const cases = suffered.flatMap(([name, inflict], index) => {
    const lists = plan.lists === 'all' ? LISTS : [LISTS[index % LISTS.length]];
    return lists.map((list) => ({ name, inflict, ...list }));
  });

  describe('a watcher on a real control plane', () => {
    it.each(cases)('should survive $name, and list $lists', async ({ name, inflict, watching, patterns }) => {
      const user = BusyUser.of(admin, namespace);
      await work(user, 60);
      const record = recordHandling();
      writeFileSync(tokenPath(), await makeToken());
      const { caPath } = credentialsOf(cluster);
      const impersonation = { ...credentialsOf(cluster), impersonateUser: 'torture' };
      const credentials = name.startsWith('credentials') ? { caPath, tokenPath: tokenPath() } : impersonation;
      const options: KopfModuleOptions = {
        credentials: { ...credentials, server: proxy.url },
        watching: { inactivityTimeout: 1.5, ...watching },
        // What has fallen silent is given up soon.
        networking: { requestTimeout: 2, errorBackoffs: [0.1, 0.2, 0.5, 1, 1, 1, 1, 2, 2, 2, 3, 3] },
        queueing: { errorDelays: [0.5, 1] },
        ...(patterns && { namespaces: patterns }),
      };
      const operator = await LocalOperator.start(record.Handlers, options);
      await operator.ready();

      let interruptions = 0;
      const { changes$ } = operator.get(KopfWatcher);
      changes$.subscribe(({ state }) => (interruptions += INTERRUPTED.has(state) ? 1 : 0));
      await inflict(user, operator);
      if (!name.startsWith('a namespace')) expect(interruptions).toBeGreaterThan(0);
      const objects = (): number => operator.get(KopfOperator).objects;
      await eventually('everything is handled', () => record.missed(user.objects).length === 0, 60);
      await user.work(20);
      await eventually('events flow again', () => record.missed(user.objects).length === 0, 15);
      await eventually('deletions are noticed', () => objects() === user.objects.length, 15);
      expect(record.forgotten(user.deleted)).toEqual([]);
      await eventually('all watchers work', () =>
        operator
          .get(KopfWatcher)
          .states.every(({ state, lastError }) => state === 'watching' && lastError === undefined),
      );

      await operator.stop();
      await eventually('no connection is left', () => proxy.connections === 0, 10);
    });
  });
}
