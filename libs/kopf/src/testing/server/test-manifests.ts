import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import type { KubeObject } from '../../objects/kube-object.js';

/** An object, the text of one or several objects in YAML or JSON, or a list of these. */
export type TestManifest = TestManifestObject | string | readonly TestManifest[];

/**
 * An object as tests give it, with any other fields: the rest of its metadata is the API server's. Without the union, either literals could not
 * have further fields, or interfaces would not do.
 */
export type TestManifestObject = Pick<KubeObject, 'metadata'> & {
  readonly apiVersion: string;
  readonly kind: string;
} & (object | Readonly<Record<string, unknown>>);

/**
 * Reads the objects of manifests, in their order. The items of a `List` are separate objects.
 *
 * @throws TypeError if something in it is no object of Kubernetes.
 */
export function readManifests(manifest: TestManifest): KubeObject[] {
  if (typeof manifest === 'string')
    return loadAll(manifest)
      .filter(Boolean)
      .flatMap((one) => readObject(one));
  if (Array.isArray(manifest)) return (manifest as readonly TestManifest[]).flatMap((one) => readManifests(one));
  return readObject(manifest);
}

/** Reads the objects of a file, or of all files of a folder that end with `.yaml`, `.yml`, or `.json`, in the order of their names. */
export function readManifestFiles(path: string): KubeObject[] {
  if (!statSync(path).isDirectory()) return readManifests(readFileSync(path, 'utf8'));
  const files = readdirSync(path).filter((file) => /\.(ya?ml|json)$/.test(file));
  return files.sort().flatMap((file) => readManifests(readFileSync(join(path, file), 'utf8')));
}

function readObject(value: unknown): KubeObject[] {
  const { kind, apiVersion, items, metadata } = (value ?? {}) as Partial<KubeObject>;
  if (kind?.endsWith('List') && Array.isArray(items)) return items.flatMap((item) => readObject(item));
  if (!kind || !apiVersion || !(metadata?.name || metadata?.generateName)) {
    throw new TypeError(
      `A manifest needs apiVersion, kind, and metadata.name. Got ${JSON.stringify(value)?.slice(0, 100)}.`,
    );
  }
  return [value as KubeObject];
}
