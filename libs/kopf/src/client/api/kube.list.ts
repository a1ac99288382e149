import type { KubeObject } from '../../objects/kube-object.js';

/** One page of a list, as the API server sends it. */
export interface KubeList<T extends KubeObject = KubeObject> {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    /** The version of the whole list, with all its pages. */
    readonly resourceVersion?: string;
    /** The token of the next page; empty or absent on the last one. */
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}

/** Adds the kind and the API version to the items of a list, in place: servers send them for the list only. */
export function fillKinds<T extends KubeObject>(list: KubeList<T>): KubeList<T> {
  const kind = list.kind?.endsWith('List') ? list.kind.slice(0, -4) : undefined;
  for (const item of list.items ?? []) {
    item.apiVersion ??= list.apiVersion;
    item.kind ??= kind;
  }
  return list;
}

/**
 * Reads a list page by page, all at one version.
 *
 * @param read reads the page of a token, which is absent for the first page.
 */
export async function* readPages<T extends KubeObject>(
  read: (token: string | undefined) => Promise<KubeList<T>>,
): AsyncGenerator<KubeList<T>, void, undefined> {
  for (let token: string | undefined; ;) {
    const page = await read(token);
    yield page;
    token = page.metadata.continue;
    if (!token) return;
  }
}
