import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '../../../../test/support/time/virtual.clock.js';
import { EmbeddedKube } from '../embedded-kube.js';
import type { KubeObject } from '../resources/kube-object.js';

const ACCOUNTS = { group: '', plural: 'serviceaccounts' };
const CONFIG_MAPS = { group: '', plural: 'configmaps' };
const NAMESPACES = { group: '', plural: 'namespaces' };
const SERVICES = { group: '', plural: 'services' };
const ENDPOINTS = { group: '', plural: 'endpoints' };
const SLICES = { group: 'discovery.k8s.io', plural: 'endpointslices' };

describe('what every cluster has', () => {
  let folder: string;
  let clock: VirtualClock;
  let kube: EmbeddedKube;

  const start = async (): Promise<void> => {
    clock = new VirtualClock();
    kube = await EmbeddedKube.start({ clock, data: folder });
    await clock.settle();
  };
  const certificate = (namespace = 'default'): KubeObject | undefined =>
    kube.client.get(CONFIG_MAPS, namespace, 'kube-root-ca.crt');

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cluster-'));
    await start();
  });
  afterEach(async () => {
    await kube.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('should be a service account and the certificate in every namespace, also in new ones', async () => {
    await kube.client.create(NAMESPACES, undefined, { metadata: { name: 'team' } });
    await clock.settle();
    for (const { metadata } of kube.client.list(NAMESPACES)) {
      expect(kube.client.get(ACCOUNTS, metadata.name, 'default')).toBeDefined();
      expect(certificate(metadata.name)?.['data']).toEqual({ 'ca.crt': kube.caCertificate });
    }
  });

  it('should come back when it is deleted or changed, but not in a namespace that goes', async () => {
    await kube.client.delete(ACCOUNTS, 'default', 'default');
    await kube.client.patch(CONFIG_MAPS, 'default', 'kube-root-ca.crt', { data: { 'ca.crt': 'mine', more: '' } });
    await clock.settle();
    expect(kube.client.get(ACCOUNTS, 'default', 'default')).toBeDefined();
    expect(certificate()?.['data']).toEqual({ 'ca.crt': kube.caCertificate });
    await kube.client.create(NAMESPACES, undefined, { metadata: { name: 'team' } });
    await clock.settle();
    await kube.client.delete(NAMESPACES, undefined, 'team');
    await clock.advance(1000);
    expect(kube.client.get(NAMESPACES, undefined, 'team')).toBeUndefined();
    expect(certificate('team')).toBeUndefined();
  });

  it('should be the server as a service, whose endpoints follow its port', async () => {
    const port = (): number => Number(new URL(kube.url).port);
    const names = { namespace: 'default', name: 'kubernetes' };
    expect(kube.client.get(SERVICES, 'default', 'kubernetes')).toMatchObject({
      metadata: { ...names, labels: { component: 'apiserver', provider: 'kubernetes' } },
      spec: { clusterIP: '10.96.0.1', type: 'ClusterIP', ports: [{ name: 'https', port: 443, targetPort: port() }] },
    });
    await kube.stop();
    await start();
    expect(kube.client.get(SERVICES, 'default', 'kubernetes')?.spec).toMatchObject({ ports: [{ targetPort: port() }] });
    expect(kube.client.get(ENDPOINTS, 'default', 'kubernetes')?.['subsets']).toEqual([
      { addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'https', port: port(), protocol: 'TCP' }] },
    ]);
    expect(kube.client.get(SLICES, 'default', 'kubernetes')).toMatchObject({
      endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: true } }],
      ports: [{ port: port() }],
    });
    expect(kube.client.list(SERVICES)).toHaveLength(1);
  });

  it('should have no certificate where only the same process is served', async () => {
    const inside = await EmbeddedKube.start({ port: false, clock });
    await clock.settle();
    expect(inside.client.list(CONFIG_MAPS)).toEqual([]);
    expect(inside.client.list(SERVICES)).toHaveLength(1);
    await inside.stop();
  });
});
