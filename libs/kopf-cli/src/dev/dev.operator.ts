import type { KopfModuleOptions } from 'nestjs-kopf';
import { FIELD_CHANGES } from 'nestjs-kopf/tooling';
import { Deferred } from 'kube-common';
import type { CliEnvironment } from '../cli.environment.js';
import { reportError } from '../command.line.js';
import { EXIT_CODES, type ExitCode } from '../exit.codes.js';
import { LoadedFiles } from '../loaded.files.js';
import { OperatorApplication } from '../operator.application.js';
import { loadOperator } from '../loaded.operator.js';
import { isReviewing, type MetadataChange } from '../run.options.js';
import { DEV_OPERATOR, type DevReport, type DevTask } from './dev.options.js';
import { createDevServer } from './dev.servers.js';

/**
 * Runs an operator for `kopf dev`, in a separate process, until the parent asks to stop or goes away.
 *
 * @param text the task as JSON.
 * @returns the exit code; errors are printed.
 */
export async function runDevOperator(text: string, environment: CliEnvironment): Promise<ExitCode> {
  const { parent } = environment;
  if (!parent) throw new Error(`${DEV_OPERATOR} is for processes that kopf dev starts.`);
  const task = JSON.parse(text) as DevTask;
  const report = (message: DevReport): void => parent.send(message);
  const stopped = new Deferred();
  let isStarted = false;
  const stop = (): void => {
    // A start that has not ended is not waited for, as the next process starts from the beginning.
    if (!isStarted) environment.exit(0);
    stopped.resolve();
  };
  // A signal of the terminal reaches this process, too, and means the same as the parent's message, which follows.
  const releases = [parent.onMessage(stop), environment.onSignal(stop)];
  const loaded = new LoadedFiles(environment);
  try {
    report({ type: 'step', step: 'loading the files' });
    const source = await loadOperator(task.files, task.options.module ?? [], environment, loaded);
    report({ type: 'files', files: loaded.list() });
    report({ type: 'step', step: 'starting the application' });
    const operator = await OperatorApplication.start(source, task.options, withTerminal(environment, task.isTTY), {
      options: (given) => changeOptions(given, task, report),
      handlers: tameWebhooks,
    });
    isStarted = true;
    const { address, isUnserved } = operator;
    report({ type: 'started', address, isUnserved });
    await stopped.promise;
    await operator.stop();
    return EXIT_CODES.good;
  } catch (error) {
    return reportError(error, environment);
  } finally {
    report({ type: 'files', files: loaded.list() });
    for (const release of releases) release();
  }
}

/**
 * A webhook of a developer must never disturb other users: requests that cannot be reviewed pass, and no configuration stays at the end.
 */
const tameWebhooks: MetadataChange = (metadata) => {
  if (!isReviewing(metadata)) return metadata;
  return { ...metadata, options: { ...metadata.options, ignoreFailures: true, persistent: false } };
};

/** Every change of a CRD passes: what clients and stored objects need is for the cluster to decide that the operator is deployed to. */
const ALLOWED = [...Object.keys(FIELD_CHANGES), 'existingFieldRemoval', 'storedVersionRemoval'];

function changeOptions(
  given: KopfModuleOptions,
  { managed: base, webhooks, appliesCrds }: DevTask,
  report: (message: DevReport) => void,
): KopfModuleOptions {
  const managed = given.name === undefined || given.name === 'default' ? base : `${toLabel(given.name)}.${base}`;
  if (webhooks.way !== 'off') report({ type: 'managed', name: managed });
  const { crds } = given;
  const allow = { mode: 'apply', allow: ALLOWED } as const;
  return Object.assign(given, {
    admission: {
      ...given.admission,
      managed: webhooks.way === 'off' ? null : managed,
      server: createDevServer(webhooks, () => report({ type: 'serving' })),
      keepForeign: false,
      // Only the developer waits for the reviews.
      exitDelay: 0,
    },
    ...(appliesCrds && { crds: typeof crds === 'object' ? { ...crds, ...allow } : allow }),
  });
}

/** Makes a part of a domain of a name. */
export function toLabel(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'x'
  );
}

function withTerminal(environment: CliEnvironment, isTTY: boolean): CliEnvironment {
  const { stdout } = environment;
  return { ...environment, stdout: { isTTY, write: (text) => stdout.write(text) } };
}
