import type { KubeObject } from '../../objects/kube-object.js';
import type { Resource } from '../../resources/resources.js';
import type { TestObjectOptions } from './test-context.options.js';

const CREATED = '2020-12-31T23:59:59Z';

/** Makes an object of the parts that a test gives. */
export function createTestObject(options: TestObjectOptions): KubeObject {
  const { spec, status, name, namespace, labels, annotations, metadata, body } = options;
  const merged = {
    name: 'example',
    uid: 'uid-of-example',
    resourceVersion: '1',
    creationTimestamp: CREATED,
    ...(namespace === undefined && { namespace: 'default' }),
    ...body?.metadata,
    ...metadata,
    ...(name !== undefined && { name }),
    ...(typeof namespace === 'string' && { namespace }),
    ...(labels && { labels: { ...labels } }),
    ...(annotations && { annotations: { ...annotations } }),
  };
  return {
    apiVersion: 'example.com/v1',
    kind: 'Example',
    ...body,
    metadata: merged,
    ...(spec !== undefined && { spec }),
    ...(status !== undefined && { status }),
  };
}

/** Makes the earlier state of an object: with the given parts, and all others as they are now. */
export function createEarlierObject(now: KubeObject, { body, ...parts }: TestObjectOptions): KubeObject {
  const namespace = now.metadata.namespace ?? null;
  const metadata = { ...now.metadata, ...body?.metadata, ...parts.metadata };
  return createTestObject({ namespace, ...parts, metadata, body: { ...now, ...body } });
}

/** Makes the resource of an object; its plural is the one that most kinds have. */
export function resourceOf(
  { apiVersion = '', kind = '', metadata }: KubeObject,
  parts: Partial<Resource> = {},
): Resource {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const singular = kind.toLowerCase();
  return {
    group,
    version,
    plural: singular.endsWith('s') ? `${singular}es` : `${singular.replace(/y$/, 'ie')}s`,
    kind,
    singular,
    shortNames: [],
    categories: [],
    subresources: ['status'],
    namespaced: metadata.namespace !== undefined,
    preferred: true,
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    ...parts,
  };
}
