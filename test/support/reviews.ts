import type { AdmissionRequest, KubeObject } from 'nestjs-kopf';

/** Makes an object of `kopfexamples`. */
export function makeExample(spec: object, metadata: object = {}): KubeObject {
  return {
    apiVersion: 'kopf.dev/v1',
    kind: 'KopfExample',
    metadata: { name: 'a', namespace: 'ns', ...metadata },
    spec,
  };
}

/** Makes a review of the creation of an object of `kopfexamples`; all of it can be replaced. */
export function makeReview(object: KubeObject | null, request: Partial<AdmissionRequest> = {}): object {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: '1ca13837-ad60-4c9e-abb8-86f29d6c0e84',
      kind: { group: 'kopf.dev', version: 'v1', kind: 'KopfExample' },
      resource: { group: 'kopf.dev', version: 'v1', resource: 'kopfexamples' },
      name: 'a',
      namespace: 'ns',
      operation: 'CREATE',
      userInfo: { username: 'admin', groups: ['system:masters'] },
      object,
      oldObject: null,
      dryRun: false,
      ...request,
    },
  };
}

/** The JSON patch of an answer. */
export function patchOf(answer: { response: { patch?: string } }): unknown {
  const { patch } = answer.response;
  return patch === undefined ? undefined : JSON.parse(Buffer.from(patch, 'base64').toString());
}
