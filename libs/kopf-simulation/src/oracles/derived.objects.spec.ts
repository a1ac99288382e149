import type { KubeObject } from 'nestjs-kopf';
import { ClientFields, isDrawn, purposeOf } from './derived.objects.js';
import { describeDifferences, finalStateOf } from './final.state.js';

const CONTROLLER = { manager: 'kube-controller-manager', operation: 'Update', fieldsV1: {} };

function createPod(name: string, metadata: object = {}, status: object = {}): KubeObject {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'a-59c4', uid: `set-${name}`, controller: true };
  const labels = { 'pod-template-hash': '59c4' };
  const own = { name, namespace: 'default', uid: name, labels, ownerReferences: [owner], managedFields: [CONTROLLER] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...own, ...metadata }, status } as unknown as KubeObject;
}

function createService(managedFields: readonly object[], nodePort: number): KubeObject {
  const spec = { clusterIP: '10.0.0.1', ports: [{ port: 80, nodePort }] };
  const metadata = { name: 'a', namespace: 'default', uid: 'service', managedFields };
  return { apiVersion: 'v1', kind: 'Service', metadata, spec } as unknown as KubeObject;
}

describe('purposeOf', () => {
  it('should name the Deployment of a pod that controllers have created', () => {
    expect(purposeOf(createPod('a-59c4-x'))).toBe('Pod of Deployment default/a');
  });

  it('should leave out a pod that an operator has created for a ReplicaSet', () => {
    expect(purposeOf(createPod('a', { managedFields: [{ ...CONTROLLER, manager: 'operator' }] }))).toBeUndefined();
  });

  it('should name the claim of a volume', () => {
    const metadata = { name: 'pvc-1', managedFields: [CONTROLLER] };
    const spec = { claimRef: { namespace: 'default', name: 'a' } };
    const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata, spec } as unknown as KubeObject;
    expect(purposeOf(volume)).toBe('PersistentVolume of PersistentVolumeClaim default/a');
  });
});

describe('isDrawn', () => {
  it.each(['.spec.ports[0].nodePort', '.spec.volumeName', '.status.conditions[Ready].message', '.status.podIPs[0].ip'])(
    'should mask %s',
    (path) => {
      expect(isDrawn(path)).toBe(true);
    },
  );

  it.each(['.spec.ports[0].port', '.spec.volumeNames', '.status.phase', '.status.conditions[Ready].status'])(
    'should compare %s',
    (path) => {
      expect(isDrawn(path)).toBe(false);
    },
  );
});

describe('ClientFields', () => {
  it('should have what clients set in lists, and nothing that components set', () => {
    const fieldsV1 = { 'f:spec': { 'f:ports': { 'k:{"port":80}': { '.': {}, 'f:nodePort': {} } } } };
    expect(new ClientFields(createService([{ manager: 'operator', fieldsV1 }], 1)).has('.spec.ports[0].nodePort')).toBe(
      true,
    );
    expect(new ClientFields(createService([{ ...CONTROLLER, fieldsV1 }], 1)).has('.spec.ports[0].nodePort')).toBe(
      false,
    );
  });
});

describe('finalStateOf with objects of controllers', () => {
  it('should be the same whatever the names, the addresses, and the number of pods are', () => {
    const one = finalStateOf([createPod('a-59c4-x', {}, { podIP: '10.1.0.1' })]);
    const other = finalStateOf([createPod('a-59c4-y', {}, { podIP: '10.1.0.2' }), createPod('a-59c4-z')]);
    expect(other).toEqual(one);
  });

  it('should show a pod without the annotation that an operator has given to others', () => {
    const fieldsV1 = { 'f:metadata': { 'f:annotations': { 'f:example.com/seen': {} } } };
    const managedFields = [CONTROLLER, { manager: 'operator', fieldsV1 }];
    const marked = createPod('a-59c4-x', { managedFields, annotations: { 'example.com/seen': 'yes' } });
    const texts = describeDifferences(finalStateOf([marked]), finalStateOf([marked, createPod('b')]), () => false);
    expect(texts).toContain('is there, but should not be');
  });

  it('should mask an allocated port, and compare one that a client has set', () => {
    const fieldsV1 = { 'f:spec': { 'f:ports': { 'k:{"port":80}': { 'f:nodePort': {} } } } };
    const set = [{ manager: 'operator', fieldsV1 }];
    expect(finalStateOf([createService([], 30_001)])).toEqual(finalStateOf([createService([], 30_002)]));
    expect(finalStateOf([createService(set, 30_001)])).not.toEqual(finalStateOf([createService(set, 30_002)]));
  });

  it('should name an address where another object has it', () => {
    const pod = (address: string): KubeObject => createPod('a-59c4-x', {}, { podIP: address });
    const map = (address: string): KubeObject => {
      const metadata = { name: 'm', namespace: 'default', uid: 'm' };
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { address } } as KubeObject;
    };
    const state = finalStateOf([pod('10.1.0.1'), map('10.1.0.1')]);
    expect(state.get('ConfigMap default/m .data.address')).toBe('<address of Pod of Deployment default/a>');
    expect(finalStateOf([pod('10.1.0.2'), map('10.1.0.2')])).toEqual(state);
  });
});

describe('describeDifferences', () => {
  it('should begin with own fields, and only mention what the cluster derives from them', () => {
    const reference = new Map([
      ['Pod of Deployment default/a', 'there'],
      ['ConfigMap default/a .data.size', '1'],
    ]);
    expect(describeDifferences(reference, new Map([['ConfigMap default/a .data.size', '2']]), () => false)).toBe(
      'ConfigMap default/a .data.size is 2 instead of 1 (and what the cluster derives from that)',
    );
  });
});
