import { eventually } from '../../support/time/eventually.js';
import type { ApiConversation } from './api.conversation.js';
import { CONFIG_MAPS } from './api.conversation.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
/** A request of the subject `CN=me`, in PEM and base64. */
const CERTIFICATE_REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlJQ1VqQ0NBVG9DQVFBd0RURUxNQWtHQTFVRUF3d0NiV1V3Z2dFaU1BMEdDU3' +
  'FHU0liM0RRRUJBUVVBQTRJQgpEd0F3Z2dFS0FvSUJBUURHOUQvcE4yN3FFaTVObUI4eFc3LzZIeGd0QnJqNTN1UTFJZnlqUkcyUEl5cUFEVUdS' +
  'CjUxYlIvTFVRRElxV3ZVSmNrelVjdVcrT1BrOE0zMm9vMzZINGFpVGw0NjJzMldFWWdBeFRWUlZWM0lZSklDWkYKc2VDNmNPbWtyL2NTbEFFWX' +
  'lOTjczb1ZJT1I2NGtvb1psUWp2WDdSZVV3UEZMZTFLQ2dJNjlPTGJINWw5WFdhawpvUU9kM2hkSjRPQXIvYm1kdUV2RGdOdlpYZmJ2ZkkxbmpO' +
  'bXcyWUcrcEtGTzZBRUlENHNteS9uTXNMcUZXMFExCnZld054eU9RVlZ2YzF5N1dLLzRZelg1d3VNSkxid2dsZGdWaHFYSUlTWDAvTVNoZG1KcG' +
  'xGditqS0k2NFR4b1gKbFZ3L1lIWWkwcVRCZHB0WWtTOG5iTnJCL3A5eFJTNkxpWW9QQWdNQkFBR2dBREFOQmdrcWhraUc5dzBCQVFzRgpBQU9D' +
  'QVFFQVE2ZlgzKzlCRUdlMUhWVURxSGYxalJPTEJUbDVsTFV6ZmMrcFVGanVKYlJmUm9yaERadkNjRTBjCktIQmZrRFk3MXdFbU5TSCs4TURKZE' +
  'VQRndnZnhMQUViallXUE0vWm1OUzZyYmwvMWJFS3VMZWdqZUJudTVFUHkKZUJkVVh1Z2VFR3NaZGVvZkduUS9NSkp6SElNSWIwR3gvMDF1Z2ZJ' +
  'SEYwTThsdmFUaXp4YWhDS2h5TjZoVFl1dwpZdjhuUmtYU3BSTW82bm40TFF0c1FVdjVuRExCOTBXZUplcE1nZ1pPZFVoODVsM1FuU1hpWWRucG' +
  'NjdTlycnZmCkhHUVBEOHFQYUlsZGQ2bGlzUlRRRjIraFNzbmlhQzVlWjloc1dMOEd0R0VZdXh6OWV5cW9HUjhMcVlBVnUrdGMKS3lUTkhwYkdZ' +
  'YTRmREcxUjJMOEw5WE96NDlWa1ZBPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==';
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

    it('should approve requests for certificates by their conditions alone', async () => {
      const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
      const name = api().name('request');
      const spec = { request: CERTIFICATE_REQUEST, signerName: 'kopf.dev/none', usages: ['client auth'] };
      const { status: created, body: request } = await api().post(requests, { metadata: { name }, spec });
      expect([created, request.spec.groups]).toEqual([201, ['system:masters', 'system:authenticated']]);
      const condition = { type: 'Approved', status: 'True', reason: 'Test', message: 'as a test' };
      const { status, body } = await api().patch(`${requests}/${name}/approval`, {
        spec: { signerName: 'kopf.dev/other' },
        status: { conditions: [condition], certificate: 'YQ==' },
      });
      expect([status, body.spec]).toEqual([200, request.spec]);
      const time = expect.stringMatching(/^2.*Z$/);
      const conditions = [{ ...condition, lastUpdateTime: time, lastTransitionTime: time }];
      expect(body.status).toEqual({ conditions });
    });

    it.each([
      ['BestEffort', {}],
      ['Burstable', { requests: { cpu: '1' } }],
      ['Guaranteed', { limits: { cpu: '1', memory: '1Gi' } }],
    ])('should find the quality of service %s, and not count a pod that finds its node', async (quality, resources) => {
      const name = api().name('pod');
      const pods = '/api/v1/namespaces/default/pods';
      const pod = await eventually('the service account is there', async () => {
        const spec = { containers: [{ name: 'c', image: 'i', resources }] };
        const { status, body } = await api().post(pods, { metadata: { name }, spec });
        return status === 201 && body;
      });
      expect(pod.status.qosClass).toBe(quality);
      const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target: { kind: 'Node', name: 'none' } };
      expect((await api().post(`${pods}/${name}/binding`, binding)).status).toBe(201);
      const { body: bound } = await api().get(`${pods}/${name}`);
      expect([bound.spec.nodeName, bound.metadata.generation]).toEqual(['none', 1]);
      const images = { spec: { containers: [{ name: 'c', image: 'other' }] } };
      const { body: changed } = await api().patch(`${pods}/${name}`, images, 'application/strategic-merge-patch+json');
      expect(changed.metadata.generation).toBe(2);
      await api().delete(`${pods}/${name}?gracePeriodSeconds=0`);
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
