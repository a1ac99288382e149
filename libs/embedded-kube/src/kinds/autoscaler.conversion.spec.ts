import { Harness } from '../harness.spec-support.js';

const path = (version: string, name = ''): string =>
  `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers${name && `/${name}`}`;
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } };
const memory = {
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
};

describe('autoscalers in two versions', () => {
  let server: Harness;
  beforeAll(async () => {
    server = await Harness.start({});
  });
  afterAll(() => server.kube.stop());

  it('should show the utilization of the first version as a metric of the second one', async () => {
    const spec = { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 80 };
    await server.post(path('v1'), { metadata: { name: 'old' }, spec });
    const { body } = await server.get(path('v2', 'old'));
    expect(body.spec).toEqual({ scaleTargetRef, minReplicas: 1, maxReplicas: 3, metrics: [cpu] });
    expect(body.status).toEqual({ desiredReplicas: 0, currentMetrics: null });
    expect((await server.get(path('v1', 'old'))).body).toMatchObject({
      apiVersion: 'autoscaling/v1',
      spec: { ...spec, minReplicas: 1 },
      status: { currentReplicas: 0, desiredReplicas: 0 },
    });
  });

  it('should lose nothing of the second version that is written in the first one', async () => {
    const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
    const spec = { scaleTargetRef, maxReplicas: 3, metrics: [memory, cpu], behavior };
    await server.post(path('v2'), { metadata: { name: 'new' }, spec });
    const before = (await server.get(path('v2', 'new'))).body;
    const { body } = await server.get(path('v1', 'new'));
    expect(body.spec.targetCPUUtilizationPercentage).toBe(80);
    expect(Object.keys(body.metadata.annotations)).toEqual([
      'autoscaling.alpha.kubernetes.io/metrics',
      'autoscaling.alpha.kubernetes.io/behavior',
    ]);
    await server.request('PUT', path('v1', 'new'), { ...body, spec: { ...body.spec, maxReplicas: 5 } });
    const after = (await server.get(path('v2', 'new'))).body;
    expect(after.spec).toEqual({ ...before.spec, maxReplicas: 5 });
    expect(after.metadata.annotations).toBeUndefined();
  });
});
