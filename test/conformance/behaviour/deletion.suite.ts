import { eventually } from '../../support/time/eventually.js';
import type { ApiConversation } from './api.conversation.js';
import { CONFIG_MAPS } from './api.conversation.js';

const PODS = '/api/v1/namespaces/default/pods';
const NAMESPACES = '/api/v1/namespaces';
const FINALIZERS = ['conformance.kopf.dev/marker'];

/** Declares the tests of how objects go. */
export function describeDeletion(api: () => ApiConversation): void {
  describe('deletion', () => {
    it('should show the stored state in the last event, and the object without the finalizer in the answer', async () => {
      const name = api().name('finalized');
      const path = `${CONFIG_MAPS}/${name}`;
      const { body: created } = await api().post(CONFIG_MAPS, {
        metadata: { name, finalizers: FINALIZERS },
        data: { a: '1' },
      });
      const { body: marked } = await api().delete(path);
      const { body: last } = await api().patch(path, { metadata: { finalizers: null }, data: { a: '2' } });
      expect(last.metadata).toMatchObject({ resourceVersion: marked.metadata.resourceVersion });
      expect(last).not.toHaveProperty('metadata.finalizers');
      expect(last.data).toEqual({ a: '2' });
      const since = `resourceVersion=${created.metadata.resourceVersion}&fieldSelector=metadata.name%3D${name}`;
      const [modified, deleted] = await api().watch(`${CONFIG_MAPS}?watch=1&${since}`, 2);
      expect(modified).toMatchObject({ type: 'MODIFIED', object: marked });
      const { resourceVersion } = deleted.object.metadata;
      expect(deleted).toEqual({
        type: 'DELETED',
        object: { ...marked, metadata: { ...marked.metadata, resourceVersion } },
      });
      expect(Number(resourceVersion)).toBeGreaterThan(Number(marked.metadata.resourceVersion));
    });

    it.each([
      ['', 1],
      ['?gracePeriodSeconds=0', 1],
      ['?gracePeriodSeconds=9', 1],
    ])('should mark a pod that nobody runs before it goes, by a deletion with %j', async (query, modifications) => {
      const name = api().name('pod');
      const spec = { containers: [{ name: 'c', image: 'i' }] };
      const { body: created } = await eventually('the service account is there', async () => {
        const answer = await api().post(PODS, { metadata: { name }, spec });
        return answer.status === 201 && answer;
      });
      await api().delete(`${PODS}/${name}${query}`);
      const since = `resourceVersion=${created.metadata.resourceVersion}&fieldSelector=metadata.name%3D${name}`;
      const events = await api().watch(`${PODS}?watch=1&${since}`, modifications + 1);
      expect(events.map(({ type }) => type)).toEqual([...Array<string>(modifications).fill('MODIFIED'), 'DELETED']);
      for (const { object } of events) {
        expect(object.metadata).toMatchObject({ generation: 2, deletionGracePeriodSeconds: 0 });
      }
    });

    it('should show a terminating namespace, in which nothing can be created', async () => {
      const name = api().name('namespace');
      const maps = `${NAMESPACES}/${name}/configmaps`;
      await api().post(NAMESPACES, { metadata: { name } });
      const { body: deleted } = await api().delete(`${NAMESPACES}/${name}`);
      expect(deleted).toMatchObject({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Terminating' } });
      expect((await api().get(`${NAMESPACES}/${name}`)).body.status.phase).toBe('Terminating');
      const { status, body } = await api().post(maps, { metadata: { name: 'late' } });
      expect(status).toBe(403);
      expect(body).toMatchObject({
        message: `configmaps "late" is forbidden: unable to create new content in namespace ${name} because it is being terminated`,
        reason: 'Forbidden',
        details: {
          name: 'late',
          kind: 'configmaps',
          causes: [
            {
              reason: 'NamespaceTerminating',
              message: `namespace ${name} is being terminated`,
              field: 'metadata.namespace',
            },
          ],
        },
      });
    });

    it('should delete objects in the foreground that own each other in a circle', async () => {
      const names = [api().name('circle'), api().name('circle')] as const;
      const [first, second] = await Promise.all(names.map((name) => api().post(CONFIG_MAPS, { metadata: { name } })));
      for (const [object, owner] of [
        [first, second],
        [second, first],
      ]) {
        const { name, uid } = owner!.body.metadata;
        const reference = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: true };
        const path = `${CONFIG_MAPS}/${object!.body.metadata.name}`;
        await api().patch(path, { metadata: { ownerReferences: [reference] } });
      }
      await api().delete(`${CONFIG_MAPS}/${names[0]}?propagationPolicy=Foreground`);
      await eventually('both are gone', async () => {
        const answers = await Promise.all(names.map((name) => api().get(`${CONFIG_MAPS}/${name}`)));
        return answers.every(({ status }) => status === 404);
      });
    });
  });
}
