import type { KubeObject } from '../../objects/kube-object.js';

/** Holds one page of a list, as the API server sends it. */
export interface KubeList<T extends KubeObject = KubeObject> {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    /** The version that the whole list, with all its pages, shows. */
    readonly resourceVersion?: string;
    /** The token of the next page; empty or absent on the last one. */
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}

/** Writes the kind and the API version into the items of a list, in place: servers name them for the list only. */
export function fillKinds<T extends KubeObject>(list: KubeList<T>): KubeList<T> {
  const kind = list.kind?.endsWith('List') ? list.kind.slice(0, -4) : undefined;
  for (const item of list.items ?? []) {
    item.apiVersion ??= list.apiVersion;
    item.kind ??= kind;
  }
  return list;
}

/**
 * Reads a list page by page, all of one version.
 *
 * @param read gets the token of the page, which is absent for the first one.
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
