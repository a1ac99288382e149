import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorText } from 'kube-common';
import type { CommandDefinition } from '../cli.command.js';
import type { CliEnvironment } from '../cli.environment.js';
import { CommandError, EXIT_CODES, UsageError } from '../exit.codes.js';
import { ModuleLoader, type LoadedModule } from '../module.loader.js';
import { IntegerOption } from '../option.kinds.js';
import { ProgressBar } from '../progress.bar.js';

/** Imports the simulation on demand, which users need not have installed. */
const importSimulation = () => import('nestjs-kopf-simulation');

type SimulationLibrary = Awaited<ReturnType<typeof importSimulation>>;
type SimulationDefinition = ReturnType<SimulationLibrary['defineSimulation']>;
type SimulationOptions = SimulationDefinition['options'];
type SimulationPlan = ReturnType<SimulationLibrary['parsePlan']>;

interface SimulateOptions {
  readonly random?: number;
  readonly seed?: number;
  readonly limit?: number;
  readonly stopAfter?: number;
  readonly replay?: string;
  readonly cluster?: string;
  readonly save?: string;
  readonly html?: string;
  readonly json?: string;
}

/** `kopf simulate`: the operator and its cluster in one process, under crashes and other faults. */
export const simulateCommand: CommandDefinition = {
  configure(command) {
    command
      .argument('<file>', 'A file that exports what defineSimulation() returns, in JavaScript or TypeScript.')
      .addOption(new IntegerOption('--random <number>', 'Draw this many plans. (default: the plans of the file)', 1))
      .addOption(new IntegerOption('--seed <number>', 'The seed of the run and of random plans.'))
      .addOption(new IntegerOption('--limit <number>', 'The most plans that are run.', 1))
      .addOption(new IntegerOption('--stop-after <number>', 'The number of findings after which to stop.', 1))
      .option('--replay <plan>', 'Run kept plans: a file that --save has written, or one plan as JSON.')
      .option('--cluster <kubeconfig>', 'Run the plans of --replay on this cluster, which is used for nothing else.')
      .option('--save <file>', 'Write the plans of all findings there, for --replay.')
      .option('--html <file>', 'Write the report there, as a page.')
      .option('--json <file>', 'Write the report there, as JSON.');
  },

  async run([file], options: SimulateOptions, environment) {
    if (options.replay !== undefined && options.random !== undefined) {
      throw new UsageError('--replay and --random exclude each other.');
    }
    if (options.cluster !== undefined && options.replay === undefined) {
      throw new UsageError('--cluster needs --replay: on a cluster, each plan takes seconds.');
    }
    const simulation = findSimulation(await new ModuleLoader(environment).loadFile(file as string));
    const progress = new ProgressBar(environment, 'plans', options.random);
    const onPlan = (): void => progress.step();
    const { describePlan } = await importSimulation();
    const onSlowPlan = (plan: SimulationPlan, seconds: number): void =>
      progress.note(`A plan takes long, ${seconds} s of processor time so far: ${describePlan(plan)}`);
    const changes = { file: file as string, onPlan, onSlowPlan, ...(await readChanges(options, environment)) };
    const running = simulation.run(changes).finally(() => progress.close());
    const report = await running.catch((error: unknown) => {
      throw new CommandError(`The simulation of ${file} cannot be run: ${errorText(error)}`, { cause: error });
    });
    const pathOf = (path: string): string => resolve(environment.folder, path);
    if (options.html !== undefined) report.writeHtml(pathOf(options.html));
    if (options.json !== undefined) writeFileSync(pathOf(options.json), `${JSON.stringify(report, undefined, 2)}\n`);
    if (options.save !== undefined) (await importSimulation()).writePlans(pathOf(options.save), report.findings);
    return {
      data: report.toJSON(),
      text: String(report),
      exitCode: report.findings.length > 0 ? EXIT_CODES.failed : EXIT_CODES.good,
    };
  },
};

/** @throws CommandError if the module exports no simulation, or several. */
function findSimulation({ name, exports }: LoadedModule): SimulationDefinition {
  const found = [...new Set(Object.values(exports))].filter(isSimulation);
  const [simulation] = isSimulation(exports.default) ? [exports.default] : found;
  if (simulation && (found.length === 1 || simulation === exports.default)) return simulation;
  const instead =
    found.length > 1 ? 'several, and none of them as default' : Object.keys(exports).join(', ') || 'nothing';
  throw new CommandError(`${name} must export what defineSimulation() returns, as default. It exports ${instead}.`);
}

/** Recognizes definitions by their brand, as they can come from another build of the package: the one for `require()`. */
function isSimulation(value: unknown): value is SimulationDefinition {
  return typeof value === 'object' && value !== null && Symbol.for('nestjs-kopf:simulation') in value;
}

async function readChanges(
  { random, seed, limit, stopAfter, replay, cluster }: SimulateOptions,
  environment: CliEnvironment,
): Promise<Partial<SimulationOptions>> {
  return {
    ...(seed !== undefined && { seed }),
    ...(limit !== undefined && { limit }),
    ...(stopAfter !== undefined && { stopAfter }),
    ...(cluster !== undefined && { cluster: resolve(environment.folder, cluster) }),
    ...(random !== undefined && { plans: { random, seed }, limit: limit ?? random }),
    // Single plans need not lead everywhere.
    ...(replay !== undefined && { plans: await readReplay(replay, environment), sometimes: [] }),
  };
}

async function readReplay(replay: string, { folder }: CliEnvironment): Promise<readonly SimulationPlan[]> {
  const { parsePlan, readPlans } = await importSimulation();
  try {
    if (replay.trim().startsWith('{')) return [parsePlan(replay)];
    const path = resolve(folder, replay);
    if (!existsSync(path)) throw new UsageError(`There is no file ${replay}.`);
    return readPlans(path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--replay ${replay} cannot be read: ${errorText(error)}`, { cause: error });
  }
}
