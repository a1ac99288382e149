import type { ApiConversation } from './api.conversation.js';
import { CONFIG_MAPS } from './api.conversation.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const ADDRESSES = '/apis/networking.k8s.io/v1/ipaddresses';

/** Declares the tests of how objects of built-in kinds are written. */
export function describeWriting(api: () => ApiConversation): void {
  describe('writing', () => {
    it('should create by PUT where the real server does', async () => {
      const name = api().name('put');
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name } };
      const { status, body } = await api().put(`${LEASES}/${name}`, lease);
      expect([status, body.metadata.namespace]).toEqual([201, 'default']);
      expect((await api().put(`${LEASES}/${name}`, body)).status).toBe(200);
      const events = '/api/v1/namespaces/default/events';
      const event = { metadata: { name }, involvedObject: { namespace: 'default' } };
      expect((await api().put(`${events}/${name}`, event)).status).toBe(201);
      expect((await api().put(`${CONFIG_MAPS}/${name}`, { metadata: { name } })).status).toBe(404);
      const other = await api().put(`${LEASES}/${name}-other`, lease);
      expect([other.status, other.body.message]).toEqual([
        400,
        `the name of the object (${name}) does not match the name on the URL (${name}-other)`,
      ]);
    });

    it.each([
      ['2001:DB8::2', 'must be in canonical form ("2001:db8::2")'],
      ['2001:db8:0::2', 'must be in canonical form ("2001:db8::2")'],
      ['none', 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
      ['010.0.0.1', 'must not have leading 0s'],
    ])('should not take %s for the name of an address', async (name, problem) => {
      const spec = { parentRef: { resource: 'services', namespace: 'default', name: 'x' } };
      const { status, body } = await api().post(ADDRESSES, { metadata: { name }, spec });
      expect([status, body.message]).toEqual([
        422,
        `IPAddress.networking.k8s.io "${name}" is invalid: metadata.name: Invalid value: "${name}": ${problem}`,
      ]);
    });

    it.each(['2001:db8::1', '10.1.2.3'])('should take %s for the name of an address', async (name) => {
      const spec = { parentRef: { resource: 'services', namespace: 'default', name: 'x' } };
      expect((await api().post(ADDRESSES, { metadata: { name }, spec })).status).toBe(201);
      expect((await api().get(`${ADDRESSES}/${name}`)).status).toBe(200);
      await api().delete(`${ADDRESSES}/${name}`);
    });
  });
}
