// manifests: what a cluster has from its start on. It reads files and folders, and applies what is in them as a client would.
// May import: common, server.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../common/json.values.js';
import { readYaml } from '../server/yaml.reader.js';

/** An object that a manifest describes. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  /** The whole object, as it is sent. */
  readonly object: object;
  /** The file that it comes from, for errors. */
  readonly file: string;
}

/** The separator of the documents of a file, as kubectl finds it. */
const SEPARATOR = /^---(?:[ \t].*)?\r?$/m;

/**
 * Reads the objects of files, and of all files of folders that end with `.yaml`, `.yml`, or `.json`, in the order of their names. Lists
 * count as their items. What others can depend on comes first: CRDs, then namespaces.
 *
 * @throws Error that names the file, if it cannot be read, or has something in it that is no object of Kubernetes
 */
export function readManifests(paths: readonly string[]): readonly Manifest[] {
  const all = paths.flatMap((path) => listFiles(path)).flatMap((file) => readFile(file));
  const rank = ({ kind }: Manifest): number => ['CustomResourceDefinition', 'Namespace', kind].indexOf(kind);
  return all.sort((one, other) => rank(one) - rank(other));
}

function listFiles(path: string): string[] {
  const isFolder = unlessMissing(path, () => statSync(path).isDirectory());
  if (!isFolder) return [path];
  const names = unlessMissing(path, () => readdirSync(path)).filter((name) => /\.(ya?ml|json)$/.test(name));
  if (names.length === 0)
    throw new Error(`the folder ${path} has no manifests: no files that end with .yaml, .yml, or .json`);
  return names.sort().map((name) => join(path, name));
}

function readFile(file: string): Manifest[] {
  const text = unlessMissing(file, () => readFileSync(file, 'utf8'));
  let lines = 0;
  return text.split(SEPARATOR).flatMap((document) => {
    const value = parse(document, file, lines);
    lines += document.split('\n').length - 1;
    return value === undefined || value === null ? [] : toManifests(value, file);
  });
}

/** @param lines the number of lines of the file before the document */
function parse(document: string, file: string, lines: number): unknown {
  try {
    return readYaml(document).value;
  } catch (error) {
    const { message, cause } = error as Error;
    const { mark } = (cause ?? {}) as { readonly mark?: { readonly line: number } | null };
    const place = mark ? ` at line ${lines + mark.line + 1}` : '';
    // The line that the message may have is one of the document.
    const problem = place ? message.replace(/^yaml: line \d+: /, 'yaml: ') : message;
    throw new Error(`the manifest ${file} cannot be read${place}: ${problem}`, { cause: error });
  }
}

function toManifests(value: unknown, file: string): Manifest[] {
  const { apiVersion, kind, items, metadata } = isJsonObject(value) ? value : {};
  if (typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)) {
    return items.flatMap((item) => toManifests(item, file));
  }
  const { name, namespace } = isJsonObject(metadata) ? metadata : {};
  const isObject = [apiVersion, kind, name].every((text) => typeof text === 'string' && text !== '');
  if (!isObject) {
    const found = JSON.stringify({ apiVersion, kind, name });
    throw new Error(`the manifest ${file} has something without apiVersion, kind, or metadata.name: ${found}`);
  }
  const texts = { apiVersion, kind, name, namespace } as Pick<Manifest, 'apiVersion' | 'kind' | 'name' | 'namespace'>;
  return [{ ...texts, object: value as object, file }];
}

function unlessMissing<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file or folder' : (error as Error).message;
    throw new Error(`the manifests ${path} cannot be read: ${reason}`, { cause: error });
  }
}
