import { eventually } from '../../support/time/eventually.js';
import type { ApiConversation } from './api.conversation.js';

/** Declares the tests of the objects that every cluster has. */
export function describeClusterObjects(api: () => ApiConversation): void {
  describe('objects of every cluster', () => {
    it('should be the server as a service with endpoints', async () => {
      const home = '/api/v1/namespaces/default';
      const { body: service } = await api().get(`${home}/services/kubernetes`);
      expect(service).toMatchObject({
        metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
        spec: {
          type: 'ClusterIP',
          clusterIP: expect.stringMatching(/\.0\.1$/),
          ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: expect.any(Number) }],
          sessionAffinity: 'None',
          ipFamilies: ['IPv4'],
          ipFamilyPolicy: 'SingleStack',
          internalTrafficPolicy: 'Cluster',
        },
        status: { loadBalancer: {} },
      });
      const port = service.spec.ports[0].targetPort;
      const address = expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/);
      const endpoints = await eventually('the endpoints are there', async () => {
        const answer = await api().get(`${home}/endpoints/kubernetes`);
        return answer.status === 200 && answer;
      });
      expect(endpoints.body.metadata.labels).toEqual({ 'endpointslice.kubernetes.io/skip-mirror': 'true' });
      expect(endpoints.body.subsets).toEqual([
        { addresses: [{ ip: address }], ports: [{ name: 'https', port, protocol: 'TCP' }] },
      ]);
      const { body: slice } = await api().get('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes');
      expect(slice).toMatchObject({
        metadata: { labels: { 'kubernetes.io/service-name': 'kubernetes' } },
        addressType: 'IPv4',
        endpoints: [{ addresses: [address], conditions: { ready: true } }],
        ports: [{ name: 'https', protocol: 'TCP', port }],
      });
    });

    it('should be a service account and the certificate in each namespace', async () => {
      const name = api().name('namespace');
      const home = `/api/v1/namespaces/${name}`;
      await api().post('/api/v1/namespaces', { metadata: { name } });
      await eventually('the service account is there', async () => {
        return (await api().get(`${home}/serviceaccounts/default`)).status === 200;
      });
      const map = await eventually('the certificate is there', async () => {
        const { status, body } = await api().get(`${home}/configmaps/kube-root-ca.crt`);
        return status === 200 && body;
      });
      expect(map.metadata.annotations['kubernetes.io/description']).toMatch(/^Contains a CA bundle that can be used/);
      expect(map.data).toEqual({ 'ca.crt': expect.any(String) });
    });
  });
}
