import { makeResource } from '../../../../test/support/objects/resources.js';
import { findNearResources } from './near.resources.js';
import type { Resource } from './resources.js';
import { EVERYTHING } from './resource-criteria.js';
import { parseSelector } from './selectors.js';

const AVAILABLE: readonly Resource[] = [
  serve('', 'v1', 'configmaps', 'ConfigMap', ['cm']),
  serve('', 'v1', 'pods', 'Pod', ['po']),
  serve('', 'v1', 'secrets', 'Secret'),
  serve('', 'v1', 'services', 'Service', ['svc']),
  serve('', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim', ['pvc']),
  serve('apps', 'v1', 'deployments', 'Deployment', ['deploy']),
  serve('apps', 'v1', 'daemonsets', 'DaemonSet', ['ds']),
  serve('batch', 'v1', 'cronjobs', 'CronJob', ['cj']),
  serve('networking.k8s.io', 'v1', 'ingresses', 'Ingress', ['ing']),
  serve('networking.k8s.io', 'v1', 'networkpolicies', 'NetworkPolicy', ['netpol'], 'networkpolicy'),
  serve('kopf.dev', 'v1', 'kopfexamples', 'KopfExample', ['kex']),
];

function serve(
  group: string,
  version: string,
  plural: string,
  kind: string,
  shortNames: string[] = [],
  singular = kind.toLowerCase(),
): Resource {
  return makeResource({ group, version, plural, kind, singular, shortNames, categories: ['all'] });
}

describe('findNearResources', () => {
  it.each<[unknown[], string[]]>([
    [['confgmaps'], ['configmaps']],
    [['configmapss'], ['configmaps']],
    [['ConfgMap'], ['configmaps']],
    [['config-maps'], ['configmaps']],
    [['pdos'], ['pods']],
    [['secert'], ['secrets']],
    [['networkpolicys'], ['networkpolicies.networking.k8s.io']],
    [['pvcs'], ['persistentvolumeclaims']],
    [['delpoy'], ['deployments.apps']],
    [['kopfexmples'], ['kopfexamples.kopf.dev']],
    [['deployments.app'], ['deployments.apps']],
    [['deploymets.apps'], ['deployments.apps']],
    [['deployments.extensions'], ['deployments.apps']],
    [['cronjobs.batch.k8s.io'], ['cronjobs.batch']],
    [['pods.core'], ['pods']],
    [['kopfexamples.kopf.dv'], ['kopfexamples.kopf.dev']],
    [['ingresses.v1beta1.networking.k8s.io'], ['ingresses.v1.networking.k8s.io']],
    [['v1', 'confgmaps'], ['configmaps.v1']],
    [['', 'v1', 'confgmaps'], ['configmaps.v1']],
    [['kopf.dev/v1', 'kopfexample s'], ['kopfexamples.v1.kopf.dev']],
    [[{ kind: 'Deploymnet' }], ['deployments.apps']],
    [[{ plural: 'configmap' }], ['configmaps']],
    [[{ singular: 'secrets' }], ['secrets']],
    [[{ shortcut: 'svcs' }], ['services']],
    [[{ category: 'alls' }], ['category=all']],
  ])('should find what is meant by %j: %j', (args, expected) => {
    expect(findNearResources(parseSelector(args).criteria, AVAILABLE)).toEqual(expected);
  });

  it.each<[unknown[]]>([
    [['widgets']],
    [['x']],
    [['widgets.example.com']],
    [['services.serving.knative.dev']],
    [['nonsense.example.com']],
    [[{ category: 'monitoring' }]],
    [[EVERYTHING]],
    [[() => false]],
    [['xyz*']],
  ])('should suggest nothing where nothing is near: %j', (args) => {
    expect(findNearResources(parseSelector(args).criteria, AVAILABLE)).toEqual([]);
  });

  it('should put the nearest first, and name few', () => {
    const available = ['maps', 'mops', 'mips', 'mups', 'caps'].map((plural) => serve('', 'v1', plural, plural));
    expect(findNearResources({ anyName: 'meps' }, available)).toHaveLength(3);
    expect(findNearResources({ anyName: 'Maps' }, available)).toEqual(['maps']);
  });
});
