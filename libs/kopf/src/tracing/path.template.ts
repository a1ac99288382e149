/** Paths of resources: of one version of a group, in a namespace or not, of one object or not, and the rest of the path. */
const RESOURCE =
  /^((?:.*?\/)?(?:api\/[^/]+|apis\/[^/]+\/[^/]+))(\/namespaces\/[^/]+(?=\/))?\/([^/]+)(\/[^/]+)?(\/.+)?$/;

/**
 * The path of a request with placeholders for the names of namespaces and objects, so that there are as many as there are resources;
 * `undefined` if it is no path of a resource.
 *
 * @example
 * pathTemplate('/api/v1/namespaces/default/pods/web/log') // '/api/v1/namespaces/{namespace}/pods/{name}/log'
 */
export function pathTemplate(path: string): string | undefined {
  const [, version, namespace, plural, name, subresource] = RESOURCE.exec(path) ?? [];
  if (plural === undefined) return undefined;
  // A subresource such as a proxy is followed by another path.
  const rest = subresource ? `/${subresource.split('/')[1]}` : '';
  return `${version}${namespace ? '/namespaces/{namespace}' : ''}/${plural}${name ? '/{name}' : ''}${rest}`;
}
