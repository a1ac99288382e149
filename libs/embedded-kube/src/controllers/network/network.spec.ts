import type { ResourceId } from '../controller.js';
import { Cluster, PODS, template } from '../workloads/workloads.spec-support.js';

const SERVICES: ResourceId = { group: '', plural: 'services' };
const ENDPOINTS: ResourceId = { group: '', plural: 'endpoints' };
const SLICES: ResourceId = { group: 'discovery.k8s.io', plural: 'endpointslices' };
let cluster: Cluster;
const pod = (name: string) => ({
  metadata: { name, labels: { app: 'web' } },
  spec: { containers: [{ ...template().spec.containers[0], ports: [{ name: 'http', containerPort: 8080 }] }] },
});
const service = (spec: object = {}) => ({
  metadata: { name: 'web', labels: { team: 'a' } },
  spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }], ...spec },
});
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const slices = (): any[] =>
  cluster.kube.client.list(SLICES, 'default').filter(({ metadata }) => metadata.name?.startsWith('web-'));
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const endpoints = (): any => cluster.get(ENDPOINTS, 'web');

beforeEach(async () => {
  cluster = await Cluster.start();
});
afterEach(() => cluster.kube.stop());

describe('EndpointsController and EndpointSliceController', () => {
  it('should list the ready pods behind a service', async () => {
    await cluster.create(SERVICES, service());
    await cluster.create(PODS, pod('a'));
    await cluster.clock.advance(5000);
    const ip = cluster.status(PODS, 'a').podIP as string;
    expect(endpoints()).toMatchObject({
      metadata: { labels: { team: 'a', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' } },
      subsets: [
        {
          addresses: [{ ip, nodeName: 'embedded-kube', targetRef: { kind: 'Pod', name: 'a' } }],
          ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
        },
      ],
    });
    expect(slices()).toMatchObject([
      {
        metadata: {
          generateName: 'web-',
          labels: { team: 'a', 'kubernetes.io/service-name': 'web' },
          ownerReferences: [{ kind: 'Service', name: 'web', controller: true }],
        },
        addressType: 'IPv4',
        endpoints: [{ addresses: [ip], conditions: { ready: true, serving: true, terminating: false } }],
        ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      },
    ]);
  });

  it('should tell the pods that are not ready, and forget those that are gone', async () => {
    await cluster.create(SERVICES, service());
    for (const name of ['a', 'b']) await cluster.create(PODS, pod(name));
    await cluster.clock.advance(5000);
    const conditions = [{ type: 'Ready', status: 'False' }];
    await cluster.patch(PODS, 'a', { status: { conditions } }, 'status');
    await cluster.clock.advance(1000);
    expect(endpoints().subsets).toMatchObject([
      { addresses: [{ targetRef: { name: 'b' } }], notReadyAddresses: [{ targetRef: { name: 'a' } }] },
    ]);
    expect(slices()[0].endpoints.map((each: { conditions: object }) => each.conditions)).toMatchObject([
      { ready: false },
      { ready: true },
    ]);
    for (const name of ['a', 'b']) await cluster.delete(PODS, name, { gracePeriodSeconds: 0 });
    await cluster.clock.advance(5000);
    expect(endpoints().subsets).toBeUndefined();
    expect(slices()).toMatchObject([{ endpoints: null, ports: null }]);
    await cluster.delete(SERVICES, 'web');
    await cluster.clock.advance(5000);
    expect([endpoints(), slices()]).toEqual([undefined, []]);
  });

  it('should hold at most a hundred endpoints in a slice', async () => {
    await cluster.create(SERVICES, service());
    for (let index = 0; index < 101; index++) await cluster.create(PODS, pod(`pod-${index}`));
    await cluster.clock.advance(5000);
    expect(
      slices()
        .map((slice) => slice.endpoints.length)
        .toSorted(),
    ).toEqual([1, 100]);
  });
});

describe('EndpointSliceMirroringController', () => {
  it('should mirror endpoints that somebody keeps by hand', async () => {
    await cluster.create(SERVICES, service({ selector: undefined }));
    const subset = { addresses: [{ ip: '10.1.2.3' }], ports: [{ name: 'http', port: 80, protocol: 'TCP' }] };
    await cluster.create(ENDPOINTS, { metadata: { name: 'web' }, subsets: [subset] });
    await cluster.clock.advance(1000);
    expect(slices()).toMatchObject([
      {
        metadata: { ownerReferences: [{ kind: 'Endpoints', name: 'web' }] },
        endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: true } }],
        ports: [{ name: 'http', port: 80 }],
      },
    ]);
    await cluster.patch(ENDPOINTS, 'web', { subsets: [{ ...subset, addresses: [{ ip: '10.2.3.4' }] }] });
    await cluster.clock.advance(1000);
    expect(slices()[0].endpoints).toMatchObject([{ addresses: ['10.2.3.4'] }]);
    await cluster.delete(ENDPOINTS, 'web');
    await cluster.clock.advance(1000);
    expect(slices()).toEqual([]);
  });
});

describe('ServiceCidrController', () => {
  const RANGES: ResourceId = { group: 'networking.k8s.io', plural: 'servicecidrs' };
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const range = (name: string): any => cluster.kube.client.get(RANGES, undefined, name);

  it('should keep the default range, and make others ready', async () => {
    await cluster.kube.client.create(RANGES, undefined, {
      metadata: { name: 'more' },
      spec: { cidrs: ['10.97.0.0/24'] },
    });
    await cluster.clock.advance(1000);
    expect(range('kubernetes').status.conditions).toMatchObject([
      { type: 'Ready', status: 'True', message: 'Kubernetes default Service CIDR is ready' },
    ]);
    expect(range('more')).toMatchObject({
      metadata: { finalizers: ['networking.k8s.io/service-cidr-finalizer'] },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    await cluster.kube.client.delete(RANGES, undefined, 'more');
    await cluster.kube.client.delete(RANGES, undefined, 'kubernetes');
    await cluster.clock.advance(1000);
    expect([range('more'), range('kubernetes')?.spec.cidrs]).toEqual([undefined, ['10.96.0.0/16']]);
  });
});
