import type { KubeObject } from 'nestjs-kopf';

/** The resource that drawn operators are for, as the embedded server names it. */
export const KOPF_EXAMPLES = { group: 'kopf.dev', plural: 'kopfexamples' };

/** The same, as handlers name it. */
export const SELECTOR = ['kopf.dev', 'v1', 'kopfexamples'] as const;

export const NAMESPACE = 'default';

/** An object of the resource, as the server gives it. */
export interface ExampleObject extends KubeObject {
  readonly spec: { readonly a: number; readonly b: number };
  readonly metadata: KubeObject['metadata'] & { readonly name: string; readonly uid: string };
}
