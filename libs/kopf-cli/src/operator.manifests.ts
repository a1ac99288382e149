import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { loadAll } from 'js-yaml';
import { errorText } from 'kube-common';
import {
  generateManifests,
  ManifestFolder,
  readGrants,
  reviewGrants,
  verifyPermissions,
  type FileOutcome,
  type FileState,
  type GeneratedManifests,
  type ManifestOptions,
  type ObservedPermissions,
  type VerificationFinding,
} from './index.js';
import type { KubeObject } from 'nestjs-kopf';
import type { CliEnvironment } from './cli.environment.js';
import { CommandError, UsageError } from './exit.codes.js';
import { RepeatableOption } from './option.kinds.js';
import { createRootModule, loadOperator } from './loaded.operator.js';

// The one file of the commands that may import the leaf.
export { readGrants, reviewGrants, verifyPermissions };
export type { ObservedPermissions, VerificationFinding };

/** The options by which commands know the operator whose manifests are meant. */
export interface OperatorOptions {
  readonly name: string;
  readonly namespace: string;
  readonly account?: string;
  readonly operator?: string;
  readonly module?: readonly string[];
  readonly crd?: readonly string[];
  readonly foreignCrd?: readonly string[];
}

/** Adds the files of the operator, and the options that describe it. */
export function addOperatorOptions(command: Command): void {
  command
    .argument('[files...]', 'Files that export a Nest module, or classes with handlers, in JavaScript or TypeScript.')
    .requiredOption('--name <name>', 'The name of the operator in the cluster: of its account, and of its roles.')
    .option('-n, --namespace <name>', 'The namespace that the operator runs in.', 'default')
    .option('--account <name>', 'The service account that it shares with other operators. (default: its own account)')
    .option(
      '--operator <name>',
      'The operator of the application, if it has several. (default: the one without a name)',
    )
    .addOption(new RepeatableOption('-m, --module <name>', 'An installed package to load, as files are.'))
    .addOption(new RepeatableOption('--crd <file>', 'CRDs of the operator itself, in YAML or JSON.'))
    .addOption(new RepeatableOption('--foreign-crd <file>', 'CRDs of others that the operator uses.'));
}

/** Generates the manifests of the operator that the files export; nothing of it is started. */
export async function generate(
  files: readonly string[],
  options: OperatorOptions,
  more: Partial<ManifestOptions>,
  environment: CliEnvironment,
): Promise<GeneratedManifests> {
  const { name, namespace, account, operator, module = [], crd = [], foreignCrd = [] } = options;
  const crds = crd.flatMap((file) => readObjects(file, environment));
  const foreignCrds = foreignCrd.flatMap((file) => readObjects(file, environment));
  const generated = await asInPod(environment, async () => {
    const source = await loadOperator(files, module, environment);
    const root = await createRootModule(source, (given) => given);
    return generateManifests(root, { name, namespace, account, operator, crds, foreignCrds, ...more });
  });
  for (const warning of generated.warnings) environment.stderr.write(`${environment.name}: ${warning}\n`);
  return generated;
}

/** The variable by which applications know that they run in a pod; Kubernetes sets it to the address of the API server. */
const POD_VARIABLE = 'KUBERNETES_SERVICE_HOST';

/** Loads an application as it is in a pod: it may decide by this variable how webhooks are served, or where credentials are. */
async function asInPod<T>({ variables }: CliEnvironment, load: () => Promise<T>): Promise<T> {
  if (variables[POD_VARIABLE] !== undefined) return load();
  variables[POD_VARIABLE] = 'kubernetes.default.svc';
  try {
    return await load();
  } finally {
    delete variables[POD_VARIABLE];
  }
}

/** Compares files with those of a folder, and writes nothing. */
export function checkFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
  environment: CliEnvironment,
): Readonly<Record<string, FileState>> {
  return new ManifestFolder(resolve(environment.folder, folder)).check(files);
}

/** Writes files into a folder, where the user's changes of earlier ones are kept. */
export function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
  force: boolean,
  environment: CliEnvironment,
): Readonly<Record<string, FileOutcome>> {
  return new ManifestFolder(resolve(environment.folder, folder)).write(files, force);
}

/**
 * Reads the objects of a file of YAML or JSON; those of a `List` are its items.
 *
 * @throws UsageError if there is no such file; CommandError if it cannot be read.
 */
export function readObjects(file: string, environment: CliEnvironment): readonly KubeObject[] {
  const path = resolve(environment.folder, file);
  if (!existsSync(path)) throw new UsageError(`There is no file ${file}.`);
  try {
    const documents = loadAll(readFileSync(path, 'utf8')) as readonly (KubeObject & {
      items?: readonly KubeObject[];
    })[];
    return documents.filter(Boolean).flatMap((document) => document.items ?? [document]);
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${errorText(error)}`, { cause: error });
  }
}
