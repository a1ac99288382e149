import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sleep } from 'kube-common';
import { DefinitionClient } from 'nestjs-kopf/tooling';
import { ApiNotFoundError, type KubeObject, UnknownResourceError } from 'nestjs-kopf';
import type { CliEnvironment } from '../cli.environment.js';
import type { ClusterConnection } from '../cluster.connection.js';
import { CommandError, UsageError } from '../exit.codes.js';
import { readObjects } from '../operator.manifests.js';

const FIELD_MANAGER = 'kopf-dev';
/** Attempts at objects whose resource is not served everywhere yet, and the seconds between them. */
const ATTEMPTS = 10;
const PAUSE = 0.2;

/**
 * Returns the files of manifests: the given files, and those of YAML and JSON in the given folders.
 *
 * @throws UsageError if there is no such file or folder.
 */
export function listManifests(paths: readonly string[], { folder }: Pick<CliEnvironment, 'folder'>): readonly string[] {
  return paths.flatMap((path) => {
    const full = resolve(folder, path);
    const found = statSync(full, { throwIfNoEntry: false });
    if (!found) throw new UsageError(`There is no file or folder ${path}.`);
    if (!found.isDirectory()) return [full];
    const names = readdirSync(full).filter((name) => /\.(ya?ml|json)$/.test(name));
    return names.sort().map((name) => join(full, name));
  });
}

/**
 * Applies the objects of the files by server-side apply: first the namespaces and CRDs, then all others.
 *
 * @returns how many there were.
 */
export async function applyManifests(
  files: readonly string[],
  { client, api }: ClusterConnection,
  environment: CliEnvironment,
): Promise<number> {
  const objects = files.flatMap((file) => readObjects(file, environment));
  const isFirst = ({ kind }: KubeObject): boolean => kind === 'CustomResourceDefinition' || kind === 'Namespace';
  const definitions = new DefinitionClient(api, environment.clock, new AbortController().signal);
  for (const object of [...objects.filter(isFirst), ...objects.filter((each) => !isFirst(each))]) {
    if (!object.kind || !object.apiVersion || !object.metadata?.name) {
      throw new CommandError(
        `An object of the manifests has no apiVersion, kind, or metadata.name: ${JSON.stringify(object).slice(0, 100)}`,
      );
    }
    await apply(object);
    if (object.kind === 'CustomResourceDefinition') await settle(object);
  }
  return objects.length;

  /** A CRD that is being deleted has to be created again. */
  async function settle(definition: KubeObject): Promise<void> {
    const { name } = definition.metadata;
    while ((await definitions.settled(name!)) !== 'established') {
      await definitions.gone(name!);
      await apply(definition);
    }
  }

  async function apply(object: KubeObject): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await client.apply(object, { fieldManager: FIELD_MANAGER, force: true });
        return;
      } catch (error) {
        const isEarly = error instanceof ApiNotFoundError || error instanceof UnknownResourceError;
        if (!isEarly || attempt === ATTEMPTS) throw error;
        await sleep(environment.clock, PAUSE);
      }
    }
  }
}
