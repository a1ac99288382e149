import type { ApiConversation } from './api.conversation.js';
import { CONFIG_MAPS } from './api.conversation.js';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly fieldsV1: object;
}

/** Declares the tests of objects that `kubectl apply` writes first on the client's side and then on the server. */
export function describeApplyMigration(api: () => ApiConversation): void {
  describe('server-side apply after client-side apply', () => {
    it('should keep what others have written', async () => {
      const name = api().name('migrated');
      const path = `${CONFIG_MAPS}/${name}`;
      const configuration = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { c: '3' } };
      await api().post(`${CONFIG_MAPS}?fieldManager=kubectl-create`, { metadata: { name }, data: { a: '1' } });
      await api().patch(`${path}?fieldManager=kubectl-patch`, { data: { b: '2' } });
      const annotations = { [LAST_APPLIED]: `${JSON.stringify(configuration)}\n` };
      await api().patch(`${path}?fieldManager=kubectl-client-side-apply`, {
        metadata: { annotations },
        data: { c: '3' },
      });

      // As kubectl does it: it applies, and takes over the fields of whoever owns the annotation.
      const applied = await api().apply(`${path}?fieldManager=kubectl`, configuration);
      const entries = applied.body.metadata.managedFields as Entry[];
      const owner = entries.find(
        ({ operation, fieldsV1 }) => operation === 'Update' && JSON.stringify(fieldsV1).includes(LAST_APPLIED),
      )!;
      expect(owner.manager).toBe('kubectl-client-side-apply');
      const own = entries.find(({ operation }) => operation === 'Apply')!;
      const managedFields = [
        { ...own, fieldsV1: { ...own.fieldsV1, ...owner.fieldsV1 } },
        ...entries.filter((entry) => entry !== owner && entry !== own),
      ];
      await api().patch(path, { metadata: { managedFields } });
      const { body } = await api().apply(`${path}?fieldManager=kubectl`, configuration);
      expect(body.data).toEqual({ a: '1', b: '2', c: '3' });
    });

    it('should remove what is not applied any more', async () => {
      const name = api().name('migrated');
      const path = `${CONFIG_MAPS}/${name}?fieldManager=kubectl`;
      const configuration = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
      await api().apply(path, { ...configuration, data: { a: '1', b: '2' } });
      const { body } = await api().apply(path, { ...configuration, data: { b: '2' } });
      expect(body.data).toEqual({ b: '2' });
    });
  });
}
