import type { ApiConversation } from './api.conversation.js';
import { APPLY_PATCH, CONFIG_MAPS } from './api.conversation.js';

/** Declares the tests of how options are read from queries. */
export function describeQueries(api: () => ApiConversation): void {
  describe('queries', () => {
    let name: string;

    beforeEach(async () => {
      name = api().name();
      await api().post(CONFIG_MAPS, { metadata: { name, labels: { query: name } }, data: { a: '1' } });
    });

    it.each(['watch=True', 'watch=TRUE', 'watch=1', 'watch=yes', 'watch=', 'watch'])(
      'should take %s for a watch, as clients of Python send it',
      async (flag) => {
        const [event] = await api().watch(`${CONFIG_MAPS}?${flag}&labelSelector=query%3D${name}`, 1);
        expect(event).toMatchObject({ type: 'ADDED', object: { kind: 'ConfigMap', metadata: { name } } });
      },
    );

    it.each(['watch=False', 'watch=FALSE', 'watch=0', 'watch=false'])('should take %s for a list', async (flag) => {
      const { body } = await api().get(`${CONFIG_MAPS}?${flag}&labelSelector=query%3D${name}`);
      expect(body).toMatchObject({ kind: 'ConfigMapList', items: [{ metadata: { name } }] });
    });

    it('should answer with the object where one is named', async () => {
      const { body } = await api().get(`${CONFIG_MAPS}/${name}?watch=true`);
      expect(body).toMatchObject({ kind: 'ConfigMap', metadata: { name } });
    });

    it('should watch at the old paths', async () => {
      const path = CONFIG_MAPS.replace('/api/v1/', '/api/v1/watch/');
      const expected = [{ type: 'ADDED', object: { metadata: { name } } }];
      expect(await api().watch(`${path}?labelSelector=query%3D${name}`, 1)).toMatchObject(expected);
      expect(await api().watch(`${path}/${name}`, 1)).toMatchObject(expected);
    });

    it.each(['True', '', 'yes'])('should take fields by force=%s', async (flag) => {
      const configuration = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '2' } };
      const path = `${CONFIG_MAPS}/${name}?fieldManager=other&force=`;
      expect((await api().apply(`${path}False`, configuration)).status).toBe(409);
      expect((await api().apply(path + flag, configuration)).body).toMatchObject({ data: { a: '2' } });
    });

    it('should not allow force for other patches, whatever it is', async () => {
      const { status, body } = await api().patch(`${CONFIG_MAPS}/${name}?force=false`, { data: { a: '2' } });
      expect([status, body.message]).toEqual([
        422,
        'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
      ]);
    });

    it.each(['True', ''])('should orphan by orphanDependents=%s', async (flag) => {
      const { body } = await api().delete(`${CONFIG_MAPS}/${name}?orphanDependents=${flag}`);
      expect(body.metadata.finalizers).toEqual(['orphan']);
    });

    it('should refuse numbers that are none', async () => {
      for (const query of ['limit=x', 'timeoutSeconds=x', 'watch=1&timeoutSeconds=x']) {
        const { status, body } = await api().get(`${CONFIG_MAPS}?${query}`);
        expect([status, body.message]).toEqual([400, 'strconv.ParseInt: parsing "x": invalid syntax']);
      }
    });

    it('should require a manager for applying', async () => {
      const { status } = await api().patch(`${CONFIG_MAPS}/${name}?force=true`, {}, APPLY_PATCH);
      expect(status).toBe(422);
    });
  });
}
