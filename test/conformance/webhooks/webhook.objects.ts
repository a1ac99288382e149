import { NAMESPACE } from './webhook.side.js';

export const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
export const GADGETS = `/apis/conformance.example/v1/namespaces/${NAMESPACE}/gadgets`;
export const GADGETS_V2 = `/apis/conformance.example/v2/namespaces/${NAMESPACE}/gadgets`;
export const HOOK = 'hook.conformance.example';
export const OTHER = 'other.conformance.example';

export const map = (name: string, data: object = { a: '1' }, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});
export const gadget = (name: string, spec: object = {}, rest: object = {}, version = 'v1'): object => ({
  apiVersion: `conformance.example/${version}`,
  kind: 'Gadget',
  metadata: { name },
  spec: { size: 1, ...spec },
  ...rest,
});
export const denying = (status?: object) => () => ({ allowed: false, ...(status && { status }) });
export const all = ['CREATE', 'UPDATE', 'DELETE'];
export const validating = (hook: object, ...more: object[]) => ({
  validating: { one: [{ name: HOOK, ...hook }, ...(more as { name: string }[])] },
});
export const mutating = (hook: object, ...more: object[]) => ({
  mutating: { one: [{ name: HOOK, ...hook }, ...(more as { name: string }[])] },
});
