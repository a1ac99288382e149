import { eventually } from '../../support/time/eventually.js';
import type { TestCluster } from '../test.cluster.js';
import { AccessClient, type Answer } from './access.client.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const MAPS = '/api/v1/namespaces/owners/configmaps';
const BLOCKED =
  "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>";
const NOT_DELETABLE = "cannot set an ownerRef on a resource you can't delete: , <nil>";

/** The plugin that these tests are about. */
export const OWNER_PLUGIN = 'OwnerReferencesPermissionEnforcement';

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Declares the tests of who may set the owners of objects, on clusters that check it. */
export function describeOwners(title: string, start: () => Promise<TestCluster>): void {
  describe(title, () => {
    let cluster: TestCluster;
    let client: AccessClient;
    let owner: Owner;
    let other: Owner;

    beforeAll(async () => {
      cluster = await start();
      client = new AccessClient(cluster.credentials);
      await client.create('/api/v1/namespaces', { metadata: { name: 'owners' } });
      const makeOwner = async (name: string): Promise<Owner> => {
        const { metadata } = await client.create('/api/v1/namespaces/owners/secrets', { metadata: { name } });
        return { apiVersion: 'v1', kind: 'Secret', name, uid: metadata.uid };
      };
      owner = await makeOwner('owner');
      other = await makeOwner('other');
      const maps = { apiGroups: [''], resources: ['configmaps'] };
      await permit('writer', [{ ...maps, verbs: ['get', 'create', 'update', 'patch'] }]);
      await permit('blocker', [
        { ...maps, verbs: ['get', 'create', 'update', 'patch'] },
        { apiGroups: [''], resources: ['secrets/finalizers'], resourceNames: ['owner'], verbs: ['update'] },
      ]);
      await permit('keeper', [
        { ...maps, verbs: ['get', 'create', 'update', 'patch', 'delete'] },
        { apiGroups: [''], resources: ['secrets/finalizers'], verbs: ['update'] },
      ]);
      for (const user of ['writer', 'blocker', 'keeper']) {
        await eventually(`${user} may create`, async () => {
          const { status } = await send(user, 'POST', `${MAPS}?dryRun=All`, { metadata: { name: 'probe' } });
          return status === 201;
        });
      }
    }, 120_000);

    afterAll(async () => {
      await client?.close();
      await cluster?.stop();
    }, 60_000);

    async function permit(name: string, rules: readonly object[]): Promise<void> {
      const metadata = { name };
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
      await client.create(`${RBAC}/namespaces/owners/roles`, { metadata, rules });
      await client.create(`${RBAC}/namespaces/owners/rolebindings`, {
        metadata,
        roleRef,
        subjects: [{ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }],
      });
    }

    function send(user: string, method: string, path: string, body: object): Promise<Answer> {
      return client.send(method, path, body, { 'impersonate-user': user });
    }

    const create = (user: string, name: string, ...ownerReferences: object[]): Promise<Answer> =>
      send(user, 'POST', MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ownerReferences } });

    const change = (user: string, name: string, ...ownerReferences: object[]): Promise<Answer> =>
      send(user, 'PATCH', `${MAPS}/${name}`, { metadata: { ownerReferences } });

    const refused = (name: string, message: string): object => ({
      status: 403,
      body: { reason: 'Forbidden', message: `configmaps "${name}" is forbidden: ${message}` },
    });

    it('should let those block the deletion of an owner who may set its finalizers', async () => {
      const blocking = { ...owner, blockOwnerDeletion: true };
      expect(await create('writer', 'a', blocking)).toMatchObject(refused('a', BLOCKED));
      expect(await create('writer', 'a', { ...owner, blockOwnerDeletion: false })).toMatchObject({ status: 201 });
      expect(await create('writer', 'b', owner)).toMatchObject({ status: 201 });
      expect(await create('writer', 'c')).toMatchObject({ status: 201 });
      expect(await create('blocker', 'd', blocking)).toMatchObject({ status: 201 });
      expect(await create('blocker', 'e', { ...other, blockOwnerDeletion: true })).toMatchObject(refused('e', BLOCKED));
      expect(await create('keeper', 'f', { ...other, blockOwnerDeletion: true })).toMatchObject({ status: 201 });
    });

    it('should let those change the owners who may delete the object', async () => {
      const blocking = { ...owner, blockOwnerDeletion: true };
      await create('keeper', 'g', blocking);
      expect(await change('writer', 'g', blocking, other)).toMatchObject(refused('g', NOT_DELETABLE));
      expect(await change('writer', 'g')).toMatchObject(refused('g', NOT_DELETABLE));
      expect(await change('blocker', 'g', { ...blocking, controller: true })).toMatchObject(
        refused('g', NOT_DELETABLE),
      );
      const patched = await send('writer', 'PATCH', `${MAPS}/g`, { data: { a: '1' } });
      expect(patched).toMatchObject({ status: 200 });
      expect(await change('keeper', 'g', { ...blocking, controller: true })).toMatchObject({ status: 200 });
      expect(await change('keeper', 'g')).toMatchObject({ status: 200 });
    });

    it('should refuse to block the deletion of an owner of an unknown kind', async () => {
      const unknown = { ...owner, apiVersion: 'nope.example.com/v1', kind: 'Nope', blockOwnerDeletion: true };
      expect(await create('keeper', 'h', unknown)).toMatchObject(
        refused(
          'h',
          'cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion nope.example.com/v1 ' +
            'Kind Nope: no matches for kind "Nope" in version "nope.example.com/v1"',
        ),
      );
    });
  });
}
